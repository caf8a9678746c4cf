"""Models that grow: open chains, of rigid beams too, flexible beams, ladders and closed chains.

The links of open chains are drawn at random from a fixed seed, so that no number is one or zero
by chance; `Links` holds them, so that other programs can be given the same mechanism. All angles
are relative, as these programs count them too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore import Body, Hinge, Model, PlanarBeam, PlanarHinge, RigidLink, SpatialBeam
from mbcore.model.nodes.nodes import Angle, Point, at_start

GRAVITY = 9.81
"""m/s2."""
SEED = 20020612
POLAR_INERTIA = 0.02
"""Of rods, kg.m."""


@dataclass(frozen=True)
class Links:
    """Rigid links, each hinged to the one before; all body axes are parallel at angles of zero.

    Attributes
    ----------
    axes : str
        One of x, y, z for each hinge, its direction on body axes.
    mass : array (n,)
        kg.
    centre : array (n, 3)
        Mass centre on body axes, from the link's own hinge, m.
    inertia : array (n, 3, 3)
        About the mass centre, on body axes, kg.m2.
    offset : array (n, 3)
        The next hinge on body axes, from the link's own, m.
    gravity : array (3,)
        m/s2.
    """

    axes: str
    mass: np.ndarray
    centre: np.ndarray
    inertia: np.ndarray
    offset: np.ndarray
    gravity: np.ndarray


def planar_links(n: int) -> Links:
    """Return uniform rods of 0.8 to 1.2 m and kg along their x axes, hinged about z."""
    random = np.random.default_rng(SEED)
    length, mass = random.uniform(0.8, 1.2, (2, n))
    offset = np.zeros((n, 3))
    offset[:, 0] = length
    inertia = (mass * length**2 / 12)[:, None, None] * np.diag([0.0, 1.0, 1.0])
    return Links("z" * n, mass, offset / 2, inertia, offset, np.array([0.0, -GRAVITY, 0.0]))


def spatial_links(n: int) -> Links:
    """Return bodies with full inertia tensors, hinged about x, y, z, x, ..."""
    random = np.random.default_rng(SEED)
    mass = random.uniform(0.8, 1.2, n)
    offset, centre = random.uniform(0.2, 0.6, (2, n, 3))
    turn = np.linalg.qr(random.standard_normal((n, 3, 3)))[0]
    # moments of a solid ellipsoid fulfil the triangle inequality whatever its axes are
    squares = random.uniform(0.3, 0.6, (n, 3)) ** 2
    moments = mass[:, None] / 5 * (squares.sum(axis=1, keepdims=True) - squares)
    inertia = turn @ (moments[:, :, None] * np.swapaxes(turn, 1, 2))
    axes = "xyz" * (n // 3 + 1)
    return Links(axes[:n], mass, centre, inertia, offset, np.array([0.0, 0.0, -GRAVITY]))


def planar_chain(n: int) -> Model:
    """Return an open chain of n rods in the vertical plane."""
    links = planar_links(n)
    model = Model(f"planar_chain_{n}", gravity=links.gravity[:2].tolist())
    joint, before = model.point("origin", fixed=True), model.angle("ground angle", fixed=True)
    reach = np.vstack([np.zeros(2), np.cumsum(links.offset[:, :2], axis=0)])
    for i in range(n):
        angle = model.angle(f"angle {i}")
        end = model.point(f"end {i}", reach[i + 1].tolist())
        hinge = model.add(PlanarHinge(f"hinge {i}", before, angle))
        hinge.angle.dof(f"joint{i}.angle", f"joint{i}.rate")
        model.add(RigidLink(f"link {i}", joint, angle, end, offset=links.offset[i, :2].tolist()))
        model.add(
            Body(
                f"body {i}",
                joint,
                angle,
                mass=links.mass[i],
                inertia=links.inertia[i, 2, 2],
                offset=links.centre[i, :2].tolist(),
            )
        )
        joint, before = end, angle
    return model


def spatial_chain(n: int) -> Model:
    """Return an open chain of n bodies in space."""
    links = spatial_links(n)
    model = Model(f"spatial_chain_{n}", gravity=links.gravity.tolist())
    joint, before = model.point("origin", (0, 0, 0), fixed=True), model.ground
    reach = np.vstack([np.zeros(3), np.cumsum(links.offset, axis=0)])
    for i in range(n):
        rotation = model.rotation(f"rotation {i}")
        end = model.point(f"end {i}", reach[i + 1].tolist())
        axis = tuple(float(links.axes[i] == name) for name in "xyz")
        hinge = model.add(Hinge(f"hinge {i}", before, rotation, axis=axis))
        hinge.angle.dof(f"joint{i}.angle", f"joint{i}.rate")
        model.add(RigidLink(f"link {i}", joint, rotation, end, offset=links.offset[i].tolist()))
        model.add(
            Body(
                f"body {i}",
                joint,
                rotation,
                mass=links.mass[i],
                inertia=_tensor(links.inertia[i]),
                offset=links.centre[i].tolist(),
            )
        )
        joint, before = end, rotation
    return model


def rod_links(n: int) -> Links:
    """Return rods of random directions, 0.3 m to 1.1 m long, hinged about x, y, z, x, ..."""
    links = spatial_links(n)
    square = (links.offset**2).sum(axis=1)
    along = links.offset[:, :, None] * links.offset[:, None, :] / square[:, None, None]
    across = (links.mass * square / 12)[:, None, None] * (np.eye(3) - along)
    polar = (POLAR_INERTIA * np.sqrt(square))[:, None, None]
    inertia = across + polar * along
    return Links(links.axes, links.mass, links.offset / 2, inertia, links.offset, links.gravity)


def rigid_planar_beams(n: int) -> Model:
    """Return the chain of `planar_links`, each a rigid beam whose ends turn with it."""
    links = planar_links(n)
    model = Model(f"rigid_planar_beams_{n}", gravity=links.gravity[:2].tolist())
    joint, before = model.point("origin", fixed=True), model.angle("ground angle", fixed=True)
    reach = np.cumsum(links.offset[:, :2], axis=0)
    for i in range(n):
        angle, end = model.angle(f"angle {i}"), model.point(f"end {i}", reach[i].tolist())
        hinge = model.add(PlanarHinge(f"hinge {i}", before, angle))
        hinge.angle.dof(f"joint{i}.angle", f"joint{i}.rate")
        density = links.mass[i] / links.offset[i, 0]
        beam = PlanarBeam(f"beam {i}", joint, angle, end, angle, mass_per_length=density)
        model.add(beam).bending_q.release()
        joint, before = end, angle
    return model


def rigid_spatial_beams(n: int) -> Model:
    """Return the chain of `rod_links`, each a rigid beam whose ends turn with it."""
    links = rod_links(n)
    model = Model(f"rigid_spatial_beams_{n}", gravity=links.gravity.tolist())
    joint, before = model.point("origin", (0, 0, 0), fixed=True), model.ground
    reach = np.cumsum(links.offset, axis=0)
    for i in range(n):
        rotation, end = model.rotation(f"rotation {i}"), model.point(f"end {i}", reach[i].tolist())
        axis = tuple(float(links.axes[i] == name) for name in "xyz")
        hinge = model.add(Hinge(f"hinge {i}", before, rotation, axis=axis))
        hinge.angle.dof(f"joint{i}.angle", f"joint{i}.rate")
        density = links.mass[i] / np.linalg.norm(links.offset[i])
        ends = (joint, rotation, end, rotation)
        beam = SpatialBeam(f"beam {i}", *ends, mass_per_length=density, polar_inertia=POLAR_INERTIA)
        model.add(beam)
        for name in ("torsion", "bending_y_q", "bending_z_q"):  # follow: both ends turn alike
            beam.deformations[name].release()
        joint, before = end, rotation
    return model


def _tensor(matrix: np.ndarray) -> ca.SX:
    return ca.SX(ca.DM(matrix))


def clamped_beam(n: int) -> Model:
    """Return a steel strip of 1 m x 20 mm x 5 mm, clamped, of n elements.

    Degrees of freedom are the three deformations of each element; damping of 1 ms.
    """
    model = Model(f"clamped_beam_{n}", gravity=(0, -GRAVITY))
    point, angle = model.point("clamp", fixed=True), model.angle("clamp angle", fixed=True)
    section = 0.02 * 0.005
    for i in range(n):
        end = model.point(f"end {i}", ((i + 1) / n, 0))
        end_angle = model.angle(f"angle {i}")
        element = model.add(
            PlanarBeam(
                f"element {i}",
                point,
                angle,
                end,
                end_angle,
                axial_stiffness=2.1e11 * section,
                bending_stiffness=2.1e11 * section * 0.005**2 / 12,
                damping=1e-3,
                mass_per_length=7850 * section,
            )
        )
        for name in ("elongation", "bending_p", "bending_q"):
            getattr(element, name).dof(f"element{i}.{name}", f"element{i}.{name}_rate")
        point, angle = end, end_angle
    return model


def ladder(n: int) -> Model:
    """Return n parallelograms of rigid beams on each other, each with one degree of freedom.

    Two posts of 0.5 m stand on the rung below, and the rung of 1 m above closes the window. The
    posts lean to the right and to the left in turn.
    """
    return _windows(f"ladder_{n}", n, _beam)


def linked_ladder(n: int) -> Model:
    """Return the same mechanism, of rigid links with bodies."""
    return _windows(f"linked_ladder_{n}", n, _link)


def _windows(name: str, n: int, bar: Callable[[Model, str, Point, Angle, Point], None]) -> Model:
    """Return a ladder; ``bar`` adds a bar from one point to another that turns with an angle."""
    model = Model(name, gravity=(0, -GRAVITY))
    left, right = model.point("foot left", (0, 0), fixed=True), model.point("foot right", (1, 0))
    right.fix()
    below = model.angle("ground angle", fixed=True)
    place = np.zeros(2)
    for i in range(n):
        lean = np.pi / 2 + (0.2 if i % 2 else -0.2)
        place = place + 0.5 * np.array([np.cos(lean), np.sin(lean)])
        posts = model.angle(f"left {i}", lean), model.angle(f"right {i}", lean)
        rung = model.angle(f"rung {i}")
        corners = (
            model.point(f"corner left {i}", place.tolist()),
            model.point(f"corner right {i}", (place + [1, 0]).tolist()),
        )
        hinge = model.add(PlanarHinge(f"hinge {i}", below, posts[0]))
        hinge.angle.dof(f"window{i}.angle", f"window{i}.rate", lean)
        bar(model, f"left post {i}", left, posts[0], corners[0])
        bar(model, f"right post {i}", right, posts[1], corners[1])
        bar(model, f"beam {i}", corners[0], rung, corners[1])
        (left, right), below = corners, rung
    return model


def _beam(model: Model, name: str, p: Point, angle: Angle, q: Point) -> None:
    """Add a rigid beam of 1.3 kg/m whose ends turn with it."""
    beam = model.add(PlanarBeam(name, p, angle, q, angle, mass_per_length=1.3))
    beam.bending_q.release()


def _link(model: Model, name: str, p: Point, angle: Angle, q: Point) -> None:
    """Add a rigid link of 1.3 kg/m; it is as long as its points start apart."""
    length = float(ca.DM(ca.norm_2(at_start(q.position - p.position, p, q))))
    model.add(RigidLink(name, p, angle, q, offset=(length, 0.0)))
    mass, centre = 1.3 * length, (length / 2, 0.0)
    inertia = mass * length**2 / 12
    model.add(Body(f"{name}, mass", p, angle, mass=mass, inertia=inertia, offset=centre))


def scissors(n: int) -> Model:
    """Return scissors of n stages with one degree of freedom, the angle of a bar at the foot.

    The bars of a stage, 1 m and 1.1 kg each, are hinged at their middles, and at their ends to
    those of the next stage. The right foot slides on the ground.
    """
    lean, half = 0.6, 0.5
    width, height = 2 * half * np.cos(lean), 2 * half * np.sin(lean)
    model = Model(f"scissors_{n}", gravity=(0, -GRAVITY))
    ground = model.angle("ground angle", fixed=True)
    left, right = (
        model.point("foot left", (0, 0), fixed=True),
        model.point("foot right", (width, 0)),
    )
    right.y.fix()
    for i in range(n):
        rising, falling = (
            model.angle(f"rising {i}", lean),
            model.angle(f"falling {i}", np.pi - lean),
        )
        middle = model.point(f"middle {i}", (width / 2, (i + 0.5) * height))
        ends = (
            model.point(f"left {i}", (0, (i + 1) * height)),
            model.point(f"right {i}", (width, (i + 1) * height)),
        )
        if i == 0:
            hinge = model.add(PlanarHinge("lift", ground, rising))
            hinge.angle.dof("lift.angle", "lift.rate", lean)
        for name, p, angle, q in (
            (f"rising {i}", left, rising, ends[1]),
            (f"falling {i}", right, falling, ends[0]),
        ):
            model.add(RigidLink(f"{name} below", p, angle, middle, offset=(half, 0.0)))
            model.add(RigidLink(f"{name} above", middle, angle, q, offset=(half, 0.0)))
            model.add(Body(f"{name} mass", middle, angle, mass=1.1, inertia=1.1 / 12))
        left, right = ends
    return model


def closed_chain(n: int) -> Model:
    """Return n rods between two pins; the last two hinges, bent by right angles, follow."""
    _refuse_rigid("closed chain", n)
    angles = np.r_[_semicircle(n - 2), np.pi / 4, 3 * np.pi / 4]
    return _between_pins(f"closed_chain_{n}", angles, {n - 2, n - 1})


def closed_loop(n: int) -> Model:
    """Return n rods between two pins; the first and a middle hinge follow: one loop of all."""
    _refuse_rigid("closed loop", n)
    return _between_pins(f"closed_loop_{n}", _semicircle(n), {0, n // 2})


def _refuse_rigid(what: str, n: int) -> None:
    if n < 3:
        raise ValueError(f"{what}: {n} rods between two pins do not move; take 3 or more")


def _semicircle(n: int) -> np.ndarray:
    """Return angles of n rods along a hanging semicircle, rad."""
    return -np.pi / 2 + np.pi * (np.arange(n) + 0.5) / n


def _between_pins(name: str, angles: np.ndarray, following: set[int]) -> Model:
    """Return rods of 1 m that start at the given angles, hinges ``following`` released."""
    n, model = len(angles), Model(name, gravity=(0, -GRAVITY))
    reach = np.vstack(
        [np.zeros(2), np.cumsum(np.column_stack([np.cos(angles), np.sin(angles)]), axis=0)]
    )
    joint, before = (
        model.point("pin 0", (0, 0), fixed=True),
        model.angle("ground angle", fixed=True),
    )
    for i in range(n):
        angle = model.angle(f"angle {i}", float(angles[i]))
        end = model.point(f"end {i}", reach[i + 1].tolist(), fixed=i == n - 1)
        hinge = model.add(PlanarHinge(f"hinge {i}", before, angle))
        if i not in following:
            start = float(angles[i] - (angles[i - 1] if i else 0.0))
            hinge.angle.dof(f"joint{i}.angle", f"joint{i}.rate", start)
        model.add(RigidLink(f"link {i}", joint, angle, end, offset=(1.0, 0.0)))
        model.add(Body(f"body {i}", joint, angle, mass=1.1, inertia=1.1 / 12, offset=(0.5, 0.0)))
        joint, before = end, angle
    return model
