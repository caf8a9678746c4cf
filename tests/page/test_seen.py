"""What a page leaves out of a scene, or sees otherwise, of which the numbers stay as they are."""

from __future__ import annotations

import pytest

from mbcore.fmi.page_settings import Page
from mbcore.page import write


def described(hinges: int, planar: bool = False) -> dict:
    marks = [
        {"kind": "dot", "mark": "hinge", "name": f"h{i}", "first": 3 * i} for i in range(hinges)
    ]
    road = {"kind": "dot", "name": "contact", "first": 3 * hinges}
    return {"planar": planar, "up": [0, 1, 0], "numbers": 3 * hinges + 3, "shapes": [*marks, road]}


@pytest.mark.parametrize("planar", [False, True])
def test_a_crowd_of_marks_in_space_is_left_out(planar: bool) -> None:
    few, many = (described(n, planar) for n in (write.MOST_MARKS, write.MOST_MARKS + 1))
    assert write._seen(few, Page()) == few
    left = [shape["name"] for shape in write._seen(many, Page())["shapes"]]
    assert left == (["contact"] if not planar else [s["name"] for s in many["shapes"]])
    assert len(many["shapes"]) == write.MOST_MARKS + 2


def test_what_the_camera_follows_stays() -> None:
    seen = write._seen(described(write.MOST_MARKS + 1), Page(follow="h3"))
    assert [shape["name"] for shape in seen["shapes"]] == ["h3", "contact"]


def test_a_planar_model_may_be_seen_in_space() -> None:
    flat = described(1, planar=True)
    assert write._seen(flat, Page())["planar"]
    seen = write._seen(flat, Page(spatial=True))
    assert not seen["planar"] and seen["up"] == [0.0, 0.0, 1.0]
    assert seen["numbers"] == flat["numbers"]
