"""What the commands of this survey and of the friction survey share."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from tests.mechanism_survey.verdict import GOOD, KINDS, Outcome
from tests.mechanism_survey.workers import outcomes

Judge = Callable[..., Outcome]
"""Judges a seed, its mechanism of ``most_bodies`` at most."""


def options(module: str, description: str, count: int, bodies: int) -> argparse.ArgumentParser:
    """Return the parser of a survey's options, with its usual numbers of seeds and bodies."""
    parser = argparse.ArgumentParser(f"python -m {module}", description=description)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, help="this one alone, in this process, with details")
    parser.add_argument("--bodies", type=int, default=bodies, help="at most")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--longest", type=float, default=60.0, help="processor seconds of each")
    parser.add_argument("--log", type=Path, help="append a line for each")
    return parser


def judge_one(given: argparse.Namespace, judge: Judge) -> int:
    """Judge the seed asked for in this process and print all that is known; 1 if it is bad."""
    threadpool_limits(1, user_api="blas")
    outcome = judge(given.seed, given.bodies)
    print(f"seed {outcome.seed}: {outcome.kind}, error {outcome.error:.2g}")
    print(f"{outcome.seconds:.1f} s of processor time")
    print(outcome.message)
    for name, fact in outcome.facts.items():
        print(
            f"{name}:", *([f"\n  {line}" for line in fact] if isinstance(fact, tuple) else [fact])
        )
    return int(outcome.kind not in GOOD)


def judge_all(
    given: argparse.Namespace, judge: Judge, measure: Callable[[Outcome], str]
) -> list[Outcome]:
    """Judge the seeds asked for in workers; log each, and print those that are bad.

    ``measure`` says of an outcome how good it is.
    """
    seeds = range(given.first, given.first + given.count)
    found: list[Outcome] = []
    work = outcomes(partial(judge, most_bodies=given.bodies), seeds, given.workers, given.longest)
    for outcome in tqdm(work, total=len(seeds), unit="mechanism", file=sys.stderr):
        found.append(outcome)
        line = f"{outcome.seed} {outcome.kind} {measure(outcome)} {outcome.seconds:.2f} s"
        line += f" {outcome.message}".replace("\n", " ")[:500]
        if given.log is not None:
            with given.log.open("a") as log:
                log.write(line + "\n")
        if outcome.kind not in GOOD:
            tqdm.write(line)
    return found


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
