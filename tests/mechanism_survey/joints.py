"""Joints, drives and contacts of the judge: what each holds, and its rate, written by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.mechanism_survey.maximal import Spot, State, rotation, skew, velocity


def length(a: np.ndarray) -> np.ndarray:
    """Return the length of a vector that may be complex."""
    return np.sqrt(a @ a)


@dataclass(frozen=True, eq=False)
class Motion:
    """offset + slope t + amplitude sin(pace t + phase)."""

    offset: float
    slope: float = 0.0
    amplitude: float = 0.0
    pace: float = 1.0
    phase: float = 0.0

    def value(self, t: complex, sin: Callable = np.sin) -> complex:
        """Return it at a time, which may be a symbol with its own sine."""
        wave = self.amplitude * sin(self.pace * t + self.phase) if self.amplitude else 0.0
        return self.offset + self.slope * t + wave

    def rate(self, t: complex) -> complex:
        """Return its rate."""
        return self.slope + self.amplitude * self.pace * np.cos(self.pace * t + self.phase)


@dataclass(frozen=True, eq=False)
class Tie:
    """Point q stays at the spot p on ``kept`` axes of p's body; on others it may move.

    ``frame`` has these axes as columns on the body's own ones.
    """

    p: Spot
    q: Spot
    kept: tuple[int, ...] = (0, 1, 2)
    frame: np.ndarray | None = None

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.p.body, self.q.body

    def axes(self, state: State) -> np.ndarray:
        """Return all three axes in space, as columns."""
        R = state.turned[self.p.body]
        return R if self.frame is None else R @ self.frame

    def apart(self, state: State) -> np.ndarray:
        """Return where q is relative to p, on the axes."""
        return self.axes(state).T @ (state.point(self.q) - state.point(self.p))

    def parting(self, state: State, twist: np.ndarray) -> np.ndarray:
        """Return the rate of this: relative velocity as the body of p sees it."""
        from_p = state.point(self.q) - state.place[self.p.body]
        carried = twist[..., self.p.body, :3] + twist[..., self.p.body, 3:] @ skew(from_p)
        return (velocity(state, twist, self.q) - carried) @ self.axes(state)

    def value(self, state: State) -> np.ndarray:
        return self.apart(state)[list(self.kept)]

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        return self.parting(state, twist)[..., list(self.kept)]


class Journal(Tie):
    """A tie of two bodies in the plane that is the pin of a bearing."""


@dataclass(frozen=True, eq=False)
class Shift:
    """By how much q of a tie has moved along one of its axes."""

    tie: Tie
    axis: int

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.tie.bodies

    def value(self, state: State) -> np.ndarray:
        return self.tie.apart(state)[self.axis]

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        return self.tie.parting(state, twist)[..., [self.axis]]


@dataclass(frozen=True, eq=False)
class Axle:
    """Body q turns relative to p about an axis of p; at angle zero it is turned by ``rest``.

    Its angle starts at ``start``.
    """

    p: int
    q: int
    axis: np.ndarray
    rest: np.ndarray
    start: float = 0.0

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.p, self.q

    @cached_property
    def across(self) -> tuple[np.ndarray, np.ndarray]:
        """Two unit directions across the axis, on p's axes."""
        e = self.axis / np.linalg.norm(self.axis)
        y = np.cross(e, np.eye(3)[np.argmin(np.abs(e))])
        y /= np.linalg.norm(y)
        return y, np.cross(e, y)

    @cached_property
    def on_q(self) -> np.ndarray:
        """The axis on q's axes."""
        return rotation(self.rest).T @ self.axis / np.linalg.norm(self.axis)

    def value(self, state: State) -> np.ndarray:
        there = state.axis(self.q, self.on_q)
        return np.array([state.axis(self.p, y) @ there for y in self.across])

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        turning, there = twist[..., self.q, 3:] - twist[..., self.p, 3:], state.turned[self.q]
        rows = [skew(there @ self.on_q) @ state.axis(self.p, y) for y in self.across]
        return np.stack([turning @ row for row in rows], -1)


@dataclass(frozen=True, eq=False)
class Turn:
    """The angle of an axle, which may wind."""

    axle: Axle

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.axle.bodies

    def value(self, state: State) -> np.ndarray:
        axle = self.axle
        y, z = (state.axis(axle.p, e) for e in axle.across)
        moved = state.axis(axle.q, rotation(axle.rest).T @ axle.across[0])
        c, s = moved @ y, moved @ z
        angle = np.arctan2(np.real(s), np.real(c))
        angle = angle + 1j * np.imag((c.real * s - s.real * c) / (c.real**2 + s.real**2))
        turns = np.round((state.near.get(axle, axle.start) - np.real(angle)) / (2 * np.pi))
        return angle + 2 * np.pi * turns

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        axle = self.axle
        turning = twist[..., axle.q, 3:] - twist[..., axle.p, 3:]
        return (turning @ state.axis(axle.p, axle.axis / np.linalg.norm(axle.axis)))[..., None]


@dataclass(frozen=True, eq=False)
class Drive:
    """A measure follows a motion."""

    measure: Turn | Shift
    motion: Motion

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.measure.bodies

    def value(self, state: State) -> np.ndarray:
        return self.measure.value(state) - self.motion.value(state.time)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        return self.measure.rate(state, twist) - self.motion.rate(state.time)


