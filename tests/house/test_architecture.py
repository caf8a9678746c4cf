"""The rooms of the library: imports, and calls among the C files, point upwards only; sizes."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import mbcore
import mbcore.fmus
from mbcore import factories
from mbcore.codegen.runtime import ROOMS, runtime_files

HOUSE = Path(mbcore.__file__).parent
DEFINITIONS = Path(mbcore.fmus.__path__[0])
"""Of the FMUs: a folder beside the library, or where that is installed, in it."""
EVERYTHING = (
    "factories model formulas host elements contact robots drawing equations integrators codegen"
    " native evaluation results simulation linear equilibria small_vibrations periodic continuation"
    " vibration sweeps fmi drivers identification optimization page gym cli version"
)
PUBLIC = "public"
"""The module with the public names, which only definitions of FMUs use inside the library."""
DEFINED = "fmu_src"
"""The definitions of the FMUs, which import each other by relative imports: type checkers find them
in ``fmu_src/``, where they have no other names."""
MAY_IMPORT = {
    "fmus": "",
    "examples": "",
    "factories": "",
    "model": "factories",
    "formulas": "",
    "host": "model fmus",
    "elements": "model",
    "contact": "factories model elements",
    "robots": "model host elements contact",
    "drawing": "model",
    "equations": "model host drawing",
    "integrators": "model",
    "codegen": "model host equations integrators",
    "native": "model host equations integrators codegen",
    "evaluation": "model host equations integrators native",
    "results": "model host drawing equations evaluation",
    "simulation": "model host equations integrators evaluation native results",
    "linear": "model contact host drawing equations integrators native evaluation results",
    "equilibria": "model host drawing equations evaluation linear results",
    "small_vibrations": "model host equations evaluation linear results simulation",
    "periodic": "model host equations integrators native evaluation results simulation",
    "continuation": "model host equations evaluation linear equilibria periodic results",
    "vibration": "results small_vibrations periodic continuation drivers",
    "sweeps": "model host equations integrators codegen native evaluation equilibria linear"
    " results simulation version",
    "fmi": "model formulas host equations integrators evaluation codegen results simulation"
    " version",
    "drivers": "model host equations integrators evaluation results simulation equilibria"
    " small_vibrations periodic continuation fmi",
    "identification": "model host evaluation drivers fmi version",
    "optimization": "model host equations periodic drivers identification",
    "page": "model formulas host drawing equations evaluation results simulation codegen fmi",
    "gym": "model host drawing equations evaluation integrators native results simulation sweeps"
    " fmi",
    "cli": "model host examples robots equations native evaluation equilibria linear"
    " periodic results simulation fmi drivers identification page version",
    "__main__": "cli",
    "version": "",
    DEFINED: f"{PUBLIC} {EVERYTHING}",
    PUBLIC: EVERYTHING,
}


def module_name(file: Path) -> str:
    """Return the name of a module without ``mbcore.``."""
    defines = file.is_relative_to(DEFINITIONS)
    parts = file.relative_to(DEFINITIONS if defines else HOUSE).with_suffix("").parts
    return ".".join([DEFINED] * defines + [part for part in parts if part != "__init__"])


FILES = {module_name(file): file for at in (HOUSE, DEFINITIONS) for file in at.rglob("*.py")}


@cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax of all modules by their names; workers without these tests read none."""
    return {name: ast.parse(file.read_text("utf-8")) for name, file in FILES.items()}


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """Return all parts of each module's syntax."""
    return {name: list(ast.walk(tree)) for name, tree in modules().items()}


def called(call: ast.Call) -> str:
    """Return the last name of what is called; to write it out would take most of the time."""
    of = call.func
    return of.attr if isinstance(of, ast.Attribute) else of.id if isinstance(of, ast.Name) else ""


