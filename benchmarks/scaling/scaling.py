"""How operations, code, memory and time grow with a model's size, beside Pinocchio and MuJoCo.

    python benchmarks/scaling/scaling.py                       all models and sizes
    python benchmarks/scaling/scaling.py --quick               small sizes, short rounds
    python benchmarks/scaling/scaling.py --models planar spatial --sizes 10 20
    python benchmarks/scaling/scaling.py --markdown            tables in Markdown
    python benchmarks/scaling/scaling.py --operations          their number alone, in a minute
    python benchmarks/scaling/scaling.py --steps --against ../before
                                                       steps of FMUs beside another checkout's

Models: open chains of rigid links in the plane (``planar``) and in space (``spatial``), the same of
rigid beams (``rigid_beam``, ``rigid_spatial_beam``) and of links of five kinds in any order
(``mixed``, ``mixed_spatial``), a clamped beam whose degrees of freedom are its elements'
deformations (``beam``), parallelograms of rigid beams on each other (``ladder``) and the same of
rigid links (``linked_ladder``), rods between two pins (``closed``; ``loop`` where all of them are
one loop), the rolling disk and the bicycle. What is measured of each:

* arithmetic operations of one Newton step and one right-hand side;
* time and memory of making the equations, size of the C source, time and memory of compiling it,
  time of building the FMUs for FMI 2.0 and 3.0, each in a process of its own;
* the right-hand side with Newton's iteration, from a configuration 1e-2 away: in Python, and in C
  through fmi2SetTime, fmi2SetContinuousStates and fmi2GetDerivatives;
* the same chains in Pinocchio (``aba``, the faster of its two conventions, compiled with
  g++ -O3 -DNDEBUG) and MuJoCo (``mj_forward``). Both come with ``pip install '.[peers]'``. Their
  accelerations are compared with ours at random states first. Then ours and they are timed in
  turn, each round by its fastest block, and the ratio is the median of the rounds' ratios.

Seconds of making things are by the clock; where other programs run, too, those of the processors
beside them (``CPU s``) say more. Times of a right-hand side in C are of the process alone.

What is asked: planar chains at most 450 operations a link at 10, 50 and 200 links, spatial ones
900 at 10, 50 and 100; rigid beams 150 in the plane and 900 in space; all chains constant within
15 % from 10 links on; beams 700 an element at 20 and 80; ladders about 810 a window (850 at most).
Equations of 100 spatial links in 5 s and 400 MB. FMU of 20 spatial links in 20 s, of 100 planar
ones and of 100 planar rigid beams in 40 s and 1 GB. At most 1.5 times Pinocchio's time for 20
spatial links, 1.8 times for 100 planar ones. Rolling disk: right-hand side in 0.7 us. Bicycle:
9000 operations, 800 kB of C, both FMUs built, validated and run in 20 s, the compiler within 500
MB, right-hand side in 5 us.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.fmus import steps
from benchmarks.scaling import operations
from benchmarks.scaling import scaling_report as report
from benchmarks.scaling.families import FAMILIES
from benchmarks.scaling.peers import Peer, find_peers
from benchmarks.scaling.scaling_case import builder
from benchmarks.scaling.scaling_run import COMPONENTS, Case, Effort, measure

FIGURE = common.ROOT / "build" / "scaling.png"
QUICK = Effort(rounds=3, block=0.02, limit=300.0)
STEPS = 3
"""Of each model: equations, FMU, rounds."""


def main() -> None:
    """Measure and print."""
    options = _options()
    effort = QUICK if options.quick else Effort()
    if options.limit is not None:
        effort = Effort(effort.rounds, effort.block, options.limit)
    if options.steps:
        steps.compare(options.against, effort.rounds)
        return
    tasks, left_out = _tasks(options)
    show = report.markdown if options.markdown else report.plain
    if options.operations:
        print(show(_operations(tasks)))
        return
    peers: list[Peer] = []
    if not options.no_peers and any(family in ("planar", "spatial") for family, _ in tasks):
        peers, reasons = find_peers()
        left_out += reasons
    cases = _measure_all(tasks, peers, effort)
    left_out += [f"{c.family} {c.size}: {c.failure}" for c in cases if c.failure]

    marks = report.marks(cases)
    print(common.machine() + "\n")
    print(show(report.rows(cases)) + "\n")
    print(show([("what", "goal", "measured", "met"), *marks.rows]))
    for line in left_out:
        print(f"\nleft out: {line}")
    if not options.no_plot:
        report.plot(cases, options.figure)
        print(f"plot: {options.figure}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = [*FAMILIES, *COMPONENTS]
    parser.add_argument("--models", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N", help="instead of each own")
    parser.add_argument("--quick", action="store_true", help="small sizes, short rounds")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--operations", action="store_true", help="count them, and no more")
    parser.add_argument("--figure", type=Path, default=FIGURE, help="where the plot goes")
    parser.add_argument("--no-plot", action="store_true", help="draw nothing")
    parser.add_argument("--no-peers", action="store_true", help="mbcore alone")
    parser.add_argument("--limit", type=float, metavar="S", help="seconds for each step")
    parser.add_argument("--steps", action="store_true", help="FMUs' steps of 1 ms instead")
    parser.add_argument("--against", type=Path, metavar="PATH", help="a checkout to compare with")
    return parser.parse_args()


def _tasks(options: argparse.Namespace) -> tuple[list[tuple[str, int]], list[str]]:
    """Return models with sizes, and what does not exist here."""
    tasks, left_out = [], []
    for name in options.models:
        if name in FAMILIES:
            family = FAMILIES[name]
            sizes = options.sizes or (family.quick if options.quick else family.sizes)
            tasks += [(name, size) for size in sorted(sizes)]
            continue
        definition = COMPONENTS[name]
        if definition and importlib.util.find_spec(f"mbcore.fmus.{definition}") is None:
            left_out.append(f"{name}: fmu_src/ does not define {definition}")
        else:
            tasks.append((name, 1))
    return tasks, left_out


def _operations(tasks: Sequence[tuple[str, int]]) -> list[tuple[str, ...]]:
    """Return rows of a right-hand side's operations: of the model, of each of its parts, and of
    each further part between two sizes."""
    rows: list[tuple[str, ...]] = [("model", "operations", "per part", "each further")]
    before: dict[str, tuple[int, int]] = {}
    for family, size in tqdm(tasks, unit="model"):
        functions = builder(family, size)().functions
        count = sum(operations.right_hand_side(functions).values())
        if family not in FAMILIES:
            rows.append((family, str(count), "", ""))
            continue
        fewer, less = before.get(family, (size, count))
        further = f"{(count - less) / (size - fewer):.0f}" if size > fewer else ""
        rows.append((f"{family} {size}", str(count), f"{count / size:.0f}", further))
        before[family] = size, count
    return rows


def _measure_all(
    tasks: Sequence[tuple[str, int]], peers: Sequence[Peer], effort: Effort
) -> list[Case]:
    """Measure each model; after a failure leave out the larger ones of the family."""
    cases: list[Case] = []
    with (
        common.folder() as where,
        tqdm(total=STEPS * len(tasks), unit="step") as bar,
    ):
        host = common.compile_host([common.HERE / "right_hand_side.c"], where / "right_hand_side")
        for family, size in tasks:
            failed = next((c for c in cases if c.family == family and c.failure), None)
            if failed is not None:
                reason = f"not tried, since {failed.size} could not be measured"
                cases.append(Case(family, size, failure=reason))
                bar.update(STEPS)
                continue
            folder = where / f"{family}_{size}"
            folder.mkdir()
            before = bar.n

            def tell(words: str, family: str = family, size: int = size) -> None:
                bar.set_description(f"{family} {size}: {words}")
                bar.update()

            cases.append(measure(family, size, folder, host, peers, effort, tell))
            bar.update(before + STEPS - bar.n)
    return cases


if __name__ == "__main__":
    main()
