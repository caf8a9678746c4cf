"""Pictures and films: cameras, what is drawn where, names, scales of arrows, mistaken input."""

from __future__ import annotations

import subprocess
from pathlib import Path

import casadi as ca
import matplotlib.collections
import matplotlib.patches
import matplotlib.text
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image, ImageColor

from mbcore import Body, Model, ModelError, Result, RigidLink, Wheel, simulate
from mbcore.drawing import animation, annotation, arrow, box, dot, tube, video
from mbcore.drawing.animation import follows, pace
from mbcore.drawing.ends import ends_of
from mbcore.drawing.layout import Layout, arrow_scales, fitted
from mbcore.drawing.projection.camera import NAMED, camera
from mbcore.drawing.still import draw_still
from mbcore.drawing.trails import trails
from mbcore.results.drawn import Moving


def swing() -> Model:
    """Length 2 m, mass 1.5 kg, gravity of 10 m/s2, starts at the lowest point with 3 rad/s."""
    bob = Model("swing", gravity=(0, -10))
    hook, weight = bob.point("hook", (0, 0), fixed=True), bob.point("bob", (0, -2))
    turn = bob.angle("turn")
    turn.angle.dof("angle", "rate", rate_start=3.0)
    rod = bob.add(RigidLink("rod", hook, turn, weight))
    bob.add(Body("weight", weight, mass=1.5))
    bob.show(dot(weight, trail=True, name="path"))
    bob.show(arrow(weight, turn.matrix @ _pull(rod), name="pull"))
    return bob


def _pull(rod: RigidLink) -> ca.SX:
    """Force of the rod on the bob, on the rod's axes, N: it pulls at the body with the opposite."""
    return -ca.vertcat(rod.x.stress, rod.y.stress)


def run() -> Result:
    return simulate(swing().equations(), until=1.0, samples=21)


@pytest.mark.parametrize("view", [None, (30, 40), *NAMED])
@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (1, 0, 0)])
def test_cameras_keep_lengths(view: object, up: tuple[float, float, float]) -> None:
    eye = camera(view, False, up)  # type: ignore[arg-type]
    axes = np.array([eye.right, eye.above, eye.towards])
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)
    assert eye.above @ np.array(up) >= -1e-12  # what is up is not drawn downwards


def test_named_views_show_what_they_say() -> None:
    top = camera("top", False, (0, 0, 1))
    assert top.flat(np.array([2.0, 3.0, 5.0])) == pytest.approx([2, 3])
    right = camera("right", False, (0, 0, 1))
    assert right.flat(np.array([2.0, 3.0, 5.0])) == pytest.approx([2, 5])
    front = camera("front", False, (0, 0, 1))
    assert front.flat(np.array([2.0, 3.0, 5.0])) == pytest.approx([3, 5])


def test_pictures_have_equal_scales() -> None:
    figure = swing().draw()
    axes = figure.axes[0]
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    inches = axes.get_position().size * figure.get_size_inches()
    assert (x1 - x0) / inches[0] == pytest.approx((y1 - y0) / inches[1])


def test_the_longest_arrow_is_a_part_of_the_scene() -> None:
    scene = swing().equations().scene()
    frames = np.tile(scene.start().numbers, (2, 1))
    first = scene.description["shapes"][-1]["first"]
    frames[0, first:] = [0, -2, 0, 30, 40, 0]
    frames[1, first:] = [0, -2, 0, 1, 0, 0]
    assert scene.size == pytest.approx(2.0, rel=0.03)
    assert arrow_scales(scene.description, frames) == pytest.approx(
        {"force": 0.18 * scene.size / 50}
    )


def test_a_run_draws_its_forces_at_any_time() -> None:
    moving = run()
    figure = moving.draw(0.0)
    texts = [text.get_text() for text in figure.axes[0].texts]
    # m (g + l w2) = 1.5 (10 + 18) N is about 42 N upwards; the scale's arrow is a round number
    assert any(text.startswith("force ") and text.endswith(" N") for text in texts)
    assert any("t = 0 s" in text for text in texts)
    assert moving.draw("500 ms", trail=False).axes


def test_trails_are_the_paths_of_points() -> None:
    moving = run()
    figure = moving.draw(1.0)
    paths = [line.get_xydata() for line in figure.axes[0].lines if len(line.get_xdata()) > 50]
    assert len(paths) == 1
    assert np.hypot(*np.asarray(paths[0]).T) == pytest.approx(2.0, abs=1e-6)
    assert paths[0][-1] == pytest.approx(
        [2 * np.sin(moving.final("angle")), -2 * np.cos(moving.final("angle"))], abs=1e-6
    )