@dataclass(frozen=True, eq=False)
class Gearing:
    """Σ factor · measure + wave · sin(last measure) = motion: gears, racks, differentials, cams."""

    measures: tuple[Turn | Shift, ...]
    factors: tuple[float, ...]
    motion: Motion
    wave: float = 0.0

    @property
    def bodies(self) -> tuple[int, ...]:
        return tuple(b for m in self.measures for b in m.bodies)

    def value(self, state: State) -> np.ndarray:
        values = [m.value(state) for m in self.measures]
        found = sum(c * v for c, v in zip(self.factors, values, strict=True))
        return found + self.wave * np.sin(values[-1]) - self.motion.value(state.time)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        pairs = zip(self.factors, self.measures, strict=True)
        found = sum(c * m.rate(state, twist) for c, m in pairs)
        if self.wave:
            last = self.measures[-1]
            found = found + self.wave * np.cos(last.value(state)) * last.rate(state, twist)
        return found - self.motion.rate(state.time)


@dataclass(frozen=True, eq=False)
class Rolling:
    """Rates in a ratio that changes: first + (ratio + wave sin(first)) · second = 0."""

    first: Turn
    second: Turn
    ratio: float
    wave: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.first.bodies + self.second.bodies

    def value(self, state: State) -> np.ndarray:
        return np.zeros(0)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        factor = self.ratio + self.wave * np.sin(self.first.value(state))
        return self.first.rate(state, twist) + factor * self.second.rate(state, twist)


@dataclass(frozen=True, eq=False)
class Bar:
    """A bar of constant length between two spots."""

    p: Spot
    q: Spot
    length: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.p.body, self.q.body

    def value(self, state: State) -> np.ndarray:
        return length(state.point(self.q) - state.point(self.p)) - self.length

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        r = state.point(self.q) - state.point(self.p)
        apart = velocity(state, twist, self.q) - velocity(state, twist, self.p)
        return (apart @ (r / length(r)))[..., None]


@dataclass(frozen=True, eq=False)
class Disk:
    """A thin disk on a plane, ``normal`` · x = ``height``, which rolls; it stays above."""

    centre: Spot
    axle: np.ndarray
    radius: float
    normal: np.ndarray
    height: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return (self.centre.body,)

    def foot(self, state: State) -> np.ndarray:
        """Return the lowest point of the rim relative to the centre."""
        a = state.axis(self.centre.body, self.axle / np.linalg.norm(self.axle))
        down = (self.normal @ a) * a - self.normal
        return self.radius * down / length(down)

    def value(self, state: State) -> np.ndarray:
        foot = state.point(self.centre) + self.foot(state)
        return self.normal @ foot - self.height

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        turning = twist[..., self.centre.body, 3:]
        return velocity(state, twist, self.centre) + turning @ skew(self.foot(state))


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball that rolls on a plane."""

    centre: Spot
    radius: float
    normal: np.ndarray
    height: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return (self.centre.body,)

    def value(self, state: State) -> np.ndarray:
        return self.normal @ state.point(self.centre) - self.radius - self.height

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        turning = twist[..., self.centre.body, 3:]
        return velocity(state, twist, self.centre) - turning @ skew(self.radius * self.normal)


@dataclass(frozen=True, eq=False)
class Blade:
    """A tip that slides on a plane along its blade only; in the plane of motion without height."""

    tip: Spot
    direction: np.ndarray
    normal: np.ndarray
    height: float | None = None

    @property
    def bodies(self) -> tuple[int, ...]:
        return (self.tip.body,)

    def value(self, state: State) -> np.ndarray:
        if self.height is None:
            return np.zeros(0)
        return self.normal @ state.point(self.tip) - self.height

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        across = skew(self.normal) @ state.axis(self.tip.body, self.direction)
        v = velocity(state, twist, self.tip)
        sideways = v @ (across / length(across))
        return np.stack([sideways, *([] if self.height is None else [v @ self.normal])], -1)


@dataclass(frozen=True, eq=False)
class UprightWheel:
    """A wheel seen from above: its centre moves along its direction, as fast as it spins."""

    centre: Spot
    direction: np.ndarray
    radius: float
    spin: int

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.centre.body, self.spin

    def value(self, state: State) -> np.ndarray:
        return np.zeros(0)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        along = state.axis(self.centre.body, self.direction)
        v = velocity(state, twist, self.centre)
        rolled = self.radius * twist[..., self.spin, 5]
        return np.stack([v @ along - rolled, v @ (skew(np.eye(3)[2]) @ along)], -1)


@dataclass(frozen=True, eq=False)
class Involutes:
    """Two gears with involute teeth: where these touch, both have one velocity along the normal.

    The normal is the line of action, through the pitch point, which divides the centre distance
    as the teeth do. The base circles stay; so cos α grows as the centres approach.
    """

    p: Spot
    q: Spot
    ratio: float
    angle: float
    distance: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.p.body, self.q.body

    def value(self, state: State) -> np.ndarray:
        return np.zeros(0)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        r = state.point(self.q) - state.point(self.p)
        apart = length(r)
        u = r / apart
        cosine = self.distance * np.cos(self.angle) / apart
        sine = np.sign(self.angle) * np.sqrt(1 - cosine**2)
        action = sine * u + cosine * (skew(np.eye(3)[2]) @ u)
        to_pitch = r / (1 + self.ratio)
        found = []
        for spot, arm in ((self.p, to_pitch), (self.q, to_pitch - r)):
            found.append(velocity(state, twist, spot) + twist[..., spot.body, 3:] @ skew(arm))
        return ((found[1] - found[0]) @ action)[..., None]
