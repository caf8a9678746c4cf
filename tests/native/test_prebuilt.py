"""The runtime as an installation has compiled it: linked as it is, by whom it may be, or not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbcore import compile_equations, simulate
from mbcore.cli.commands import doctor
from mbcore.native import cache, library, prebuilt
from tests.built import quick
from tests.native.test_native import pulled

SHARED = os.environ[cache.VARIABLE]
"""Cache of all tests, whose runtime is compiled by its own compiler."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runtime for this machine, compiled without optimization."""
    folder = tmp_path_factory.mktemp("objects")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prebuilt, "find_compiler", lambda *limits: quick("-O0", *limits))
        patch.delenv("CC", raising=False)
        (told,) = prebuilt.build(folder)
    assert told.startswith(f"{prebuilt.this_platform().name}-")
    return folder


@pytest.fixture
def installed(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it as that of the installation, with an empty cache of equations beside it."""
    folder = shutil.copytree(built, tmp_path / "objects")
    monkeypatch.setattr(prebuilt, "FOLDER", folder)
    monkeypatch.setattr(cache, "prebuilt", prebuilt.prebuilt)
    monkeypatch.setattr(cache, "find_compiler", lambda *limits: quick("-O0", *limits))
    monkeypatch.setattr(library, "_LOADED", {})
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    prebuilt._found.cache_clear()
    (place,) = folder.iterdir()
    yield place
    prebuilt._found.cache_clear()


def test_equations_are_linked_with_it_and_give_the_same_bits(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = prebuilt.prebuilt()
    assert known is not None and known.folder == installed
    equations = pulled().equations()
    compile_equations(equations)  # flows, too
    assert not list(cache.cache_folder().glob("runtime-*"))
    ran = simulate(equations, 1.0, backend="c", samples=[1.0]).final("x")
    monkeypatch.setattr(cache, "prebuilt", lambda: None)
    monkeypatch.setenv(cache.VARIABLE, SHARED)
    library._LOADED.clear()
    assert simulate(pulled().equations(), 1.0, backend="c", samples=[1.0]).final("x") == ran


def test_objects_that_cannot_be_linked_are_replaced_once(installed: Path) -> None:
    """As of a wheel from a system whose library has functions that this one lacks."""
    about = (installed / "about.json").read_text("utf-8")
    for name in ("steps.o", "others.o"):
        about = about.replace(prebuilt._digest(installed / name), prebuilt._digest(Path(__file__)))
        shutil.copy(__file__, installed / name)
    (installed / "about.json").write_text(about, "utf-8")
    assert prebuilt.prebuilt() is not None
    simulate(pulled().equations(), 1.0, backend="c")
    (own,) = (p for p in cache.cache_folder().glob("runtime-*") if p.is_dir())
    compiler = quick("-O0")
    assert cache._runtime(cache.cache_folder(), compiler, False) == tuple(sorted(own.glob("*.o")))


@pytest.mark.parametrize("harm", ["cut off", "missing", "no note", "another note"])
def test_what_is_not_whole_does_not_count(installed: Path, harm: str) -> None:
    if harm == "cut off":
        (installed / "steps.o").write_bytes((installed / "steps.o").read_bytes()[:-1])
    elif harm == "another note":
        (installed / "about.json").write_text("[]")
    else:
        (installed / {"missing": "steps.o", "no note": "about.json"}[harm]).unlink()
    assert prebuilt.prebuilt() is None
    found = doctor.runtime()
    assert not found.good and not found.needed
    assert found.cost.endswith("install mbcore again where a C compiler is")


def test_a_compiler_that_is_named_has_its_own_runtime(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert doctor.runtime().found.startswith("compiled at the installation by ")
    monkeypatch.setenv("CC", "gcc -m64")
    assert prebuilt.prebuilt() is None
    about = (installed / "about.json").read_text("utf-8").replace('"CC": ""', '"CC": "gcc -m64"')
    (installed / "about.json").write_text(about, "utf-8")
    prebuilt._found.cache_clear()
    assert prebuilt.prebuilt() is not None


def test_an_installation_compiles_for_platforms_that_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(prebuilt.VARIABLE, "none")
    assert prebuilt.build(tmp_path) == []
    for given, names in {
        "all": list(prebuilt.PLATFORMS),
        "aarch64-linux, x86_64-darwin": ["aarch64-linux", "x86_64-darwin"],
        "": [prebuilt.this_platform().name],
    }.items():
        monkeypatch.setenv(prebuilt.VARIABLE, given)
        assert [platform.name for platform in prebuilt._asked()] == names
    monkeypatch.setenv(prebuilt.VARIABLE, "amiga")
    with pytest.raises(ValueError, match="unknown 'amiga'; known are x86_64-linux, "):
        prebuilt.build(tmp_path)
