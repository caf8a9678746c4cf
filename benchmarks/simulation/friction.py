"""Cost of friction in all four joints of a slider-crank, per right-hand side.

The model with friction and the one without are evaluated in turn at the same states, in compiled C
as an importer asks for it in Model Exchange, and from Python, compiled as analyses do soon, and
interpreted as they begin. Only compiled code leaves out what sticking needs where nothing sticks.
Then, how the operations of accelerations grow with the links of a chain that rubs in every hinge.

    python benchmarks/simulation/friction.py
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from time import process_time

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.scaling import peers
from benchmarks.scaling.chains import planar_chain
from mbcore import Friction, Model
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.host.backend import Backend, evaluating
from tests.elements.friction.judge import SliderCrank
from tests.elements.friction.test_slider_crank import equations_of

ASKED = 2.5
"""Times that a right-hand side with friction may take of one without."""
ROWS, CALLS = 50, 10000
BLOCKS, SECONDS = 5, 0.05
BACKENDS: dict[str, Backend] = {"Python, compiled": "c", "Python, interpreted": "python"}
CHAINS = (1, 2, 4, 8, 16)


def chain(links: int, rubs: bool) -> Model:
    """Return a planar chain, with friction in its hinges if it ``rubs``."""
    model = planar_chain(links)
    for i in range(links if rubs else 0):
        hinge, place = model.elements[f"hinge {i}"], "origin" if i == 0 else f"end {i - 1}"
        friction = Friction(f"pin_{i}", hinge, radius=0.02, coefficient=0.1, at=model.nodes[place])
        model.add(friction)
    return model


def sliding(equations: Equations) -> int:
    """Return the operations of accelerations that are left where all joints slide."""
    derivative = equations.dynamics.derivative
    held = ca.vertcat(*(s for s in ca.symvar(derivative) if s.name().endswith(".held")))
    left = ca.cse(ca.simplify(ca.substitute(derivative, held, ca.DM.zeros(held.numel()))))
    return int(ca.Function("left", ca.symvar(left), [left]).n_instructions())


def count_chains(results: common.Table) -> None:
    """Count the operations of chains."""
    for links in CHAINS:
        rubbing = chain(links, True).equations()
        plain = chain(links, False).equations()
        for what, count in (
            ("all", rubbing.functions["derivative"].n_instructions()),
            ("where all slide", sliding(rubbing)),
            ("without friction", plain.functions["derivative"].n_instructions()),
        ):
            results.number(f"{links} links: operations, {what}", count)


def states() -> np.ndarray:
    """Return angles away from the dead centres and rates, shape (n, 2), as the states' order is."""
    random = np.random.default_rng(0)
    return np.column_stack([random.uniform(5.0, 15.0, ROWS), random.uniform(0.3, 1.2, ROWS)])


def seconds_from_python(equations: Equations, backend: Backend) -> float:
    """Return the seconds of processor time of one evaluation.

    Beside other programs the clock would count what these take of the calls with friction, which
    take longer than a time slice, and not of those without.
    """
    with evaluating(backend):
        point = Evaluation(equations)
        point.start({"rate": 10.0})
        begin = process_time()
        for _ in range(CALLS):
            point.derivative()
        return (process_time() - begin) / CALLS


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    results = common.Table("Right-hand side of a slider-crank, four frictions and none")
    models = {rubs: equations_of(SliderCrank(), 0.8, rubs=rubs) for rubs in (True, False)}
    taken: dict[str, dict[bool, list[float]]] = {
        caller: {True: [], False: []} for caller in ("C", *BACKENDS)
    }
    with common.folder() as where:
        host = common.compile_host([common.HERE / "right_hand_side.c"], where / "right_hand_side")
        peers.write_table(where / "states.txt", states())
        units = {
            rubs: common.build_units(equations, where / str(rubs))[0]
            for rubs, equations in models.items()
        }
        for _ in range(rounds):
            for rubs, unit in units.items():
                said = common.run_host(
                    host, unit.library, unit.token, where / "states.txt", BLOCKS, SECONDS
                )
                taken["C"][rubs].append(min(said["right_hand_side"]))
                for caller, backend in BACKENDS.items():
                    taken[caller][rubs].append(seconds_from_python(models[rubs], backend))
    for caller, found in taken.items():
        for rubs, seconds in found.items():
            results.time(f"{caller}, {'four frictions' if rubs else 'none'}", seconds, "us")
        ratio = median(a / b for a, b in zip(found[True], found[False], strict=True))
        results.number(f"{caller}, four frictions / none", ratio, ASKED)
    counts = {rubs: e.functions["derivative"].n_instructions() for rubs, e in models.items()}
    results.number("instructions, four frictions / none", counts[True] / counts[False])
    count_chains(results)
    results.print()


if __name__ == "__main__":
    main()
