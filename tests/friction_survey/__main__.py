"""Judge random mechanisms with friction: ``python -m tests.friction_survey --count 200``.

Each seed is a mechanism with friction in random joints, described in maximal coordinates. mbcore
moves it; the balance of energy, the accelerations and the laws of friction are judged by Newton and
Euler's equations of the description.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from tests.friction_survey.verdict import Found, judged
from tests.mechanism_survey.__main__ import summary, tell
from tests.mechanism_survey.verdict import GOOD, Outcome
from tests.mechanism_survey.workers import outcomes


def main() -> int:
    """Survey the seeds asked for; return 1 where one is neither equal nor refused by name."""
    parser = argparse.ArgumentParser("python -m tests.friction_survey", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, help="this one alone, in this process, with details")
    parser.add_argument("--bodies", type=int, default=6, help="at most; one at least")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--longest", type=float, default=60.0, help="processor seconds of each")
    parser.add_argument("--log", type=Path, help="append a line for each")
    given = parser.parse_args()
    if given.seed is not None:
        threadpool_limits(1, user_api="blas")
        return tell(judged(given.seed, given.bodies))
    seeds = range(given.first, given.first + given.count)
    found: list[Outcome] = []
    work = outcomes(partial(judged, most_bodies=given.bodies), seeds, given.workers, given.longest)
    for outcome in tqdm(work, total=len(seeds), unit="mechanism", file=sys.stderr):
        found.append(outcome)
        line = f"{outcome.seed} {outcome.kind} {outcome.seconds:.1f} s {outcome.facts.get('found')}"
        line += f" {outcome.message}".replace("\n", " ")[:500]
        if given.log is not None:
            with given.log.open("a") as log:
                log.write(line + "\n")
        if outcome.kind not in GOOD:
            tqdm.write(line)
    worst(found)
    return summary(found)


def worst(found: list[Outcome]) -> None:
    """Print the largest errors of the equal ones, and how often joints have come to stick."""
    equal = [o.facts["found"] for o in found if o.kind == "equal"]
    facts = [fact for fact in equal if isinstance(fact, Found)]
    for name in ("balance", "acceleration", "law"):
        print(f"largest error of {name}: {max((getattr(f, name) for f in facts), default=0):.2g}")
    print(f"joints came to stick {sum(f.sticks for f in facts)} times, ", end="")
    print(f"in {sum(f.sticks > 0 for f in facts)} mechanisms; ", end="")
    print(f"least determinant {min((f.determinant for f in facts), default=1):.2g}")


if __name__ == "__main__":
    sys.exit(main())
