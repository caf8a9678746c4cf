"""The live page: what is refused, what is in the file, and how it behaves in a browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.util
import json
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import extract, read_model_description
from fmpy.fmi3 import FMU3Slave

from mbcore import Body, InputTable, Model, ModelWarning, drawing, simulate
from mbcore.codegen.compiler import CompilerError
from mbcore.fmi.component import Component
from mbcore.fmi.page_settings import Page, Remark
from mbcore.model.errors import ModelError
from mbcore.page import write_page
from mbcore.page.write import ASSETS
from tests.browser import READ, complaints, needs_browser, open_browser, visit, wait_for
from tests.built import Kept
from tests.shipped import SHIPPED

needs_ziglang = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed"
)
MOST_BYTES = 3_000_000


FAR = Remark(("x",), "spring.stiffness", "push less")


def oscillator(name: str = "swing", description: str = "a mass on a spring") -> Component:
    """x'' = a - 4 x, with a pushed by an input, and fixed, tunable and listed parameters."""
    model = Model(name)
    push = model.input("push", unit="N", description=description)
    mass = model.parameter("mass", 2.0, unit="kg", positive=True, tunable=False)
    stiffness = model.parameter("spring.stiffness", 8.0, unit="N/m", minimum=0.0, maximum=50.0)
    kind = model.enumeration("kind", ["first", "second"])
    damped = model.parameter("damped", False)
    held = model.input("held", False)
    x = model.state("x", start=0.1, unit="m", visibility="output")
    v = model.state("v", unit="m/s")
    model.derivative("x", v)
    model.derivative("v", (push - stiffness * x) / mass - ca.if_else(damped, v, 0.0))
    model.output("force", stiffness * x, unit="N")
    model.output("chosen", kind)
    model.output("damping", ca.if_else(damped, 1.0, 0.0) + ca.if_else(held, 2.0, 0.0))
    model.output("far", model.event("reach", x - 1.0), kind="boolean")
    return Component(name, description, model.equations(), documentation=f"<p>{description}</p>")


# What is refused


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"keys": {"space": {}}}, "'space' cannot be a key"),
        ({"keys": {"r": {}}}, "'r' cannot be a key"),
        ({"keys": {"left": {"push": "much"}}}, "push"),
        ({"time_scale": 0}, "time_scale"),
        ({"ranges": {"push": (1, 1)}}, "must increase"),
        ({"plots": "force"}, "tuple"),
        ({"spatial": "yes"}, "spatial = 'yes'; give True or False"),
        ({"remarks": {"far": "too far"}}, "give a Remark"),
        ({"captions": {"q": "push"}}, "of 'q' has no key; there are left, right, up, down"),
        ({"keys": {"q": {}}, "captions": {"q": 3}}, "the caption of 'q' is 3; give a text"),
        ({"used_with": {"push": "kind"}}, "give \\(enumeration, value\\)"),
        ({"spins": {"wheel": 3}}, "the spin of 'wheel' is 3; give an input's name"),
        ({"opening": {"push": math.nan}}, "opening: push"),
    ],
)
def test_wishes_that_mean_nothing_are_refused(wishes: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        Page(**wishes)


def test_settings_of_what_a_page_leaves_out_are_refused(tmp_path: Path) -> None:
    """A page has no slider of an input, and no list of values, that nothing uses."""
    model = Model("idle")
    model.input("speed", unit="rad/s")
    push = model.input("push", unit="N")
    model.enumeration("kind", ["first", "second"])
    wheel = model.point("wheel", (0, 0))
    wheel.y.fix()
    wheel.x.dof("x", "v").law(-push)
    model.add(Body("wheel", wheel, mass=1.0))
    model.show(drawing.disc(wheel, None, 1.0, name="disc"))
    with pytest.warns(ModelWarning, match="kind"):
        equations = model.equations()
    for wishes, said in (
        (Page(spins={"disc": "speed"}), "'speed', which is not an input in rad/s that the model"),
        (Page(used_with={"push": ("kind", "first")}), "'kind', which is not an enumeration that"),
    ):
        with pytest.raises(ModelError, match=said):
            write_page(Component("idle", "", equations, page=wishes), tmp_path / "idle.html")


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (Page(keys={"left": {"mass": 1.0}}), "'mass', which is not an input; there are push"),
        (Page(plots=("speed",)), "'speed', which is not shown"),
        (Page(plots=(("x", "force"),)), "units N, m"),
        (Page(ranges={"force": (0, 1)}), "'force', which is not an input"),
        (Page(follow="wheel"), "follow = 'wheel' is not one of its shapes"),
        (Page(used_with={"x": ("kind", "first")}), "'x', which is not an input; there are held"),
        (Page(used_with={"push": ("mass", "first")}), "'mass', which is not an enumeration"),
        (Page(used_with={"push": ("kind", "third")}), "'third', which is not one of kind"),
        (Page(spins={"wheel": "push"}), "'wheel', which is not a disc; there are none"),
        (Page(opening={"force": 1.0}), "'force', which is not a variable with a slider"),
        (Page(opening={"kind": "third"}), "'third', which is not one of kind"),
        (Page(opening={"push": "much"}), "'push' to 'much'; give a number"),
        (Page(remarks={"x": FAR}), "'x', which is not a boolean output; there are far"),
        (Page(remarks={"far": replace(FAR, watched=("y",))}), "'y', which is not calculated"),
        (Page(remarks={"far": replace(FAR, limit="x")}), "'x', which is not a parameter"),
    ],
)
def test_wishes_for_what_the_model_has_not_are_refused(
    wishes: Page, said: str, tmp_path: Path
) -> None:
    given = oscillator()
    component = Component("swing", "", given.equations, page=wishes)
    with pytest.raises(ModelError, match=said):
        write_page(component, tmp_path / "swing.html")
    assert not list(tmp_path.iterdir())


def test_targets_that_are_no_pages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"let it end in \.html"):
        write_page(oscillator(), tmp_path / "swing.fmu")
    with pytest.raises(ModelError, match="give a path"):
        write_page(oscillator(), 3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="neither a Component nor Equations"):
        write_page("vehicle", tmp_path / "vehicle.html")  # type: ignore[arg-type]


def test_a_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbcore.codegen.compiler._has_ziglang", lambda: False)
    with pytest.raises(CompilerError, match="pip install ziglang"):
        write_page(oscillator(), tmp_path / "swing.html")


def test_vendored_files_are_those_that_were_published() -> None:
    folder = Path(str(ASSETS)) / "uplot"
    sums = dict(re.findall(r"([0-9a-f]{64})  (\S+)", (folder / "ORIGIN.txt").read_text("utf-8")))
    assert set(sums.values()) == {f.name for f in folder.iterdir()} - {"ORIGIN.txt"}
    for digest, name in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name


# What is in the file


@pytest.mark.heavy
@needs_ziglang
def test_a_page_is_one_small_file_that_loads_nothing(kept: Kept) -> None:
    text = kept.page("vehicle").read_text("utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert not re.search(r'(?:src|href)="(?!data:)[^"]+"', text.split("<script>")[0])
    module = re.search(r'id="module">([^<]+)<', text)
    assert module and gzip.decompress(base64.b64decode(module[1])).startswith(b"\0asm")


@pytest.mark.heavy
@needs_ziglang
def test_texts_cannot_end_a_script(tmp_path: Path) -> None:
    wicked = "</script><b>&amp; \u2028 \"quoted\" <!-- 'x' é 漢"
    page = write_page(oscillator(description=wicked), tmp_path / "swing.html")
    text = page.read_text("utf-8")
    model = re.search(r'id="model">(.*?)</script>', text, re.DOTALL)
    assert model
    described = {v["name"]: v["description"] for v in json.loads(model[1])["variables"]}
    assert described["push"] == wicked
    assert text.count("</script>") == 4


# In a browser


def opened(browser: Any, page: Path, link: str = "") -> Any:
    visit(browser, page)
    if link:
        browser.get(page.resolve().as_uri() + link)
    wait_for(lambda: browser.execute_script("return window.mbcore?.time !== undefined"), 60)
    return browser.execute_script


@dataclass(frozen=True)
class Course:
    """An input that ramps up over and over, steps, and what is looked at."""

    names: list[str]
    driven: str
    most: float
    step: float = 0.02
    steps: int = 250

    def values(self) -> list[float]:
        return [self.most * (i % 40) / 40 for i in range(self.steps)]


NATIVE = {
    "vehicle": Course(
        ["chassis.x", "chassis.y", "chassis.yaw", "chassis.speed"], "steer.angle", 0.02
    ),
    "bicycle": Course(["bicycle.lean", "bicycle.x", "bicycle.y"], "steer.torque", 0.02),
    # the journal meets its sleeve some times
    "clearance_joint": Course(
        ["joint.x", "joint.y", "slider.position"], "slider.force", 1000.0, 5e-5, 200
    ),
}


def native_course(name: str, file: Path, folder: Path) -> list[list[float]]:
    """Run the FMU itself through the same course; return the variables after each step."""
    course = NATIVE[name]
    description = read_model_description(file)
    references = {v.name: v.valueReference for v in description.modelVariables}
    fmu = FMU3Slave(
        guid=description.guid,
        unzipDirectory=extract(file, folder / "unzipped"),
        modelIdentifier=name,
        instanceName="course",
    )
    fmu.instantiate()
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    rows, time = [], 0.0
    for value in course.values():
        fmu.setFloat64([references[course.driven]], [value])
        fmu.doStep(time, course.step)
        time += course.step
        rows.append(list(fmu.getFloat64([references[n] for n in course.names])))
    fmu.terminate()
    fmu.freeInstance()
    return rows


# past the page, which would draw its scene at each value: 500 pictures, for a minute or two
STEP_THROUGH = """
const [names, driven, step, values] = arguments, rows = [];
mbcore.pause();
mbcore.reset();
for (const value of values) {
  mbcore.page.simulation.set(driven, value);
  mbcore.step(step);
  rows.push(names.map((name) => mbcore.get(name)));
}
return rows;
"""


@pytest.mark.heavy
@needs_browser
@needs_ziglang
@pytest.mark.parametrize("name", NATIVE)
def test_the_page_goes_where_the_fmu_goes(
    name: str, kept: Kept, browser: Any, tmp_path: Path
) -> None:
    run, course = opened(browser, kept.page(name)), NATIVE[name]
    given = (course.names, course.driven, course.step, course.values())
    here = run(STEP_THROUGH, *given)
    there = native_course(name, kept.fmu(name, "3.0"), tmp_path)
    ours, theirs = np.array(here), np.array(there)
    size = np.abs(theirs).max(axis=0)
    assert (np.abs(ours - theirs).max(axis=0) <= 1e-9 * size).all()
    assert here == run(STEP_THROUGH, *given), "a reset begins anew"
    assert complaints(browser) == []


@pytest.fixture(scope="module")
def swing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a small model with a scene of nothing and a name that HTML would take."""
    given = oscillator(description="a < b & </script>")
    wishes = Page(
        keys={"right": {"push": 5.0}, "q": {"push": -3.0}}, time_scale=1.0,
        captions={"right": "push it"}, used_with={"push": ("kind", "first")},
    )  # fmt: skip
    component = Component("swing", "a <b>", given.equations, documentation="<p>é", page=wishes)
    return write_page(component, tmp_path_factory.mktemp("swing") / "swing & co.html")


