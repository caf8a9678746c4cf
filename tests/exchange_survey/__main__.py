"""Judge masters of Model Exchange: ``python -m tests.exchange_survey --count 200``.

Each seed is a model with impacts, drawn from a family. Five masters move it to rest: FMPy's CVODE,
Euler's method, an explicit one with bisection, one whose events are late, and one that calls
everything in any legal order. Co-Simulation of the same FMU says where and when the parts rest, and
no impact may make energy.
``--exactly [TOLERANCE]`` tells how exactly parts rest under CVODE alone.
``--shipped [WORD]`` runs the shipped FMUs instead, those experiments whose names contain the word.
"""

from __future__ import annotations

import sys

from tests.exchange_survey import exactly
from tests.exchange_survey.shipped import survey
from tests.exchange_survey.verdict import judged
from tests.mechanism_survey.command import judge_all, judge_one, options, summary


def main() -> int:
    """Survey the seeds asked for; return 1 where one is wrong."""
    parser = options("tests.exchange_survey", __doc__ or "", count=50, bodies=0)
    parser.add_argument("--shipped", nargs="?", const="", help="FMUs, by a word of their names")
    parser.add_argument("--exactly", nargs="?", const=1e-9, type=float, help="CVODE's tolerance")
    given = parser.parse_args()
    if given.exactly is not None:
        return exactly.survey(range(given.first, given.first + given.count), given.exactly)
    if given.shipped is not None:
        return survey(given.shipped)
    if given.seed is not None:
        return judge_one(given, judged)
    return summary(judge_all(given, judged, lambda outcome: f"{outcome.error:.2g}"))


if __name__ == "__main__":
    sys.exit(main())
