"""Arrays in the live page: folded in one group each, and a table as a curve that can be dragged."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbcore import Model, Table
from mbcore.fmi.component import Component
from mbcore.fmi.description.variables import variables
from mbcore.page import arrays, table, write_page
from tests.browser import complaints, needs_browser, visit, wait_for

PLACES, FORCES = (0.0, 20.0, 40.0, 80.0), (0.0, 1.0, 2.0, 4.0)
AT = [0.0, 0.02, 0.04, 0.08]


def sprung() -> Component:
    """A mass at 0.04 m on a spring by a smooth table, and a driven array."""
    curve = Table(
        PLACES, FORCES, interpolation="smooth", beyond="linear", units=("mm", "N"),
        name="spring.force", parameter=True,
    )  # fmt: skip
    model = Model("sprung")
    push = model.input("push", np.zeros(3), unit="N")
    mass = model.parameter("mass", [2.0, 1.0, 1.0], unit="kg", positive=True)
    x = model.state("x", start=0.04, unit="m", visibility="output")
    v = model.state("v", unit="m/s")
    model.derivative("x", v)
    force = curve(x)
    model.derivative("v", (push[0] + push[1] + push[2] - force) / (mass[0] + mass[1] + mass[2]))
    model.output("force", force, unit="N")
    return Component("sprung", "A mass on a curve", model.equations())


def test_the_page_knows_arrays_and_abscissae() -> None:
    component = sprung()
    rows = variables(component)
    found = table.described(rows, component.page, {})
    arrays.add_arrays(found, rows, component.equations)
    by_name = {variable["name"]: variable for variable in found}
    curve = [by_name[f"spring.force[{i}]"] for i in (1, 2, 3, 4)]
    assert [v["at"] for v in curve] == pytest.approx(AT, rel=1e-15)
    assert {(v["array"], v["across"], v["unit"]) for v in curve} == {("spring.force", "m", "N")}
    assert by_name["push[3]"]["array"] == "push" and "at" not in by_name["mass[2]"]
    assert "array" not in by_name["x"]


@pytest.mark.heavy
@needs_browser
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed")
def test_arrays_are_folded_and_a_curve_is_dragged(browser: Any, tmp_path: Path) -> None:
    webdriver = pytest.importorskip("selenium.webdriver")
    visit(browser, write_page(sprung(), tmp_path / "sprung.html"))
    run = browser.execute_script
    wait_for(lambda: run("return window.mbcore?.time !== undefined"), 60)
    run("mbcore.pause(); mbcore.reset()")
    folded = run(
        "return [...document.querySelectorAll('.alike')].map((kind) => "
        "[kind.querySelector('summary').firstChild.textContent, "
        "kind.querySelectorAll('.row').length, kind.querySelectorAll('circle').length])"
    )
    assert sorted(folded) == [["mass", 3, 0], ["push", 3, 0], ["spring.force", 4, 4]]
    assert run("return mbcore.get('force')") == pytest.approx(2.0, abs=1e-12)
    run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    point = browser.find_elements("css selector", ".curve circle")[2]
    run("arguments[0].scrollIntoView({block: 'center'})", point)
    box = run("return arguments[0].ownerSVGElement.getBoundingClientRect().height", point)
    drag = webdriver.ActionChains(browser)
    # a quarter of the picture up: of its 130 parts 106 are the sliders' range, -1 N (about the
    # point at zero) to 8 N
    drag.click_and_hold(point).move_by_offset(0, -round(box / 4)).release().perform()
    moved = run("return mbcore.get('spring.force[3]')")
    assert moved == pytest.approx(2 + 9 * round(box / 4) / box * 130 / 106, abs=0.1)
    assert run("return mbcore.get('force')") == pytest.approx(moved, abs=1e-9)
    others = [run(f"return mbcore.get('spring.force[{i}]')") for i in (1, 2, 4)]
    assert others == [0.0, 1.0, 4.0]
    field = "document.getElementById('set spring.force[3]').value"
    assert float(run(f"return {field}")) == pytest.approx(moved, rel=1e-4)
    point.send_keys(webdriver.Keys.ARROW_DOWN)
    assert run("return mbcore.get('spring.force[3]')") == pytest.approx(moved - 0.09, abs=1e-9)
    assert complaints(browser) == []