def imported(node: ast.AST, module: str) -> set[str]:
    """Return the modules of mbcore that an import in a module names, without ``mbcore.``.

    Modules that `importlib` is asked for by their names are imported, too.
    """
    if isinstance(node, ast.Call) and called(node).endswith("import_module"):
        names = {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
    elif isinstance(node, ast.Import):
        names = {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom):
        assert not node.level or room(module) == DEFINED, f"{ast.unparse(node)!r}: write it out"
        inside = FILES[module].stem == "__init__"
        above = ["mbcore", *module.split(".")][: None if inside else -1] if node.level else []
        parts = above[: len(above) + 1 - node.level] + [node.module or ""]
        source = ".".join(filter(None, parts))
        full = {f"{source}.{alias.name}" for alias in node.names}
        names = {n if n.removeprefix("mbcore.") in FILES else source for n in full}
    else:
        return set()
    return {name.partition(".")[2] for name in names if name.partition(".")[0] == "mbcore"}


@cache
def imports() -> dict[str, set[str]]:
    return {
        name: {other for node in parts for other in imported(node, name)}
        for name, parts in nodes().items()
    }


def room(module: str) -> str:
    return module.partition(".")[0] or PUBLIC


def test_rooms_import_rooms_above_only() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, others in imports().items()
        for other in others
        if room(other) not in (room(name), *MAY_IMPORT[room(name)].split())
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(imports()).prepare()


def test_stubs_tell_only_what_is_found_when_it_is_used() -> None:
    """Stubs are for names that `mbcore/__init__.py` finds: the public ones, and factories."""
    stubs = {file.relative_to(HOUSE).as_posix(): file for file in HOUSE.rglob("*.pyi")}
    assert set(stubs) == {"__init__.pyi", "factories.pyi"}
    told = ast.parse(stubs["factories.pyi"].read_text("utf-8")).body
    names = {
        alias.name: node.module
        for node in told
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("mbcore")
        for alias in node.names
    }
    assert {"Equations", "Scene"} <= set(names)
    for name, module in names.items():
        assert getattr(factories, name) is getattr(importlib.import_module(str(module)), name)


def outermost(module: str, other: str) -> tuple[str, str, str]:
    """Return the folder that two modules share, and the names below it that lead to each."""
    parts = list(zip(module.split("."), other.split("."), strict=False))
    same = next((i for i, (a, b) in enumerate(parts) if a != b), len(parts))
    shared = ".".join(module.split(".")[:same])
    return shared, *(".".join(name.split(".")[: same + 1]) for name in (module, other))


def test_no_folders_import_each_other_in_a_circle() -> None:
    folders: dict[str, dict[str, set[str]]] = {}
    for name, others in imports().items():
        if FILES[name].name == "__init__.py":
            continue  # a face: names of the modules below it
        for other in others - {name}:
            if FILES.get(other, HOUSE).name == "__init__.py":
                continue
            shared, mine, theirs = outermost(name, other)
            folders.setdefault(shared, {}).setdefault(mine, set()).add(theirs)
    for graph in folders.values():
        TopologicalSorter(graph).prepare()


TESTS = Path(__file__).parents[1]

MOST_FILES = 20
"""Modules side by side; more are two rooms."""


def test_folders_are_small() -> None:
    crowded = {
        str(folder): len(list(folder.glob("*.py")))
        for folder in {file.parent for file in FILES.values()} - {DEFINITIONS}
    }
    assert {folder: n for folder, n in crowded.items() if n > MOST_FILES} == {}


ON_DEMAND = {
    "codegen.background",
    "drawing.animation",
    "drawing.player",
    "drawing.still",
    "evaluation.input_table",
    "integrators.steps",
    "native.cache",
    "native.generated",
}
"""Modules that a short run does not need: what draws, what writes and compiles C, and those whose
classes derive from SciPy's, which take longer to import than all of ours."""


def test_modules_are_imported_at_the_top() -> None:
    wrong = [
        f"{name}, line {node.lineno}: {ast.unparse(node)}"
        for name, parts in nodes().items()
        for node in parts
        if isinstance(node, ast.Import | ast.ImportFrom)
        and not imported(node, name) <= ON_DEMAND
        and node.col_offset
    ]
    assert wrong == []


# The same for C

SOURCES = {
    file: re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"', "", file.read_text("utf-8"), flags=re.DOTALL)
    for folder in ("runtime", "native", "fmi/c", "page/c")
    for file in (HOUSE / folder).rglob("*.[ch]")
}
_DEFINED = re.compile(
    r"^(?!extern|typedef)\w[\w ]*[ *](mb_\w+)"
    r"(?:\([^;{}]*\)\s*\{|(?:\[[^]]*\])?\s*=)",
    re.MULTILINE | re.IGNORECASE,
)
_DECLARED = re.compile(r"^\w[^;{}=#]*\);", re.MULTILINE)
_INCLUDED = re.compile(r'^#include "([\w.]+)"', re.MULTILINE)


def calls() -> dict[Path, set[Path]]:
    """Return the C files whose functions and tables each C file uses, inline ones too.

    To names that several files define, each for itself or for another processor, includes lead.
    """
    homes: dict[str, list[Path]] = {}
    for file, text in SOURCES.items():
        for name in _DEFINED.findall(text):
            homes.setdefault(name, []).append(file)
    home = {name: files[0] for name, files in homes.items() if len(files) == 1}
    assert len(home) > 300
    return {
        file: {home[word] for word in re.findall(r"\w+", used) if word in home} - {file}
        for file, used in ((file, _DECLARED.sub("", text)) for file, text in SOURCES.items())
    }


def includes() -> dict[Path, set[Path]]:
    """Return the headers that each C header includes."""
    named = {file.name: file for file in SOURCES}
    return {
        file: {named[n] for n in _INCLUDED.findall(file.read_text("utf-8")) if n in named}
        for file in SOURCES
        if file.suffix == ".h"
    }


def test_no_c_files_use_each_other_in_a_circle() -> None:
    """A header and the source of its name are one; a source's headers declare, and lead nowhere."""
    graph: dict[str, set[str]] = {}
    for uses in (calls(), includes()):
        for file, others in uses.items():
            found = {other.stem for other in others} - {file.stem}
            graph.setdefault(file.stem, set()).update(found)
    TopologicalSorter(graph).prepare()


def test_rooms_of_the_runtime_call_those_below_only() -> None:
    height = {room: level for level, room in enumerate(ROOMS)}
    wrong = [
        f"{file.parent.name}/{file.name} calls {other.parent.name}/{other.name}"
        for file, others in calls().items()
        for other in others
        if file.parent in height and height.get(other.parent, len(ROOMS)) > height[file.parent]
    ]
    assert wrong == []


def test_the_runtime_knows_no_fmi() -> None:
    runtime = HOUSE / "runtime"
    for file, others in calls().items():
        inside = file.is_relative_to(runtime)
        assert not inside or all(other.is_relative_to(runtime) for other in others), file.name
    for file in runtime_files():
        assert not re.search(r"#include.*fmi", file.read_text("utf-8")), file.name


# Sizes

LONGEST_FUNCTION = 60
"""Lines, without the docstring."""
MOST_FILES = 20
"""Side by side in a folder."""


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


MOST_ARGUMENTS = 8
TAKES_MORE = (
    "fmi.export.export",
    "model.interface.inputs.add",
    "model.interface.parameters.add",
    "model.tables.table.__init__",
    "simulation.simulate.simulate",
    "sweeps.simulate_many.simulate_many",
)
"""Names of arguments that everybody knows by heart, and declarations of variables, which take the
fields of their record one by one. Others have records, as have all functions but the constructors
of elements, which take their parameters one by one. ``backend``, which all
analyses take, is not counted."""


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many arguments a function has, ``self`` and ``backend`` aside."""
    given = function.args
    named = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    named = [name for name in named if name not in ("self", "cls", "backend")]
    return len(named) + bool(given.vararg) + bool(given.kwarg)


def test_functions_have_few_arguments() -> None:
    many = [
        f"{name}.{node.name}: {arguments(node)} arguments"
        for name, parts in nodes().items()
        for node in parts
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and arguments(node) > MOST_ARGUMENTS
        and f"{name}.{node.name}" not in TAKES_MORE
        and not (room(name) == "elements" and node.name == "__init__")
    ]
    assert many == []


def test_functions_are_short() -> None:
    long = [
        f"{name}.{node.name}: {length(node)} lines"
        for name, parts in nodes().items()
        for node in parts
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and length(node) > LONGEST_FUNCTION
    ]
    assert long == []


def test_folders_are_small_enough_to_survey() -> None:
    ours = ("mbcore", "fmu_src", "examples", "benchmarks", "tests", "docs")
    folders = {file.parent for top in ours for file in (HOUSE.parent / top).rglob("*.*")}
    sizes = {folder: sum(file.is_file() for file in folder.iterdir()) for folder in folders}
    large = [
        f"{folder.relative_to(HOUSE.parent)}: {size} files"
        for folder, size in sizes.items()
        if size > MOST_FILES and not {"__pycache__", "generated"} & set(folder.parts)
    ]
    assert large == []


def test_functions_in_c_are_short() -> None:
    # Functions begin and end with a brace in the first column.
    function = re.compile(r"^[^\n]*\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)
    long = [
        f"{file.name}, {name}: {body.count(chr(10)) + 2} lines"
        for file, text in SOURCES.items()
        for name, body in function.findall(text)
        if body.count("\n") + 2 > LONGEST_FUNCTION
    ]
    assert long == []


def test_the_page_of_the_architecture_is_short() -> None:
    lines = (HOUSE.parent / "docs" / "architecture.md").read_text("utf-8").splitlines()
    assert len(lines) <= 350
    assert max(map(len, lines)) <= 120


def test_what_the_four_walks_name_is_in_the_files_that_they_open() -> None:
    page = (HOUSE.parent / "docs" / "architecture.md").read_text("utf-8")
    walks = page.partition("## Four walks\n")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d+\. `([\w/.]+)`: .*?`(\w+)`", walks, re.MULTILINE | re.DOTALL)
    files = {path.name: path for path in HOUSE.rglob("*.c")}
    lost = []
    for file, name in steps:
        path = files.get(file) if file.endswith(".c") else HOUSE / file
        named = path and path.exists() and re.search(rf"\b{name}\b", path.read_text("utf-8"))
        if file != "model.c" and not named:
            lost.append(f"{file}: {name}")
    assert len(steps) > 30 and not lost


# Classes


def bases_of(node: ast.ClassDef) -> list[str]:
    return [
        base.attr if isinstance(base, ast.Attribute) else ast.unparse(base) for base in node.bases
    ]


def types_in(node: ast.AST) -> list[ast.expr | None]:
    """Return what a node names as a type only: bases, annotations, bounds and casts."""
    match node:
        case ast.ClassDef():
            return [*node.bases]
        case ast.AnnAssign() | ast.arg():
            return [node.annotation]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [node.returns]
        case ast.Call(func=ast.Name("TypeVar")):
            return [*node.args, *(keyword.value for keyword in node.keywords)]
        case ast.Call(func=ast.Name("cast")):
            return [node.args[0]]
    return []


def named_in(parts: list[ast.AST]) -> set[str]:
    """Return the names that a module uses, but as types."""
    types = [of for node in parts for of in types_in(node) if of is not None]
    skipped = {id(part) for of in types for part in ast.walk(of)}
    return {node.id for node in parts if isinstance(node, ast.Name) and id(node) not in skipped}


def test_names_of_types_are_told_from_others() -> None:
    text = "TypeVar('T', bound=A)\nclass B(C):\n    def f(self, x: F) -> G:\n        y: D = made(E)"
    assert named_in([*ast.walk(ast.parse(text))]) - {"y"} == {"TypeVar", "made", "E"}


def test_classes_are_defined_in_one_place() -> None:
    """A class with one heir, which nothing makes and others name as a type at most, is half."""
    homes: dict[str, str] = {}
    heirs: dict[str, list[str]] = {}
    for module, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for base in bases_of(node):
                    heirs.setdefault(base, []).append(module)
                if "Protocol" not in bases_of(node):
                    homes[node.name] = module
    made = {
        node.func.id
        for parts in nodes().values()
        for node in parts
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    names = {module: named_in(parts) for module, parts in nodes().items()}
    halves = [
        f"{home}.{name}, extended in {heirs[name][0]} only"
        for name, home in homes.items()
        if len(heirs.get(name, ())) == 1
        and name not in made
        and not any(name in names[m] for m in modules() if m not in (home, heirs[name][0]))
    ]
    assert halves == []


def test_modules_with_one_user_say_why_they_stand_apart() -> None:
    """A module that only one module beside it imports names that one, or has tests of its own."""
    users: dict[str, set[str]] = {}
    for module, others in imports().items():
        for other in others:
            users.setdefault(other, set()).add(module)
    text = "".join(file.read_text("utf-8") for file in TESTS.rglob("*.py"))
    silent = []
    for module, (user, *more) in ((m, [*found]) for m, found in users.items()):
        beside = user.rpartition(".")[0] == module.rpartition(".")[0]
        stated = {FILES[user].name, user.rpartition(".")[2]} & {"__init__.py", "table"}
        if more or not beside or stated or room(module) in ("fmus", "fmu_src"):
            continue  # faces and tables list what they import
        tested = re.search(rf"mbcore\.{re.escape(module)}\b", text)
        before, _, last = module.rpartition(".")
        tested = tested or re.search(rf"from mbcore\.{re.escape(before)} import .*\b{last}\b", text)
        doc = ast.get_docstring(modules()[module]) or ""
        if (
            not tested
            and f"`mbcore.{user}`" not in doc
            and f"`{user.rpartition('.')[2]}`" not in doc
        ):
            silent.append(f"{module}, used by {user}")
    assert not silent, "; ".join(silent)
