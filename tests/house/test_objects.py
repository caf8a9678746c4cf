"""Objects that tests keep between runs are those of the text that is compiled."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from mbcore.codegen.compiler import FLAGS, Compiler, CompilerError, find_compiler
from tests import objects


def test_an_object_is_taken_where_text_and_line_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header that changes, or an option, is compiled; a copy elsewhere of the same text is not.

    The last text is wrong: what fails is not kept.
    """
    monkeypatch.setattr(objects, "OBJECTS", tmp_path / "objects")
    compiled, really = [], Compiler.run

    def counted(compiler: Compiler, *line: str | Path) -> None:
        really(compiler, *line)
        compiled.extend(line[-1:] if "-c" in line else ())

    monkeypatch.setattr(Compiler, "run", counted)
    compiler, made = objects.keeping(find_compiler()), []
    for place, number, option in (
        ("a", 2, "-O0"),
        ("b", 2, "-O0"),
        ("c", 3, "-O0"),
        ("d", 2, "-O1"),
    ):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "number.h").write_text(f"#define NUMBER {number}\n")
        (folder / "given.c").write_text(
            '#include "number.h"\n__attribute__((visibility("default"))) int given(void);\n'
            "int given(void) { return NUMBER; }\n"
        )
        own = (*FLAGS, *compiler.position_flags, option, f"-I{folder}")
        compiler.run(*own, "-c", folder / "given.c", "-o", folder / "given.o")
        library = folder / f"given{compiler.platform.suffix}"
        compiler.run("-shared", folder / "given.o", "-o", library)
        made.append(ctypes.CDLL(str(library)).given())
    assert made == [2, 2, 3, 2]
    assert [Path(target).parent.name for target in compiled] == ["a", "c", "d"]
    wrong = tmp_path / "wrong.c"
    wrong.write_text("int f(void) { return 1 }\n")
    for _ in range(2):
        with pytest.raises(CompilerError, match="expected"):
            compiler.run("-c", wrong, "-o", tmp_path / "wrong.o")
