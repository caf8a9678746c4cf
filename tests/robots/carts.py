"""Carts with two driven wheels and casters, as text."""

from tests.robots.robot_files import joint, link, robot

WHEEL = """<inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.002" izz="0.001"/></inertial>
<collision><origin rpy="1.5707963267948966 0 0"/>
<geometry><cylinder radius="0.1" length="0.03"/></geometry></collision>"""
BASE = """<inertial><origin xyz="0.05 0 0.1"/><mass value="8"/>
<inertia ixx="0.1" iyy="0.15" izz="0.2"/></inertial>"""
AXLE = '<axis xyz="0 1 0"/>'


def at(x: float, y: float, z: float = 0.0) -> str:
    return f'<origin xyz="{x} {y} {z}"/>'


CART = robot(
    link("base", BASE), link("left_wheel", WHEEL), link("right_wheel", WHEEL), link("corner", ""),
    joint("left", "continuous", "base left_wheel", at(0, 0.2) + AXLE),
    joint("right", "continuous", "base right_wheel", at(0, -0.2) + AXLE),
    joint("bolt", "fixed", "base corner", at(0.3, 0.1)),
)  # fmt: skip
"""A cart whose file holds the caster at its corner fixed."""

SWIVELLING = CART.replace(
    "</robot>",
    "".join(
        (
            link("fork", ""), link("caster", ""),
            joint("swivel", "continuous", "base fork", at(-0.3, 0) + '<axis xyz="0 0 1"/>'),
            joint("roll", "continuous", "fork caster", at(-0.04, 0, -0.05) + AXLE),
        )
    ) + "</robot>",
)  # fmt: skip
"""The same with a fork that swivels and a wheel in it, both without mass."""

TWO_SWIVELS = SWIVELLING.replace(
    "</robot>",
    "".join(
        (
            link("front_fork", ""), link("front_caster", ""),
            joint("front", "continuous", "base front_fork", at(0.3, 0) + '<axis xyz="0 0 1"/>'),
            joint("front_roll", "continuous", "front_fork front_caster",
                  at(-0.03, 0, -0.05) + AXLE),
        )
    ) + "</robot>",
)  # fmt: skip
"""The same with another swivel at the front."""

SKID = robot(
    link("base", BASE),
    *(link(f"{end}_{side}", WHEEL) for end in ("front", "rear") for side in ("left", "right")),
    *(
        joint(f"{end}_{side}_axle", "continuous", f"base {end}_{side}", at(x, y) + AXLE)
        for end, x in (("front", 0.3), ("rear", -0.3))
        for side, y in (("left", 0.2), ("right", -0.2))
    ),
)

STEERED = robot(
    link("base", BASE), link("ring", WHEEL),
    *(link(f"{end}_{side}", WHEEL) for end in ("front", "rear") for side in ("left", "right")),
    *(link(f"{side}_knuckle", "") for side in ("left", "right")),
    joint("ring", "continuous", "base ring", AXLE),
    *(
        row
        for side, y in (("left", 0.2), ("right", -0.2))
        for row in (
            joint(f"{side}_kingpin", "continuous", f"base {side}_knuckle",
                  at(0.6, y) + '<axis xyz="0 0 1"/>'),
            joint(f"front_{side}_axle", "continuous", f"{side}_knuckle front_{side}", AXLE),
            joint(f"rear_{side}_axle", "continuous", f"ring rear_{side}", at(0, y) + AXLE),
        )
    ),
)  # fmt: skip
"""Two front wheels that steer apart; the rear ones turn on the ring of a differential."""
