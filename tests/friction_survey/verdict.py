"""What becomes of one mechanism with friction: its energy, its accelerations and its laws."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from time import process_time

import numpy as np

from mbcore import simulate
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, SimulationError
from tests.friction_survey.contacts import Skidding, size
from tests.friction_survey.described import modelled
from tests.friction_survey.drafts import Rubbed, rubbed
from tests.friction_survey.modes import TooManyError, refused_rightly
from tests.friction_survey.rubbing import Reactions, Rubbing
from tests.mechanism_survey.described import measured
from tests.mechanism_survey.forces import Load, Spring
from tests.mechanism_survey.joints import Axle, Turn
from tests.mechanism_survey.maximal import State, inertia
from tests.mechanism_survey.verdict import BY_NAME, Outcome, WrongError

TOLERABLE = 1e-9
"""Error of the energy balance, in parts of the energy exchanged; of accelerations and of laws."""
UNTIL, ROWS, JUDGED = 3.0, 301, 5
"""Length of a motion, s; its rows; every which of them is judged by accelerations and laws."""
AT_REST = 1e-9
"""Rate below which the sense of sliding is not known, rad/s or m/s."""
SLOW = 1.01e-5
"""Speed of a contact, m/s, below which its friction may be that of a slip that is ``OFF`` off."""
OFF = {True: 1e-6, False: 1e-12}
"""How far the slip by which friction acts may be off, if a contact is slow and else, m/s."""
TURNS = 4.0
"""Largest change of a friction, in parts of itself, by that of a slip in parts of itself."""
TIGHT = {"rtol": 1e-12, "atol": 1e-14}
TRANSITIONS, AROUND, LONGER = 10, 1e-8, 0.03
"""How many changes between sticking and sliding are judged, how long before and after, s, and by
which longest step: ten times that of other motions, in which nothing may happen elsewhere."""
NEARER = (1e-2, 1e-4, 1e-6, 1e-8)
"""How long before a stop the determinant is looked at, in parts of the time."""
NOUGHT = 0.02
"""Determinant so near to a stop that confirms it."""


@dataclass
class Found:
    """Largest errors, and what has happened."""

    balance: float = 0.0
    acceleration: float = 0.0
    law: float = 0.0
    sticks: int = 0
    determinant: float = 1.0


def judged(seed: int, most_bodies: int = 6, draw: Callable[[int, int], Rubbed] = rubbed) -> Outcome:
    """Draw the mechanism of a seed, move it, and judge; whatever happens is an outcome."""
    begin, made = process_time(), draw(seed, most_bodies)
    mechanism = made.mechanism
    facts: dict[str, object] = {
        "planar": mechanism.planar,
        "bodies": len(mechanism.bodies) - 1,
        "parts": " ".join(type(part).__name__ for part in mechanism.joints),
        "frictions": tuple(str(rubbing) for rubbing in made.rubbings),
    }
    found, kind, message = Found(), "refused", ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            equations = modelled(made).equations(roles="auto")
            kind = "stopped"
            message = moved(made, equations, seed, found)
            kind = "stopped" if message else "equal"
    except BY_NAME as problem:
        message = str(problem)
    except WrongError as problem:
        kind, message = "wrong", str(problem)
    except Exception as problem:  # a survey goes on, whatever happens
        kind, message = "raw", f"{type(problem).__name__}: {problem}"
        facts["trace"] = traceback.format_exc()
    facts["found"] = found
    error = max(found.balance, found.acceleration, found.law)
    return Outcome(seed, kind, error, process_time() - begin, message, facts)


def moved(made: Rubbed, equations: Equations, seed: int, found: Found) -> str:
    """Simulate and judge; return what stopped it, confirmed, if anything.

    What was stopped is run again to shortly before, so that this part is judged as well.
    """
    random = np.random.default_rng([seed, 1])
    rates = random.standard_normal(equations.dofs)
    start = {state.name: float(v) for state, v in zip(equations.states, rates, strict=False)}

    events: list[float] = []

    def run(
        until: float, samples: int | np.ndarray = ROWS, **longest: float
    ) -> Mapping[str, np.ndarray]:
        given = {"start": start, "samples": samples, "progress": False, **longest, **TIGHT}
        result = simulate(equations, until, **given)  # type: ignore[arg-type]
        events[:] = [t for t, name in result.events if name.endswith((".slides", ".stops"))]
        return {**result.columns, "time": result.time}

    try:
        compare(made, run(UNTIL), found)
        compare_transitions(made, events, partial(run, max_step=LONGER), found)
    except (ConfigurationError, SimulationError) as problem:
        at = re.search(r"\bt = ([\d.e+-]*\d)", str(problem))
        if at is None:
            raise
        if not float(at[1]) > 1e-3:
            if "friction" not in str(problem) or float(at[1]) > 0:
                raise
            return f"({_confirmed(reactions_at(made, at_start(equations, start)))}) {problem}"
        stop, before, last = float(at[1]), list[float](), None
        compare(made, earlier := run(0.95 * stop), found)
        if "friction" not in str(problem):
            return f"(not by friction) {problem}"
        if ".presses" in str(problem):
            return f"({lifted(made, earlier, stop)}) {problem}"
        for part in NEARER:
            try:
                last = reactions_at(made, columns := run((1 - part) * stop))
                before.append(determinant(made, columns, last))
            except (ConfigurationError, SimulationError):
                break
        said = "confirmed" if before and min(before) < NOUGHT else _confirmed(last)
        return f"({said}: determinants {', '.join(f'{d:.3g}' for d in before)}) {problem}"
    return ""


def lifted(made: Rubbed, columns: Mapping[str, np.ndarray], stop: float) -> str:
    """Return whether a normal force vanishes, extrapolated from the last two rows, by a stop."""
    before = {name: values[:-1] for name, values in columns.items()}
    (t, loads), (_, earlier) = ((c["time"][-1], _loads(made, c)) for c in (columns, before))
    falls = (earlier - loads) / (t - before["time"][-1])
    zeros = t + loads[falls > 0] / falls[falls > 0]
    first = min(zeros, default=np.inf)
    said = "confirmed" if first <= 2 * stop - t else "NOT CONFIRMED"
    return f"{said}, a normal force vanishes at {first:.6g} s"


def _loads(made: Rubbed, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the normal forces of contacts at the last row."""
    reactions = reactions_at(made, columns)
    multipliers = reactions.solve(forces_at(made, columns, -1))[1]
    contacts = [r for r in made.rubbings if isinstance(r, Skidding) and not r.given]
    return np.array([float(r.load(multipliers[reactions.where[r.tie]])) for r in contacts])


