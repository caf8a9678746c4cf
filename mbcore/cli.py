"""The command that builds the FMUs of a folder of component definitions."""

from __future__ import annotations

import argparse
import ast
import math
import multiprocessing
import os
import sys
import traceback
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from mbcore.fmi.check import Check, check
from mbcore.fmi.compiler import LONGEST
from mbcore.fmi.export import export, fmi_versions
from mbcore.fmi.interruption import ended_in_order
from mbcore.fmi.platforms import Platform, platforms_named, this_platform
from mbcore.fmi.python_flavour import export_python
from mbcore.fmi.python_slave import load_component
from mbcore.fmi.toolchains import toolchains
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

WORKERS = 2
SHIPPED = Path(__file__).parent / "fmus"
"""Definitions of the FMUs that come with the library."""


@dataclass(frozen=True)
class Task:
    """What one worker builds: all versions of one FMU."""

    name: str
    source: Path
    out: Path
    versions: tuple[str, ...]
    python: bool
    platforms: tuple[Platform, ...]


def main(argv: Sequence[str] | None = None, sources: Path | None = None) -> int:
    """Run the command; return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    sources : Path, optional
        Folder of the definitions, one file with a function ``component()`` for each FMU;
        those of the library, ``mbcore.fmus``, by default.
    """
    folder = sources or SHIPPED
    options = _parser().parse_args(argv)
    try:
        found = definitions(folder)
        if options.list:
            width = max(map(len, found))
            for name, file in found.items():
                print(f"{name:{width}}  {_one_line_description(file)}")
            return 0
        with ended_in_order():
            return _build(found, options)
    except (ModelError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def definitions(folder: Path) -> dict[str, Path]:
    """Return the files of a folder that define an FMU, by its name.

    Raises
    ------
    ModelError
        There are none.
    """
    found = {
        file.stem: file
        for file in sorted(folder.glob("*.py"))
        if any(
            isinstance(node, ast.FunctionDef) and node.name == "component"
            for node in _syntax(file).body
        )
    }
    if not found:
        raise ModelError(f"no FMU is defined in {folder}: no file there has a component()")
    return found


def _syntax(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8"), str(file))
    except SyntaxError as error:
        raise ModelError(f"{file}, line {error.lineno}: {error.msg}") from error


def _one_line_description(file: Path) -> str:
    """Return the file's DESCRIPTION, or its docstring's first line, without running it."""
    tree = _syntax(file)
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "DESCRIPTION"
        ):
            try:
                return str(ast.literal_eval(node.value))
            except ValueError:
                break
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Build FMUs, validate them and run each once in Co-Simulation.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="FMUs to build; all by default")
    parser.add_argument("--list", action="store_true", help="names and descriptions, no building")
    parser.add_argument(
        "--fmi", choices=("2", "3", "2.0", "3.0"), help="one FMI version; both by default"
    )
    parser.add_argument("--out", type=_folder, default=Path("build"), metavar="DIR")
    parser.add_argument(
        "--platforms",
        type=_names,
        metavar="A,B",
        help="x86_64-linux, aarch64-linux, x86_64-windows, x86_64-darwin, aarch64-darwin or all; "
        "this machine by default",
    )
    parser.add_argument(
        "--compiler-timeout",
        type=_seconds,
        default=LONGEST,
        metavar="SECONDS",
        help="after which a compiler is taken to hang; %(default)s by default",
    )
    parser.add_argument(
        "--python",
        action="store_true",
        help="the pythonfmu flavour; native ones beside it where --fmi or --platforms is given",
    )
    return parser


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError(f"{text!r} names no platform")
    return names


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (seconds > 0 and math.isfinite(seconds)):
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number of seconds")
    return seconds


