"""Which coordinates are best where angles must stay ones, because formulas count their turns.

Rows are given as numbers: those of three angles and of one between them, on axes of our own.
"""

import numpy as np
import pytest

from mbcore import Hinge, Model, RollingCoupling
from mbcore.equations.alternatives import Alternatives, Choice

A, B, C = np.eye(3)


@pytest.fixture(scope="module")
def alternatives() -> Alternatives:
    """Return those of one freedom among three angles, two of which count their turns."""
    model = Model("angles")
    turned = [model.rotation(name) for name in "xyz"]
    pairs = ((model.ground, turned[0]), (model.ground, turned[1]), (turned[1], turned[2]))
    a, b, c = (
        model.add(Hinge(name, *pair, axis=(0, 0, 1))).angle
        for name, pair in zip("abc", pairs, strict=True)
    )
    between = model.add(Hinge("between", turned[0], turned[2], axis=(0, 0, 1)))
    between.bending_y.release(), between.bending_z.release()
    model.add(RollingCoupling("one", a.rate - b.rate, unit="rad/s"))
    model.add(RollingCoupling("other", b.rate - c.rate, unit="rad/s"))
    a.dof("a")
    b.kinematic("b")
    c.kinematic("c")
    model.output("turns", a.value + b.value, unit="rad")
    return Alternatives(model.equations())


def best(alternatives: Alternatives, v: np.ndarray, rows: dict[str, np.ndarray]) -> Choice:
    """Return the best coordinates of a velocity v of length one, given rows of some quantities."""
    places = alternatives._places
    found = np.zeros((len(places), 3))
    across = np.linalg.svd(v[None])[2][1:]  # what the slips forbid
    found[[places["one.slip"], places["other.slip"]]] = across
    for name, row in rows.items():
        found[places[f"{name}.angle"]] = row / np.linalg.norm(row)
    return alternatives.best(found)


def test_angles_that_count_turns_are_chosen_together(alternatives: Alternatives) -> None:
    """The angle between moves most, and with it the two that must stay depend on each other."""
    v = np.array([-0.01, 0.8, 0.6]) / np.linalg.norm([-0.01, 0.8, 0.6])
    rows = {"a": A, "b": B, "c": C, "between": v * [1, 1, 0]}
    choice = best(alternatives, v, rows)
    assert [q.name for q in choice.dofs] == ["b.angle"]
    assert {q.name for q in choice.kinematic} == {"a.angle", "c.angle"}
    assert choice.quality == pytest.approx(v[1], rel=1e-12)


def test_angles_that_depend_on_each_other_are_no_coordinates(alternatives: Alternatives) -> None:
    v = np.array([0.6, 0.0, 0.8])
    choice = best(alternatives, v, {"a": A, "b": A, "c": C, "between": B})
    assert choice.quality == 0.0


def test_what_is_good_keeps_its_role(alternatives: Alternatives) -> None:
    v = np.array([0.6, 0.64, 0.48])
    choice = best(alternatives, v, {"a": A, "b": B, "c": C, "between": B - A})
    assert [q.name for q in choice.dofs] == ["a.angle"]
    assert choice.quality == pytest.approx(0.6, rel=1e-12)
