"""The atlas shows every public element, joint, tyre and law of contact, and what it shows runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from docs.site import atlas
from docs.site.formulas import formulas
from docs.site.gallery_examples import ROOT

PAGES = ("elements", "joints", "rolling", "contact")
"""Pages of the interface whose names are in the atlas."""
FORMULAS_ALONE = re.compile(r"hertz\.|\.Element$")
"""What has nothing to draw: functions of Hertz's numbers."""


def names_of_the_interface() -> set[str]:
    found = set()
    for page in PAGES:
        text = (ROOT / "docs" / "api" / f"{page}.md").read_text("utf-8")
        module = "mbcore"
        for directive, name in re.findall(
            r"^\.\. (currentmodule|autoclass|autofunction):: (\S+)", text, re.MULTILINE
        ):
            if directive == "currentmodule":
                module = name
            else:
                found.add(name if name.startswith("mbcore.") else f"{module}.{name}")
    return {name for name in found if not FORMULAS_ALONE.search(name)}


def test_the_atlas_shows_what_the_interface_has() -> None:
    shown = [name for entry in atlas.all_entries() if not entry.case for name in entry.shown]
    assert len(shown) == len(set(shown))
    roles = {name for name in shown if name.startswith("mbcore.model.quantities.")}
    assert names_of_the_interface() == set(shown) - roles


def test_the_atlas_shows_every_role_and_the_methods_that_give_them() -> None:
    """A rigid deformation, a zero slip and so on; a held slip is a free one for a while."""
    from mbcore.model.quantities import Role

    [family] = [family for family in atlas.FAMILIES if family.folder == "roles"]
    entries = atlas.entries(family)
    titles = {entry.title.lower() for entry in entries}
    assert titles == {role.value for role in Role} | {"held slip"}
    given = {name.removeprefix("mbcore.model.quantities.") for e in entries for name in e.shown}
    of_deformations = {"rigid", "prescribe", "dof", "kinematic", "release"}
    assert given == {f"Deformation.{name}" for name in of_deformations} | {
        "Slip.zero", "Slip.release", "Slip.hold",
    }  # fmt: skip


def test_cases_belong_to_an_entry() -> None:
    """Gears have the friction of what transmits, and so its formulas."""
    cases = [entry for entry in atlas.all_entries() if entry.case]
    assert "TransmissionFriction of gears" in {entry.title for entry in cases}
    whole = [entry.shown for entry in atlas.all_entries() if not entry.case]
    assert all(entry.shown in whole for entry in cases)


def test_names_of_entries_are_those_of_files_once() -> None:
    names = [entry.name for entry in atlas.all_entries()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["truss"])
def test_an_entry_is_drawn(name: str, tmp_path: Path) -> None:
    [entry] = [entry for entry in atlas.all_entries() if entry.name == name]
    atlas.make(entry, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        f"{name}-1.png",
        f"{name}-2.png",
        f"{name}.json",
    }


@pytest.mark.heavy
@pytest.mark.parametrize("entry", atlas.all_entries(), ids=lambda entry: entry.name)
def test_every_entry_is_drawn(entry: atlas.Entry, tmp_path: Path) -> None:
    atlas.make(entry, tmp_path)
    assert (tmp_path / f"{entry.name}-1.png").is_file()


def test_a_deformation_alone_leaves_the_others() -> None:
    """The picture of a bar's elongation is as much longer as it says, along the bar."""
    pictures = pytest.importorskip("docs.site.atlas_pictures")
    import numpy as np

    from mbcore import Model, Truss

    model = Model("bar")
    p, q = model.point("p", (0, 0), fixed=True), model.point("q", (3, 4))
    bar = model.add(Truss("bar", p, q))
    drawn = pictures.Drawn(model, [bar])
    x = drawn.deformed(bar.elongation)
    longer = 5 * (1 + pictures.AMOUNT["m"])  # of the scene's size, which is the bar's length
    assert np.allclose(x[-2:], [0.6 * longer, 0.8 * longer], atol=1e-9)


def test_every_element_and_law_states_its_formulas() -> None:
    from mbcore import Element
    from mbcore.contact import Hysteresis

    lacking = [
        name
        for entry in atlas.all_entries()
        for name, what in entry.shown.items()
        if isinstance(what, type)
        and issubclass(what, Element | Hysteresis)
        and not list(formulas((what.__doc__ or "").partition("-----")[0].split("\n")))
    ]
    assert not lacking


def test_joints_show_their_deformations_as_one_writes_them(tmp_path: Path) -> None:
    """Those of `planar` in its docstring's order: along x and y, and about the normal z."""
    [entry] = [entry for entry in atlas.all_entries() if entry.name == "planar"]
    atlas.make(entry, tmp_path)
    rows = json.loads((tmp_path / "planar.json").read_text("utf-8"))["rows"]
    names = [name for name, *_ in rows]
    assert names == ["joint.displacements[0]", "joint.displacements[1]", "joint.angle"]


def test_points_at_one_place_have_one_label() -> None:
    pictures = pytest.importorskip("docs.site.atlas_pictures")
    from mbcore import Model, Truss

    model = Model("two points at one place")
    a, b, c = (model.point(n, p) for n, p in (("a", (1, 0)), ("b", (1, 0)), ("c", (0, 1))))
    bars = [model.add(Truss(f"bar {n.name}", n, c)) for n in (a, b)]
    drawn = pictures.Drawn(model, bars)
    assert [names for _, names in drawn._named_spots()] == [["a", "b"], ["c"]]


def test_names_in_messages_lead_to_what_they_are_of() -> None:
    rows = atlas.messages().splitlines()
    assert "| *gear pair NAME* | {ref}`GearPair <atlas-gear_pair>` |" in rows
    [wheels] = [row for row in rows if row.startswith("| *wheel NAME*")]
    assert "atlas-wheel" in wheels and "atlas-planar_wheel" in wheels
    kinds = {what.kind for e in atlas.all_entries() for what in e.shown.values()
             if getattr(what, "kind", "")}  # fmt: skip
    assert len(rows) == 2 + len(kinds)
