"""Parts of MJCF files that no tree of rigid bodies has: refused, or left out on demand.

Used by `mbcore.robots.mjcf.mjcf_file`; apart from it, since it decides and makes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown

REMEDIES = {
    "actuator": "add a law or a servo",
    "contact": 'write <flag contact="disable"/>',
    "equality": "close loops in the model, by Coupling or a joint",
    "friction": 'write frictionloss="0" and add a Friction',
    "limit": 'write limited="false" and add a stop',
    "tendon": "add a law",
}
"""Parts that may be left out on demand, and their replacements."""
BALL, FREE = 1, 0
"""Numbers of MuJoCo's mjtJoint."""
KINDS = {"body": "nbody", "joint": "njnt", "geom": "ngeom", "tendon": "ntendon", "actuator": "nu"}
UNUSED = {
    "ncam": "cameras: not used",
    "nlight": "lights: not used",
    "nsite": "sites: not used; link_point adds a point",
    "nsensor": "sensors: not used; add outputs",
    "nkey": "keyframes: not used; give start values",
}


class Names:
    """Names of a compiled file's elements; one without has its kind and number."""

    def __init__(self, model: Any, file: Path) -> None:
        self._model, self._file = model, file

    def body(self, i: int) -> str:
        """Return the name of a body."""
        return self.of("body", i)

    def joint(self, i: int) -> str:
        """Return the name of a joint."""
        return self.of("joint", i)

    def of(self, kind: str, i: int) -> str:
        """Return the name of the element of a kind with this number."""
        return getattr(self._model, kind)(i).name or f"{kind}{i}"

    def error(self, kind: str, i: int, text: str) -> ModelError:
        """Return an error that names file and element."""
        return ModelError(f"{self._file.name}: {kind} {self.of(kind, i)!r} {text}")

    def line(self, text: str) -> str:
        """Return a remark that names the file."""
        return f"{self._file.name}: {text}"


def disabled(model: Any, *flags: str) -> bool:
    """Return whether the file's flags disable a part; flags that MuJoCo lacks do not."""
    import mujoco

    bits = (getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0) for flag in flags)
    return any(model.opt.disableflags & int(bit) for bit in bits)


def refuse_or_note(model: Any, names: Names, ignore: Collection[str]) -> tuple[str, ...]:
    """Refuse what is more than a tree of bodies; return what is not used, in words.

    Raises
    ------
    ModelError
        With the name and the remedy.
    """
    for word in ignore:
        if word not in REMEDIES:
            raise ModelError(f"from_mjcf: ignore: {unknown('part', word, REMEDIES)}")
    _refuse_always(model, names)
    unused = []
    for part, kind, i, text in _found(model, names):
        if part not in ignore:
            raise names.error(
                kind,
                i,
                f"{text}, which from_mjcf does not support; {REMEDIES[part]}, or leave it out by "
                f"ignore=[{part!r}] (--ignore {part})",
            )
        unused.append(names.line(f"{kind} {names.of(kind, i)!r} {text}; ignored as asked"))
    free = [i for i in range(model.nu) if not _acts_alone(model, i)]
    if free and not disabled(model, "ACTUATION"):
        unused.append(names.line(f"{len(free)} motors: not used; joints have inputs themselves"))
    for count, words in UNUSED.items():
        if getattr(model, count):
            unused.append(names.line(f"{getattr(model, count)} {words}"))
    undrawn = int(np.isin(model.geom_type, (1, 4, 7, 8)).sum())
    if undrawn:
        unused.append(names.line(f"{undrawn} ellipsoids or meshes: not drawn"))
    return tuple(unused)


def _refuse_always(model: Any, names: Names) -> None:
    for i in range(model.njnt):
        _refuse_joint(model, names, i)
    for i in range(1, model.nbody):
        if model.body_gravcomp[i]:
            raise names.error("body", i, "has gravcomp; add a force")
        if model.body_mocapid[i] >= 0:
            raise names.error("body", i, "is a mocap body; give it joints and servos")
    for count, what in (("nflex", "flexible bodies"), ("nskin", "skins"), ("nplugin", "plugins")):
        if getattr(model, count, 0):
            raise ModelError(names.line(f"{what} are not in mbcore; leave them out"))
    if model.opt.density or model.opt.viscosity or model.opt.wind.any():
        raise ModelError(names.line("<option> has a fluid; leave out density, viscosity and wind"))


