"""The rattling slider-crank with impacts beside the one with Hertz's force, [Schwab2002] 5.4.

100 revolutions by the FMU in Co-Simulation, one revolution a step, at several tolerances, and 10
by `simulate` with its default ones. The two laws take turns, so that a busy machine slows both, and
their shortest times are compared; at most a fifth is asked. Both motions are chaotic, so that a
ratio over 10 revolutions differs by 10 % between starts a nanometre apart.

At equal *accuracy* each law takes the loosest tolerance, or the longest fixed step, with which the
first five contacts are within 1e-8 s of the reference: the text's point, for with impacts no step
has to resolve a contact.

At equal tolerances Hertz's force takes some 25 steps a contact. By impacts there are four times as
many contacts, most of them in sequences that end in permanent contact, and each takes one step and
the search for its end; flights and permanent contact take the same steps with both.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import Equations, Result, simulate
from mbcore.examples.contact.rattling import MODULUS, REVOLUTION
from mbcore.examples.cosimulation import Unit
from mbcore.fmi import export
from mbcore.fmus import clearance_joint

LAWS = {"hertz": 1.0, "impact": float(clearance_joint.IMPACT)}
TOLERANCES = (1e-4, 1e-6, 1e-7)
REVOLUTIONS, IN_PYTHON, TIMES = 100, 10, 3
AT_MOST = 0.2
"""Of the time with Hertz's force."""
TOLERANCE = "solver.tolerance"
LADDER = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8)
STEPS = (2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1.8e-6, 1.5e-6, 1e-6, 5e-7)
NEAR = 1e-8
"""Error of a contact's time, s."""
FIRST = {
    "hertz": (2.272853257e-4, 6.427004277e-4, 7.423578078e-4, 9.790350989e-4, 1.265149270e-3),
    "impact": (2.272853257e-4, 6.031664307e-4, 6.925495754e-4, 7.719779192e-4, 1.175908276e-3),
}
"""Times of the first contacts, s, derived by hand for K = 65.8e9."""


def main() -> None:
    """Measure and print."""
    results = common.Table("Slider-crank with clearance: impacts over Hertz's force")
    equations = clearance_joint.model().equations()
    with common.folder() as where:
        (path,) = export(equations, where, fmi="3.0")
        for tolerance in TOLERANCES:
            by_fmu(results, path, tolerance)
        at_equal_accuracy(results, path, "tolerance", [{TOLERANCE: t} for t in LADDER])
        steps = [{"solver.method": 3.0, "solver.step": h} for h in STEPS]
        at_equal_accuracy(results, path, "fixed steps", steps)
    by_simulate(results, equations)
    results.print()


def by_fmu(results: common.Table, path: Path, tolerance: float) -> None:
    """Add rows of the FMU at a tolerance."""
    seconds: dict[str, list[float]] = {name: [] for name in LAWS}
    counts: dict[str, tuple[float, ...]] = {}
    for _ in range(TIMES):
        for name, law in LAWS.items():
            with Unit(path, {"joint.law": law}, tolerance=tolerance) as joint:
                seconds[name] += common.repeat(lambda joint=joint: turn(joint), 1)
                counts[name] = tuple(joint.get(["joint.impacts", "joint.switches"]))
    compare(results, f"FMU, tolerance {tolerance:g}", REVOLUTIONS, seconds, counts)


def at_equal_accuracy(
    results: common.Table, path: Path, what: str, choices: list[dict[str, float]]
) -> None:
    """Add rows of the FMU with the first of the choices that is accurate."""
    seconds: dict[str, list[float]] = {name: [] for name in LAWS}
    counts: dict[str, tuple[float, ...]] = {}
    chosen = {n: next(c for c in choices if first_contacts_error(path, n, c) < NEAR) for n in LAWS}
    for _ in range(TIMES):
        for name, choice in chosen.items():
            with Unit(path, {"joint.law": LAWS[name]} | choice) as joint:
                seconds[name] += common.repeat(lambda joint=joint: turn(joint), 1)
                counts[name] = tuple(joint.get(["joint.impacts", "joint.switches"]))
    for name, choice in chosen.items():
        results.number(f"{what} at equal accuracy: {name}", list(choice.values())[-1])
    compare(results, f"FMU at equal accuracy, {what}", REVOLUTIONS, seconds, counts)


def first_contacts_error(path: Path, name: str, choice: dict[str, float]) -> float:
    """Return the largest error of the first five contacts' times, s."""
    found: list[float] = []
    given = {"joint.law": LAWS[name], "joint.youngs_modulus": MODULUS} | choice
    with Unit(path, given) as joint:
        while len(found) < len(FIRST[name]) and joint.time < 2e-3:
            joint.step(2e-5)
            count, time = joint.get(["joint.impacts", "joint.impact_time"])
            if count > len(found):
                found.append(time)
    if len(found) < len(FIRST[name]):
        return float("inf")
    return max(abs(a - b) for a, b in zip(found, FIRST[name], strict=True))


def turn(joint: Unit) -> None:
    """Turn the crank by all revolutions."""
    for _ in range(REVOLUTIONS):
        joint.step(REVOLUTION)


def by_simulate(results: common.Table, equations: Equations) -> None:
    """Add rows of Python."""
    seconds: dict[str, list[float]] = {name: [] for name in LAWS}
    runs: dict[str, list[Result]] = {name: [] for name in LAWS}

    def run(name: str) -> None:
        parameters = {"joint.law": LAWS[name]}
        until = IN_PYTHON * REVOLUTION
        runs[name].append(simulate(equations, until, parameters=parameters, progress=False))

    for name in LAWS:
        simulate(equations, 1e-4, parameters={"joint.law": LAWS[name]})  # makes the functions
    for _ in range(TIMES):
        for name in LAWS:
            seconds[name] += common.repeat(lambda name=name: run(name), 1)
    last = {name: some[-1] for name, some in runs.items()}
    counts = {n: (r.final("joint.impacts"), r.final("joint.switches")) for n, r in last.items()}
    compare(results, "simulate, rtol 1e-9", IN_PYTHON, seconds, counts)
    for name, run_ in last.items():
        results.number(f"... {name}: right-hand sides", run_.statistics["evaluations"])


def compare(
    results: common.Table,
    what: str,
    revolutions: int,
    seconds: dict[str, list[float]],
    counts: dict[str, tuple[float, ...]],
) -> None:
    """Add times, their ratio, and what happened."""
    for name, some in seconds.items():
        results.time(f"{what}, {revolutions} revolutions: {name}", some, "s")
        impacts, switches = counts[name]
        results.number(f"... {name}: contacts per revolution", impacts / revolutions)
        if switches:
            rate = switches / (revolutions * REVOLUTION)
            results.number(f"... {name}: mode switches per second", rate)
    ratio = min(seconds["impact"]) / min(seconds["hertz"])
    results.number(f"{what}: impact over hertz", ratio, AT_MOST)


if __name__ == "__main__":
    main()
