"""The position problem as expressions: one Newton step (A.98) towards the configuration.

Coordinates that placements and roles give are functions of the others; only these, and the tears,
are iterated. A model whose nodes are all placed needs no iteration at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.elimination.block_solver import BlockSolver, tearing_of
from mbcore.equations.elimination.blocks import Measure
from mbcore.equations.elimination.relations import Placed, Relations, Turned, placed_values
from mbcore.equations.elimination.unit_sizes import Sizes, sizes_of
from mbcore.equations.sides import within
from mbcore.model.expressions import column, replace, scalars, sparse, symbolic
from mbcore.model.kinks import jtimes
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Coordinate, Rotation
from mbcore.model.quantities import Deformation, Role
from mbcore.model.tables import derivatives


@dataclass(frozen=True)
class Configuration:
    """The position problem of n coordinates, of which the first ones are iterated.

    Attributes
    ----------
    x : SX
        Coordinates and tears, the argument of all functions, shape (n, 1).
    iterated : int
        Number of those that are iterated; the others follow.
    placed : SX
        x with the coordinates that follow at their right values, shape (n, 1).
    following : SX
        x after a Newton step, shape (n, 1).
    residual : SX
        Conditions that the iteration solves, at least one for each iterated coordinate.
    names, conditions : tuple of str
        Names of the coordinates, and of the deformations behind ``residual``.
    start : SX
        First guess, an expression of the parameters, shape (n, 1).
    lengths : tuple of bool
        Which of the coordinates are lengths.
    measures : list of (names, SX)
        Names and conditioning measures of each block that can become singular.
    change : callable
        ``change(arguments, direction)``: change of x with arguments of the functions, (n, 1).
    moved : callable, optional
        The same for all symbols that change with the configuration, directions of rotations too:
        symbols, and their changes.
    """

    x: ca.SX
    iterated: int
    placed: ca.SX
    following: ca.SX
    residual: ca.SX
    names: tuple[str, ...]
    conditions: tuple[str, ...]
    start: ca.SX
    lengths: tuple[bool, ...]
    measures: list[tuple[str, ca.SX]]
    change: Callable[[ca.SX, ca.SX], ca.SX]
    moved: Callable[[ca.SX, ca.SX], tuple[ca.SX, ca.SX]] | None = None


Numbers = Callable[[ca.SX], np.ndarray]
"""Evaluates a matrix near the start configuration."""


def named_measures(measures: Sequence[Measure], names: Sequence[str]) -> list[tuple[str, ca.SX]]:
    """Return measures with the names of their rows."""
    return [(", ".join(dict.fromkeys(names[i] for i in rows)), m) for rows, m in measures]


def nodal_configuration(
    A: Assembly, residual: ca.SX, natural: float
) -> tuple[Configuration, BlockSolver]:
    """Return the position problem over all nodal coordinates, and the solver of its Jacobian."""
    rows = sizes_of((q.unit for q in A.position_rows), natural)
    columns = sizes_of((c.unit for c in A.coordinates), natural)
    solver = BlockSolver(derivatives.jacobian(residual, A.x), sizes=Sizes(rows, columns))
    names = tuple(q.name for q in A.position_rows)
    return (
        Configuration(
            A.x,
            A.x.numel(),
            A.x,
            A.x - solver.solve(sparse(residual)),  # [Schwab2002] (A.98)
            residual,
            tuple(c.name for c in A.coordinates),
            names,
            A.start,
            tuple(c.unit == "m" for c in A.coordinates),
            named_measures(solver.measures(), names),
            lambda of, by: -solver.solve(sparse(jtimes(residual, of, by, within(A.model)))),
        ),
        solver,
    )


class PlacedConfiguration:
    """Makes the position problem of a model some of whose nodes are placed."""

    def __init__(self, relations: Relations, numbers: Numbers, natural: float) -> None:
        self.relations = relations
        A = self.assembly = relations.assembly
        assert isinstance(A, SpeedAssembly)
        self.speeds = A
        self.rows = relations.implicit
        self.J = relations.jacobian(kinematic=True)
        sizes = relations.sizes(True, natural)
        self.solver = BlockSolver(
            self.J,
            relations.groups(kinematic=True),
            tearing_of(
                self.J,
                lambda: numbers(self.J),
                list(A.columns.values()),
                A.v.numel(),
                self.J.shape[0],
                sizes,
            ),
            sizes,
        )
        self._sort_coordinates()

    def _sort_coordinates(self) -> None:
        A, relations = self.speeds, self.relations
        follows = {p.placement.node.name for p in relations.placed}
        follows |= {t.node.name for t in relations.turned}
        given = {g.coordinate.name for g in relations.given}
        self._iterated: list[Coordinate] = []
        self._following: list[Coordinate] = []
        present = {id(c) for c in A.coordinates}
        for node in A.model.nodes.values():
            for c in node.quantities:
                if id(c) in present:
                    explicit = node.name in follows or c.name in given
                    (self._following if explicit else self._iterated).append(c)
        self.x = column(
            [
                *(c.expression for c in self._iterated),
                relations.tear_values,
                *(c.expression for c in self._following),
            ]
        )

    def _values(self) -> dict[str, ca.SX]:
        """Coordinates of all nodes that are not fixed, as functions of the iterated ones."""
        A = self.speeds
        explicit: list[Deformation] = [g.coordinate for g in self.relations.given]
        explicit += [c for t in self.relations.turned for c in t.node.quantities]
        given = {c.name: A.place(A.target(c)) for c in explicit}
        values: dict[str, ca.SX] = {}
        present = {id(c) for c in A.coordinates}
        for node in A.model.nodes.values():
            if not A.columns[node.name]:
                continue
            there = [
                given.get(c.name, c.expression if id(c) in present else ca.SX(c.fixed))
                for c in node.quantities
            ]
            value = column(there)
            if isinstance(node, Rotation) and not node.freedom:
                value = value / ca.sqrt(ca.sumsqr(value))
            values[node.name] = value
        unplaced = {p.placement.node.name for p in self.relations.placed}
        return placed_values(self.relations, {n: v for n, v in values.items() if n not in unplaced})

    def make(self) -> Configuration:
        """Return the position problem, a step of [Schwab2002] (A.98)."""
        A, relations = self.speeds, self.relations
        values = self._values()
        residual = column(A.residual(q) for q in self.rows)
        first = self.J.shape[0] - len(self.rows)
        right = ca.SX(self.J.shape[0], 1)
        jump = self._jump(values)
        right[first:] = -residual - sparse(self.J[first:, : A.v.numel()]) @ jump
        step = self.solver.solve(sparse(right))  # [Schwab2002] (A.98)
        n = step.numel()
        in_coordinates = self._normed(A.in_coordinates(column([step, residual])), values)
        step = in_coordinates[:n]
        residual = in_coordinates[n:] if self.rows else ca.SX(0, 1)
        following, starts, names = self._moved(values, step)
        placed, _, _ = self._moved(values, ca.SX(n, 1))
        order = [g.coordinate.name for g in relations.given]
        explicit: list[Turned | Placed] = [*relations.turned, *relations.placed]
        rows = [*order, *(A.speed_names[c] for p in explicit for c in p.columns)]
        rows += [q.name for q in self.rows]
        everything = [*self._iterated, *relations.tears, *self._following]
        return Configuration(
            self.x,
            len(self._iterated) + len(relations.tears),
            placed,
            following,
            residual,
            names,
            tuple(q.name for q in self.rows),
            starts,
            tuple(c.unit == "m" for c in everything),
            named_measures(self.solver.measures(), rows),
            self._change,
            self._moving,
        )

    def _moving(self, of: ca.SX, by: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Symbols that change with the configuration, and their changes with arguments."""
        A, step = self.speeds, self._step(of, by)
        n = A.v.numel()
        return (
            column([A.placed, self.relations.tear_values]),
            column([replace(A.placed_change, A.v, step[:n, :]), step[n:, :]]),
        )

    def _change(self, of: ca.SX, by: ca.SX) -> ca.SX:
        """Change of x with arguments."""
        A, step = self.speeds, self._step(of, by)
        n = A.v.numel()
        changes = replace(A.change, A.v, step[:n])
        names = {str(symbol): i for i, symbol in enumerate(ca.vertsplit(A.changing))}
        tears = {f"{q.name}:tear": step[n + k] for k, q in enumerate(self.relations.tears)}
        return column(
            tears[str(x)] if str(x) in tears else changes[names[str(x)]]
            for x in (ca.vertsplit(self.x) if self.x.numel() else [])
        )

    def _step(self, of: ca.SX, by: ca.SX) -> ca.SX:
        """Change of nodes and tears with arguments, by the implicit-function theorem."""
        A, relations = self.speeds, self.relations
        given: list[Deformation] = [g.coordinate for g in relations.given]
        given += [c for t in relations.turned for c in t.node.quantities]
        given += [q for p in relations.placed for q in p.strains if q.role is not Role.DEPENDENT]
        targets = column(A.place(A.target(q)) for q in [*given, *self.rows])
        rates = jtimes(targets, of, by, within(A.model))
        residual = replace(relations.residual(kinematic=True), *relations.values)
        symbols = column(q.rate for q in [*given, *self.rows])
        right = -derivatives.jtimes(residual, symbols, rates) - self._change_in_place(of, by)
        return self.solver.solve(sparse(right))

    def _change_in_place(self, of: ca.SX, by: ca.SX) -> ca.SX:
        """Change of formulas of placements and conditions with arguments that they contain.

        Coordinates and strains are constant. Formulas contain parameters; relations also signals.
        """
        A, relations = self.speeds, self.relations
        held = {q.name: q.value for p in relations.placed for q in p.strains}
        held |= {q.name: q.value for q in A.coupled}
        symbols = column(held.values())
        still = ca.SX.sym("held", symbols.numel())

        def changes(formulas: list[ca.SX]) -> ca.SX:
            there = replace(A.in_coordinates(A.place(column(formulas))), symbols, still)
            return replace(jtimes(there, of, by, within(A.model)), still, symbols)

        given = len(relations.given) + sum(len(t.columns) for t in relations.turned)
        parts = [ca.SX(given, 1)]
        for p in relations.placed:
            node, change = p.placement.node, changes([p.placement.coordinates])
            if isinstance(node, Rotation):
                change = rotations.angular_velocity(node.coordinates, change)
            parts.append(-change)
        related = A.relations
        formulas = [
            related[q.name].expression if q.name in related else q.expression for q in self.rows
        ]
        return replace(column([*parts, changes(formulas)]), *relations.values)

    def _normed(self, expression: ca.SX, values: dict[str, ca.SX]) -> ca.SX:
        """Replace iterated Euler parameters in an expression by those of norm one.

        A step that turns them does not change their norm, so conditions must not depend on it.
        """
        placed = {p.placement.node.name for p in self.relations.placed}
        placed |= {t.node.name for t in self.relations.turned}
        nodes = self.speeds.model.nodes
        free = [n for n in values if n not in placed and isinstance(nodes[n], Rotation)]
        return replace(
            expression,
            column(nodes[n].coordinates for n in free),
            column(values[n] for n in free),
        )

    def _jump(self, values: dict[str, ca.SX]) -> ca.SX:
        """Distance of given and placed nodes from their right places, as a step of the speeds.

        Conditions on other nodes are linearized at the old configuration, and this step moves these
        nodes along.
        """
        A, relations = self.speeds, self.relations
        jump = ca.SX(A.v.numel(), 1)
        for g in relations.given:
            jump[g.column] = A.place(A.target(g.coordinate)) - g.coordinate.expression
        explicit = [(t.node, t.columns) for t in relations.turned]
        for node, columns in [
            *explicit,
            *((p.placement.node, p.columns) for p in relations.placed),
        ]:
            there, here = values[node.name], node.coordinates
            if isinstance(node, Rotation):
                turn = rotations.product(there, rotations.adjoint(here))
                jump[list(columns)] = _turned_by(turn)
            else:
                jump[list(columns)] = there - here
        return jump

    def _moved(self, values: dict[str, ca.SX], step: ca.SX) -> tuple[ca.SX, ca.SX, tuple[str, ...]]:
        """Coordinates after a step of the speeds, their first guess, and their names."""
        A, relations = self.speeds, self.relations
        present = {id(c) for c in A.coordinates}
        moved: dict[str, ca.SX] = {}
        start: dict[str, ca.SX] = {}
        for name, value in values.items():
            node = A.model.nodes[name]
            columns = A.columns[name]
            by = step[columns]
            if isinstance(node, Rotation):
                there = value if by.is_zero() else _turned(value, by)
            else:
                steps = iter(scalars(by))
                parts = zip(node.quantities, scalars(value), strict=True)
                there = column(x + next(steps) if id(c) in present else x for c, x in parts)
            for c, place in zip(node.quantities, scalars(there), strict=True):
                moved[c.name], start[c.name] = place, symbolic(c.start)
        for k, q in enumerate(relations.tears):
            moved[q.name] = relations.tear_values[k] + step[A.v.numel() + k]
            start[q.name] = self._start_of(A.place(q.expression))
        names = [c.name for c in self._iterated]
        names += [q.name for q in relations.tears]
        names += [c.name for c in self._following]
        return column(moved[n] for n in names), column(start[n] for n in names), tuple(names)

    def _start_of(self, expression: ca.SX) -> ca.SX:
        A = self.speeds
        return replace(
            A.in_coordinates(expression),
            column(c.expression for c in A.coordinates),
            column(c.start for c in A.coordinates),
        )


def _turned(value: ca.SX, by: ca.SX) -> ca.SX:
    """Return Euler parameters of norm one after a small turn, shape (4, 1).

    With another norm a body would seem to have grown, and every second step of the iteration would
    be spent on correcting that.
    """
    return (value + rotations.rate(value, by)) / ca.sqrt(1 + ca.sumsqr(by) / 4)


def _turned_by(turn: ca.SX) -> ca.SX:
    """Return the approximate rotation vector of a quaternion, shape (3, 1), rad.

    Beyond half a turn this is not the shorter way back: that would lead to Euler parameters of the
    other sign, and angles that follow from these would jump by a turn. There the result need only
    be long, so that the step is divided.
    """
    vector = turn[1:]
    size = ca.sqrt(ca.sumsqr(vector) + 1e-60)
    return 2 * ca.if_else(turn[0] < 0, (2 - size) / size, 1) * vector
