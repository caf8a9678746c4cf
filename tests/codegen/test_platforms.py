"""Platforms and compilers: what cannot be built is refused by name."""

import os
import re
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mbcore.codegen import compiler
from mbcore.codegen.compiler import Compiler, CompilerError, find_compiler
from mbcore.codegen.libraries import compile_files, compile_generated
from mbcore.fmi.packing import archive
from mbcore.fmi.packing.platforms import PLATFORMS, PlatformError, platforms_named, this_platform
from mbcore.fmi.packing.toolchains import toolchains
from mbcore.fmi.packing.universal import libraries2, universal


def test_this_machine_is_the_default():
    assert platforms_named(None) == (this_platform(),)
    assert platforms_named([this_platform().name]) == (this_platform(),)


def test_folders_are_those_of_the_standards():
    """FMI 2.0.5: names of its own for x86, FMI 3.0's platform tuples for all others."""
    folders = {name: platform.library("2.0", "m") for name, platform in PLATFORMS.items()}
    assert folders == {
        "x86_64-linux": "binaries/linux64/m.so",
        "aarch64-linux": "binaries/aarch64-linux/m.so",
        "x86_64-windows": "binaries/win64/m.dll",
        "x86_64-darwin": "binaries/darwin64/m.dylib",
        "aarch64-darwin": "binaries/aarch64-darwin/m.dylib",
    }
    assert PLATFORMS["x86_64-windows"].library("3.0", "m") == "binaries/x86_64-windows/m.dll"


def test_all_platforms():
    assert platforms_named(["all"]) == tuple(PLATFORMS.values())
    with pytest.raises(PlatformError, match=r"pdp11.*known are x86_64-linux, .*and all"):
        platforms_named(["x86_64-linux", "pdp11"])


THROWS = """
extern "C" int run(int (*)());
static int throw_one() { throw 1; }
int main() { try { run(throw_one); } catch (int) { return 0; } return 1; }
"""


@pytest.mark.skipif(
    this_platform().suffix != ".so" or shutil.which("g++") is None, reason="there is no g++ here"
)
def test_exceptions_of_a_host_pass_through_c(tmp_path):
    """A callback of a host in C++ may throw: without tables that ends the process."""
    source = tmp_path / "run.c"
    source.write_text(
        "int run(int (*call)(void));\nint run(int (*call)(void)) { return 1 + call(); }\n"
    )
    made = compile_generated(find_compiler(), source, (), "-fvisibility=default")
    host = tmp_path / "host.cpp"
    host.write_text(THROWS)
    subprocess.run(["g++", host, made, "-o", tmp_path / "host"], check=True)
    assert subprocess.run([tmp_path / "host"], check=False).returncode == 0


def test_long_code_is_optimized_less(tmp_path, monkeypatch):
    """So are the files of the runtime that a unit of its own has."""
    calls = []
    monkeypatch.setattr(compiler.Compiler, "run", lambda _, *line: calls.append(line))
    source = tmp_path / "long.c"
    source.write_text("int one;\n" * 10)
    here = compiler.Compiler(("cc",), this_platform())
    compile_generated(here, source, (), large=90)
    compile_generated(here, source, (), large=91)
    compile_files(here, [source, tmp_path / "short.c"], (), tmp_path, less="long")
    levels = {tuple(one for one in line if str(one).startswith("-O")) for line in calls[:1]}
    assert levels == {("-O1",)} and "-O2" in calls[1]
    assert {(line[-3].name, "-O1" in line) for line in calls[2:]} == {
        ("long.c", True), ("short.c", False)
    }  # fmt: skip


def test_what_cannot_be_built_is_told_and_the_rest_is_made(monkeypatch):
    monkeypatch.setattr(compiler, "_has_ziglang", lambda: False)
    monkeypatch.setattr("mbcore.fmi.packing.toolchains.compile_faces", lambda *_: ())
    here = this_platform()
    told: list[str] = []
    with toolchains(["all"], report=told.append) as tools:
        assert [tool.compiler.platform for tool in tools] == [here]
    assert len(told) == len(PLATFORMS) - 1
    for name, line in zip((n for n in PLATFORMS if n != here.name), told, strict=True):
        assert re.search(rf"not built for {name}: .*pip install ziglang", line)
    other = next(name for name in PLATFORMS if name != here.name)
    with pytest.raises(CompilerError, match=other), toolchains([other]):
        pass


def test_another_platform_without_ziglang_names_the_extra(monkeypatch):
    monkeypatch.setattr(compiler, "_has_ziglang", lambda: False)
    other = next(p for p in PLATFORMS.values() if p != this_platform())
    with pytest.raises(CompilerError, match=rf"{other.name}.*pip install ziglang"):
        compiler.find_cross_compiler(other)


