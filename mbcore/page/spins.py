"""Shapes that a page turns, because the model knows a speed of them and no angle.

Used by `mbcore.page.write` alone, of whose settings it alone knows the shapes of a scene.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mbcore.codegen.rows import Table
from mbcore.drawing.scene import Scene
from mbcore.page.known import refuse_unknown


def spins(
    wishes: Mapping[str, str], rows: Table, scene: Scene | None, unused: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return for each shape that turns the place of its numbers, and the input that is its rate.

    Parameters
    ----------
    unused : collection of str
        Variables that nothing uses, which pages leave out.

    Raises
    ------
    ModelError
        A name is not that of a round shape, or not that of an input in rad/s that is used.
    """
    shapes = scene.description["shapes"] if scene else []
    round_ones = {s["name"]: s["first"] for s in shapes if s["kind"] == "disc" and s["name"]}
    rates = {row.name for row in rows.of("input") if row.unit == "rad/s"} - {*unused}
    for shape, rate in wishes.items():
        refuse_unknown("spins name", shape, round_ones, "a disc")
        refuse_unknown("spins name", rate, rates, "an input in rad/s that the model uses")
    return [{"first": round_ones[shape], "rate": rate} for shape, rate in wishes.items()]
