"""Random mechanisms of many kinds, as descriptions in maximal coordinates.

Trees of hinges, slides, universal joints and beams, tilted at the start; closed by bars and
shared points; on wheels, balls and blades; with gears, cams, racks and prescribed drives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tests.mechanism_survey.forces import ElasticBeam, Load, Spring
from tests.mechanism_survey.joints import (
    Axle,
    Bar,
    Blade,
    Disk,
    Drive,
    Gearing,
    Involutes,
    Motion,
    Rolling,
    Shift,
    Sphere,
    Tie,
    Turn,
    UprightWheel,
)
from tests.mechanism_survey.maximal import (
    Body,
    Mechanism,
    Spot,
    followed_by,
    freedoms,
    parameters_of,
)

GRAVITY = 9.81
UP = np.eye(3)[2]
CARELESS = 0.1
"""Share of those that may be without freedom, or have constraints that depend on each other."""


class Draft:
    """A mechanism as it grows, from a seed; with so many bodies, without wheels' rims."""

    def __init__(self, seed: int, bodies: int) -> None:
        self.random = np.random.default_rng([seed, 2])
        r = self.random
        planar = bool(r.random() < 0.5)
        gravity = np.zeros(3)
        gravity[1 if planar else 2] = -GRAVITY
        self.made = Mechanism(f"mechanism {seed}", planar, gravity)
        self.planar, self.axes = planar, 2 if planar else 3
        self.tilted, self.careless = bool(r.random() < 0.7), bool(r.random() < CARELESS)
        self.parts, self.measures = [0], list[Turn | Shift]()
        self.driven: set[Turn | Shift] = set()
        if r.random() < 0.15:
            self._float()
        for _ in range(bodies):
            self._cantilever() if r.random() < 0.1 else self._join()
        features: list[tuple[float, Callable[[], None]]] = [
            (bodies / (8 if planar else 4), self._roll),
            (0.3, self._cut),
            (bodies / 4, self._close),
            (bodies / 8, self._couple),
            (0.3 if planar else 0.0, self._mesh),
            (0.15, self._change_ratio),
            (bodies / 8, self._drive),
        ]
        for mean, feature in features:
            for _ in range(int(r.poisson(mean))):
                feature()
        for measure in self.measures:
            self._act_on(measure)
        self._push()

    # Numbers

    def _vector(self, size: float) -> np.ndarray:
        found = np.zeros(3)
        found[: self.axes] = self.random.uniform(-size, size, self.axes)
        return found

    def _axis(self) -> np.ndarray:
        return UP.copy() if self.planar else self.random.standard_normal(3)

    def _pick(self, count: int, ground: bool = True) -> list[int]:
        among = self.parts if ground else self.parts[1:]
        return [int(i) for i in self.random.choice(among, count, replace=False)]

    def _body(self, i: int) -> Body:
        return self.made.bodies[i]

    def _on(self, body: int, place: np.ndarray) -> Spot:
        """Return the spot of a body at a place of the start, nought where it is the body's own."""
        at = self._body(body)
        arm = at.turned.T @ (place - at.place)
        return Spot(body, np.where(np.abs(arm) < 1e-15, 0.0, arm))

    def _try(self, *joints: object) -> bool:
        """Add constraints unless they take the last freedom, or none."""
        before = freedoms(self.made, self.made.start()).shape[2]
        kept = list(self.made.joints)
        self.made.joints += joints  # type: ignore[arg-type]
        left = freedoms(self.made, self.made.start()).shape[2]
        if self.careless or 1 <= left < before:
            return True
        self.made.joints = kept
        return False

    # Bodies

    def _add_body(self, body: Body) -> int:
        self.made.bodies.append(body)
        return len(self.made.bodies) - 1

    def _heavy(self, place: np.ndarray, turned: tuple[np.ndarray, float], mass: float = 0.0) -> int:
        """Add a body with mass, part of the mechanism that others may be joined to."""
        r = self.random
        inertia = np.diag([0.0, 0.0, r.uniform(0.05, 0.4)])
        if not self.planar:
            root = 0.3 * r.standard_normal((3, 3))
            second = root @ root.T + 0.05 * np.eye(3)  # moments of mass, ∫ r rᵀ dm
            inertia = np.trace(second) * np.eye(3) - second
        name, mass = f"body {len(self.made.bodies)}", mass or float(r.uniform(0.5, 2))
        offset = self._vector(0.3)
        body = Body(name, mass, inertia, offset, place, turned[0], turned[1])
        self.parts.append(self._add_body(body))
        return self.parts[-1]

    def _float(self) -> None:
        """Add a body that nothing holds."""
        turned = parameters_of(self._axis(), self.random.uniform(-2, 2) if self.tilted else 0.0)
        angle = 2 * float(np.arctan2(turned[3], turned[0])) if self.planar else 0.0
        self._heavy(self._vector(1), (turned, angle))

    def _orient(self, parent: int) -> tuple[tuple[np.ndarray, float], Callable[[int], None]]:
        """Return an orientation relative to a body, and what adds the axles that hold it."""
        r, before = self.random, self._body(parent)
        start = float(r.uniform(-1.5, 1.5)) if self.tilted else 0.0
        rest = np.eye(4)[0]
        if self.tilted and r.random() < 0.5:
            rest = parameters_of(self._axis(), float(r.uniform(-1, 1)))
        axis, forward = self._axis(), bool(r.random() < 0.5)
        moved = followed_by(parameters_of(axis, start), rest)
        if not forward:  # the parent is q of the axle
            moved = moved * np.array([1, -1, -1, -1])
        parameters = followed_by(before.parameters, moved)
        angle = before.angle + 2 * float(np.arctan2(moved[3], moved[0])) if self.planar else 0.0

        def hold(child: int) -> None:
            ends = (parent, child) if forward else (child, parent)
            axle = Axle(*ends, axis, rest, start)
            self.made.joints.append(axle)
            self.measures.append(Turn(axle))

        return (parameters, angle), hold

    def _join(self) -> None:
        """Add a body on a hinge, a universal joint, a slide, or a hinge that slides."""
        r = self.random
        parent = self._pick(1)[0]
        where = self._body(parent).place + self._vector(1)
        kind = r.choice(["hinge", "universal", "slide", "sliding hinge"], p=[0.5, 0.2, 0.15, 0.15])
        before = parent
        if kind == "universal" and not self.planar:
            turned, hold = self._orient(parent)
            cross = Body(f"cross {len(self.made.bodies)}", parameters=turned[0], placed=False)
            before = self._add_body(cross)
            hold(before)
        turned, hold = self._orient(before)
        child = self._heavy(where + self._vector(0.6), turned)
        hold(child)
        p, q = self._on(parent, where), self._on(child, where)
        if kind in ("hinge", "universal"):
            self.made.joints.append(Tie(p, q))
            return
        if kind == "slide":
            turning = self.measures.pop()
            assert isinstance(turning, Turn)
            self.made.joints.append(Drive(turning, Motion(turning.axle.start)))
            frame = self._frame()
            tie, axis = Tie(p, q, (1, 2), frame), 0
        else:
            axis = int(r.integers(self.axes))
            tie = Tie(p, q, tuple(i for i in range(3) if i != axis))
        self.made.joints.append(tie)
        self.measures.append(Shift(tie, axis))

    def _frame(self) -> np.ndarray:
        """Return a frame whose first axis is a slide's direction."""
        x = self._vector(1)
        x /= np.linalg.norm(x)
        z = UP if self.planar else np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
        z = z / np.linalg.norm(z)
        return np.column_stack([x, np.cross(z, x), z])

    def _cantilever(self) -> None:
        """Add a body that an elastic beam carries."""
        r = self.random
        parent = self._pick(1)[0]
        start, along = self._body(parent).place + self._vector(1), self._vector(1)
        span = float(r.uniform(0.4, 1))
        x = along / np.linalg.norm(along)
        z = UP if self.planar else np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
        z = z / np.linalg.norm(z)
        axes = np.column_stack([x, np.cross(z, x), z])
        before = self._body(parent)
        child = self._heavy(start + span * x, (before.parameters, before.angle), 1.0)
        fixed = before.turned.T @ axes
        axial, bending, torsional = (float(v) for v in r.uniform(50, 300, 3))
        density = float(r.uniform(0.2, 1)) if r.random() < 0.5 else 0.0
        beam = ElasticBeam(
            self._on(parent, start),
            self._on(child, start + span * x),
            fixed,
            fixed,
            span,
            5 * axial,
            bending,
            torsional,
            density,
            0.0 if self.planar else 0.05 * density,
            tuple(self.made.gravity),
        )
        self.made.forces.append(beam)

    # Constraints

    def _close(self) -> None:
        """Close a loop by a bar, or by a point that two parts have in common."""
        r = self.random
        if len(self.parts) < 3:
            return
        one, other = self._pick(2)
        place = self._body(one).place + self._vector(1)
        if r.random() < 0.6:
            there = self._body(other).place + self._vector(1)
            span = float(np.linalg.norm(place - there))
            self._try(Bar(self._on(one, place), self._on(other, there), span))
            return
        axis = int(r.integers(self.axes))
        kept = tuple(i for i in range(3) if i != axis)
        tie = Tie(self._on(other, place), self._on(one, place), kept)
        if self._try(tie):
            self.measures.append(Shift(tie, axis))

    def _ground(self) -> np.ndarray:
        """Return the normal of a plane to roll on, upwards or tilted."""
        if not self.tilted or self.random.random() < 0.5:
            return UP.copy()
        normal = UP + 0.3 * self.random.standard_normal(3)
        return normal / np.linalg.norm(normal)

    def _roll(self) -> None:
        """Let a part run on a wheel, or on a ball, or be one."""
        r = self.random
        part = self._pick(1, ground=False)[0]
        place, radius = self._body(part).place + self._vector(0.6), float(r.uniform(0.2, 0.6))
        if self.planar:
            towards, bodies = r.uniform(0, 2 * np.pi), len(self.made.bodies)
            inertia = np.diag([0, 0, float(r.uniform(0.01, 0.1)) * (r.random() < 0.7)])
            spin = Body(f"spin {bodies}", inertia=inertia, placed=False)
            along = np.array([np.cos(towards), np.sin(towards), 0])
            number = self._add_body(spin)
            wheel = UprightWheel(self._on(part, place), along, radius, number)
            if not self._try(wheel):
                self.made.bodies.pop()
            return
        normal = self._ground()
        kept = (list(self.made.bodies), list(self.made.joints), list(self.parts))
        measures = list(self.measures)
        axle = self._vector(1)
        turned, hold = self._orient(part)
        rim = self._heavy(place, turned, 0.3)
        hold(rim)
        self.made.joints.append(Tie(self._on(part, place), Spot(rim)))
        if r.random() < 0.3:
            height = float(normal @ place) - radius
            rolling: object = Sphere(Spot(rim), radius, normal, height)
        else:
            disk = Disk(Spot(rim), axle, radius, normal, 0.0)
            foot = place + disk.foot(self.made.start())
            rolling = Disk(Spot(rim), axle, radius, normal, float(normal @ foot))
        if not self._try(rolling):
            self.made.bodies, self.made.joints, self.parts = kept
            self.measures = measures

    def _cut(self) -> None:
        """Let a part glide on a blade."""
        r = self.random
        part = self._pick(1, ground=False)[0]
        at = self._body(part)
        arm = self._vector(0.6)
        towards = r.uniform(0, 2 * np.pi)
        along = np.array([np.cos(towards), np.sin(towards), 0])
        if self.planar:
            self._try(Blade(Spot(part, arm), along, UP))
            return
        normal = self._ground()
        height = float(normal @ (at.place + at.turned @ arm))
        self._try(Blade(Spot(part, arm), at.turned.T @ along, normal, height))

    def _some(self, count: int) -> Sequence[Turn | Shift]:
        r = self.random
        return [self.measures[i] for i in r.choice(len(self.measures), count, replace=False)]

    def _couple(self) -> None:
        """Couple two or three angles or ways: a gear, a rack, a differential, a cam."""
        r = self.random
        count = int(r.choice([2, 2, 3]))
        if len(self.measures) < count:
            return
        chosen = self._some(count)
        factors = tuple(float(c) for c in r.choice([-2, -1, 0.5, 1, 2, 3], count))
        wave = float(r.uniform(-0.8, 0.8)) if r.random() < 0.3 else 0.0
        slope = float(r.uniform(-1, 1)) if r.random() < 0.15 else 0.0
        still = Gearing((*chosen,), factors, Motion(0.0), wave).value(self.made.start())
        self._try(Gearing((*chosen,), factors, Motion(float(still.real), slope), wave))

    def _mesh(self) -> None:
        """Let two parts be gears."""
        r = self.random
        if len(self.parts) < 3:
            return
        p, q = (self._on(i, self._body(i).place + self._vector(0.3)) for i in self._pick(2))
        start = self.made.start()
        apart = float(np.linalg.norm(start.point(q) - start.point(p)))
        ratio = float(r.uniform(0.5, 2)) * (-1 if r.random() < 0.2 else 1)
        angle = float(np.radians(r.uniform(15, 30))) * int(r.choice([1, -1]))
        if abs(ratio + 1) > 0.2 and apart > 0.1:
            self._try(Involutes(p, q, ratio, angle, apart))

    def _change_ratio(self) -> None:
        """Couple the rates of two angles in a ratio that changes."""
        turns = [m for m in self.measures if isinstance(m, Turn)]
        if len(turns) < 2:
            return
        one, other = self.random.choice(len(turns), 2, replace=False)
        ratio, wave = (float(v) for v in self.random.uniform(0.3, 1, 2))
        self._try(Rolling(turns[one], turns[other], ratio, 0.5 * wave))

    def _drive(self) -> None:
        """Prescribe an angle or a way."""
        r = self.random
        free = [m for m in self.measures if m not in self.driven]
        if not free:
            return
        measure = free[int(r.integers(len(free)))]
        amplitude, slope = float(r.uniform(-0.5, 0.5)), float(r.uniform(-1, 1))
        pace, phase = float(r.uniform(1, 6)), float(r.uniform(0, 2 * np.pi))
        at = float(measure.value(self.made.start()).real) - amplitude * np.sin(phase)
        motion = Motion(at, slope if r.random() < 0.5 else 0.0, amplitude, pace, phase)
        if self._try(Drive(measure, motion)):
            self.driven.add(measure)

    # Forces

    def _act_on(self, measure: Turn | Shift) -> None:
        kind = self.random.choice(["spring", "damper", "none"])
        stiffness, damping = self.random.uniform(1, 20), self.random.uniform(0.1, 1)
        if measure in self.driven or kind == "none":
            return
        spring = Spring(measure, damping=float(damping))
        if kind == "spring":
            rest = float(measure.value(self.made.start()).real) + self.random.uniform(-0.3, 0.3)
            spring = Spring(measure, float(stiffness), rest=rest)
        self.made.forces.append(spring)

    def _push(self) -> None:
        part = self._pick(1, ground=False)[0]
        self.made.forces.append(Load(Spot(part), self._vector(3)))


def varied(seed: int, most_bodies: int = 10) -> Mechanism:
    """Return the mechanism of a seed, with two bodies or more, and rims beside."""
    bodies = int(np.random.default_rng([seed, 3]).integers(2, most_bodies + 1))
    return Draft(seed, bodies).made
