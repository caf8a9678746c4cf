"""What becomes of one drawn model under each master, compared with Co-Simulation of its FMU."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from filelock import FileLock

from mbcore.fmi.export import export
from tests.built import Kept
from tests.conftest import OK, RUNGE_KUTTA, Archive, Instance
from tests.exchange_survey.explicit_euler import lateness as lateness_of_euler
from tests.exchange_survey.masters import EXACT, STEP, Solver, masters, run
from tests.exchange_survey.models import FAMILIES, Family, drawn
from tests.exchange_survey.shaken_euler import impacts, steps_off
from tests.exchange_survey.unit import Unit
from tests.mechanism_survey.verdict import Outcome

ON_TIME = {"cvode": 3e-5, "bisection": 1e-6, "secant, late": 3 * STEP, "any order": 1e-6}
"""Difference of the time of rest from Co-Simulation that is good, s."""
EARLY = 1e-6
"""The same of CVODE where forces are constant, whose errors the FMU sees."""
SETTLED = 1e-6
"""What is left of a sequence that is taken to be at rest, s: `Impact.settling_time`."""
SHAKEN = 10
"""Times that for floors that shake, where errors are known later."""
SEEN = 25
"""The same for Euler's method over floors that shake, in parts of (1.5 + e/(1 - e)) steps: this is
what was seen where `shaken_euler` derives no bound. For other floors `explicit_euler` does."""
IN_PLACE = 1e-6
"""Difference of states of masters that find events; of parts that are lifted, of places alone."""
LOSS = {"cvode": 1e-4, "bisection": 1e-6, "any order": 1e-6}
"""Difference of what impacts have lost, in its parts, where parts are lifted again and again."""
LATE = {"euler": STEP, "secant, late": STEP}
"""By how much, s, masters may find events late; others by `FOUND`."""
FOUND, DEEP = 1e-9, 2e-8
"""The same in seconds, and the error of gaps, m, that tolerances of 1e-9 leave."""
MADE = 1e-12
"""Energy made at an event, in parts of the energy, that is rounding."""


@dataclass(frozen=True)
class Reference:
    """Co-Simulation: states at the end, the contacts' modes, last impacts and losses of energy."""

    states: np.ndarray
    closed: tuple[bool, ...]
    times: tuple[float, ...]
    losses: tuple[float, ...]


@cache
def archive(family: str, version: str) -> Archive:
    """Return the FMU of a family, made once for all processes of this checkout."""
    folder = Path(tempfile.gettempdir()) / f"mbcore_exchange_{hash_of_runtime()}" / family
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"fmi{version[0]}" / f"{family}.fmu"
    with FileLock(folder / "lock"):
        if not path.exists():
            tools = Kept("-O1").tools()
            export(FAMILIES[family].make().equations(), folder, fmi=version, tools=tools)
    return Archive.of(path, Path(tempfile.mkdtemp(dir=folder)), validate=False)


@cache
def hash_of_runtime() -> str:
    """Return a digest of all that FMUs are made of."""
    from hashlib import sha256

    import mbcore

    files = [Path(__file__).with_name("models.py")]
    for ending in ("*.c", "*.h", "*.py"):
        files += sorted(Path(mbcore.__file__).parent.rglob(ending))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def ends(instance: Instance, family: Family) -> tuple[tuple[bool, ...], tuple[float, ...]]:
    """Return which contacts are closed, and when each has begun."""
    closed = tuple(instance.get(f"{name}.switches") % 2 == 1 for name in family.contacts)
    return closed, tuple(instance.get(f"{name}.impact_time") for name in family.contacts)


def losses(instance: Instance, family: Family) -> tuple[float, ...]:
    """Return what all impacts of each contact have lost, J: the squares of their speeds."""
    return tuple(instance.get(f"{name}.energy_loss") for name in family.contacts)


def reference(unit: Archive, family: Family, start: dict[str, float]) -> Reference:
    """Return the end of the motion by the FMU's own solver."""
    with Instance(unit, "CoSimulation") as instance:
        given = start | {"solver.method": RUNGE_KUTTA, "solver.tolerance": 1e-12}
        assert instance.initialize(given, tolerance=1e-12) == OK, instance.said
        instance.run(family.stop, 0.05)
        states = instance.values(instance.states)
        return Reference(states, *ends(instance, family), losses(instance, family))