def test_names_stand_beside_the_mechanism_and_apart() -> None:
    comb = Model("comb")
    for i in range(12):
        comb.show(tube([(0, 0.001 * i), (1, 0.001 * i)], 0.01, name=f"tooth {i}"))
    figure = comb.draw(names=True, view="right")
    FigureCanvasAgg(figure).draw()
    FigureCanvasAgg(figure).draw()
    teeth = [text for text in figure.axes[0].texts if "tooth" in text.get_text()]
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in teeth]  # without its line
    assert len(boxes) == 12
    for i, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[i + 1 :])
    left, right = figure.axes[0].transData.transform([(0, 0), (1, 0)])[:, 0]
    assert all(one.x1 < left or one.x0 > right for one in boxes)


def test_roles_are_told() -> None:
    texts = [text.get_text() for text in swing().draw(roles=True).axes[0].texts]
    assert "rod: turn.angle is a degree of freedom" in texts


def test_nearer_faces_are_drawn_later() -> None:
    stack = Model("stack")
    stack.show(box((0, 0, 0), None, (1, 1, 1), colour="#ff0000", name="low"))
    stack.show(box((0, 0, 2), None, (1, 1, 1), colour="#0000ff", name="high"))
    figure = stack.draw(view="top")
    (faces,) = (
        c
        for c in figure.axes[0].collections
        if isinstance(c, matplotlib.collections.PathCollection)
    )
    colours = np.array([c for c in faces.get_facecolor() if c[3] > 0])
    assert colours[0][0] > colours[0][2] and colours[-1][2] > colours[-1][0]


def test_reach_of_shapes() -> None:
    frame = [1.0, 2, 3, 0, 1, 0, -1, 0, 0, 0, 0, 1]
    corners = ends_of("box", {}, np.array([*frame, 2.0, 4, 6]))
    assert (corners.min(axis=0), corners.max(axis=0)) == (
        pytest.approx([-1, 1, 0]),
        pytest.approx([3, 3, 6]),
    )
    rim = ends_of("disc", {}, np.array([*frame, 0.5, 0.2]))
    assert np.ptp(rim, axis=0) == pytest.approx([1, 1, 0.2])


def test_films(tmp_path: Path) -> None:
    moving = run()
    film = moving.animate(tmp_path / "swing.gif", fps=4, speed=0.5, progress=False)
    with Image.open(film) as picture:
        assert picture.n_frames == 9  # 2 s at 4 per second, and the first one
        assert picture.info["duration"] == 250
    page = moving.animate(tmp_path / "swing.html", fps=10)
    assert "swing" in page.read_text("utf-8")
    shown = moving.play(view="front")
    assert np.shape(shown.frames) == (len(shown.times), shown.description["numbers"])
    assert shown.times[-1] == moving.motion.time[-1] and np.diff(shown.times).max() <= 1 / 60


def test_pictures_of_a_film_are_those_of_a_figure_for_each() -> None:
    moving = Moving("swing", run().motion)
    description, times = moving.scene.description, np.array([0.0, 0.4, 1.0])
    frames = moving.frames(times)
    film = [*animation._pictures(description, frames, times, Layout(), " ", False)]
    layout = fitted(description, frames, Layout())
    for k, picture in enumerate(film):
        paths = trails(description, frames[: k + 1])
        figure = draw_still(description, frames[k], layout, trails=paths, caption=" ")
        figure.set_dpi(animation.RESOLUTION)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        assert np.array_equal(np.asarray(picture), np.asarray(canvas.buffer_rgba())[..., :3])


def test_a_film_lasts_some_seconds() -> None:
    assert len(pace("film", 0, 87, None, 25)) == 251
    assert len(pace("film", 0, 0.01, None, 20)) == 61
    assert pace("film", 1, 6, 2.0, 10) == pytest.approx(np.linspace(1, 6, 26))


def test_pictures_follow_what_travels_far() -> None:
    car = Model("car")
    car.show(box((0, 0, 0), None, (2, 1, 1)))
    picture = car.scene().start()
    frames = np.tile(picture.numbers, (3, 1))
    assert follows(picture.description, frames) is None
    frames[:, 0] = [0, 50, 100]
    boxes = follows(picture.description, frames)
    assert boxes is not None
    assert [b.mean(axis=0)[0] for b in boxes] == pytest.approx([0, 50, 100])
    assert np.ptp(boxes[1], axis=0) == pytest.approx([2, 1, 1])