def _folder(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("give the name of a folder")
    return Path(text)


def _build(found: dict[str, Path], options: argparse.Namespace) -> int:
    """Build what was asked for; return the exit status."""
    unknown = [name for name in options.names if name not in found]
    if unknown:
        raise ModelError(
            f"no FMU is called {', '.join(map(repr, unknown))}; there is {', '.join(found)}"
        )
    platforms = platforms_named(options.platforms)
    native = bool(not options.python or options.fmi or options.platforms)
    versions = fmi_versions(options.fmi or ("2.0", "3.0")) if native else ()
    names = dict.fromkeys(options.names) or found
    tasks = [
        Task(name, found[name], options.out, versions, options.python, platforms) for name in names
    ]
    if not native:
        return _run_all(tasks, ())
    print(f"preparing compilers for {', '.join(p.name for p in platforms)}", file=sys.stderr)
    with toolchains(options.platforms, options.compiler_timeout, _tell_error) as tools:
        return _run_all(tasks, tools)


def _tell_error(line: str) -> None:
    print(f"error: {line}", file=sys.stderr, flush=True)


def _run_all(tasks: Sequence[Task], tools: Sequence) -> int:
    """Run the tasks in processes, so that one that crashes takes no other with it."""
    results: dict[str, list | str] = {}
    workers = max(1, min(WORKERS, os.cpu_count() or 1, len(tasks)))
    with ProcessPoolExecutor(workers) as pool:
        pending: dict[Future, str] = {pool.submit(_work, task, tools): task.name for task in tasks}
        try:
            for future in as_completed(pending):
                name = pending[future]
                try:
                    results[name] = future.result()
                except BrokenProcessPool:
                    results[name] = "the process that built it crashed"
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.terminate()  # they clear up, as this process does
            pool.shutdown(cancel_futures=True)
            raise
    ordered = {task.name: results[task.name] for task in tasks}
    _print_table(ordered)
    good = all(
        not isinstance(result, str) and all(checked.valid for checked in result)
        for result in ordered.values()
    )
    return 0 if good else 1


def _work(task: Task, tools: Sequence) -> list | str:
    """Build and check one FMU's files; return the checks or what went wrong."""
    with ended_in_order():
        return _build_and_check(task, tools)


def _build_and_check(task: Task, tools: Sequence) -> list | str:
    parent = str(task.source.parent.parent)
    if task.source.parent != SHIPPED and parent not in sys.path:
        sys.path.insert(0, parent)  # definitions may import each other as FOLDER.NAME

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        tell(f"{task.name}: equations")
        component = load_component(task.source)
        checks: list[Check] = []
        if task.versions:
            made = export(component, task.out, task.versions, progress=tell, tools=tools)
            tell(f"{task.name}: checking")
            run = this_platform() in task.platforms
            checks += [check(path, run, task.platforms) for path in made]
        if task.python:
            tell(f"{task.name}: Python flavour")
            checks.append(check(export_python(component, task.source, task.out)))
        return checks
    except (ModelError, ConfigurationError, SimulationError, RuntimeError, OSError) as error:
        return str(error) or type(error).__name__
    except Exception:
        return traceback.format_exc()


def _print_table(results: dict[str, list | str]) -> None:
    width = max(map(len, results))
    print(f"{'name':{width}}  {'FMI':6}  {'size':>8}  {'checks':10}  {'steps':>7}  {'a step':>9}")
    for name, result in results.items():
        if isinstance(result, str):
            print(f"{name:{width}}  not built")
            continue
        for checked in result:
            flavour = "python" if checked.path.parent.name == "python" else checked.fmi
            verdict = "valid" if checked.valid else f"{len(checked.problems)} problems"
            cost = "" if checked.step_cost is None else f"{checked.step_cost * 1e6:.1f} us"
            print(
                f"{name:{width}}  {flavour:6}  {checked.size / 1000:5.0f} kB  {verdict:10}  "
                f"{checked.steps or '':>7}  {cost:>9}"
            )
    for name, result in results.items():
        if isinstance(result, str):
            print(f"error: {name}: {result}", file=sys.stderr)
            continue
        for checked in result:
            for problem in checked.problems:
                print(f"error: {checked.path}: {problem}", file=sys.stderr)
