"""A hanging chain of links on pins that rub, by Newton and Euler, with all modes enumerated.

Angles are absolute. The pin forces are those of the links' accelerations, the moments of friction
follow from them by Newton's method in a mode: each joint sticks, or slides one way. At an event all
modes are tried, and that one goes on which keeps every joint that sticks within its friction and
moves every joint that begins to slide its way. It must be the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = np.array([0, -9.81])
BACKWARDS = 1e-11
"""Rate against the sense of sliding at which a joint has come to rest, rad/s."""
JUST = 1e-7
"""Acceleration against the sense in which a joint at its limit begins to slide, rad/s²."""


@dataclass(frozen=True)
class Links:
    """The n links of a chain, with a mass and an inertia at the end of each.

    Attributes
    ----------
    mass, inertia, length : ndarray (n,)
        kg, kg.m2, m.
    arm : ndarray (n,)
        Coefficient of friction times radius of the pin at the beginning of each link, m.
    """

    mass: np.ndarray
    inertia: np.ndarray
    length: np.ndarray
    arm: np.ndarray

    def respond(
        self, angles: np.ndarray, rates: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what friction moments m do: [1, m] gives accelerations, relative ones, forces.

        Shapes (n, 1 + n), (n, 1 + n) and (n, 1 + n, 2).
        """
        n = len(angles)
        along = self.length[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
        across = along[:, ::-1] * [-1, 1]
        centripetal = np.cumsum(-(rates[:, None] ** 2) * along, 0)
        of_ends = np.tril(np.ones((n, n)))[:, :, None] * across
        inertia = np.einsum("e,eix,ejx->ij", self.mass, of_ends, of_ends) + np.diag(self.inertia)
        pull = np.einsum("e,eix,ex->i", self.mass, of_ends, GRAVITY - centripetal)
        moments = np.eye(n, k=1) - np.eye(n)  # on the link behind a pin, and back on that before it
        turning = np.linalg.solve(inertia, np.column_stack([pull, moments]))
        moving = np.einsum("eix,ik->ekx", of_ends, turning)
        moving[:, 0] += centripetal - GRAVITY
        forces = np.cumsum((self.mass[:, None, None] * moving)[::-1], 0)[::-1]
        return turning, np.vstack([turning[:1], np.diff(turning, axis=0)]), forces

    def frictions(
        self, response: tuple[np.ndarray, np.ndarray, np.ndarray], mode: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the moments in a mode and the largest that can be, (n,); None if none is found."""
        _, relative, forces = response
        found = np.zeros(len(mode))
        for _ in range(50):
            force = forces[:, 0] + np.einsum("pkx,k->px", forces[:, 1:], found)
            size = np.linalg.norm(force, axis=1)
            slope = np.einsum("px,pkx->pk", force, forces[:, 1:]) / size[:, None]
            held = relative[:, 0] + relative[:, 1:] @ found
            sliding = np.eye(len(mode)) - (mode * self.arm)[:, None] * slope
            missed = np.where(mode == 0, held, found - mode * self.arm * size)
            rows = np.where((mode == 0)[:, None], relative[:, 1:], sliding)
            change = np.linalg.solve(rows, missed)
            found = found - change
            if np.abs(change).max() < 1e-13 * (1 + np.abs(found).max()):
                return found, self.arm * size
        return None

    def admitted(
        self, angles: np.ndarray, rates: np.ndarray, choices: Sequence[tuple[int, ...]]
    ) -> list[tuple[int, ...]]:
        """Return the modes that a state admits; a joint with one choice moves already."""
        response = self.respond(angles, rates)
        modes = []
        for mode in map(np.array, product(*choices)):
            solved = self.frictions(response, mode)
            if solved is None:
                continue
            moments, limits = solved
            goes = response[1][:, 0] + response[1][:, 1:] @ moments
            leaves = np.array([0 not in choice for choice in choices])
            begun = np.array([len(choice) == 1 for choice in choices]) | (
                goes * mode > -JUST * leaves
            )
            if np.where(mode == 0, np.abs(moments) <= limits, begun).all():
                modes.append(tuple(mode.tolist()))
        return modes

    def run(
        self, angles: np.ndarray, rates: np.ndarray, until: float
    ) -> tuple[np.ndarray, np.ndarray, list[tuple[float, tuple[int, ...]]]]:
        """Return relative angles and rates at a time, or at rest before, and times with modes."""
        n, time = len(angles), 0.0
        mode = np.sign(np.diff(rates, prepend=0)).astype(int)
        seen: list[tuple[float, tuple[int, ...]]] = []

        def rate(_: float, state: np.ndarray) -> np.ndarray:
            response = self.respond(state[:n], state[n:])
            moments = self.frictions(response, mode)[0]  # type: ignore[index]
            return np.r_[state[n:], response[0][:, 0] + response[0][:, 1:] @ moments]

        while mode.any():
            ends = [self._end(k, mode) for k in range(n)]
            done = solve_ivp(
                rate, (time, until), np.r_[angles, rates], method="DOP853", events=ends,
                rtol=1e-11, atol=1e-13,
            )  # fmt: skip
            time, angles, rates = done.t[-1], done.y[:n, -1], done.y[n:, -1]
            hit = [len(times) > 0 for times in done.t_events]
            if not any(hit):
                break
            slides = np.array([not ended and m != 0 for ended, m in zip(hit, mode, strict=True)])
            rates = np.cumsum(np.where(slides, np.diff(rates, prepend=0), 0))
            choices = [
                (m,) if s else (1, -1) if ended and m == 0 else (0, 1, -1)
                for m, s, ended in zip(mode.tolist(), slides, hit, strict=True)
            ]
            modes = self.admitted(angles, rates, choices)
            assert len(modes) == 1, (time, modes)
            mode = np.array(modes[0])
            seen.append((time, modes[0]))
        return np.diff(angles, prepend=0), np.diff(rates, prepend=0), seen

    def _end(self, k: int, mode: np.ndarray):  # type: ignore[no-untyped-def]
        """Return the function of time and state that falls below zero where joint k changes."""
        n = len(mode)

        def left(_: float, state: np.ndarray) -> float:
            if mode[k]:
                return mode[k] * np.diff(state[n:], prepend=0)[k] + BACKWARDS
            moments, limits = self.frictions(self.respond(state[:n], state[n:]), mode)  # type: ignore[misc]
            return limits[k] - abs(moments[k])

        left.terminal, left.direction = True, -1  # type: ignore[attr-defined]
        return left
