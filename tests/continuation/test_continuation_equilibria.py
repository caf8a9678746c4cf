"""Equilibria over a load: buckling, snapping through and flutter, against closed forms."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from mbcore import (
    Body,
    Equations,
    Model,
    ModelError,
    PlanarHinge,
    RigidLink,
    SimulationError,
    Truss,
    equilibrium,
)
from mbcore.contact import Impact, unilateral_contact
from mbcore.vibration import Branch, Equilibria, Steps, continuation
from tests.equilibria.test_statics import RISE, two_bars, two_bars_load

SPRING, LENGTH = 3.0, 2.0


def links(n: int, follower: bool = False) -> Model:
    """Upright links of mass one at their ends, springs in their hinges, and a load at the top."""
    model = Model("column")
    load = model.input("load", 0.0, unit="N")
    spring = model.parameter("spring", SPRING, unit="N.m/rad")
    damping = model.parameter("damping", 0.1, unit="N.m.s/rad", minimum=0.0)
    below, turned = model.point("base", (0, 0), fixed=True), model.angle("ground angle", fixed=True)
    for i in range(1, n + 1):
        top, turn = model.point(f"p{i}", (0, LENGTH * i)), model.angle(f"a{i}")
        hinge = model.add(PlanarHinge(f"hinge {i}", turned, turn))
        hinge.angle.dof(f"angle{i}", f"rate{i}").spring(spring, damping)
        model.add(RigidLink(f"link {i}", below, turn, top))
        model.add(Body(f"mass {i}", top, mass=2.0 if i < n else 1.0))
        below, turned = top, turn
    along = (ca.sin(turned.value), -ca.cos(turned.value)) if follower else (0, -1.0)
    model.force(below, (load * along[0], load * along[1]))
    model.output("height", below.y.value, unit="m")
    return model


@pytest.fixture(scope="module")
def column() -> Equations:
    return links(1).equations()


@pytest.fixture(scope="module")
def straight(column: Equations) -> Branch:
    return continuation(Equilibria(column), "load", (0.5, 3.0), steps=Steps(longest=0.1))


@pytest.mark.heavy
def test_a_column_buckles(straight: Branch) -> None:
    assert straight["angle1"].values == pytest.approx(0, abs=1e-12)
    assert [(e.kind, e.value) for e in straight.events] == [
        ("branch", pytest.approx(SPRING / LENGTH, abs=1e-9))
    ]
    load = straight.data["load"].values
    # m l² φ'' + d φ' + (c - P l) φ = 0
    own = [np.sort_complex(np.roots([LENGTH**2, 0.1, SPRING - p * LENGTH])) for p in load]
    found = np.sort_complex(straight.data["exponents"].values)
    assert found == pytest.approx(np.array(own), abs=1e-6)
    regular = straight.data["event"].values == ""
    assert (straight.data["stable"].values == (load < 1.5))[regular].all()


@pytest.mark.heavy
def test_bent_columns_beyond_the_branch_point(straight: Branch) -> None:
    bent = straight.switch(straight.events[0])
    angle, load = bent["angle1"].values, bent.data["load"].values
    assert load * LENGTH * np.sin(angle) == pytest.approx(SPRING * angle, abs=1e-10)
    assert angle.min() < -1.8 and angle.max() > 1.8 and np.all(np.diff(angle) > 0)
    assert bent["height"].values == pytest.approx(LENGTH * np.cos(angle), abs=1e-10)
    regular = bent.data["event"].values == ""
    assert bent.data["stable"].values[regular].all()
    assert [e.kind for e in bent.events] == ["branch"]
    again = bent.switch(bent.events[0])
    assert again["angle1"].values == pytest.approx(0, abs=1e-9)


@pytest.mark.heavy
def test_a_parameter_varies(column: Equations) -> None:
    found = continuation(Equilibria(column, inputs={"load": 0.5}), "spring", (2.0, 0.5))
    assert [(e.kind, e.value) for e in found.events] == [
        ("branch", pytest.approx(0.5 * LENGTH, abs=1e-9))
    ]
    assert found.events[0].parameters["damping"] == 0.1
    assert found.events[0].inputs == {"load": 0.5}


def von_mises() -> Equations:
    """Two bars with the mass in their top, which only moves vertically."""
    model = Model("von_mises_truss")
    top = model.point("top", (0, RISE))
    top.x.fix()
    for end in (-1, 1):
        foot = model.point(f"foot {end}", (end, 0), fixed=True)
        bar = model.add(Truss(f"bar {end}", foot, top))
        bar.elongation.release().spring(1000.0)
    model.add(Body("mass", top, mass=1.0))
    top.y.dof("y", "speed")
    model.force(top, (0, -model.input("load", 0.0, unit="N")))
    return model.equations()


@pytest.mark.heavy
def test_a_truss_snaps_through() -> None:
    limit = minimize_scalar(
        lambda y: -two_bars_load(y), bounds=(0, RISE), method="bounded", options={"xatol": 1e-12}
    )
    found = continuation(
        Equilibria(von_mises()), "load", (0.0, 1.0), within=(-1.0, 1.0), steps=Steps(longest=0.1)
    )
    assert [e.kind for e in found.events] == ["fold", "fold"]
    assert [e.value for e in found.events] == pytest.approx([-limit.fun, limit.fun], abs=1e-9)
    assert [e.state["y"] for e in found.events] == pytest.approx([limit.x, -limit.x], abs=1e-7)
    y, load = found["y"].values, found.data["load"].values
    assert load == pytest.approx([two_bars_load(v) for v in y], abs=1e-9)
    regular = found.data["event"].values == ""
    # undamped: what is not unstable counts as stable
    assert (found.data["stable"].values == (np.abs(y) > limit.x))[regular].all()
    assert y[-1] < -RISE and "reached" in found.ended


@pytest.mark.heavy
def test_massless_bars_snap_through_alike() -> None:
    found = continuation(Equilibria(two_bars()), "load", (0.0, 1.0), within=(-1.0, 1.0))
    assert [e.value for e in found.events] == pytest.approx([0.38298788645, -0.38298788645])
    assert found.data["stable"].values[0] and found.data["stable"].values[-1]


@pytest.mark.heavy
@pytest.mark.parametrize(
    "damping",
    [pytest.param(0.0, marks=pytest.mark.heavy), 0.1, pytest.param(0.8, marks=pytest.mark.heavy)],
)
def test_flutter_under_a_follower_load(damping: float) -> None:
    """Ziegler's column: P l / c = 41/28 + d² / (2 m l² c) damped, 7/2 - √2 undamped.

    Masses 2 m and m at the ends of the links, absolute angles:
    m l² [[3, 1], [1, 1]] q'' + d [[2, -1], [-1, 1]] q' + [[2 c - P l, P l - c], [-c, c]] q = 0, and
    the criterion of Routh and Hurwitz.
    """
    equations = links(2, follower=True).equations()
    found = continuation(Equilibria(equations, parameters={"damping": damping}), "load", (0.0, 5.0))
    part = 41 / 28 + damping**2 / (2 * LENGTH**2 * SPRING) if damping else 3.5 - np.sqrt(2)
    value = part * SPRING / LENGTH
    first = found.events[0]
    assert (first.kind, first.value) == ("hopf", pytest.approx(value, rel=1e-8))
    assert first.exponent.real == pytest.approx(0, abs=1e-5) and first.exponent.imag > 0.1
    regular = found.data["event"].values == ""
    load = found.data["load"].values
    assert (found.data["stable"].values == (load < value))[regular].all()


def test_what_a_branch_tells(straight: Branch) -> None:
    assert repr(straight).startswith("<branch of column over load, equilibrium:")
    assert straight.data["load"].attrs == {"units": "N", "long_name": "load"}
    assert straight["angle1"].attrs == {"units": "rad", "long_name": "angle1"}
    assert straight.data["exponents"].attrs["units"] == "1/s"
    event = straight.events[0]
    assert straight.data["event"].values[event.index] == "branch"
    assert straight.data["parameter"].values[event.index] == event.value
    assert straight.states(0) == {"rate1": 0.0, "angle1": 0.0}
    figure = straight.plot("height")
    assert [axis.get_ylabel() for axis in figure.axes] == [
        "height (m)",
        "Re λ (1/s)",
        "Im λ (1/s)",
    ]
    assert figure.axes[-1].get_xlabel() == "load (N)"
    widths = {line.get_linewidth() for line in figure.axes[0].get_lines()}
    assert {0.9, 2.0} <= widths


def test_numbers_of_a_branch_without_labels(straight: Branch) -> None:
    columns = straight.columns
    stable = columns.values < SPRING / LENGTH
    assert (columns.stable == stable)[columns.event == ""].all()
    assert columns.along("height") == pytest.approx(LENGTH)
    assert (columns.unit, columns.unit_of("height")) == ("N", "m")


def test_interruption_keeps_what_was_found(
    column: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mbcore.continuation.equilibria import EquilibriumFamily

    count, record = iter(range(10)), EquilibriumFamily.record

    def interrupted(self: EquilibriumFamily, *place: object) -> object:
        if next(count) == 5:
            raise KeyboardInterrupt
        return record(self, *place)  # type: ignore[arg-type]

    monkeypatch.setattr(EquilibriumFamily, "record", interrupted)
    found = continuation(Equilibria(column), "load", (0.5, 3.0))
    assert (found.ended, len(found)) == ("interrupted", 5)


def pressed(gap: float) -> Model:
    """A mass of one coordinate, held by a spring of 10 N/m at one metre, under a load."""
    model = Model("pressed")
    place = model.point("place", (0, 1))
    place.x.fix()
    place.y.dof("y", "v").spring(10.0, 1.0, rest=1.0)
    model.add(Body("mass", place, mass=1.0))
    model.force(place, (0, gap - model.input("load", 0.0, unit="N")))
    return model


@pytest.mark.heavy
def test_a_contact_that_closes_ends_the_branch() -> None:
    model = pressed(0.0)
    unilateral_contact(model, "floor", model.nodes["place"].y.value, Impact(restitution=0.5))
    found = continuation(
        Equilibria(model.equations()), "load", (0.0, 20.0), steps=Steps(longest=0.2)
    )
    assert "a contact (floor) closes" in found.ended
    assert found["y"].values == pytest.approx(1 - found.data["parameter"].values / 10, abs=1e-10)
    assert found["y"].values[-1] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.heavy
def test_a_law_that_changes_with_an_event_is_followed() -> None:
    """A second spring of 30 N/m is met at y = 0.5, where the load is 5 N."""
    model = pressed(0.0)
    place = model.nodes["place"]
    met = model.event("met", 0.5 - place.y.value)
    model.force(place, (0, met * 30 * (0.5 - place.y.value)))
    found = continuation(
        Equilibria(model.equations()), "load", (0.0, 20.0), steps=Steps(longest=0.2)
    )
    load = found.data["parameter"].values
    exact = np.where(load < 5, 1 - load / 10, 0.5 - (load - 5) / 40)
    assert found["y"].values == pytest.approx(exact, abs=1e-9)
    assert found.ended == "value 20 reached"
    stiffness = np.where(load < 5, 10, 40)
    product = np.prod(found.data["exponents"].values, axis=1)
    assert product == pytest.approx(stiffness, rel=1e-6)


@pytest.mark.heavy
def test_going_on_from_an_equilibrium(column: Equations) -> None:
    begin = equilibrium(column, inputs={"load": 2.0}, start={"angle1": 1.0})
    found = continuation(
        Equilibria(column, start=begin), "load", (2.0, 2.5), steps=Steps(longest=0.2)
    )
    again = continuation(
        Equilibria(column, start={"angle1": 1.5}), "load", (2.5, 2.6), steps=Steps(longest=0.5)
    )
    assert found["angle1"].values[-1] == pytest.approx(again["angle1"].values[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameter": "lode"}, "'lode' is neither a parameter nor an input; there is spring"),
        ({"between": (1.0, 1.0)}, "its range 1 to 1 has no length"),
        ({"between": (1.0, np.nan)}, "nan"),
        ({"between": 3.0}, "give two values"),
        ({"parameters": {"sprang": 1.0}}, "no parameter 'sprang'"),
        ({"inputs": {"load": 1.0}}, "its value is given among the parameters or inputs, too"),
        ({"parameter": "damping", "between": (0.1, -1.0)}, "damping = -1.0"),
        ({"steps": Steps(first=2.0)}, "first = 2"),
        ({"steps": Steps(points=2.5)}, "points = 2.5"),  # type: ignore[arg-type]
        ({"steps": 0.1}, r"steps = 0\.1; give Steps"),
        ({"start": {"angle": 1.0}}, "no state 'angle'"),
        ({"within": (0.6, 0.7)}, "does not hold the range from 0.5 to 1"),
    ],
)
def test_mistaken_arguments(column: Equations, arguments: dict[str, object], message: str) -> None:
    given = {"parameter": "load", "between": (0.5, 1.0)} | arguments
    family = {name: given.pop(name) for name in ("start", "parameters", "inputs") if name in given}
    with pytest.raises(ModelError, match=message):
        continuation(Equilibria(column, **family), **given)  # type: ignore[arg-type]


def test_mistaken_questions(straight: Branch, column: Equations) -> None:
    with pytest.raises(ModelError, match="no state or output 'angel'"):
        straight["angel"]
    with pytest.raises(ModelError, match="are constant"):
        straight.amplitude("angle1")
    with pytest.raises(ModelError, match="not an event of this branch"):
        straight.switch(continuation(Equilibria(column), "load", (1.0, 2.0)).events[0])
    with pytest.raises(ModelError, match="show = 'harmonics'"):
        straight.plot(show="harmonics")


@pytest.mark.heavy
def test_no_equilibrium_at_the_start() -> None:
    model = Model("pulled")
    place = model.point("place")
    place.y.fix()
    model.add(Body("mass", place, mass=1.0))
    force = model.input("force", 0.0)
    place.x.dof("x", "v").law(1 + place.x.value**2 - force)
    equations = model.equations()
    with pytest.raises(SimulationError, match=r"no equilibrium at force = 0\.5"):
        continuation(Equilibria(equations), "force", (0.5, 3.0))


def test_what_is_no_family_is_refused_by_the_line_that_makes_one() -> None:
    with pytest.raises(ModelError, match="'arch' is not a family of solutions; give Equilibria"):
        continuation("arch", "force", (0, 1))  # type: ignore[arg-type]
    line = r"of = 'steady' is removed; .* continuation\(SteadyMotions\(equations, \.\.\.\)"
    with pytest.raises(ModelError, match=line):
        continuation("arch", "force", (0, 1), of="steady")  # type: ignore[call-arg, arg-type]
