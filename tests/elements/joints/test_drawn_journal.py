"""Where pictures show the journal of a bearing."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Bearing, Body, Model
from mbcore.contact import KelvinVoigt
from mbcore.contact.clearance import clearance
from mbcore.drawing.start import StartPlace
from mbcore.model.shapes.shape import position

RADIUS = 0.01
DRAWN = 0.35
"""Share of the journal's radius as which the guide says that a smaller clearance is drawn."""


@pytest.mark.parametrize("gap", [1e-5, 1e-3, 4e-3, None])
def test_a_journal_is_drawn_as_far_off_as_its_clearance_is_enlarged(gap: float | None) -> None:
    model = Model("bearing")
    off = 0.5 * (gap or 1e-3) * np.array([0.8, 0.6])
    sleeve, journal = model.point("sleeve", (0.2, 0.1), fixed=True), np.array([0.2, 0.1]) + off
    centre = model.point("journal", journal)
    ends = model.angle("still", fixed=True), model.angle("turn", fixed=True)
    joint = model.add(Bearing("joint", sleeve, ends[0], centre, ends[1]))
    joint.x.dof("x", "x_rate", float(off[0]))
    joint.y.dof("y", "y_rate", float(off[1]))
    body = model.add(Body("mass", centre, mass=1))
    if gap is not None:
        clearance(model, joint, gap, KelvinVoigt(1e6), journal_radius=RADIUS)
    times = 1.0 if gap is None else max(1.0, DRAWN * RADIUS / gap)
    drawn = StartPlace(model).value(joint.drawn_journal)
    assert drawn == pytest.approx(
        [0.2 + times * off[0], 0.1 + times * off[1], 0.0], abs=1e-13
    )  # rounding is enlarged, too
    [mark] = body.shapes()  # of the mass centre
    assert StartPlace(model).value(position(mark.numbers)) == pytest.approx(drawn)
