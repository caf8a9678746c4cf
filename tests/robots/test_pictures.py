"""Shapes of robots' files: primitive ones, hulls of meshes, and meshes that are not opened."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from mbcore import Robot, Rolling, from_urdf
from mbcore.model.errors import ModelError
from mbcore.robots.collada import corners_of
from mbcore.robots.meshes import MOST_BYTES, TRIANGLE
from mbcore.robots.pictures import hull_grid
from tests.robots.carts import CART
from tests.robots.robot_files import PLAIN, joint, robot

pytestmark = pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
OBJ = "\n".join(f"v {x} {y} {z}" for x, y, z in CUBE) + "\nf 1 2 3\n"


def arm(name: str, more: str = "") -> str:
    mesh = f'<visual><geometry><mesh filename="{name}" {more}/></geometry></visual>'
    return robot(
        f'<link name="base">{PLAIN}</link>', f'<link name="arm">{PLAIN}{mesh}</link>',
        joint("elbow", "continuous", "base arm", '<axis xyz="0 0 1"/>'),
    )  # fmt: skip


def read(folder: Path, text: str, meshes: object = (), **options: object) -> Robot:
    file = folder / "arm.urdf"
    file.write_text(text)
    found = from_urdf(file, **options)
    if meshes:
        found.show_meshes(meshes)
    return found


def surfaces(model: Robot) -> list[dict]:
    return [shape for shape in model.shapes if shape.kind == "surface"]


def test_a_hull_is_that_of_a_box_with_its_corners() -> None:
    sizes = np.array([2.0, 0.3, 0.7])
    grid = hull_grid(CUBE * sizes / 2 + [1, 2, 3]) - [1, 2, 3]
    on_it = np.abs(grid / (sizes / 2)).max(-1)
    assert on_it == pytest.approx(1.0, rel=1e-12)
    gaps = [np.linalg.norm(grid - corner, axis=-1).min() for corner in CUBE * sizes / 2]
    assert max(gaps) < 1e-12


@pytest.mark.parametrize("kind", ["obj", "stl", "text stl"])
def test_meshes_of_given_folders_are_drawn(kind: str, tmp_path: Path) -> None:
    package = tmp_path / "robot"
    package.mkdir()
    if kind == "obj":
        (package / "arm.obj").write_text(OBJ)
    elif kind == "stl":
        triangles = np.zeros(6, TRIANGLE)
        triangles["corners"] = CUBE[
            [[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6], [0, 1, 4], [2, 3, 6]]
        ]
        data = bytes(80) + (6).to_bytes(4, "little") + triangles.tobytes()
        assert len(data) == 84 + 6 * 50
        (package / "arm.stl").write_bytes(data)
    else:
        lines = "\n".join(f"vertex {x} {y} {z}" for x, y, z in CUBE)
        (package / "arm.stl").write_text(f"solid cube\n{lines}\nendsolid")
    name = f"package://robot/arm.{kind[-3:]}"
    for folder in (tmp_path, package):
        model = read(tmp_path, arm(name, 'scale="0.1 0.1 0.2"'), meshes=[folder])
        [shape] = surfaces(model)
        assert shape.name == "arm"
        assert model.unsupported == ()
    assert surfaces(read(tmp_path, arm(name))) == []


def test_a_mesh_replaces_the_collision_shape(tmp_path: Path) -> None:
    (tmp_path / "arm.obj").write_text(OBJ)
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    text = arm("arm.obj").replace("</link>", ball)
    model = read(tmp_path, text)
    assert [shape.kind for shape in model.shapes] == ["ball", "ball"]
    model.show_meshes([tmp_path])
    model.show_meshes([tmp_path])
    assert [shape.kind for shape in model.shapes] == ["ball", "surface"]
    assert not model.elements["arm"].visible


def test_a_file_without_shapes_has_ellipsoids(tmp_path: Path) -> None:
    model = read(tmp_path, arm("arm.obj"))
    assert model.shapes == []
    assert model.elements["arm"].visible


def test_meshes_that_are_not_drawn_are_told(tmp_path: Path) -> None:
    inside, outside = tmp_path / "robot", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.obj").write_text(OBJ)
    (inside / "link.obj").symlink_to(outside / "secret.obj")
    (inside / "arm.ply").write_text("ply")
    (inside / "broken.stl").write_bytes(bytes(300))
    (inside / "words.obj").write_text("v 1 2 three\n")
    with open(inside / "huge.stl", "wb") as file:
        file.truncate(20 * MOST_BYTES)  # a gigabyte that takes no room
    for name, reason in (
        ("package://robot/huge.stl", "its 1000 MB are more than 50"),
        ("package://robot/../outside/secret.obj", "no such file in"),
        ("../outside/secret.obj", "no such file in"),
        (f"{outside}/secret.obj", "no such file in"),
        ("package://robot/link.obj", "no such file in"),
        ("package://", "no such file in"),
        ("http://example.org/arm.stl", "URLs are not opened"),
        ("robot/arm.ply", ".ply is not read; convert it"),
        ("robot/broken.stl", "300 bytes are not those of 0 triangles"),
        ("robot/words.obj", "it is damaged"),
    ):
        model = read(tmp_path, arm(name), meshes=[inside])
        assert surfaces(model) == []
        [told] = model.unsupported
        assert reason in told
        assert "<mesh> in <visual>, line 6" in told
    [told] = read(tmp_path, arm("robot/arm.stl")).unsupported
    assert "give folders that meshes may be read from" in told
    with pytest.raises(ModelError, match="is not a folder"):
        read(tmp_path, arm("x.stl"), meshes=[tmp_path / "none"])
    with pytest.raises(ModelError, match="a list of folders"):
        read(tmp_path, arm("x.stl"), meshes=str(tmp_path))


def test_a_sheet_is_a_box_and_a_wrong_scale_a_remark(tmp_path: Path) -> None:
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n")
    model = read(tmp_path, arm("sheet.obj", 'scale="1 1 1 1"'), meshes=[tmp_path])
    assert [shape.kind for shape in model.shapes] == ["box"]
    assert "scale='1 1 1 1' is not 3 finite numbers" in model.unsupported[0]


def test_wheels_and_the_ground_are_drawn(tmp_path: Path) -> None:
    bare = CART.replace("<collision>", "<!--").replace("</collision>", "-->")
    wheels = {name: Rolling(0.1, width=0.02) for name in ("left_wheel", "right_wheel")}
    for text, kind in ((CART, "disc"), (bare, "disc")):
        shapes = {shape.name: shape for shape in read(tmp_path, text, rolling=wheels).shapes}
        assert shapes["left_wheel"].kind == kind
        assert shapes["ground"].details["ground"]
    assert float(shapes["left_wheel"].numbers[-1]) == 0.02


def dae(nodes: str, places: str = "", before: str = "", unit: str = "0.01") -> bytes:
    """COLLADA whose mesh is a cube of half a unit's sides."""
    numbers = places or " ".join(str(x) for x in CUBE.ravel())
    return f"""<?xml version="1.0"?>{before}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
    <asset><unit meter="{unit}"/></asset><library_geometries><geometry id="cube"><mesh>
    <source id="p"><float_array id="pa">{numbers}</float_array><technique_common>
    <accessor source="#pa" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices></mesh></geometry>
    </library_geometries><library_visual_scenes><visual_scene id="s">{nodes}</visual_scene>
    </library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


SHOWN = '<instance_geometry url="#cube"/>'


def test_collada_places_its_meshes_by_nodes_and_unit(tmp_path: Path) -> None:
    inner = f"<node><translate>0 2 0</translate><rotate>0 0 1 90</rotate>{SHOWN}</node>"
    data = dae(f"<node><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>{inner}</node>")
    x, y, z = CUBE.T  # a quarter turn takes x to y
    expected = 0.01 * np.column_stack([5 - y, 2 + x, z])
    assert corners_of(data) == pytest.approx(expected, abs=1e-15)
    (tmp_path / "arm.dae").write_bytes(data)
    model = read(tmp_path, arm("arm.dae"), meshes=[tmp_path])
    assert len(surfaces(model)) == 1
    assert model.unsupported == ()


def test_collada_that_is_hostile_or_damaged_is_told() -> None:
    itself = f'<node id="n">{SHOWN}<instance_node url="#n"/></node>'
    many = "".join(
        f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>'
        for i in range(40)
    )
    entity = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    utf16 = dae("&e;", before=entity).decode().replace("?>", ' encoding="UTF-16"?>', 1)
    for data, reason in (
        (dae("", before=entity), "DOCTYPE"),
        (utf16.encode("utf-16"), "DOCTYPE"),
        (dae(itself), "in themselves"),
        (dae(f'{many}<node id="n40"/>'), "more than 20000 nodes"),
        (dae(SHOWN.join(("<node>", "</node>")), "1 2 3 4"), "do not fill rows of 3"),
        (dae("<node><rotate>0 1</rotate></node>"), "not enough values"),
        (dae('<node><instance_geometry url="http://a/b"/></node>'), "is not in the file"),
        (b"<svg/>", "in place of <COLLADA>"),
        (b"<COLLADA>", "line 1"),
    ):
        with pytest.raises(ValueError, match=reason):
            corners_of(data)
