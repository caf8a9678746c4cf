"""Checks of a period against the excitation, and of the advance of states in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model import checks, near_names
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.periodic.flow import Flow

PROBES = 7
"""Times at which rates are compared with those one period later."""
SPREAD = 0.1
"""Distance from the start of further points of comparison, in nominal values."""
SAME = 1e-6
"""Relative difference of rates that count as equal."""
LATER = (0.0, 0.137, 1.61)
"""Times, s, at which rates of a system at rest are compared."""


def depends_on_time(flow: Flow, start: np.ndarray, period: float, autonomous: bool) -> bool:
    """Return whether rates depend on time in a state, (ns + nm,).

    Raises
    ------
    ModelError
        If they do, and the system is called ``autonomous``.
    SimulationError
        If they differ one ``period``, s, later.
    """
    e, equations = flow.point, flow.equations
    flow.begin(start)
    driven, nominal = False, flow.nominal[: e.s.size]
    start = start[: e.s.size]
    for k in range(2 * PROBES):
        t = period * (k // 2 + 0.618) / PROBES
        # at rest, a factor of the state shows only at other states
        wave = (k % 2) * np.sin(1.0 + np.arange(start.size) * (k + 1.7))
        state = start + SPREAD * wave * nominal
        try:
            flow.run.move(t, state)
            now, changes = e.derivative().copy(), e.rates_by_time()
            flow.run.move(t + period, state)
        except ConfigurationError:
            continue
        later = e.derivative().copy()
        if k % 2 and not np.all(np.isfinite([now, later, changes])):
            continue
        size = np.abs(now) + period * np.abs(changes) + nominal / period
        felt = np.abs(changes) * period > SAME * size
        driven = driven or bool(np.any(felt))
        if autonomous and np.any(felt):
            i = int(np.argmax(np.abs(changes) * period / size))
            raise ModelError(
                f"{equations.name}: the rate of {equations.states[i].name} depends on time; "
                "the period of a driven system is given: leave out autonomous=True"
            )
        off = np.abs(later - now) / size
        if not autonomous and not np.all(off <= SAME):
            i = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
            raise SimulationError(
                f"{equations.name}: at t = {t:.6g} s the rate of {equations.states[i].name} is "
                f"{now[i]:.6g}, one period of {period:.6g} s later it is {later[i]:.6g} in the "
                "same state: the drive has another period; give one that fits"
            )
    return driven


def refuse_driven(point: Evaluation, what: str) -> None:
    """Refuse equations whose rates at a fixed state depend on time.

    Raises
    ------
    ModelError
        Naming the state, and ``what`` there is none of.
    """
    equations, saved, now = point.equations, point.save(), float(point.t[0])
    nominal = np.array([state.nominal for state in equations.states])
    for later in LATER:
        point.t[0] = now + later
        try:
            point.configure()
            change = point.rates_by_time()
        except ConfigurationError:
            continue
        finally:
            point.restore(saved)
        part = np.abs(change) / nominal
        if np.nanmax(part, initial=0.0) > SAME:
            i = int(np.nanargmax(part))
            raise ModelError(
                f"{equations.name}: the rate of {equations.states[i].name} changes with time at t "
                f"= {now + later:.3g} s, by {change[i]:.6g} per second in the same state: there is "
                f"no {what}; look for periodic solutions, as by periodic_solution(equations, T) or "
                "continuation(Periodic(equations, ...), ...)"
            )


def given_advance(flow: Flow, given: Mapping[str, float]) -> np.ndarray:
    """Return by how much states shall be larger after a period, (ns + nm,), from values by name.

    Raises
    ------
    ModelError
        If there is no such state, or a value is not a finite number.
    """
    owner = f"{flow.equations.name}: advance"
    order = {name: i for i, name in enumerate(flow.names)}
    advance = np.zeros(len(order))
    for name, value in checks.values(owner, given, flow.equations.states).items():
        if name not in order:
            raise ModelError(f"{owner}: {near_names.unknown('state', name, order)}")
        advance[order[name]] = checks.real(owner, name, value)
    return advance


def refuse_free_rotations(equations: Equations) -> None:
    """Refuse Euler parameters among the states.

    Raises
    ------
    ModelError
        Naming the rotations.
    """
    if equations.spins:
        names = ", ".join(spin.name for spin in equations.spins)
        raise ModelError(
            f"{equations.name}: {names} turn freely; periodic solutions take no Euler parameters "
            "as states: make angles of hinges degrees of freedom"
        )
