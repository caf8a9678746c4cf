"""The page of a robot: arrows that drive two wheels, plots of its base, and real time.

It is apart from `mbcore.cli.robot_options`, which knows no kinematics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mbcore.fmi.page_settings import Page
from mbcore.robots.description import Description
from mbcore.robots.rolling import Rolling
from mbcore.robots.support import PlanarKinematics
from mbcore.robots.tree import joints_above, make_tree

SPEED, ACCELERATION = 0.5, 0.5
"""Of a base while an arrow is held, m/s, m/s2."""
TURNING = 0.5
"""Part of the wheels' speeds by which arrows let them differ from the mean."""
CAPTIONS = {"up": "forward", "down": "backward", "left": "turn left", "right": "turn right"}


def robot_page(
    description: Description,
    rolling: Mapping[str, Any],
    radii: Mapping[str, float],
    inputs: Collection[str],
    results: Sequence[str],
) -> Page:
    """Return the settings of a robot's page.

    Up and down drive two wheels alike, left and right let them differ. Other robots have the keys
    that any model has.

    Parameters
    ----------
    description : Description
        Of the file.
    rolling : mapping
        What is said of links that roll.
    radii : mapping of str to float
        Of wheels by their links, m.
    inputs : collection of str
        Names of the model's inputs.
    results : sequence of str
        Names of its states and outputs.
    """
    plots: list[str | Sequence[str]] = [n for n in ("base.speed", "base.yaw_rate") if n in results]
    loads = [name for name in results if name.endswith(".load")]
    shown = [*plots, loads] if loads else plots
    plain = [link for link, said in rolling.items() if isinstance(said, Rolling)]
    sides = _sides(description, plain) if plain else {}
    mass = sum(link.properties.mass for link in description.links.values() if link.properties)
    for word in ("speed", "torque"):
        driven = {j: side for j, side in sides.items() if f"{j}.{word}" in inputs}
        if len(driven) != 2 or sum(y > 0 for _, y, _ in driven.values()) != 1:
            continue
        sizes = {}
        for joint, (link, _, sign) in driven.items():
            radius = radii[link]
            size = SPEED / radius if word == "speed" else ACCELERATION * mass * radius / 2
            sizes[f"{joint}.{word}"] = sign * float(f"{size:.3g}")
        turn = {
            f"{joint}.{word}": -TURNING * sizes[f"{joint}.{word}"] * (1 if y > 0 else -1)
            for joint, (_, y, _) in driven.items()
        }
        keys = {
            "up": sizes,
            "down": {name: -size for name, size in sizes.items()},
            "left": turn,
            "right": {name: -size for name, size in turn.items()},
        }
        ranges = {name: (-2 * abs(size), 2 * abs(size)) for name, size in sizes.items()}
        return Page(
            keys=keys, plots=shown or None, ranges=ranges, time_scale=1.0, captions=CAPTIONS
        )
    return Page(plots=shown or None, time_scale=1.0)


def _sides(description: Description, links: Sequence[str]) -> dict[str, tuple[str, float, float]]:
    """Return wheels that do not steer by joint: link, place to the left, m, sense of rotation."""
    turned = {joint.name for link in links for joint in joints_above(description, link)}
    tree = make_tree(description, {}, frozenset(turned))
    frames = PlanarKinematics(tree, 0.0).frames({})
    found = {}
    for link in links:
        body = next(body for body in tree.bodies if link in body.frames)
        if body.joint is None or body.parent is not tree.root:
            continue
        frame = frames[body.name]
        sign = 1.0 if float((frame.turn @ body.joint.axis)[1]) > 0 else -1.0
        found[body.joint.name] = (link, float(frame.place[1]), sign)
    return found
