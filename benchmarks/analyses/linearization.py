"""One linearization of a chain of N rigid beams, hinged with springs, hanging in the plane.

Every beam brings four coordinates and one degree of freedom, so that N = 50 has 200 coordinates.
``Linearizer`` is made once for a model (build, from the description on); ``at_point`` is called at
each point. What is asked for 10 coordinates is measured at 12, N = 3.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import Linearizer, Model, PlanarBeam, PlanarHinge
from mbcore.evaluation.evaluation import Evaluation

ASKED = {3: (None, 1.0), 50: (5.0, 50.0)}
"""N: seconds of the build, milliseconds of a linearization."""
SIZES = (2, 3, 5, 10, 20, 50)


def chain(beams: int) -> Model:
    """Return a chain that starts out horizontal."""
    model = Model("chain", gravity=(0, -9.81))
    point, angle = model.point("origin", fixed=True), model.angle("wall", fixed=True)
    for i in range(beams):
        first, last = model.angle(f"first angle {i}"), model.angle(f"last angle {i}")
        end = model.point(f"end {i}", (i + 1.0, 0))
        hinge = model.add(PlanarHinge(f"hinge {i}", angle, first))
        hinge.angle.dof(f"q{i}").spring(1.0, 0.1)
        model.add(PlanarBeam(f"beam {i}", point, first, end, last, mass_per_length=1.0))
        point, angle = end, last
    return model


def main() -> None:
    """Measure and print."""
    results = common.Table("Chain of N rigid planar beams: Linearizer")
    for beams in SIZES:
        build_asked, asked = ASKED.get(beams, (None, None))
        made: list[Linearizer] = []

        def build(made: list[Linearizer] = made, beams: int = beams) -> None:
            made.append(Linearizer(chain(beams).equations()))

        building = common.repeat(build, 3)
        linearizer = made[-1]
        point = Evaluation(linearizer.equations)
        point.start()
        for _ in range(3):
            linearizer.at_point(point)

        def linearize(linearizer: Linearizer = linearizer, point: Evaluation = point) -> None:
            linearizer.at_point(point)

        label = f"N = {beams}, {point.x.size} coordinates"
        results.time(f"{label}: build", building, "s", build_asked)
        results.time(f"{label}: at_point", common.repeat(linearize, 30), "ms", asked)
    results.print()


if __name__ == "__main__":
    main()
