"""Beams that hang together, by their strains, laws and energies alone."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
import scipy.linalg

from mbcore.elements import PlanarBeam, SpatialBeam
from mbcore.model.element import Element
from mbcore.model.model import Model
from mbcore.model.nodes.nodes import Angle, Node, Point, Rotation, in_coordinates
from mbcore.model.quantities import Deformation, Role


class Structure:
    """Beams that hang together, with what classical structural mechanics asks of them."""

    def __init__(self, nodes: Sequence[Node], elements: Sequence[Element]) -> None:
        self.nodes, self.elements = nodes, elements
        self.x = ca.vertcat(*(node.coordinates for node in nodes))
        self.v = ca.vertcat(*(node.velocities for node in nodes))
        self.start = np.array(ca.DM(ca.vertcat(*(node.start for node in nodes)))).ravel()
        for element in elements:
            element.make_quantities()
        self.deformations = [d for e in elements for d in e.deformations.values()]
        self.rigid = [d for d in self.deformations if d.role is Role.RIGID]
        self.free = [d for d in self.deformations if d.role is Role.DEPENDENT]

    def plain(self, expression: ca.SX) -> ca.SX:
        """Write a formula in coordinates and their velocities alone."""
        return in_coordinates(ca.SX(expression), *self.nodes)

    def strains(self, deformations: Sequence[Deformation]) -> ca.SX:
        return self.plain(ca.vertcat(*(d.expression for d in deformations)))

    def kinetic_energy(self) -> ca.SX:
        return self.plain(sum((e.kinetic_energy() for e in self.elements), ca.SX(0)))

    def numbers(self, expression: ca.SX, x: np.ndarray | None = None) -> np.ndarray:
        f = ca.Function("f", [self.x], [self.plain(expression)])
        return np.array(f(self.start if x is None else x))

    def tangents(self) -> np.ndarray:
        """Columns: displacements of the points and small rotations, on inertial axes."""
        blocks = []
        for node in self.nodes:
            if not isinstance(node, Rotation):
                blocks.append(np.eye(node.coordinates.numel()))
                continue
            e0, e1, e2, e3 = np.array(ca.DM(node.start)).ravel()  # half of (0, θ)∘e
            rows = [[-e1, -e2, -e3], [e0, e3, -e2], [-e3, e0, e1], [e2, -e1, e0]]
            blocks.append(np.array(rows) / 2)
        return scipy.linalg.block_diag(*blocks)

    def stiffness(self) -> np.ndarray:
        """Return Bᵀ S B of the start configuration, the law's S and the strains' B."""
        laws = ca.vertcat(*(sum(d.laws, ca.SX(0)) for d in self.free))
        values = ca.vertcat(*(d.value for d in self.free))
        S = np.array(ca.DM(ca.jacobian(laws, values)))
        B = self.numbers(ca.jacobian(self.strains(self.free), self.x))
        return self.tangents().T @ B.T @ S @ B @ self.tangents()

    def mass(self) -> np.ndarray:
        M = self.numbers(ca.hessian(self.kinetic_energy(), self.v)[0])
        return self.tangents().T @ M @ self.tangents()

    def constraints(self) -> np.ndarray:
        C = ca.jacobian(self.strains(self.rigid), self.x)
        return self.numbers(C) @ self.tangents()

    def frequencies(self, fixed: Sequence[int]) -> np.ndarray:
        """Natural frequencies, rad/s, with some tangent directions fixed."""
        n = self.tangents().shape[1]
        C = np.eye(n)[list(fixed)]
        if self.rigid:
            C = np.vstack([C, self.constraints()])
        Z = scipy.linalg.null_space(C)
        squares = scipy.linalg.eigh(Z.T @ self.stiffness() @ Z, Z.T @ self.mass() @ Z)[0]
        return np.sqrt(squares)

    def energy(self) -> ca.SX:
        elastic = sum((d.elastic_energy for d in self.deformations), ca.SX(0))
        values = ca.vertcat(*(d.value for d in self.deformations))
        return ca.substitute(elastic, values, self.strains(self.deformations))

    def deflect(self, fixed: Sequence[Node], work: ca.SX, steps: int = 50) -> np.ndarray:
        """Minimize the potential energy, by Newton's method with multipliers."""
        conditions = [self.plain(d.expression) for d in self.rigid]
        for node in self.nodes:
            if node in fixed:
                conditions.append(node.coordinates - node.start)
            else:
                conditions += [c.expression for c in node.conditions()]
        c = ca.vertcat(*conditions)
        mu, factor = ca.SX.sym("mu", c.numel()), ca.SX.sym("factor")
        z = ca.vertcat(self.x, mu)
        lagrangian = self.energy() - factor * work + ca.dot(mu, c)
        hessian, gradient = ca.hessian(lagrangian, z)
        newton = ca.Function("newton", [z, factor], [hessian, gradient])
        found = np.r_[self.start, np.zeros(c.numel())]
        for k in range(1, steps + 1):
            for _ in range(30):
                H, g = newton(found, k / steps)
                step = np.linalg.solve(np.array(H), np.array(g).ravel())
                found = found - step
                if np.abs(step).max() < 1e-10 * np.abs(found).max():
                    break
            else:
                raise AssertionError("no equilibrium found")
        return found[: self.start.size]


def planar_chain(n: int, length: float, direction: float = 0.0, **data: object) -> Structure:
    along = length * np.array([np.cos(direction), np.sin(direction)])
    points = [Point(f"p{i}", tuple(along * i / n)) for i in range(n + 1)]
    angles = [Angle(f"a{i}", 0.1 * i) for i in range(n + 1)]
    beams = [
        PlanarBeam(f"b{i}", points[i], angles[i], points[i + 1], angles[i + 1], **data)  # type: ignore[arg-type]
        for i in range(n)
    ]
    return Structure([node for pair in zip(points, angles, strict=True) for node in pair], beams)


def spatial_chain(places: np.ndarray, **data: object) -> Structure:
    points = [Point(f"p{i}", tuple(place)) for i, place in enumerate(places)]
    turns = [Rotation(f"e{i}") for i in range(len(places))]
    beams = [
        SpatialBeam(f"b{i}", points[i], turns[i], points[i + 1], turns[i + 1], **data)  # type: ignore[arg-type]
        for i in range(len(places) - 1)
    ]
    return Structure([node for pair in zip(points, turns, strict=True) for node in pair], beams)


def cantilever(n: int) -> Model:
    model = Model("cantilever")
    moment = model.input("moment", 1.0, unit="N.m")
    points = [model.point(f"p{i}", (i / n, 0.0), fixed=i == 0) for i in range(n + 1)]
    angles = [model.angle(f"a{i}", fixed=i == 0) for i in range(n + 1)]
    for i in range(n):
        ends = (points[i], angles[i], points[i + 1], angles[i + 1])
        beam = model.add(PlanarBeam(f"b{i}", *ends, bending_stiffness=1.0, mass_per_length=1.0))
        beam.bending_p.dof()
        beam.bending_q.dof()
    model.moment(angles[n], moment)
    model.output("x", points[n].x.value)
    model.output("y", points[n].y.value)
    return model