def words(run: Any) -> str:
    return run(
        "return document.getElementById('message').hidden ? '' : "
        "document.getElementById('words').textContent"
    )


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_values_act_at_once_or_at_the_next_reset(browser: Any, swing: Path) -> None:
    run = opened(browser, swing)
    assert run("mbcore.pause(); mbcore.reset(); return mbcore.set('spring.stiffness', 20)")
    assert run("return mbcore.get('force')") == pytest.approx(2.0)  # 20 N/m * 0.1 m
    assert run("return mbcore.set('mass', 5)")
    assert run("return mbcore.get('mass')") == 2.0
    assert run("return document.getElementById('reset').classList.contains('wanted')")
    assert run("mbcore.reset(); return mbcore.get('mass')") == 5.0
    assert run("return mbcore.set('x', 0.3) && mbcore.reset() && mbcore.get('x')") == 0.3
    # x = x0 cos(w t), w^2 = 20/5
    run("for (let i = 0; i < 100; i++) mbcore.step(0.01)")
    assert run("return mbcore.time") == pytest.approx(1.0)
    assert run("return mbcore.get('x')") == pytest.approx(0.3 * math.cos(2.0), abs=1e-5)
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_truth_values_have_boxes(browser: Any, swing: Path) -> None:
    run = opened(browser, swing)
    run("mbcore.pause(); mbcore.reset()")
    run("document.querySelectorAll('details').forEach((group) => (group.open = true))")
    fixed, held = (browser.find_element("id", f"set {name}") for name in ("damped", "held"))
    assert [box.get_attribute("type") for box in (fixed, held)] == ["checkbox", "checkbox"]
    assert [box.is_selected() for box in (fixed, held)] == [False, False]
    held.click()
    assert run("return mbcore.get('damping')") == 2.0  # an input acts at once
    fixed.click()
    assert run("return mbcore.reset() && mbcore.get('damping')") == 3.0
    held.click()
    assert run("mbcore.step(0.01); return mbcore.get('damping')") == 1.0
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_values_that_are_refused_are_told_and_change_nothing(browser: Any, swing: Path) -> None:
    run = opened(browser, swing)
    assert run("mbcore.pause(); return mbcore.set('mass', -1)") is False
    assert "mass" in words(run) and "-1" in words(run)
    assert run("return mbcore.reset() && mbcore.get('mass')") == 2.0
    assert run("return mbcore.set('spring.stiffness', 60)") is False
    assert "spring.stiffness" in words(run)
    run("document.querySelectorAll('details').forEach((group) => (group.open = true))")
    field = browser.find_element("id", "set mass")
    run("arguments[0].select()", field)
    field.send_keys("heavy\n")
    assert 'mass: "heavy" is not a number' in words(run)
    assert field.get_attribute("value") == "2"
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_a_link_brings_everything_back(browser: Any, swing: Path) -> None:
    run = opened(browser, swing)
    run("mbcore.pause(); mbcore.set('mass', 3.3); mbcore.set('push', 0.1 + 0.2)")
    run("mbcore.set('kind', 2); mbcore.set('x', -0.25)")
    link = run("return mbcore.link()")
    run = opened(browser, swing, link)
    state = run(
        "mbcore.pause(); return ['mass', 'push', 'kind', 'x'].map((name) => "
        "mbcore.page.simulation.get(name))"
    )
    assert state == [3.3, 0.1 + 0.2, 2, -0.25]
    assert run("return mbcore.reset() && mbcore.get('x')") == -0.25
    assert run("return mbcore.link()") == link
    run = opened(browser, swing, "#mass=-3&speed=0.5&nothing=1&push=x&%zz=1")
    said = words(run)
    unknown = "nothing, which this model does not have"
    for part in ("mass", unknown, '"x", which is not a number', "%zz=1"):
        assert part in said
    assert run("return [mbcore.get('mass'), mbcore.page.speed]") == [2.0, 0.5]
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_rounding_reads_as_zero_and_small_values_as_they_are(browser: Any, swing: Path) -> None:
    """The natural size of x is 1 m; differences of doubles of that size are about 1e-16 m."""
    run = opened(browser, swing, "#plots=x")
    for value, said in ((-5e-17, "0"), (2e-7, "2e-7"), (-0.25, "-0.25")):
        run("mbcore.pause(); mbcore.set('x', arguments[0]); mbcore.reset()", value)
        run("mbcore.page.drawPlots()")
        assert run("return document.querySelector('figcaption b').textContent") == said


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_keys_hold_inputs_and_pause(browser: Any, swing: Path) -> None:
    run = opened(browser, swing)
    push = "dispatchEvent(new KeyboardEvent('{}', {{ key: '{}', bubbles: true }}))"
    body = "document.body."
    assert run("return document.getElementById('keys').innerText.split('\\n')") == [
        "→ push it", "q push -3 N",
    ]  # fmt: skip
    dimmed = "return document.querySelector('.unused label')?.textContent"
    assert run(f"mbcore.set('kind', 2); {dimmed}") == "push"
    assert run(f"mbcore.set('kind', 1); {dimmed}") is None
    run("mbcore.set('push', 1)")
    run(body + push.format("keydown", "ArrowRight"))
    wait_for(lambda: run("return mbcore.get('push')") == 5.0)
    shown = "return document.getElementById('set push').value"
    wait_for(lambda: run(shown) == "5")  # what is in effect
    run(body + push.format("keyup", "ArrowRight"))
    wait_for(lambda: run("return mbcore.get('push')") == 1.0)
    wait_for(lambda: run(shown) == "1")
    run(body + push.format("keydown", "q"))
    wait_for(lambda: run("return mbcore.get('push')") == -3.0)
    run("window.dispatchEvent(new Event('blur'))")
    wait_for(lambda: run("return mbcore.get('push')") == 1.0)
    run(body + push.format("keydown", " "))
    time = run("return mbcore.time")
    assert time > 0 and not run("return mbcore.page.playing")
    run(
        body
        + push.format("keydown", "ArrowRight")
        + "; "
        + body
        + push.format("keyup", "ArrowRight")
    )
    assert run("return new Promise((go) => setTimeout(() => go(mbcore.time), 200))") == time
    run(body + push.format("keydown", "r"))
    assert run("return mbcore.time") == 0
    field = "document.getElementById('set push')."
    run(field + push.format("keydown", " "))
    assert not run("return mbcore.page.playing"), "keys in fields are text"
    assert complaints(browser) == []


