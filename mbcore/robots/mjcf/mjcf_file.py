"""An MJCF file as a description, read and resolved by MuJoCo, an extra.

MuJoCo has no lines of what it has read; names stand in their place. `mbcore.robots.mjcf.refusals`
refuses what a tree of rigid bodies with ideal joints has not. It is apart from
`mbcore.robots.mjcf.from_mjcf`, as is the reader of URDF files.
"""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation as Turn

from mbcore.model.errors import ModelError
from mbcore.robots.description import Description, Frame, Joint, Link, MassProperties, Solid
from mbcore.robots.mjcf.refusals import Names, disabled, refuse_or_note
from mbcore.robots.tree import about

MOST_BYTES = 20_000_000
WORLD = "world"


def read_mjcf(path: str | PathLike[str], ignore: Collection[str]) -> tuple[Description, np.ndarray]:
    """Read an MJCF file; return its bodies as links, and the gravity, m/s2.

    Raises
    ------
    ModelError
        MuJoCo is not installed or cannot read the file, or the file has more than a tree of bodies,
        with the file, the name and the remedy.
    """
    file = Path(path)
    model = _compiled(file)
    names = Names(model, file)
    unused = refuse_or_note(model, names, ignore)
    links = {WORLD: Link(WORLD, 0, None, (), _solids(model, 0))}
    joints: dict[str, Joint] = {}
    for body in range(1, model.nbody):
        _hang(model, names, body, links, joints)
    if len(links) == 1:
        raise ModelError(f"{file.name}: no body; a robot needs at least one")
    gravity = np.zeros(3) if disabled(model, "GRAVITY") else np.array(model.opt.gravity)
    name = str(model.names[: model.names.index(b"\0")], "utf-8", "replace")
    return Description(name or file.stem, file, links, joints, unused), gravity


def _compiled(file: Path) -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise ModelError(
            "from_mjcf: MuJoCo reads MJCF files: pip install 'mbcore-multibody[mjcf]'"
        ) from error
    try:
        size = file.stat().st_size
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror or error}; give the path of an MJCF") from error
    if size > MOST_BYTES:
        raise ModelError(f"{file}: larger than {MOST_BYTES // 10**6} MB; an MJCF is smaller")
    # warnings come as Python's, too; a log file in the working folder is nobody's wish
    mujoco.set_mju_user_warning(lambda said: None)
    try:
        return mujoco.MjSpec.from_file(str(file)).compile()
    except Exception as error:
        said = " ".join(str(error).split())
        raise ModelError(f"{file.name}: MuJoCo cannot read it: {said}") from error
    finally:
        mujoco.set_mju_user_warning(None)


def _hang(
    model: Any, names: Names, body: int, links: dict[str, Link], joints: dict[str, Joint]
) -> None:
    """Add a body: a chain of its joints, each at its own place, and the body at the end.

    A joint turns or moves what comes behind it, so that a further one of the same body hangs on a
    link without mass.
    """
    name, parent = names.body(body), names.body(int(model.body_parentid[body]))
    at = Frame(np.array(model.body_pos[body]), _matrix(model.body_quat[body]))
    links[name] = Link(name, 0, _properties(model, body), (), _solids(model, body))
    first = int(model.body_jntadr[body])
    numbers = range(first, first + int(model.body_jntnum[body]))
    for k in numbers:
        kind = model.jnt_type[k]
        own = names.joint(k)
        if kind == FREE:
            joints[own] = Joint(own, "floating", parent, name, 0, at, np.eye(3)[0])
            return
        anchor = np.array(model.jnt_pos[k])
        last = k == numbers[-1] and not anchor.any()
        child = name if last else f"{name}.{own}"
        if not last:
            links[child] = Link(child, 0)
        joints[own] = _joint(model, k, own, (parent, child), at @ Frame(anchor))
        parent, at = child, Frame(-anchor)
    if parent != name:
        fixed = f"{name}.fixed"
        joints[fixed] = Joint(fixed, "fixed", parent, name, 0, at, np.eye(3)[0])


def _joint(model: Any, k: int, name: str, ends: tuple[str, str], at: Frame) -> Joint:
    """Return a hinge or a slide, whose coordinate is MuJoCo's: at its reference at the start."""
    axis, zero = np.array(model.jnt_axis[k]), float(model.qpos0[model.jnt_qposadr[k]])
    turns = model.jnt_type[k] == HINGE
    back = Frame(np.zeros(3), about(axis, -zero)) if turns else Frame(-zero * axis)
    dof = int(model.jnt_dofadr[k])
    spring = 0.0 if disabled(model, "SPRING", "PASSIVE") else float(model.jnt_stiffness[k])
    damping = 0.0 if disabled(model, "DAMPER", "PASSIVE") else float(model.dof_damping[dof])
    return Joint(
        name,
        "continuous" if turns else "prismatic",
        *ends,
        0,
        at @ back if zero else at,
        axis,
        damping=damping,
        stiffness=spring,
        rest=float(model.qpos_spring[model.jnt_qposadr[k]]),
        armature=float(model.dof_armature[dof]),
        reference=zero,
    )


def _properties(model: Any, body: int) -> MassProperties | None:
    mass = float(model.body_mass[body])
    if mass == 0 and not model.body_inertia[body].any():
        return None
    own = MassProperties(mass, np.zeros(3), np.diag(model.body_inertia[body]))
    turn = _matrix(model.body_iquat[body])
    return own.seen_from(Frame(np.array(model.body_ipos[body]), turn))


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    turn = Turn.from_quat(np.roll(quaternion, -1)).as_matrix()
    turn[np.abs(turn) < 1e-15] = 0.0
    return turn


FREE, HINGE = 0, 3
"""Numbers of MuJoCo's mjtJoint."""
SPHERE, CAPSULE, CYLINDER, BOX = 2, 3, 5, 6
"""Numbers of MuJoCo's mjtGeom."""


def _solids(model: Any, body: int) -> tuple[Solid, ...]:
    """Return the shapes of a body for pictures; planes, ellipsoids and meshes are left out."""
    found = []
    for g in np.flatnonzero(model.geom_bodyid == body).tolist():
        size = model.geom_size[g].tolist()
        frame = Frame(np.array(model.geom_pos[g]), _matrix(model.geom_quat[g]))
        kind = int(model.geom_type[g])
        if kind == SPHERE:
            found.append(Solid("sphere", (size[0],), frame, 0))
        elif kind in (CAPSULE, CYLINDER):
            found.append(Solid("cylinder", (size[0], 2 * size[1]), frame, 0))
        elif kind == BOX:
            found.append(Solid("box", tuple(2 * side for side in size), frame, 0))
    return tuple(found)
