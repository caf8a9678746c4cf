"""Platforms and compilers: what cannot be built is refused by name."""

import sys

import pytest

from mbcore.fmi import compiler, platforms
from mbcore.fmi.compiler import Compiler, CompilerError, find_compiler
from mbcore.fmi.platforms import PLATFORMS, PlatformError, platforms_named, this_platform


def test_this_machine_is_the_default():
    assert platforms_named(None) == (this_platform(),)
    assert platforms_named([this_platform().name]) == (this_platform(),)


def test_folders_are_those_of_the_standards():
    assert PLATFORMS["x86_64-linux"].folders == ("linux64",)
    assert PLATFORMS["x86_64-windows"].folders == ("win64",)
    assert PLATFORMS["x86_64-windows"].suffix == ".dll"


@pytest.mark.parametrize(
    ("names", "named"),
    [
        (["pdp11"], "pdp11"),
        (["aarch64-darwin", "x86_64-linux"], "aarch64-darwin"),
        (["all"], "x86_64-darwin"),
    ],
)
def test_refused_platforms_are_named(names, named, monkeypatch):
    monkeypatch.setattr(platforms, "this_platform", lambda: PLATFORMS["x86_64-linux"])
    with pytest.raises(PlatformError, match=named):
        platforms_named(names)


def test_another_platform_without_ziglang_names_the_extra(monkeypatch):
    monkeypatch.setattr(compiler, "_has_ziglang", lambda: False)
    other = next(p for p in PLATFORMS.values() if p.target and p != this_platform())
    with pytest.raises(CompilerError, match=rf"{other.name}.*mbcore\[cross\]"):
        compiler.find_cross_compiler(other)


def test_no_compiler_says_what_to_install(monkeypatch):
    monkeypatch.setattr(compiler, "_candidates", lambda here: iter([("no-such-compiler",)]))
    with pytest.raises(CompilerError, match=r"no-such-compiler.*apt install gcc.*mbcore\[cross\]"):
        find_compiler()


def test_a_compiler_whose_library_does_not_load_is_passed_over(monkeypatch, tmp_path):
    fake = tmp_path / "fake.py"
    fake.write_text("import sys\nopen(sys.argv[sys.argv.index('-o') + 1], 'w').write('text')\n")
    real = find_compiler().command
    candidates = [(sys.executable, str(fake)), real]
    monkeypatch.setattr(compiler, "_candidates", lambda here: iter(candidates))
    assert find_compiler().command == real


def test_the_environment_comes_first(monkeypatch):
    real = find_compiler().command
    monkeypatch.setenv("CC", f"{real[0]} -pipe")
    assert find_compiler().command == (real[0], "-pipe")


def test_a_failing_compilation_shows_the_compilers_words(tmp_path):
    source = tmp_path / "wrong.c"
    source.write_text("int f(void) { return undeclared; }\n")
    with pytest.raises(CompilerError, match="undeclared"):
        find_compiler().run("-c", source, "-o", tmp_path / "wrong.o")


def test_a_compiler_that_fails_without_a_word_is_told(tmp_path):
    silent = tmp_path / "silent.py"
    silent.write_text("raise SystemExit(1)\n")
    with pytest.raises(CompilerError, match=r"silent\.py for .*: exit status 1"):
        Compiler((sys.executable, str(silent)), this_platform()).run()
