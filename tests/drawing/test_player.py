"""Motion as one page: what is refused, what is in it, and where a browser shows things."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbcore.drawing.bundle import ASSETS, scene_script, wrapped
from mbcore.drawing.frames import packed
from mbcore.drawing.player import PlayerView, write_html
from mbcore.model.errors import ModelError
from tests.browser import complaints, needs_browser, open_browser, visit, wait_for

VENDORED = ASSETS / "three"
SPEED, RADIUS, DURATION = 0.6, 0.25, 2.0


def wheel_frames(times: np.ndarray) -> np.ndarray:
    """A wheel that rolls along x at a constant speed, and the force on it."""
    angle = SPEED * times / RADIUS
    zero, one = 0 * times, 0 * times + 1
    centre = [SPEED * times, zero, RADIUS * one]
    axes = [np.cos(angle), zero, -np.sin(angle), np.sin(angle), zero, np.cos(angle), zero, -one]
    return np.stack(
        [*centre, *axes, zero, RADIUS * one, 0.05 * one, *centre, zero, zero, 5 * one]
    ).T


def description(**shape: Any) -> dict[str, Any]:
    wheel = {"kind": "disc", "name": "wheel", "colour": "#474c55", "first": 0, "trail": True}
    load = {"kind": "arrow", "name": "load", "colour": "#c0392b", "first": 14, "of": "force"}
    return {"name": "wheel", "planar": False, "up": [0, 0, 1], "shapes": [wheel | shape, load]}


TIMES = np.linspace(0.0, DURATION, 81)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return write_html(tmp_path / "motion.html", description(), wheel_frames(TIMES), TIMES)


# Three.js, as it was published


def test_vendored_files_are_those_that_were_published() -> None:
    origin = (VENDORED / "ORIGIN.txt").read_text("utf-8")
    sums = dict(re.findall(r"^([0-9a-f]{64})  (\S+)$", origin, re.MULTILINE))
    there = {file.name for file in VENDORED.iterdir()} - {"ORIGIN.txt"}
    assert set(sums.values()) == there and len(there) == 7
    for digest, name in sums.items():
        assert hashlib.sha256((VENDORED / name).read_bytes()).hexdigest() == digest, name
    assert "MIT" in (VENDORED / "LICENSE").read_text("utf-8")


# The one script


def test_modules_become_functions_that_return_what_they_export() -> None:
    text = 'import { a, b as c } from "./x.js";\nexport const d = a + c;\nexport { e as f };'
    assert wrapped("folder/y.js", text).split("\n") == [
        'modules["y.js"] = (() => {',
        'const {a: a, b: c} = modules["x.js"];',
        "const d = a + c;",
        "",
        "return { f: e, d };",
        "})();",
    ]


def test_a_module_that_imports_otherwise_is_refused() -> None:
    with pytest.raises(ModelError, match=r"y\.js: the statement 'import \* as x from"):
        wrapped("y.js", 'import * as x from "x";')


# What a page holds


def held(page: str, name: str) -> str:
    found = re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found
    return found[1]


def unpacked(record: dict[str, Any]) -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(base64.b64decode(record["bytes"])), np.uint8)
    folded = planes.reshape(4, -1).T.astype(np.int64) @ 256 ** np.arange(4)
    second = np.where(folded % 2, -(folded + 1) // 2, folded // 2).reshape(-1, record["count"])
    counts = np.cumsum(np.cumsum(second, axis=1), axis=1).T
    columns = record["origin"] + counts * record["steps"]
    return columns[:, record["places"]]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_packed_frames_are_off_by_half_a_step(scale: float) -> None:
    random = np.random.default_rng(1)
    frames = scale * random.normal(size=(57, 6)) * [1, 1e-3, 0, 1, 1, 1] + scale * 1e3
    frames[:, 4] = frames[:, 0]
    steps = scale * np.array([1e-5, 1e-6, 1e-5, 3.0, 1e-5, 0.0])
    record = packed(frames, steps)
    assert len(record["origin"]) == 5  # equal columns once
    bound = np.maximum(steps, np.ptp(frames, axis=0) / 2**28) / 2
    assert (np.abs(unpacked(record) - frames) <= bound * (1 + 1e-6) + 1e-12 * scale).all()


def test_a_smooth_motion_takes_few_bytes() -> None:
    times = np.linspace(0, 20, 1201)
    record = packed(wheel_frames(times), np.full(20, 1e-5))
    assert len(record["bytes"]) < 0.08 * wheel_frames(times).astype("f4").nbytes


def test_the_page_holds_its_frames_and_asks_for_nothing_else(page: Path) -> None:
    text = page.read_text("utf-8")
    assert np.abs(unpacked(json.loads(held(text, "frames"))) - wheel_frames(TIMES)).max() < 1e-5
    assert np.array_equal(np.frombuffer(base64.b64decode(held(text, "times")), "<f8"), TIMES)
    assert json.loads(held(text, "recording"))["description"] == description()
    ours = text.replace(scene_script("frames.js", "player.js"), "")
    assert not re.search(r"\b(src|href)\s*=|https?:|\bimport\b", ours)
    assert text.count("<script") == text.count("</script>") == 4


def test_the_page_without_frames_stays_small() -> None:
    view = PlayerView(description(), wheel_frames(TIMES[:1]), TIMES[:1])
    assert len(view.html().encode()) < 1.0e6


WICKED = ("</script><b>", "<!-- <script", "<!--<script>", "]]><!--", "<SCRIPT", "\u2028 </")
"""Names that end a script, or hide its end from a browser."""


@pytest.mark.parametrize("name", WICKED)
def test_no_name_begins_or_ends_a_script(name: str) -> None:
    named = PlayerView(description(name=name), wheel_frames(TIMES), TIMES, title=name).html()
    recording = held(named, "recording")
    assert "<" not in recording
    assert json.loads(recording)["description"] == description(name=name)


@pytest.mark.heavy
@needs_browser
def test_a_name_that_hides_a_script_s_end_leaves_no_page_blank(
    browser: Any, tmp_path: Path
) -> None:
    made = description(name="<!-- <script")
    write_html(tmp_path / "hidden.html", made, wheel_frames(TIMES), TIMES)
    opened(browser, tmp_path / "hidden.html")
    browser.execute_script("player.seek(arguments[0])", 0.0)
    blue = "(r, g, b) => b > 25 && r < b / 2 && g < b / 2"
    assert np.isfinite(np.asarray(middle(browser, blue), float)).all()
    assert complaints(browser) == []


def test_names_in_a_description_cannot_end_its_script() -> None:
    named = PlayerView(description(name="</script><b>"), wheel_frames(TIMES), TIMES).html()
    assert "</script><b>" not in named
    assert json.loads(held(named, "recording"))["description"] == description(name="</script><b>")
    titled = PlayerView(description(), wheel_frames(TIMES), TIMES, title="a < b {frames}").html()
    assert "<title>a &lt; b {frames}</title>" in titled


def test_notebooks_show_the_same_page_in_a_frame() -> None:
    view = PlayerView(description(), wheel_frames(TIMES), TIMES)
    shown = re.fullmatch(r'<iframe srcdoc="([^"]*)" .*></iframe>', view._repr_html_(), re.DOTALL)
    assert shown and unescape(shown[1]) == view.html()


# What is refused


def changed(i: int, k: int, value: float) -> np.ndarray:
    frames = wheel_frames(TIMES)
    frames[i, k] = value
    return frames


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frames": changed(3, 7, np.nan)}, r"frames\[3, 7\] = nan"),
        ({"frames": changed(0, 2, np.inf)}, r"frames\[0, 2\] = inf"),
        ({"frames": changed(0, 2, 1e39)}, r"1e\+39, too large"),
        ({"frames": wheel_frames(TIMES)[:, :19]}, r"shape \(81, 19\).*ask for \(81, 20\)"),
        ({"times": TIMES[:-1]}, r"shape \(81, 20\).*ask for \(80, 20\)"),
        ({"times": TIMES[::-1]}, r"times\[1\] = 1.975 comes after times\[0\] = 2"),
        ({"times": TIMES * np.nan}, "times contain nan"),
        ({"times": 3.0}, r"times have the shape \(\)"),
        ({"description": {"name": "it"}}, "scene it: its description has no shapes"),
        ({"description": description(kind="cube")}, "shape wheel: its kind 'cube' is none of line"),
        ({"description": description(kind="tube")}, "shape wheel: a tube needs 'points'"),
        ({"view": "below"}, "view = 'below'; choose one of oblique"),
        ({"follow": "whel"}, "follow = 'whel' is no shape of it; there are load, wheel"),
        ({"speed": 0.0}, "speed = 0.0; give a positive number"),
    ],
)
def test_what_cannot_be_shown_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"description": description(), "frames": wheel_frames(TIMES), "times": TIMES}
    with pytest.raises(ModelError, match=message):
        PlayerView(**(given | change))


# In a browser


def opened(browser: Any, page: Path) -> Any:
    visit(browser, page)
    wait_for(lambda: browser.execute_script("return Boolean(window.player)"))
    browser.execute_script("player.play(false)")
    return browser


def middle(browser: Any, colour: str) -> np.ndarray:
    """Return the middle of all pixels of a hue, from a picture of the screen, in CSS pixels."""
    script = """
        player.scene.render();
        const view = document.querySelector("canvas"), copy = document.createElement("canvas");
        copy.width = view.width; copy.height = view.height;
        const pen = copy.getContext("2d", {willReadFrequently: true});
        pen.drawImage(view, 0, 0);
        const pixels = pen.getImageData(0, 0, copy.width, copy.height).data;
        const low = [1e9, 1e9], high = [-1, -1];
        for (let i = 0; i < pixels.length; i += 4) {
          const [r, g, b, a] = pixels.subarray(i, i + 4);
          if (a < 250 || !(eval(arguments[0]))(r, g, b)) continue;
          const at = [i / 4 % copy.width, Math.floor(i / 4 / copy.width)];
          at.forEach((p, k) => { low[k] = Math.min(low[k], p); high[k] = Math.max(high[k], p); });
        }
        const scale = view.clientWidth / view.width;
        return [0, 1].map((k) => scale * (low[k] + high[k] + 1) / 2);
    """
    return np.array(browser.execute_script(script, colour))


@pytest.mark.heavy
@needs_browser
def test_a_disc_is_seen_where_its_numbers_say(browser: Any, tmp_path: Path) -> None:
    # looked at from the side, its outline's middle is its centre but for the perspective's depth
    blue = description(colour="#0000ff", trail=False)
    blue["shapes"] = blue["shapes"][:1]
    frames = wheel_frames(TIMES)[:, :14]
    write_html(tmp_path / "side.html", blue, frames, TIMES, view="right", follow=False)
    opened(browser, tmp_path / "side.html")
    seen, told = [], []
    for time in (0.0, 0.7, 2.0):
        browser.execute_script("player.seek(arguments[0])", time)
        seen.append(middle(browser, "(r, g, b) => b > 25 && r < b / 2 && g < b / 2"))
        place = browser.execute_script("return player.scene.place('wheel')")
        told.append([place["x"], place["y"]])
    assert np.abs(np.array(seen) - told).max() < 2.0
    right = np.diff(np.array(told)[:, 0])
    assert right[0] > 20  # it went to the right, as far as the numbers say
    # between two frames, too, all numbers are those of the motion
    browser.execute_script("player.seek(arguments[0])", 0.7123)
    shown = browser.execute_script("return Array.from(player.moment)")
    assert shown[:3] == pytest.approx([SPEED * 0.7123, 0, RADIUS], abs=2e-5)
    assert right[1] / right[0] == pytest.approx(1.3 / 0.7, rel=1e-6)
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
def test_the_trail_is_as_long_as_the_way(browser: Any, page: Path) -> None:
    opened(browser, page)
    script = """
        player.seek(arguments[0]);
        const {array, geometry} = player.scene.trails[0].strokes;
        let length = 0;
        for (let i = 0; i < geometry.instanceCount; i++) {
          const p = array.subarray(6 * i, 6 * i + 6);
          length += Math.hypot(p[3] - p[0], p[4] - p[1], p[5] - p[2]);
        }
        return length;
    """
    for time in (0.0, 1.234, 2.0, 0.31):
        assert browser.execute_script(script, time) == pytest.approx(SPEED * time, abs=1e-5)
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
def test_keys_and_slider_go_to_a_time(browser: Any, page: Path) -> None:
    opened(browser, page)
    time = "return player.time"
    press = """
        for (const key of arguments) window.dispatchEvent(new KeyboardEvent("keydown", {key}));
    """
    browser.execute_script(press, "End", "ArrowLeft")
    assert browser.execute_script(time) == pytest.approx(0.99 * DURATION)
    browser.execute_script("""
        const slider = document.querySelector("#slider");
        slider.value = 0.25;
        slider.dispatchEvent(new Event("input"));
    """)
    assert browser.execute_script(time) == pytest.approx(0.25 * DURATION)
    assert browser.execute_script("return document.querySelector('#clock').textContent") == "0.50 s"
    browser.find_element("id", "loop").click()
    browser.find_element("id", "loop").send_keys(" ")  # not a second time to the button
    assert browser.execute_script("return [player.loop, player.playing]") == [False, True]
    wait_for(lambda: browser.execute_script(time) > 0.3 * DURATION)
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
def test_without_webgl_the_page_says_so(page: Path) -> None:
    browser = open_browser("--disable-3d-apis")
    try:
        opened(browser, page)
        said = browser.execute_script("return document.querySelector('.no-webgl').textContent")
        assert "WebGL 2 is missing" in said
        browser.execute_script("player.seek(1.0)")
        assert complaints(browser) == []
    finally:
        browser.quit()


@pytest.mark.heavy
@needs_browser
def test_a_wheel_that_drives_away_stays_in_the_middle_of_any_window(
    browser: Any, tmp_path: Path
) -> None:
    far = {"frames": wheel_frames(20 * TIMES), "times": 20 * TIMES}
    opened(browser, write_html(tmp_path / "far.html", description(), **far))
    place = """
        player.seek(arguments[0]);
        const {x, y} = player.scene.place("wheel"), {width, height} = player.scene.viewer;
        return [x / width, y / height];
    """
    width_of_scene = "return player.scene.viewer.width"
    before = browser.get_window_size()
    for time, width, height in (
        (0.0, 900, 700),
        (40.0, 900, 700),
        (40.0, 600, 900),
        (9.0, 600, 900),
    ):
        browser.set_window_size(width, height)
        wait_for(lambda w=width: browser.execute_script(width_of_scene) == w)
        seen = browser.execute_script(place, time)
        assert seen == pytest.approx([0.5, 0.5], abs=0.08), (time, width)
    browser.set_window_size(before["width"], before["height"])
    assert complaints(browser) == []


@pytest.mark.heavy
@needs_browser
def test_two_motions_play_in_one_notebook(browser: Any, tmp_path: Path) -> None:
    view = PlayerView(description(), wheel_frames(TIMES), TIMES)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><p>{view._repr_html_()}<p>{view._repr_html_()}", "utf-8")
    visit(browser, notebook)
    for frame in browser.find_elements("tag name", "iframe"):
        browser.switch_to.frame(frame)
        wait_for(lambda: browser.execute_script("return Boolean(window.player)"))
        wait_for(lambda: browser.execute_script("return player.time") > 0.2)
        browser.switch_to.default_content()
    assert complaints(browser) == []