def judged(seed: int, most_bodies: int = 0) -> Outcome:
    """Return what becomes of the model of a seed under all masters."""
    del most_bodies
    begin, worst = time.process_time(), 0.0
    name, start = drawn(seed)
    family, version = FAMILIES[name], "3.0" if seed // len(FAMILIES) % 2 else "2.0"
    unit = archive(name, version)
    right = reference(unit, family, start)
    faults, facts = [], {"family": name, "start": str(start), "rest": str(right.times)}
    for master, solver in masters(seed).items():
        error, fault, fact = of_one(unit, family, start, right, (master, solver))
        facts[master] = fact
        worst = max(worst, error if master in EXACT and family.determinate else 0.0)
        if fault:
            faults.append(f"{name}, {master}: {fault}")
    spent = time.process_time() - begin
    kind = "wrong" if faults else "equal"
    return Outcome(seed, kind, worst, spent, "; ".join(faults), facts)


def of_one(
    unit: Archive, family: Family, start: dict[str, float], right: Reference, by: tuple[str, Solver]
) -> tuple[float, str, str]:
    """Return the error of one master's run, what is wrong with it, and its numbers."""
    master, solver = by
    with Instance(unit, "ModelExchange") as instance:
        instance.enter_initialization(start)
        assert instance.call("ExitInitializationMode") == OK, instance.said
        try:
            course = run(Unit(instance), solver, family.stop, family)
        except RuntimeError as error:
            return np.inf, str(error), "failed"
        closed, times = ends(instance, family)
        states, lost = instance.values(instance.states), losses(instance, family)
        told = [not (family.lifted and name.endswith("_rate")) for name in instance.states]
    lateness = max(abs(a - b) for a, b in zip(times, right.times, strict=True))
    error = float(abs(states - right.states)[told].max())
    fact = f"rest off by {lateness:.2g} s, states by {error:.2g}, {course.events} events"
    fact += f", {course.deepest:.1g} m deep"
    fact += f", energy made {course.made:.2g} of {course.largest:.2g} J"
    depth = course.fastest * LATE.get(master, FOUND)
    if course.sunk > depth:
        return error, f"{course.sunk:.2g} m deep, at most {depth:.2g}: {fact}", fact
    if not family.driven and course.made > MADE * max(course.largest, 1e-3):
        return error, f"energy made: {fact}", fact
    if not family.determinate:  # errors decide when parts rest, and where those that never do are
        falls = abs(right.states[: right.states.size // 2]).max() > IN_PLACE
        rests = falls or error <= IN_PLACE
        return error, "" if rests or master == "euler" else f"no rest: {fact}", fact
    if closed != right.closed and not (family.lifted and master not in EXACT):
        return error, f"closed {closed} for {right.closed}: {fact}", fact
    other = max(abs(a - b) / b for a, b in zip(lost, right.losses, strict=True))
    fact += f", loss off by {other:.2g}"
    far = all(right.closed) and lateness > on_time(master, family, start)
    if family.lifted:  # where parts leave each other tells nothing of impacts before
        far = other > LOSS.get(master, np.inf)
    return error, fact if far or (master in EXACT and error > IN_PLACE) else "", fact


def on_time(master: str, family: Family, start: dict[str, float]) -> float:
    """Return the difference of the time of rest that is good, s."""
    e = start["e"]
    if master == "euler" and family.fall is not None:
        return SETTLED + lateness_of_euler(family.fall(start), e, STEP)
    if master == "euler":
        most = np.inf
        if family.floor is not None:
            floor = family.floor(start)
            most = steps_off(floor, impacts(floor, start["y"]), STEP)
        return SETTLED + most * STEP if most < np.inf else SEEN * (1.5 + e / (1 - e)) * STEP
    if master == "cvode" and family.ballistic:
        return EARLY
    return ON_TIME[master] * (SHAKEN if family.driven else 1)