def compare(made: Rubbed, columns: Mapping[str, np.ndarray], found: Found) -> None:
    """Judge all rows by energy, and some by accelerations and laws.

    Raises
    ------
    WrongError
        If one error is too large, or a friction gives power.
    """
    time = columns["time"]
    states = followed(made, columns)
    kinetic, potential = np.array([energies(made, *row[:2]) for row in states]).T
    works = [v for name, v in columns.items() if name.endswith(".work") or name[:6] == "driven"]
    work = np.sum(works, axis=0)
    exchanged = max(float(np.ptp(v)) for v in (kinetic, potential, *works))
    missed = np.abs(kinetic + potential - kinetic[0] - potential[0] - work) / exchanged
    found.balance = max(found.balance, float(missed.max()))
    if not found.balance <= TOLERABLE:
        row = int(np.argmax(missed > TOLERABLE))
        raise WrongError(f"energy misses {missed.max():.3g}, from t = {time[row]:.6g} s on")
    for rubbing in made.rubbings:
        stuck = columns[f"{rubbing.name}.sticks"] > 0.5
        found.sticks += int(np.sum(np.diff(stuck.astype(int)) == 1)) + int(stuck[0])
        most = columns[f"{rubbing.name}.power"].max()
        if not most <= 0:
            raise WrongError(f"{rubbing.name} gives the power {most:.3g} W")
    for row in range(0, len(states), JUDGED):
        _compare_at(made, columns, row, states[row], found)


def compare_transitions(
    made: Rubbed,
    events: list[float],
    run: Callable[[float, np.ndarray], Mapping[str, np.ndarray]],
    found: Found,
) -> None:
    """Judge the motion shortly before and after each of the first transitions.

    A joint that sticks too long exceeds its static friction before it slides, and one that slides
    too long has passed through rest.

    Raises
    ------
    WrongError
        If one error is too large.
    """
    here = sorted({t for t in events if AROUND < t < UNTIL - AROUND})[:TRANSITIONS]
    sides = np.ravel([(t - AROUND, t + AROUND) for t in here])
    if not len(sides):
        return
    rows, last = np.linspace(0, UNTIL, ROWS), float(sides[-1])
    columns = run(last, np.unique([*rows[rows < last], *sides]))
    states = followed(made, columns)
    for row in np.flatnonzero(np.isin(columns["time"], sides)):
        _compare_at(made, columns, int(row), states[row], found)


def followed(
    made: Rubbed, columns: Mapping[str, np.ndarray]
) -> list[tuple[State, np.ndarray, np.ndarray]]:
    """Return state, twist and accelerations of all rows, with angles that wind."""
    mechanism = made.mechanism
    near: dict[object, float] = {}
    rows = []
    for i, t in enumerate(columns["time"]):
        state, twist, change = measured(mechanism, columns, i, float(t))
        here = replace(state, near=near)
        near = {
            axle: float(np.real(Turn(axle).value(here)))
            for axle in mechanism.joints
            if isinstance(axle, Axle)
        }
        rows.append((replace(state, near=near), twist, change))
    return rows


