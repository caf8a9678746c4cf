"""Builds and checks FMUs in processes, and prints a table of the results."""

from __future__ import annotations

import multiprocessing
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from mbcore.cli.loading import load
from mbcore.cli.parser import WRONG_CALL
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.check import Check, check
from mbcore.fmi.export import export
from mbcore.fmi.fixed_parameters import with_fixed_parameters
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.fmi.packing.platforms import Platform, this_platform
from mbcore.fmi.python.python_flavour import export_python
from mbcore.host.parent import end_with_parent
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.variables import Value

WORKERS = 2


class WrongCall(str):
    """The words of a `WrongCallError`, which a process returns."""


@dataclass(frozen=True)
class Task:
    """The build of one worker: all versions of one FMU."""

    name: str
    source: Path
    out: Path
    versions: tuple[str, ...]
    python: bool
    platforms: tuple[Platform, ...]
    options: Mapping[str, object] = field(default_factory=dict)
    """Arguments of the definition's ``component``."""
    checked: bool = True
    """Whether the FMU checks its accelerations, as the definition says, or does without."""
    parameters: Mapping[str, Value] = field(default_factory=dict)
    """Start values that differ from the definition's."""
    fix: Mapping[str, Value | None] = field(default_factory=dict)
    """Parameters that become constants."""
    sources: bool | None = None
    """Whether the FMUs hold their C; as the definition says by default."""


def build_all(tasks: Sequence[Task], tools: Sequence) -> int:
    """Run the tasks in processes, so that a crash of one does not end the others.

    Returns
    -------
    int
        The exit status: 0 if all components were built and are valid, 2 if an option has a wrong
        value for one, else 1.
    """
    results: dict[str, list | str] = {}
    workers = max(1, min(WORKERS, os.cpu_count() or 1, len(tasks)))
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
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
                worker.terminate()  # they remove their temporary files, as this process does
            pool.shutdown(cancel_futures=True)
            raise
    ordered = {task.name: results[task.name] for task in tasks}
    _print_table(ordered)
    good = all(
        not isinstance(result, str) and all(checked.valid for checked in result)
        for result in ordered.values()
    )
    if any(isinstance(result, WrongCall) for result in ordered.values()):
        return WRONG_CALL
    return 0 if good else 1


def _work(task: Task, tools: Sequence) -> list | str:
    """Build and check one FMU's files; return the checks or what went wrong."""
    with ended_in_order():
        return _build_and_check(task, tools)


def _build_and_check(task: Task, tools: Sequence) -> list | str:
    def report(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        report(f"{task.name}: equations")
        component = load(task.source, task.options)
        if not task.checked:
            component = replace(component, checked=False)
        with refusing_calls():
            if task.parameters:
                component = component.started_at(task.parameters)
            with_fixed_parameters(component, task.fix)
        checks: list[Check] = []
        if task.versions:
            # the model is whole: with values of a file, those are wrong
            with refusing_calls() if task.parameters else nullcontext():
                made = export(
                    component,
                    task.out,
                    task.versions,
                    progress=report,
                    tools=tools,
                    fix=task.fix,
                    sources=task.sources,
                )
            report(f"{task.name}: checking")
            run = this_platform() in task.platforms
            checks += [check(path, run, task.platforms) for path in made]
        if task.python:
            report(f"{task.name}: Python flavour")
            checks.append(check(export_python(component, task.source, task.out)))
        return checks
    except WrongCallError as error:
        return WrongCall(str(error))
    except (ModelError, ConfigurationError, SimulationError, RuntimeError, OSError) as error:
        return str(error) or type(error).__name__
    # A traceback in the table rather than one crash that hides the results of the others.
    except Exception:
        return traceback.format_exc()


def _print_table(results: dict[str, list | str]) -> None:
    """Print a table of the FMUs, and then all errors; no table of nothing."""
    if any(not isinstance(result, str) for result in results.values()):
        _print_rows(results)
    for name, result in results.items():
        if isinstance(result, str):
            print(f"error: {name}: {result}", file=sys.stderr)
            continue
        for checked in result:
            for problem in checked.problems:
                print(f"error: {checked.path}: {problem}", file=sys.stderr)


def _print_rows(results: dict[str, list | str]) -> None:
    width = max(map(len, results))
    print(
        f"{'name':{width}}  {'FMI':6}  {'size':>8}  {'checks':10}  {'steps':>7}  {'a step':>9}  "
        "file"
    )
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
                f"{checked.steps or '':>7}  {cost:>9}  {checked.path}"
            )
