"""Judge random mechanisms: ``python -m tests.mechanism_survey --count 2000``.

Each seed is a mechanism, described in maximal coordinates. mbcore moves it; its positions,
velocities and accelerations are compared with Newton and Euler's equations of the description.
What may happen is that they are equal, or that an error says by name what stands in the way.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from mbcore.host.backend import Backend, checked_backend
from mbcore.native.cache import VARIABLE
from tests.mechanism_survey.command import Judge, judge_all, judge_one, options, summary
from tests.mechanism_survey.verdict import Outcome, judged

CHOICES = ("auto", "python", "c", "both", "alternating")
HELP = "both by the same equations; alternating: Python for even seeds, C for odd ones"


def main() -> int:
    """Survey the seeds asked for; return 1 where one is neither equal nor refused by name."""
    parser = options("tests.mechanism_survey", __doc__ or "", count=100, bodies=10)
    parser.add_argument("--backend", choices=CHOICES, default="auto", help=HELP)
    given = parser.parse_args()
    with compiled_at_once():
        return survey(given, partial(judged_by, backend=given.backend))


def judged_by(seed: int, most_bodies: int, backend: str) -> Outcome:
    """Judge a seed by one of the choices of backends."""
    every: dict[str, tuple[Backend, ...]] = {
        "both": ("python", "c"),
        "alternating": ("c",) if seed % 2 else ("python",),
    }
    chosen = every[backend] if backend in every else (checked_backend(backend),)
    return judged(seed, most_bodies, chosen)


def survey(given: argparse.Namespace, judge: Judge) -> int:
    """Judge the seed or the seeds asked for; return 1 where one is bad."""
    if given.seed is not None:
        return judge_one(given, judge)
    return summary(judge_all(given, judge, lambda outcome: f"{outcome.error:.2g}"))


@contextmanager
def compiled_at_once() -> Iterator[None]:
    """Compile without optimization, for each library runs for half a second; keep none of them."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("CC", """sh -c 'exec cc "$@" -O0' cc""")
        os.environ.setdefault(VARIABLE, folder)
        yield


if __name__ == "__main__":
    sys.exit(main())