def energies(made: Rubbed, state: State, twist: np.ndarray) -> tuple[float, float]:
    """Return kinetic and potential energy of a mechanism without beams, J."""
    mechanism = made.mechanism
    M, _ = inertia(mechanism, state, twist)
    kinetic = np.einsum("ij,ijkl,kl", twist, M, twist) / 2
    potential = 0.0
    for i, body in enumerate(mechanism.bodies):
        centre = state.place[i] + state.turned[i] @ body.offset
        potential -= body.mass * float(mechanism.gravity @ centre)
    for force in mechanism.forces:
        if isinstance(force, Spring):
            stretch = float(np.real(force.measure.value(state))) - force.rest
            potential += force.stiffness * stretch**2 / 2
        elif isinstance(force, Load):
            potential -= float(force.force @ state.point(force.spot))
        else:
            raise TypeError(type(force).__name__)
    return float(kinetic), potential


def _compare_at(
    made: Rubbed,
    columns: Mapping[str, np.ndarray],
    row: int,
    at: tuple[State, np.ndarray, np.ndarray],
    found: Found,
) -> None:
    state, twist, change = at
    where = f"at t = {np.real(state.time):.6g} s"
    reactions = Reactions(made.mechanism, made.rubbings, state, twist)
    frictions = forces_at(made, columns, row)
    expected, multipliers = reactions.solve(frictions)
    size = max(1.0, float(np.abs(expected).max()))
    error = float(np.abs(change - expected).max()) / size
    found.acceleration = max(found.acceleration, error)
    if not error <= 10 * TOLERABLE:
        raise WrongError(f"{where} accelerations are wrong by {error:.3g}")
    directions = np.zeros(len(frictions))
    for i, (rubbing, place) in enumerate(zip(made.rubbings, reactions.places, strict=True)):
        load = float(np.real(reactions.lever(i, multipliers)))
        stuck = columns[f"{rubbing.name}.sticks"][row] > 0.5
        rates, forces = reactions.rates[place], frictions[place]
        if not stuck and np.abs(rates).max() > AT_REST:
            directions[place] = rubbing.direction(rates)
        excess = excess_of(rubbing, load, rates, forces, stuck)
        error = excess / max(1.0, load)
        found.law = max(found.law, error)
        if not error <= TOLERABLE:
            state_of = "sticks" if stuck else "slides"
            raise WrongError(
                f"{where} {rubbing.name}, which {state_of}, misses its law by {error:.3g}"
            )
    found.determinant = min(found.determinant, reactions.determinant(frictions, directions))


def excess_of(
    rubbing: Rubbing | Skidding, load: float, rates: np.ndarray, forces: np.ndarray, stuck: bool
) -> float:
    """Return by how much a friction misses its law, N, or moves where it sticks, m/s or rad/s."""
    fastest = float(np.abs(rates).max())
    if stuck or fastest < AT_REST:
        excess = max(0.0, rubbing.dry(forces) - rubbing.share(rubbing.static) * load)
        return max(excess, fastest if stuck else 0.0)
    by_rate = rubbing.viscous * rubbing.arms**2 * rates
    dry = forces - by_rate
    law = rubbing.share(rubbing.coefficient) * load
    missed = float(np.abs(law * rubbing.direction(rates) - dry).max())
    if not isinstance(rubbing, Skidding) or len(rates) == 1:
        return missed
    # It acts in the direction in which sliding began, turned to that of the slip.
    speed, most = float(size(rates * rubbing.arms)), rubbing.dry(dry) - law
    missed -= TURNS * law * OFF[speed < SLOW] / speed
    return max(missed, most if rubbing.patch else abs(most), -float(dry @ rates))


def forces_at(made: Rubbed, columns: Mapping[str, np.ndarray], row: int) -> np.ndarray:
    """Return the frictions of a row, against each of their rates."""
    names = [f"{r.name}.force{k}" for r in made.rubbings for k in range(len(r.arms))]
    return np.array([columns[name][row] for name in names])


def reactions_at(made: Rubbed, columns: Mapping[str, np.ndarray]) -> Reactions:
    """Return the linear problem at the last row."""
    state, twist, _ = followed(made, columns)[-1]
    return Reactions(made.mechanism, made.rubbings, state, twist)


def at_start(equations: Equations, start: Mapping[str, float]) -> Mapping[str, np.ndarray]:
    """Return the columns of one row: the start, where no motion need be possible."""
    point = Evaluation(equations)
    point.go_to_start(start)
    point.configure()
    names = [output.name for output in equations.outputs]
    values = zip(names, point.output()[:, None], strict=True)
    return {**dict(values), "time": np.zeros(1)}


def _confirmed(reactions: Reactions | None) -> str:
    """Return what the enumeration of all modes says of a refusal."""
    try:
        why = "" if reactions is None else refused_rightly(reactions)
    except TooManyError:
        return "NOT CONFIRMED, too many boxes"
    return f"confirmed, {why}" if why else "NOT CONFIRMED"


def determinant(made: Rubbed, columns: Mapping[str, np.ndarray], last: Reactions) -> float:
    """Return the determinant of the frictions at the last row."""
    directions = np.zeros(len(last.rates))
    for rubbing, place in zip(made.rubbings, last.places, strict=True):
        if not columns[f"{rubbing.name}.sticks"][-1] > 0.5:
            directions[place] = rubbing.direction(last.rates[place])
    return last.determinant(forces_at(made, columns, -1), directions)