def mach_o(processor: int, size: int) -> bytes:
    """Return a file that begins as a library for a Mac: <mach-o/loader.h>, <mach/machine.h>."""
    return struct.pack("<3I", 0xFEEDFACF, processor, 3 if processor == 0x01000007 else 0).ljust(
        size, b"\x5a"
    )


X86_64, ARM64 = 0x01000007, 0x0100000C


def test_both_libraries_of_a_mac_are_one_with_a_header_about_them():
    parts = [mach_o(X86_64, 40_000), mach_o(ARM64, 16_384), mach_o(ARM64, 1)[:12]]
    for count in (1, 2, 3):
        made = universal(*parts[:count])
        assert struct.unpack_from(">2I", made) == (0xCAFEBABE, count)
        end = 8 + 20 * count
        for i, part in enumerate(parts[:count]):
            processor, kind, place, size, power = struct.unpack_from(">5I", made, 8 + 20 * i)
            assert (processor, kind) == struct.unpack_from("<2I", part, 4)
            assert power == 14 and place % 2**14 == 0 and place >= end
            assert made[place : place + size] == part and not any(made[end:place])
            end = place + size
        assert len(made) == end
    with pytest.raises(ValueError, match="0x464c457f is none for a Mac"):
        universal(b"\x7fELF" + bytes(12))


@pytest.mark.parametrize(
    ("built", "linux64", "darwin64"),
    [
        (["x86_64-linux"], "x86_64-linux", None),
        (["aarch64-linux"], "aarch64-linux", None),
        (["x86_64-linux", "aarch64-linux"], "x86_64-linux", None),
        (["aarch64-linux", "x86_64-linux"], "x86_64-linux", None),
        (["x86_64-darwin"], None, "x86_64-darwin"),
        (["aarch64-darwin"], None, "aarch64-darwin"),
        (["aarch64-linux", "x86_64-darwin"], "aarch64-linux", "x86_64-darwin"),
    ],
)
def test_old_folders_have_the_newer_processor_s_library_where_there_is_no_other(
    built, linux64, darwin64
):
    libraries = {PLATFORMS[name]: name.encode() for name in built}
    files = libraries2("m", libraries)
    assert files.get("binaries/linux64/m.so") == (linux64 and linux64.encode())
    assert files.get("binaries/darwin64/m.dylib") == (darwin64 and darwin64.encode())
    assert all(files[platform.library("2.0", "m")] == libraries[platform] for platform in libraries)
    contents = archive.Contents("m", libraries, None, "", b"", None, "")
    assert {n for n in archive.files3(contents, b"") if n.startswith("binaries")} == {
        platform.library("3.0", "m") for platform in libraries
    }


def test_no_compiler_says_what_to_install(monkeypatch):
    monkeypatch.setattr(compiler, "candidates", lambda here: iter([("no-such-compiler",)]))
    with pytest.raises(
        CompilerError, match=r"no-such-compiler.*apt install gcc.*pip install ziglang"
    ):
        find_compiler()


def test_a_compiler_whose_library_does_not_load_is_passed_over(monkeypatch, tmp_path):
    fake = tmp_path / "fake.py"
    fake.write_text("import sys\nopen(sys.argv[sys.argv.index('-o') + 1], 'w').write('text')\n")
    real = find_compiler().command
    candidates = [(sys.executable, str(fake)), real]
    monkeypatch.setattr(compiler, "candidates", lambda here: iter(candidates))
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


def test_a_compiler_that_hangs_is_ended_with_all_it_has_started(tmp_path):
    note, parent = tmp_path / "process", tmp_path / "hanging"
    if os.name == "posix":  # a shell has begun long before the second is over, Python may not
        parent.write_text(f'sleep 600 &\necho $! > "{note}"\nwait\n')
        command = ("sh", str(parent))
    else:
        parent.write_text("import time\ntime.sleep(600)\n")
        command = (sys.executable, str(parent))
    hanging = Compiler(command, this_platform(), timeout=1.0)
    with pytest.raises(CompilerError, match=r"hanging .* did not end in 1 s"):
        hanging.run()
    if sys.platform == "linux":
        for _ in range(2000):
            state = Path(
                "/proc", note.read_text().strip(), "stat"
            )  # Z: ended, and nobody has asked
            if (
                not state.exists() or state.read_text().split()[2] == "Z"
            ):  # ended, and not asked for
                break
            time.sleep(0.01)
        else:
            pytest.fail("what the compiler had started goes on")