FRAMES = """
const [course, ticks] = arguments, { page } = mbcore, passed = ticks / 120;
mbcore.pause();
mbcore.reset();
for (const [key, part, frames] of course) {
  page.drive.press(key, part);
  for (let i = 0; i < frames / ticks; i++) page.advance(passed, Infinity);
}
return [mbcore.time, mbcore.get("x"), mbcore.get("v"), mbcore.get("push")];
"""


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_inputs_that_keys_move_are_linear_whatever_the_frames(browser: Any, swing: Path) -> None:
    """A key leads to 5 N within 0.25 s, 30 ticks, and back; a table says the same."""
    run = opened(browser, swing)
    course = [["right", 1, 60], ["right", 0, 60], ["right", 0.5, 20], ["left", 0, 20]]
    often, seldom = run(FRAMES, course, 1), run(FRAMES, course, 4)
    assert often == seldom, "60 or 15 frames a second"
    time = np.array([0, 30, 60, 90, 120, 135, 160]) / 120
    table = InputTable(time, {"push": [0, 5, 5, 0, 0, 2.5, 2.5]})
    there = simulate(oscillator().equations, time[-1], inputs=table, rtol=1e-10, atol=1e-12)
    wanted = [time[-1], there["x"][-1], there["v"][-1], 2.5]
    assert often == pytest.approx(wanted, rel=1e-5), "tolerances of the page's FMU"
    # a tap within a frame acts for one step: up by a thirtieth of 5 N, and down within the next
    tapped = run(FRAMES, [["right", 1, 0], ["right", 0, 20]], 1)
    table = InputTable(np.array([0, 1, 2, 20]) / 120, {"push": [0, 5 / 30, 0, 0]})
    there = simulate(oscillator().equations, 20 / 120, inputs=table, rtol=1e-10, atol=1e-12)
    assert tapped == pytest.approx([20 / 120, there["x"][-1], there["v"][-1], 0], rel=1e-5)
    # a value that is set is a jump: 8 N/m hold 2 N at 0.25 m
    run("mbcore.set('x', 0.25); mbcore.reset(); mbcore.set('push', 2)")
    run("for (let i = 0; i < 40; i++) mbcore.page.advance(1 / 60, Infinity)")
    assert run("return mbcore.get('x')") == pytest.approx(0.25, abs=1e-12)
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_a_thumb_on_the_pad_presses_keys_by_degrees(browser: Any, swing: Path) -> None:
    devtools, run = browser.execute_cdp_cmd, opened(browser, swing)
    devtools("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    try:
        run = opened(browser, swing)
        middle = "const box = document.getElementById('pad').getBoundingClientRect(); "
        x, y, width = run(
            middle + "return [box.x + box.width / 2, box.y + box.height / 2, box.width]"
        )
        assert width > 0

        def touch(kind: str, *points: tuple[float, float]) -> None:
            places = [{"x": a, "y": b} for a, b in points]
            devtools("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

        touch("touchStart", (x, y))
        touch("touchMove", (x + 0.2 * width, y))
        # half of the way to the pad's rim, which is 0.8 of its radius
        wait_for(lambda: run("return mbcore.get('push')") == pytest.approx(2.5, abs=0.1))
        shown = "return Number(document.getElementById('set push').value)"
        wait_for(lambda: run(shown) == pytest.approx(2.5, abs=0.1))
        touch("touchEnd")
        wait_for(lambda: run("return mbcore.get('push')") == 0.0)
    finally:
        devtools("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (390, 844)])
def test_the_page_fits_windows(size: tuple[int, int], browser: Any, swing: Path) -> None:
    width, height = size
    devtools = browser.execute_cdp_cmd
    shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    devtools("Emulation.setDeviceMetricsOverride", shape)
    try:
        run = opened(browser, swing)
        root = "return document.documentElement."
        assert run(root + "scrollWidth") <= width, "nothing is cut off at the side"
        if width > 800:
            assert run(root + "scrollHeight") <= height, "all is seen at once"
            article = "return document.getElementById('documentation').offsetParent !== null"
            seen = "return getComputedStyle(document.getElementById('documentation')).display"
            assert run(article) is False
            browser.find_element("id", "about").click()
            assert run(seen) == "block"
    finally:
        devtools("Emulation.clearDeviceMetricsOverride", {})
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_time_is_real_and_a_slower_one_is_slower(browser: Any, swing: Path) -> None:
    run = opened(browser, swing)
    # two seconds of frames, told their times: what the clock of a busy machine says is no matter
    frames = """
        mbcore.pause();
        const { page } = mbcore, begun = mbcore.time;
        for (let i = 0; i < 120; i++) page.advance(1 / 60, performance.now());
        return mbcore.time - begun;
    """
    assert run(frames) == pytest.approx(2.0, abs=0.05)
    run(
        "const list = document.getElementById('speed'); list.value = 0.1;"
        "list.dispatchEvent(new Event('change'))"
    )
    assert run(frames) == pytest.approx(0.2, abs=0.005)
    slow = """
        const { page } = mbcore;
        Object.assign(page, { speed: 1, rate: 0.61, cost: arguments[0], apart: 80 });
        return page.slowness();
    """
    assert browser.execute_script(slow, 12) == "61 % of the speed: a step of 8.3 ms takes 12 ms"
    assert browser.execute_script(slow, 1) == "61 % of the speed: frames are 80 ms apart"


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_a_step_that_fails_is_told_and_a_reset_goes_on(browser: Any, kept: Kept) -> None:
    run = opened(browser, kept.page("vehicle"))
    run("mbcore.set('steering', 2); mbcore.reset(); mbcore.set('steer.angle', 1.6); mbcore.play()")
    wait_for(lambda: run("return mbcore.page.simulation.failed"))
    assert "front.steer_angle" in words(run) and "90 degrees" in words(run)
    assert not run("return mbcore.page.playing")
    assert run("return document.getElementById('again').offsetParent !== null")
    run("mbcore.set('steer.angle', 0.1); document.getElementById('again').click()")
    assert words(run) == ""
    wait_for(lambda: run("return mbcore.time > 0 && mbcore.page.playing"))
    flags = "return document.getElementById('flags').innerText"
    assert run(flags) == ""
    run("mbcore.set('friction.limit', 0.01)")
    wait_for(lambda: "not valid" in run(flags))
    reached = re.search(
        r"friction_ratio reached ([\d.]+) at [\d.]+ s, friction.limit is 0.01", run(flags)
    )
    assert reached and float(reached[1]) > 0.01
    assert "steer less, or drive slower" in run(flags)
    run("mbcore.set('rear_to_mass_centre', 3); mbcore.reset()")
    assert "must be shorter than the wheelbase" in words(run)
    run("document.getElementById('defaults').click()")
    assert run("return mbcore.get('rear_to_mass_centre')") == 1.25
    assert run("return mbcore.page.playing")
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_inputs_of_keys_come_first_and_those_of_four_wheels_are_folded(
    kept: Kept, browser: Any
) -> None:
    run = opened(browser, kept.page("car"))
    inputs = "document.querySelector('#panel details')"
    assert run(f"return {inputs}.querySelector('.row').dataset.name") == "steering_wheel.angle"
    folded = run(
        f"return [...{inputs}.querySelectorAll('.alike')].map((kind) => [kind.open, "
        "kind.querySelector('summary').firstChild.textContent, "
        "[...kind.querySelectorAll('.row')].map((row) => row.dataset.name)])"
    )
    wheels = [
        f"{end}_{side}.brake_torque" for end in ("front", "rear") for side in ("left", "right")
    ]
    assert [False, "brake_torque", wheels] in folded
    assert all(len(names) == 4 for _, _, names in folded)


LED = """
const { page } = mbcore, variable = page.simulation.variable("left.speed"), seen = [];
mbcore.pause();
mbcore.set("drive", 2);
mbcore.reset();
if (arguments[0]) page.drive.press("up", 1);
else page.controls.give(variable, 3);
for (let i = 0; i < 5; i++) {
  page.advance(0.1, Infinity);
  seen.push([mbcore.get("left.speed"), mbcore.get("left.acceleration"), mbcore.get("left.angle")]);
}
return seen;
"""


@pytest.mark.heavy
@needs_browser
@needs_ziglang
@pytest.mark.parametrize("by_key", [True, False])
def test_an_input_moves_with_its_rate(by_key: bool, kept: Kept, browser: Any) -> None:
    """A servo's speed rises for 0.25 s; the acceleration is its slope, the angle its integral."""
    run = opened(browser, kept.page("differential_drive"))
    end = run("return mbcore.model.keys.up['left.speed']") if by_key else 3.0
    slope = end / 0.25
    time = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    speed = np.minimum(slope * time, end)
    angle = np.where(time < 0.25, slope * time**2 / 2, end * (time - 0.125))
    rates = np.where(time < 0.25, slope, 0)
    wanted = np.column_stack([speed, rates, angle])
    assert np.array(run(LED, by_key)) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert words(run) == ""
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_a_page_opens_with_values_of_its_own(kept: Kept, browser: Any) -> None:
    """They are chosen values; the address is free of them until it is shared."""
    run = opened(browser, kept.page("balancing_robot"))
    chosen = "return [mbcore.get('drive'), [...mbcore.page.simulation.chosen.keys()]]"
    assert run(chosen) == [3, ["drive"]]
    inputs = "return [...document.querySelectorAll('.row[data-name]')].map((r) => r.dataset.name)"
    assert set(run(inputs)[:2]) == {"target.speed", "target.yaw_rate"}, "those that act are first"
    assert run("return location.hash") == ""
    run("document.getElementById('share').click()")
    wait_for(lambda: run("return location.hash") == "#drive=3")
    run("mbcore.set('drive', 1); document.getElementById('share').click()")
    wait_for(lambda: run("return location.hash") == "#drive=1")
    assert set(run(inputs)[:2]) == {"left.torque", "right.torque"}
    run("document.getElementById('defaults').click()")
    assert run(chosen) == [3, ["drive"]]
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
@pytest.mark.parametrize("name", SHIPPED)
def test_every_page_plays_without_a_complaint(name: str, kept: Kept, browser: Any) -> None:
    """Pages of road vehicles take ten seconds to compile, where they are not kept."""
    page = kept.page(name)
    assert page.stat().st_size < MOST_BYTES
    run = opened(browser, page)
    wait_for(lambda: run("return mbcore.time > 5 * mbcore.model.timeScale / 60"), 60)
    assert words(run) == ""
    plotted = "return mbcore.page.plots.list.every(({ chart }) => chart.data[0].length > 2)"
    wait_for(lambda: run(plotted))
    reading = (
        "return mbcore.page.plots.list.every(({ readings }) => isFinite(readings[0].textContent))"
    )
    assert run(reading)
    run("mbcore.pause()")
    for key in run("return Object.keys(mbcore.model.keys)"):
        run(
            f"mbcore.page.drive.press('{key}', 1); for (let i = 0; i < 30; i++) "
            "mbcore.page.advance(1 / 60, performance.now()); mbcore.page.drive.release()"
        )
    assert not run("return mbcore.page.simulation.failed"), words(run)
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
@needs_ziglang
def test_a_page_without_webgl_plays_on_without_a_picture(kept: Kept) -> None:
    """Some Firefox without a window is such a browser; this is Chromium without graphics."""
    browser = open_browser(graphics=READ)
    try:
        run = opened(browser, kept.page("journal_bearing"))
        assert "WebGL 2 is missing" in run("return document.getElementById('view').innerText")
        wait_for(lambda: run("return mbcore.page.drawn > 20"))
        assert words(run) == ""
        # of Chromium about its graphics, not of the page
        assert [text for text in complaints(browser) if "TypeError" in text] == []
    finally:
        browser.quit()
