"""Searches from several starts, side by side in processes that are forked, and what they found."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
from scipy.stats import qmc
from tqdm import tqdm

from mbcore.host.parent import end_with_parent
from mbcore.identification.problem import Problem
from mbcore.identification.search import Found, Search
from mbcore.model import checks, near_names, wording
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

SAME_COST, SAME_VALUES = 0.1, 0.5
"""Differences up to which two searches have found the same minimum: of the logarithm of the
likelihood, and of the values in standard deviations. A search ends within a part of these."""

Outcome = Found | Exception


@dataclass(frozen=True)
class Starts:
    """Outcome of searches from several starts.

    Attributes
    ----------
    costs : tuple of float
        Negative logarithms of the likelihood, lowest first, of those that came to an end.
    same : int
        Searches that found the best minimum.
    failed : int
        Starts from which the motion cannot be followed.
    left_out : int
        Starts that an interrupt left out.
    """

    costs: tuple[float, ...]
    same: int
    failed: int
    left_out: int = 0

    @property
    def said(self) -> str:
        """The same in words; empty for a single start."""
        count = len(self.costs) + self.failed + self.left_out
        if count < 2:
            return ""
        lost = f", {self.failed} led to no motion" if self.failed else ""
        lost += f", Ctrl-C left out {self.left_out}" if self.left_out else ""
        return f"{self.same} of {wording.count(count, 'start')} found this minimum{lost}"


def first_guesses(
    problem: Problem, first: np.ndarray, starts: int | Sequence[Mapping[str, float]]
) -> list[np.ndarray]:
    """Return the first guess, then others spread evenly in the bounds, or those that are given.

    Parameters
    ----------
    problem : Problem
        What is sought.
    first : ndarray, shape (nz,)
        The first guess of all unknowns, which others keep where they say nothing else.
    starts : int or sequence of mapping of str to float
        How many, or first guesses by name.

    Raises
    ------
    ModelError
        A name is unknown, or a value is outside of its bounds.
    """
    low, high = problem.bounds()
    n = len(problem.sought)
    if isinstance(starts, int):
        scales = np.array([one.scale for one in problem.sought])
        near = np.where(np.isfinite(low[:n]), low[:n], first[:n] - scales)
        far = np.where(np.isfinite(high[:n]), high[:n], first[:n] + scales)
        # whole powers of two are drawn, since SciPy warns of other numbers
        parts = qmc.Sobol(n, seed=0).random_base2((starts - 1).bit_length())[: starts - 1]
        values = [near + part * (far - near) for part in parts]
        return [first, *(np.concatenate([value, first[n:]]) for value in values)]
    names = [one.name for one in problem.sought]
    found = []
    for k, given in enumerate(starts, 1):
        start, owner = first.copy(), f"fit: starts: number {k}"
        if not isinstance(given, Mapping):
            raise ModelError(f"{owner} is {given!r}; give values by name, {{{names[0]!r}: 1.0}}")
        for name, value in given.items():
            if name not in names:
                raise ModelError(f"{owner}: {near_names.unknown('unknown', name, names)}")
            i = names.index(name)
            start[i] = checks.real(owner, name, value, least=low[i], most=high[i])
        found.append(start)
    if not found:
        raise ModelError("fit: starts = []; give a number of starts, or first guesses by name")
    return found


def searched(problem: Problem, starts: list[np.ndarray]) -> tuple[Found, list[Found], int]:
    """Return the best of the searches from all starts, all that came to an end, and how many not.

    Raises
    ------
    SimulationError, ConfigurationError
        The motion can be followed from none of them.
    """
    workers = min(problem.options.workers or os.cpu_count() or 1, len(starts))
    side_by_side = workers > 1 and "fork" in multiprocessing.get_all_start_methods()
    hidden = not (problem.options.progress and sys.stderr.isatty())
    title = f"fit {problem.driver.name}"
    found: dict[int, Outcome] = {}
    unit = "start" if side_by_side else "evaluation"
    total = len(starts) if side_by_side else None
    with tqdm(desc=title, disable=hidden, leave=False, unit=unit, total=total) as bar:
        if side_by_side:
            for k, outcome in _in_workers(problem, starts, workers):
                found[k] = outcome
                reached = [one.cost for one in found.values() if isinstance(one, Found)]
                bar.set_postfix_str(f"cost {min(reached, default=np.inf):.6g}")
                bar.update()
        else:
            found.update(_one_by_one(problem, [*enumerate(starts)], bar))
    ended = [one for _, one in sorted(found.items()) if isinstance(one, Found)]
    lost = [one for _, one in sorted(found.items()) if isinstance(one, Exception)]
    if not ended:
        said = f"fit: the motion cannot be simulated from the first guess: {lost[0]}"
        raise type(lost[0])(said) from lost[0]
    if side_by_side:
        problem.evaluations += sum(one.evaluations for one in ended)
    best = min(ended, key=lambda one: one.cost)
    if len(found) < len(starts) or any(one.interrupted for one in ended):
        best = replace(best, interrupted=True)
    return best, ended, len(lost)


def compared(
    searches: tuple[Found, list[Found], int], starts: int, deviations: np.ndarray
) -> Starts:
    """Return what searches from so many starts came to, as `searched` has them.

    Deviations of the values, (n,), are infinite where untold.
    """
    best, every, failed = searches
    same = 0
    told = np.isfinite(deviations) & (deviations > 0)
    n = deviations.size
    for one in every:
        apart = np.abs(one.at.unknowns[:n] - best.at.unknowns[:n])[told] / deviations[told]
        alike = bool(apart.max(initial=0.0) < SAME_VALUES)
        same += alike and one.cost - best.cost < SAME_COST
    costs = tuple(sorted(one.cost for one in every))
    return Starts(costs, same, failed, starts - len(every) - failed)


def _one_by_one(
    problem: Problem, starts: list[tuple[int, np.ndarray]], bar: tqdm
) -> Iterator[tuple[int, Outcome]]:
    """Yield the outcome of each start, up to an interrupt."""
    for k, start in starts:
        try:
            found = Search(problem, bar).run(start)
        except (SimulationError, ConfigurationError) as error:
            yield k, error
            continue
        yield k, found
        if found.interrupted:
            return


def _in_workers(
    problem: Problem, starts: list[np.ndarray], workers: int
) -> Iterator[tuple[int, Outcome]]:
    """Yield outcomes as they come; Ctrl-C ends the searches under way, with the best so far."""
    context = multiprocessing.get_context("fork")
    open_ends: dict[Any, Any] = {}
    try:
        for worker in range(workers):
            mine, theirs = context.Pipe(duplex=False)
            share = [*enumerate(starts)][worker::workers]
            process = context.Process(target=_serve, args=(theirs, problem, share), daemon=True)
            process.start()
            theirs.close()
            open_ends[mine] = process
        while open_ends:
            try:
                ready = wait([*open_ends])
            except KeyboardInterrupt:
                for process in open_ends.values():
                    os.kill(process.pid, signal.SIGINT)
                continue
            for end in ready:
                outcome = _received(end, open_ends[end])
                if outcome is None:
                    open_ends.pop(end).join()
                else:
                    yield outcome
    finally:
        for process in open_ends.values():
            process.terminate()
            process.join()


def _received(end: Any, process: Any) -> tuple[int, Outcome] | None:
    """Return what a worker has sent; None where it has ended.

    Raises
    ------
    SimulationError
        It has died.
    Exception
        What it raised, unless a motion cannot be followed.
    """
    try:
        k, outcome = end.recv()
    except EOFError:
        process.join()
        if process.exitcode:
            raise SimulationError(
                f"fit: a worker ended with exit code {process.exitcode}; FitOptions(workers=1) "
                "searches in this process"
            ) from None
        return None
    if isinstance(outcome, Found | SimulationError | ConfigurationError):
        return int(k), outcome
    raise outcome


def _serve(end: Connection, problem: Problem, starts: list[tuple[int, np.ndarray]]) -> None:
    """Search from some starts, and send what is found."""
    end_with_parent()

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal and the parent both send one
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    problem.driver.begin_worker()
    k = starts[0][0]
    try:
        for k, outcome in _one_by_one(problem, starts, tqdm(disable=True)):
            end.send((k, _plain(outcome)))
    except KeyboardInterrupt:
        pass
    except Exception as error:
        end.send((k, _plain(error)))
    finally:
        problem.driver.close()
        end.close()


def _plain(outcome: Outcome) -> Outcome:
    """Return an outcome as it can be sent: errors by their text."""
    if isinstance(outcome, Found):
        return outcome
    kinds = ConfigurationError, SimulationError, ModelError
    kind = next((kind for kind in kinds if isinstance(outcome, kind)), RuntimeError)
    return kind(str(outcome))
