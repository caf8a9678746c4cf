"""The subcommand doctor: each of its findings, and the whole."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import webbrowser
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from packaging.specifiers import SpecifierSet

from mbcore.cli.commands import doctor
from mbcore.cli.commands.doctor import Finding
from mbcore.cli.program import main
from mbcore.codegen.platforms import this_platform
from mbcore.version import VERSION


def test_a_package_that_suits_is_found_with_its_version() -> None:
    found = doctor.package("numpy", SpecifierSet(">=1.24"))
    assert str(found) == f"ok       numpy: {np.__version__}"


def test_a_package_that_is_too_old_names_both_versions_and_the_remedy() -> None:
    assert str(doctor.package("numpy", SpecifierSet(">=1000"))) == (
        f"MISSING  numpy: {np.__version__}, needed is >=1000\n"
        "         costs: mbcore does not work; python -m pip install 'numpy>=1000'"
    )


def test_a_package_that_is_not_installed_is_missing() -> None:
    assert str(doctor.package("no-such-package", SpecifierSet(">=1"))) == (
        "MISSING  no-such-package: not installed, needed is >=1\n"
        "         costs: mbcore does not work; python -m pip install 'no-such-package>=1'"
    )


def test_a_package_that_cannot_be_imported_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(name: str) -> None:
        raise ImportError(f"{name}.so: undefined symbol")

    monkeypatch.setattr(importlib, "import_module", damaged)
    found = doctor.package("numpy", SpecifierSet(">=1"))
    assert (found.good, found.needed) == (False, True)
    said = "cannot be imported: ImportError: numpy.so: undefined symbol"
    assert found.found == f"{np.__version__} {said}"


def test_only_packages_of_no_extra_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    required = ["numpy>=1000", 'no-such-package>=1; extra == "docs"', "filelock"]
    monkeypatch.setattr(metadata, "requires", lambda _: required)
    assert [(p.name, p.good) for p in doctor.packages()] == [("numpy", False), ("filelock", True)]


def test_an_optional_package_says_what_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", none)
    assert str(doctor.optional("dask")) == (
        "without  dask: not installed\n"
        "         costs: no sweeps on a cluster; python -m pip install 'dask[distributed]'"
    )
    assert str(doctor.optional("imageio_ffmpeg")).endswith("python -m pip install imageio-ffmpeg")
    assert not any(doctor.optional(module).needed for module in doctor.OPTIONAL)


def test_without_a_compiler_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbcore.codegen.compiler.candidates", lambda _: iter(()))
    found = doctor.guarded("C compiler", lambda: doctor.compiler(9.0), "no FMUs")
    assert (found.good, found.needed, found.slow) == (False, True, False)
    assert found.found.startswith("no C compiler works here; tried: none found. Install one")


@pytest.mark.skipif(os.name != "posix", reason="the compiler is a shell script")
def test_a_slow_compiler_is_told_as_slow_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way out is an option that the command has."""
    slow = tmp_path / "slow"
    slow.write_text("sleep 600\n")
    monkeypatch.setattr("mbcore.codegen.compiler.candidates", lambda _: iter([("sh", str(slow))]))
    found = doctor.guarded("C compiler", lambda: doctor.compiler(0.05), "no FMUs")
    built = doctor.guarded("FMU", lambda: doctor.fmu(0.05), "wrong")
    for finding in (found, built):
        assert str(finding).startswith("SLOW     ")
        assert f"slow for {this_platform().name} did not end in 0.05 s" in finding.found
        assert "--compiler-timeout SECONDS of mbcore build, page and doctor" in finding.found
        assert finding.cost == "costs: building FMUs and starting compiled runs takes long here"
    monkeypatch.setattr(doctor, "findings", lambda longest: [found] if longest == 7.0 else [])
    assert main(["doctor", "--compiler-timeout", "7"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "1 not checked: SLOW; 0 optional: without; checked in 0 s"
    )


def test_the_cache_is_shown_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    (folder / "library.so").write_bytes(bytes(3_000_000))
    monkeypatch.setenv("MBCORE_CACHE", str(folder))
    assert doctor.cache().startswith(f"{folder}, 3 MB of 500 MB, ")


def test_a_cache_that_cannot_be_written_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MBCORE_CACHE", str(tmp_path / "file"))
    found = doctor.guarded("cache", doctor.cache, "slower")
    assert not found.good
    assert f"cannot be kept in {tmp_path / 'file'}" in found.found


def test_stored_numbers_are_those_of_the_example() -> None:
    reference = importlib.import_module("mbcore.examples.rolling.rolling_disk").REFERENCE
    assert doctor.STORED["contact.x"] == reference["contact x at t = 87"]
    assert doctor.STORED["contact.y"] == reference["contact y at t = 87"]
    assert doctor.STORED["energy.total"] == reference["energy"]


@pytest.mark.parametrize("off", [2e-6, -2e-6, math.nan])
def test_an_fmu_that_gives_other_numbers_is_told(off: float) -> None:
    last = dict(doctor.STORED, **{"contact.y": doctor.STORED["contact.y"] + off})
    with pytest.raises(ValueError, match=r"contact.y = .* at 87 s, stored is -6.119093025"):
        doctor.compared(last)


def test_the_largest_difference_is_told() -> None:
    last = {name: value + 1e-7 for name, value in doctor.STORED.items()}
    assert doctor.compared(last).endswith("off the stored numbers by 1.0e-07 at most")


@pytest.mark.parametrize(
    ("name", "good"), [("firefox", True), ("/usr/bin/w3m", False), ("www-browser", False)]
)
def test_browsers_that_show_text_alone_are_none(
    name: str, good: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser(name))
    found = doctor.browser()
    assert (found.good, found.needed) == (good, False)


def test_a_machine_without_a_browser_is_told_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    assert str(doctor.browser()).endswith("copy NAME.html to a machine with a browser")


@pytest.mark.parametrize(
    ("good", "needed", "status", "told"),
    [
        (True, True, 0, "everything needed is there; 0 optional: without; checked in 0 s"),
        (False, False, 0, "everything needed is there; 1 optional: without; checked in 0 s"),
        (False, True, 1, "1 needed: MISSING; 0 optional: without; checked in 0 s"),
    ],
)
def test_the_exit_status_counts_what_is_needed(
    good: bool,
    needed: bool,
    status: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(doctor, "findings", lambda _: [Finding("thing", "1.0", good, needed, "x")])
    assert doctor.run(argparse.Namespace(compiler_timeout=None)) == status
    assert capsys.readouterr().out.splitlines()[-1] == told


@pytest.mark.heavy
def test_this_installation_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor"])
    said = capsys.readouterr().out
    assert status == 0, said
    assert f"ok       mbcore: {VERSION}, in " in said
    for name in ("Python", "casadi", "fmpy", "C compiler", "cache", "FMU rolling_disk"):
        assert f"\nok       {name}: " in f"\n{said}", said
    assert "MISSING" not in said