def _refuse_joint(model: Any, names: Names, i: int) -> None:
    first = int(model.jnt_dofadr[i])
    if model.jnt_type[i] == BALL:
        raise names.error("joint", i, "is a ball joint; write three hinges")
    if model.jnt_type[i] == FREE:
        dofs = slice(first, first + 6)
        acts = model.dof_armature[dofs].any() or model.dof_damping[dofs].any()
        if acts or model.jnt_stiffness[i]:
            raise names.error(
                "joint", i, "is free and has armature, damping or stiffness; write <freejoint/>"
            )
        return
    # of MuJoCo 4
    if np.any(getattr(model, "jnt_stiffnesspoly", np.zeros(model.njnt))[i]):
        raise names.error("joint", i, "has a spring that is not linear; add a law")
    if getattr(model, "nplastic", 0) and model.jnt_springyield[i]:
        raise names.error("joint", i, "has a spring that yields; add a law")
    if np.any(getattr(model, "dof_dampingpoly", np.zeros(model.nv))[first]):
        raise names.error("joint", i, "has a damping that is not linear; add a law")


def _found(model: Any, names: Names) -> Iterator[tuple[str, str, int, str]]:
    """Return part, kind, number and words of what may be left out on demand."""
    constrained = not disabled(model, "CONSTRAINT")
    if constrained and not disabled(model, "LIMIT"):
        for i in np.flatnonzero(model.jnt_limited).tolist():
            yield "limit", "joint", i, "has a limit"
    if constrained and not disabled(model, "FRICTIONLOSS"):
        for dof in np.flatnonzero(model.dof_frictionloss).tolist():
            yield "friction", "joint", int(model.dof_jntid[dof]), "has dry friction"
    for i in range(model.ntendon):
        yield "tendon", "tendon", i, "acts on bodies"
    if constrained and not disabled(model, "EQUALITY"):
        for i in np.flatnonzero(model.eq_active0).tolist():
            yield "equality", "equality", i, "constrains bodies"
    if constrained and not disabled(model, "CONTACT"):
        pair = _touching(model)
        if pair is not None:
            yield "contact", "geom", pair[0], f"may touch {names.of('geom', pair[1])!r}"
    if not disabled(model, "ACTUATION"):
        for i in filter(lambda k: _acts_alone(model, k), range(model.nu)):
            yield "actuator", "actuator", i, "acts without control"


def _acts_alone(model: Any, i: int) -> bool:
    pushed = False  # a control or force of zero is not allowed
    for what in ("ctrl", "force"):
        low, high = getattr(model, f"actuator_{what}range")[i]
        limited = getattr(model, f"actuator_{what}limited")[i]
        pushed |= bool(limited) and not low <= 0.0 <= high
    # of MuJoCo 4
    added = (
        np.any(getattr(model, f"actuator_{name}", np.zeros((model.nu, 1)))[i])
        for name in ("armature", "damping", "dampingpoly")
    )
    kinds = model.actuator_biastype[i] or model.actuator_dyntype[i]
    return bool(kinds or pushed or any(added))


def _touching(model: Any) -> tuple[int, int] | None:
    """Return two geoms that MuJoCo would let touch; None where there are none."""
    if model.npair:
        return int(model.pair_geom1[0]), int(model.pair_geom2[0])
    excluded = set(model.exclude_signature.tolist())
    weld, parent = model.body_weldid, model.body_weldid[model.body_parentid]
    types, fits = model.geom_contype, model.geom_conaffinity
    for a in range(model.ngeom):
        for b in range(a + 1, model.ngeom):
            if not (types[a] & fits[b] or types[b] & fits[a]):
                continue
            one, two = (int(model.geom_bodyid[g]) for g in (a, b))
            first, second = int(weld[one]), int(weld[two])
            if first == second or (min(one, two) << 16) + max(one, two) in excluded:
                continue
            related = int(parent[first]) == second or int(parent[second]) == first
            if first and second and related and not disabled(model, "FILTERPARENT"):
                continue
            return a, b
    return None
