"""Judge random mechanisms with friction: ``python -m tests.friction_survey --count 200``.

Each seed is a mechanism with friction in random joints, described in maximal coordinates, and with
``--family rolling`` also under wheels, balls and blades and in gears. mbcore moves it; the balance
of energy, the accelerations and the laws of friction are judged by Newton and Euler's equations of
the description.
"""

from __future__ import annotations

import sys
from functools import partial

from tests.friction_survey.drafts import rubbed
from tests.friction_survey.rolling_drafts import rolled
from tests.friction_survey.verdict import Found, judged
from tests.mechanism_survey.command import judge_all, judge_one, options, summary
from tests.mechanism_survey.verdict import Outcome

FAMILIES = {"joints": rubbed, "rolling": rolled}
"""What draws the mechanisms."""


def main() -> int:
    """Survey the seeds asked for; return 1 where one is neither equal nor refused by name."""
    parser = options("tests.friction_survey", __doc__ or "", count=200, bodies=6)
    parser.add_argument("--family", choices=FAMILIES, default="joints", help="what rubs")
    given = parser.parse_args()
    judge = partial(judged, draw=FAMILIES[given.family])
    if given.seed is not None:
        return judge_one(given, judge)
    found = judge_all(given, judge, lambda outcome: str(outcome.facts.get("found")))
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
