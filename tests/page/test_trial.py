"""What keys of a page set by default: seen in the picture, and survived by the model."""

from __future__ import annotations

import casadi as ca
import pytest

from mbcore import Body, Equations, Model
from mbcore.fmi.component import as_component
from mbcore.fmi.description.variables import variables
from mbcore.fmi.page_settings import Page
from mbcore.page import table, trial

MASS, SIZE, TIME, RAMP = 30.0, 1.0, 3.0, 0.25


def pushed(limit: float | None = None, rate: bool = False) -> Equations:
    """A mass of 30 kg on rails, pushed by an input; it may have to stay within a limit."""
    model = Model("cart")
    place = model.point("cart", (0, 0))
    place.x.dof("x", "v")
    place.y.fix()
    model.add(Body("mass", place, mass=MASS))
    quickness = model.input("quickness") if rate else None
    model.force(place, (model.input("push", unit="N", rate=quickness), 0))
    if limit is not None:
        far = limit - ca.fabs(place.x.value)
        model.require("near", far, "the cart has left its rails", shown=place.x.value)
    return model.equations()


def tried(
    equations: Equations, begin: float, page: Page | None = None
) -> tuple[dict[str, float], list[str]]:
    rows, told = variables(as_component(equations)), list[str]()
    sizes = {row.name: begin for row in rows.of("input")}
    found = trial.tried_sizes(equations, rows, sizes, page or Page(), 1.0, SIZE, told.append)
    return found, told


def way(force: float) -> float:
    """Return the way of the mass until the end, by hand: a force that rises over the ramp."""
    return force / MASS * (TIME**2 / 2 - RAMP * TIME / 2 + RAMP**2 / 6)


@pytest.mark.parametrize("begin", [1e-3, 1.0, 1e5])
def test_a_key_moves_a_mass_by_a_part_of_the_picture(begin: float) -> None:
    found, told = tried(pushed(), begin)
    assert 0.05 * SIZE <= way(found["push"]) <= 1.0 * SIZE
    assert not told
    assert found == tried(pushed(), begin)[0]


def test_what_a_model_does_not_survive_is_not_taken() -> None:
    found, told = tried(pushed(limit=0.08), 100.0)
    assert way(found["push"]) < 0.08
    assert way(found["push"]) >= 0.05 * SIZE or told


def test_a_range_that_is_not_found_is_told() -> None:
    found, told = tried(pushed(limit=1e-9), 100.0)
    assert found == {"push": 100.0}
    assert told == ["the range of push is estimated from units and rates at the start: "
                    "no trial run met the conditions"]  # fmt: skip


def test_runs_that_take_too_long_are_not_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "SPENT", 1e6)
    found, told = tried(pushed(), 1.0)
    assert found == {"push": 1.0}
    assert told == ["the range of push is estimated from units and rates at the start: "
                    "trial runs would take too long"]  # fmt: skip


@pytest.mark.parametrize(
    "page", [Page(ranges={"push": (-1, 1)}), Page(keys={"left": {"push": 1.0}})]
)
def test_what_an_author_has_chosen_is_not_tried(page: Page) -> None:
    assert tried(pushed(), 7.0, page) == ({"push": 7.0}, [])


def test_inputs_with_rates_keep_their_sizes() -> None:
    """A value without its rate would contradict it."""
    found, told = tried(pushed(rate=True), 7.0)
    assert found == {"push": 7.0, "quickness": 7.0}
    assert not told


def test_rates_of_inputs_have_no_keys() -> None:
    equations = pushed(rate=True)
    rows = variables(as_component(equations))
    found = table.described(rows, Page(), table.input_sizes(equations, rows))
    rates = {record.rate.name for record in equations.inputs if record.rate is not None}
    assert rates
    effects = table.keys(Page(), found, rates).values()
    assert {name for effect in effects for name in effect} == {"push"}


def test_the_page_of_a_mass_of_one_s_own_has_keys_that_move_it() -> None:
    equations = pushed()
    component = as_component(equations)
    rows = variables(component)
    sizes, _ = tried(equations, table.input_sizes(equations, rows)["push"])
    keys = table.keys(Page(), table.described(rows, Page(), sizes))
    assert way(keys["right"]["push"]) >= 0.05 * SIZE
    assert keys["left"]["push"] == -keys["right"]["push"]
