"""Judge random mechanisms: ``python -m tests.mechanism_survey --count 2000``.

Each seed is a mechanism, described in maximal coordinates. mbcore moves it; its positions,
velocities and accelerations are compared with Newton and Euler's equations of the description.
What may happen is that they are equal, or that an error says by name what stands in the way.
"""

from __future__ import annotations

import sys
from functools import partial

from tests.mechanism_survey.command import judge_all, judge_one, options, summary
from tests.mechanism_survey.verdict import judged


def main() -> int:
    """Survey the seeds asked for; return 1 where one is neither equal nor refused by name."""
    parser = options("tests.mechanism_survey", __doc__ or "", count=100, bodies=10)
    parser.add_argument("--backend", choices=("auto", "python", "c"), default="auto")
    given = parser.parse_args()
    judge = partial(judged, backend=given.backend)
    if given.seed is not None:
        return judge_one(given, judge)
    return summary(judge_all(given, judge, lambda outcome: f"{outcome.error:.2g}"))


if __name__ == "__main__":
    sys.exit(main())
