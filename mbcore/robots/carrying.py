"""Which wheels carry a base that moves in the plane, and how they share its weight.

All is decided on numbers, as in `mbcore.robots.support`. Three contacts that are not in a line
determine their loads; more share them by a stiffness of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.robots.rolling import WheelPlace
from mbcore.robots.support import PlanarKinematics

CONTACTS = 3
"""That determine the loads of a rigid base."""
ALIGNED = 1e-6
"""Least width, in parts of the length, of contacts that are not in a line."""
LIFTING = 1e-9
"""Vertical velocity of a contact by a joint's rate, m, that counts as none."""
EQUAL = 1.0
"""Stiffness of all wheels where only ratios matter, N/m."""


@dataclass(frozen=True)
class Carrying:
    """Wheels that carry, by their links.

    Attributes
    ----------
    stiffness : dict of str to float
        Of each, N/m; their ratios share the load.
    gaps : dict of str to float
        By how much each is above the ground where nothing is pressed, m.
    """

    stiffness: Mapping[str, float]
    gaps: Mapping[str, float]


def named(
    support: object, wheels: Sequence[WheelPlace], rolling: Mapping[str, object]
) -> list[WheelPlace]:
    """Return the wheels that are named as carrying; none where they are not named.

    Raises
    ------
    ModelError
        If there are not three of them, or one is no wheel.
    """
    if isinstance(support, str):
        if support in ("planar", "compliant"):
            return []
        raise ModelError(
            f'from_urdf: support={support!r}; give "planar", "compliant", or the names of three '
            "wheels that carry"
        )
    names = list(support) if isinstance(support, Sequence) else []
    if len(names) != CONTACTS or len(set(map(str, names))) != CONTACTS:
        raise ModelError(
            f"from_urdf: support={support!r} (--support): a rigid base stands on three wheels: "
            'name three different ones, or take "compliant" for loads by stiffness'
        )
    found = []
    for name in names:
        if name not in rolling:
            raise ModelError(f"from_urdf: support: {unknown('wheel', str(name), rolling)}")
        found.append(next(w for w in wheels if w.link in (name, f"{name}.wheel")))
    return found


def carrying(
    motion: PlanarKinematics,
    wheels: Sequence[WheelPlace],
    support: object,
    values: Mapping[str, float],
    notes: list[str],
) -> Carrying | None:
    """Return how wheels carry the base; None where their loads are not determined.

    Parameters
    ----------
    wheels : sequence of WheelPlace
        Those that may carry: all, or the named ones.

    Raises
    ------
    ModelError
        If loads are asked for and these wheels cannot have them: in a line, on a joint that moves
        up and down, or with stiffnesses of some only.
    """
    asked = support != "planar"
    given = [w.link for w in wheels if w.said.ground and w.said.ground.stiffness is not None]
    if given and support != "compliant":
        raise ModelError(
            f"from_urdf: rolling: the stiffness of wheel {given[0]} shares loads of a base that is "
            'not rigid; give support="compliant", or leave it out'
        )
    problem = _in_line(motion, wheels, values) or _lifting(motion, wheels, values)
    if problem and asked:
        raise ModelError(f"from_urdf: support={support!r} (--support): {problem}")
    if problem or (support == "planar" and len(wheels) != CONTACTS):
        return None
    frames = motion.frames(values)
    gaps = {w.link: float(motion.contact(w, frames)[0][2]) for w in wheels}
    if support != "compliant":
        return Carrying(dict.fromkeys(gaps, EQUAL), dict.fromkeys(gaps, 0.0))
    if not given:
        if len(wheels) > CONTACTS:
            notes.append(
                "all wheels share the load by the same stiffness, and gaps do not count; give each "
                "one, as in Rolling(radius=0.1, ground=Ground(stiffness=1e5))"
            )
        return Carrying(dict.fromkeys(gaps, EQUAL), dict.fromkeys(gaps, 0.0))
    lacking = [link for link in gaps if link not in given]
    if lacking:
        raise ModelError(
            f"from_urdf: rolling: wheel {given[0]} has a stiffness and {', '.join(lacking)} has "
            "none; give all of them one, or none"
        )
    return Carrying({w.link: _stiffness(w) for w in wheels}, gaps)


def _stiffness(wheel: WheelPlace) -> float:
    assert wheel.said.ground is not None and wheel.said.ground.stiffness is not None
    return wheel.said.ground.stiffness


def _in_line(
    motion: PlanarKinematics, wheels: Sequence[WheelPlace], values: Mapping[str, float]
) -> str:
    """Return what is wrong with the places of contacts; empty where nothing is."""
    if len(wheels) < CONTACTS:
        return f"{len(wheels)} wheels do not carry a base alone; name three or more in rolling"
    frames = motion.frames(values)
    places = np.array([motion.contact(wheel, frames)[0][:2] for wheel in wheels])
    spread = np.linalg.svd(places - places.mean(0), compute_uv=False)
    if spread[1] > ALIGNED * spread[0]:
        return ""
    names = ", ".join(wheel.link for wheel in wheels)
    return f"the wheels {names} touch in a line, about which the base would tip; take others"


def _lifting(
    motion: PlanarKinematics, wheels: Sequence[WheelPlace], values: Mapping[str, float]
) -> str:
    """Return which joint a load would move; empty where none."""
    random = np.random.default_rng(2)
    turned = {name: value + random.uniform(0.2, 0.6) for name, value in values.items()}
    for point in (values, turned):
        frames = motion.frames(point)
        for wheel in wheels:
            place = motion.contact(wheel, frames)[0]
            upwards = np.abs(motion.velocity(wheel, place, frames)[2])
            if upwards.max() > LIFTING:
                joint = motion.columns[int(upwards.argmax())]
                return (
                    f"the load of wheel {wheel.link} would move joint {joint}, whose base keeps "
                    "its height; take floating=True (--floating) and a ThickWheel "
                    "with a law for each wheel"
                )
    return ""
