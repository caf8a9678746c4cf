"""Small robots as text, each with what others lack."""

TURNED = """<inertial><origin xyz="0.1 -0.05 0.2" rpy="0.3 -0.7 1.1"/><mass value="1.3"/>
<inertia ixx="0.05" ixy="0.011" ixz="-0.007" iyy="0.06" iyz="0.004" izz="0.07"/></inertial>"""
PLAIN = """<inertial><origin xyz="0 0 0.3"/><mass value="0.8"/>
<inertia ixx="0.02" iyy="0.02" izz="0.005"/></inertial>"""


def link(name: str, inertial: str = TURNED) -> str:
    return f'<link name="{name}">{inertial}</link>'


def joint(name: str, kind: str, ends: str, more: str = "") -> str:
    parent, child = ends.split()
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{more}</joint>"
    )


def robot(*parts: str) -> str:
    return "\n".join(['<?xml version="1.0"?>', '<robot name="small">', *parts, "</robot>"])


AT = '<origin xyz="0.2 -0.1 0.4" rpy="0.5 -0.4 0.9"/>'
TREES = {
    "turned pendulum": robot(
        link("base"), link("arm"),
        joint("elbow", "continuous", "base arm", AT + '<axis xyz="1 2 -1"/>'),
    ),
    "slides": robot(
        link("base"), link("cart"), link("pole", PLAIN), link("bob"),
        joint("rail", "prismatic", "base cart", AT + '<axis xyz="0 1 0"/>'),
        joint("pin", "revolute", "cart pole", AT + '<axis xyz="0 0 1"/>'),
        joint("rod", "prismatic", "pole bob",
              '<origin xyz="0 0 0.3" rpy="0 0.2 0"/><axis xyz="0 0 1"/>'),
    ),
    "fixed and massless": robot(
        link("base"), link("upper"), link("flange", ""), link("tool"), link("tip", ""),
        joint("shoulder", "revolute", "base upper", AT + '<axis xyz="0 1 0"/>'),
        joint("mount", "fixed", "upper flange", AT),
        joint("weld", "fixed", "flange tool", AT),
        joint("end", "fixed", "tool tip", AT),
    ),
    "cross": robot(
        link("base"), link("cross", ""), link("shaft"),
        joint("first", "revolute", "base cross", AT + '<axis xyz="1 0 0"/>'),
        joint("second", "revolute", "cross shaft", '<axis xyz="0 1 0"/>'),
    ),
    "gripper": robot(
        link("base"), link("wrist"), link("left", PLAIN), link("right"),
        joint("turn", "continuous", "base wrist", AT + '<axis xyz="0 0 1"/>'),
        joint("left_finger", "prismatic", "wrist left", AT + '<axis xyz="0 1 0"/>'),
        joint("right_finger", "revolute", "wrist right", '<axis xyz="1 0 0"/>'
              '<mimic joint="left_finger" multiplier="-1.7" offset="0.3"/>'),
    ),
}  # fmt: skip
