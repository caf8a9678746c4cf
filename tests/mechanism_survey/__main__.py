"""Judge random mechanisms: ``python -m tests.mechanism_survey --count 2000``.

Each seed is a mechanism, described in maximal coordinates. mbcore moves it; its positions,
velocities and accelerations are compared with Newton and Euler's equations of the description.
What may happen is that they are equal, or that an error says by name what stands in the way.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from tests.mechanism_survey.verdict import GOOD, KINDS, Outcome, judged
from tests.mechanism_survey.workers import outcomes


def main() -> int:
    """Survey the seeds asked for; return 1 where one is neither equal nor refused by name."""
    parser = argparse.ArgumentParser("python -m tests.mechanism_survey", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, help="this one alone, in this process, with details")
    parser.add_argument("--bodies", type=int, default=10, help="at most; two at least")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--longest", type=float, default=60.0, help="processor seconds of each")
    parser.add_argument("--log", type=Path, help="append a line for each, to go on from")
    given = parser.parse_args()
    if given.seed is not None:
        threadpool_limits(1, user_api="blas")
        return tell(judged(given.seed, given.bodies))
    seeds = range(given.first, given.first + given.count)
    judge = partial(judged, most_bodies=given.bodies)
    found: list[Outcome] = []
    work = outcomes(judge, seeds, given.workers, given.longest)
    for outcome in tqdm(work, total=len(seeds), unit="mechanism", file=sys.stderr):
        found.append(outcome)
        line = f"{outcome.seed} {outcome.kind} {outcome.error:.2g} {outcome.seconds:.2f} s"
        line += f" {outcome.message}".replace("\n", " ")[:400]
        if given.log is not None:
            with given.log.open("a") as log:
                log.write(line + "\n")
        if outcome.kind not in GOOD:
            tqdm.write(line)
    return summary(found)


def tell(outcome: Outcome) -> int:
    """Print all that is known of one outcome."""
    print(f"seed {outcome.seed}: {outcome.kind}, error {outcome.error:.2g}")
    print(f"{outcome.seconds:.1f} s of processor time")
    print(outcome.message)
    for name, fact in outcome.facts.items():
        print(
            f"{name}:", *([f"\n  {line}" for line in fact] if isinstance(fact, tuple) else [fact])
        )
    return int(outcome.kind not in GOOD)


def summary(found: list[Outcome]) -> int:
    """Print how many there are of each kind, the reasons, and the seeds of all that is bad."""
    counts = Counter(outcome.kind for outcome in found)
    print(f"\n{'seeds':>10} " + " ".join(f"{kind:>9}" for kind in KINDS))
    print(f"{len(found):>10} " + " ".join(f"{counts[kind]:>9}" for kind in KINDS))
    equal = [outcome.error for outcome in found if outcome.kind == "equal"]
    spent = sorted(outcome.seconds for outcome in found)
    if spent:
        print(
            f"largest error of an equal one {max(equal, default=0.0):.2g}; processor time "
            f"{sum(spent):.0f} s, median {spent[len(spent) // 2]:.2g} s, longest {spent[-1]:.0f} s"
        )
    reasons: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for outcome in found:
        if outcome.kind != "equal":
            reasons[outcome.kind, outcome.reason].append(outcome.seed)
    for (kind, reason), seeds in sorted(reasons.items(), key=lambda item: -len(item[1])):
        shown = " ".join(str(seed) for seed in sorted(seeds)[:8])
        print(f"{len(seeds):5d} {kind:9s} {reason}  [{shown}{' …' if len(seeds) > 8 else ''}]")
    bad = sorted((outcome.seed, outcome.kind) for outcome in found if outcome.kind not in GOOD)
    print("neither equal nor refused:", ", ".join(f"{s} {kind}" for s, kind in bad) or "none")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