def test_mistakes_are_told(tmp_path: Path) -> None:
    moving = run()
    with pytest.raises(ModelError, match=r"ends with \.avi; files that can be written end with"):
        moving.animate(tmp_path / "swing.avi")
    with pytest.raises(ModelError, match="there is no folder"):
        moving.animate(tmp_path / "absent" / "swing.gif")
    with pytest.raises(ModelError, match="speed"):
        moving.animate(tmp_path / "swing.gif", speed=0)
    with pytest.raises(ModelError, match="frames are too many"):
        moving.animate(tmp_path / "swing.gif", speed=1e-4)
    with pytest.raises(ModelError, match="t = 2 s is outside of the motion"):
        moving.draw(2)
    with pytest.raises(ModelError, match="time"):
        moving.draw(float("nan"))
    with pytest.raises(ModelError, match="give one of front, back"):
        moving.draw(0, view="above")
    with pytest.raises(ModelError, match="elevation is 100"):
        moving.draw(0, view=(0, 100))
    with pytest.raises(ModelError, match="holds no configurations"):
        Result("r", np.zeros(1), {}, {}).draw()
    bare = Model("bare", gravity=(0, -1))
    bare.point("p", (0, 0)).y.dof("y", "v")
    bare.nodes["p"].x.fix()  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="none of its elements has a shape"):
        bare.draw()


def test_what_is_not_finite_is_left_out_of_a_picture() -> None:
    two = Model("two")
    two.show(dot((0, 0), name="here"), dot((1, 0), name="there"))
    picture = two.scene().start()
    numbers = picture.numbers.copy()
    numbers[3:] = np.nan
    layout = fitted(picture.description, numbers[None, :], Layout())
    assert layout.reach is not None and np.isfinite(layout.reach).all()
    assert draw_still(picture.description, numbers, Layout())
    with pytest.raises(ModelError, match="no shape has a finite place"):
        draw_still(picture.description, numbers * np.nan, Layout())


def test_a_video_has_every_frame(tmp_path: Path) -> None:
    """Pictures of one colour each, of odd size, come back by ffmpeg in their order."""
    try:
        tool = video.encoder("test")
    except ModelError:
        pytest.skip("no ffmpeg here")
    colours = [(200, 30, 30), (30, 200, 30), (30, 30, 200)]
    pictures = [Image.new("RGB", (63, 41), colour) for colour in colours]
    film = video.write_mp4(tmp_path / "film.mp4", pictures, 3)
    back = subprocess.run(
        [tool, "-loglevel", "error", "-i", film, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    frames = np.frombuffer(back, np.uint8).reshape(-1, 42, 64, 3)
    assert len(frames) == 3
    assert np.abs(frames[:, 20, 30].astype(int) - colours).max() < 12


def test_a_video_without_ffmpeg_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video.shutil, "which", lambda name: None)
    monkeypatch.setattr(video.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"needs ffmpeg, which is not here; install it \(pip"):
        video.encoder("swing")


def test_a_palette_keeps_the_colours_of_the_axes() -> None:
    """A picture of many greys and one thin line in the green of y."""
    shades = np.tile(np.arange(200, dtype=np.uint8)[:, None, None], (1, 300, 3))
    shades[100, 10:40] = ImageColor.getrgb(annotation.AXIS_COLOURS[1])
    palette = animation._palette(Image.fromarray(shades))
    found = Image.fromarray(shades).quantize(palette=palette, dither=Image.Dither.NONE)
    line = np.array(found.convert("RGB"))[100, 20].astype(int)
    assert np.abs(line - ImageColor.getrgb(annotation.AXIS_COLOURS[1])).max() < 8


def test_shadows_are_one_area_that_no_overlap_darkens() -> None:
    """Loops that went round in different directions would cancel where two overlap."""
    model = Model("crate", gravity=(0, 0, -9.81))
    model.show(box((0, 0, 1), None, (1, 2, 1), name="crate"))
    model.show(box((0.5, 0, 3), None, (1, 2, 1), name="above it"))
    model.add(Wheel("wheel", model.point("c", (3, 0, 0.5)), model.rotation("w"),
                    model.point("p", (3, 0, 0)), radius=0.5))  # fmt: skip
    [axes] = model.draw(view=(-60, 30)).axes
    [shadow] = [p for p in axes.patches if isinstance(p, matplotlib.patches.PathPatch)]
    loops = shadow.get_path().to_polygons()
    areas = [x @ np.roll(y, -1) - y @ np.roll(x, -1) for x, y in (loop.T for loop in loops)]
    assert (
        len(areas) > 6 and min(areas) > -1e-9
    )  # all go round alike, so that their union is filled
    assert shadow.get_alpha() < 0.2


def test_only_the_time_changes_in_a_films_title(tmp_path: Path) -> None:
    run = simulate(swing().equations(), 1.0)
    target = run.animate(tmp_path / "swing.gif", fps=5, progress=False)
    with Image.open(target) as film:
        film.seek(0)
        first = np.asarray(film.convert("L"), float)
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("L"), float)
    title = abs(last - first)[: round(0.25 * 90)]  # the highest quarter of an inch
    ink = np.flatnonzero(first[: title.shape[0]].min(axis=0) < 128)
    changed = np.flatnonzero(title.max(axis=0) > 60)
    assert changed.size and changed.min() > ink.min() + 0.5 * np.ptp(ink)
    assert changed.max() <= ink.max() + 2
