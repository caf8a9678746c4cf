"""The rattling slider-crank with impacts beside the one with Hertz's force, [Schwab2002] 5.4.

100 revolutions by the FMU in Co-Simulation, one revolution a step, at several tolerances, and 10
by `simulate` with its default ones. The two laws take turns, so that a busy machine slows both, and
their shortest times are compared; at most a fifth is asked. Both motions are chaotic, so that a
ratio over 10 revolutions differs by 10 % between starts a nanometre apart.

Hertz's force takes some 25 steps a contact. By impacts there are four times as many contacts, most
of them in sequences that end in permanent contact, and each takes one step and the search for its
end; flights and permanent contact take the same steps with both.
"""

from __future__ import annotations

from pathlib import Path

import common

from examples.cosimulation import Unit
from examples.rattling import REVOLUTION
from fmu_src import clearance_joint
from mbcore import Equations, Result, simulate
from mbcore.fmi import export

LAWS = {"hertz": 1.0, "impact": float(clearance_joint.IMPACT)}
TOLERANCES = (1e-4, 1e-6, 1e-7)
REVOLUTIONS, IN_PYTHON, TIMES = 100, 10, 3
AT_MOST = 0.2
"""Of the time with Hertz's force."""


def main() -> None:
    """Measure and print."""
    results = common.Table("Slider-crank with clearance: impacts over Hertz's force")
    equations = clearance_joint.model().equations()
    with common.folder() as where:
        (path,) = export(equations, where, fmi="3.0")
        for tolerance in TOLERANCES:
            by_fmu(results, path, tolerance)
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
