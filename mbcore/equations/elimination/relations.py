"""Relations between speeds: nodes that elements place explicitly, and conditions that are left.

A placement is a strain solved for a node: it gives the place of the node from other nodes and the
strains between them. A dependent strain of a placement is a tear: an unknown in addition to the
nodal coordinates. All other conditions stay implicit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.couplings import rates_of
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.elimination.unit_sizes import Sizes, sizes_of
from mbcore.model.expressions import (
    Pairs,
    Substitution,
    column,
    paired,
    replace,
    replace_found,
    sparse,
)
from mbcore.model.kinks import jtimes
from mbcore.model.nodes import rotations
from mbcore.model.nodes.node import Node
from mbcore.model.nodes.nodes import Coordinate, Rotation
from mbcore.model.quantities import Deformation, Quantity, Role, Slip
from mbcore.model.statements import Placement
from mbcore.model.tables import derivatives


@dataclass(frozen=True)
class Given:
    """A coordinate whose value is given by its own role."""

    coordinate: Coordinate
    column: int


@dataclass(frozen=True)
class Placed:
    """A node that an element places; ``zero`` are other strains of it, which are rigid at zero."""

    placement: Placement
    strains: tuple[Deformation, ...]
    columns: tuple[int, ...]
    zero: tuple[Deformation, ...] = ()

    @property
    def tears(self) -> list[Deformation]:
        """Dependent strains."""
        return [q for q in self.strains if q.role is Role.DEPENDENT]

    @property
    def given(self) -> bool:
        """Whether a coordinate of the node has a role of its own."""
        return any(coordinate.role is not None for coordinate in self.placement.node.quantities)

    @property
    def unknown(self) -> set[int]:
        """Columns but those of a point's coordinates or an angle that have a role of their own."""
        node = self.placement.node
        if isinstance(node, Rotation):
            return set(self.columns)
        pairs = zip(self.columns, node.quantities, strict=True)
        return {c for c, coordinate in pairs if coordinate.role is None}


@dataclass(frozen=True)
class Turned:
    """A free rotation: its Euler parameters are given, and its speeds where they are states."""

    node: Rotation
    columns: tuple[int, ...]

    @property
    def given(self) -> bool:
        """Whether its angular velocity is given, too."""
        return all(spin.role is Role.DOF for spin in self.node.slips())

    def rates(self, kinematic: bool) -> ca.SX:
        """Return the angular velocity by rates of Euler parameters, or by the generalized speeds.

        Parameters
        ----------
        kinematic : bool
            Whether by rates of the Euler parameters.
        """
        node = self.node
        if kinematic:
            rates = column(coordinate.rate for coordinate in node.quantities)
            return rotations.angular_velocity(node.coordinates, rates)
        return node.speeds_of_spins(column(spin.rate for spin in node.slips()))


class Relations:
    """How speeds follow from each other and from rates of generalized coordinates.

    Attributes
    ----------
    placed : list of Placed
        In an order in which each needs only nodes before it or nodes without a placement.
    given : list of Given
        Coordinates with a role of their own.
    turned : list of Turned
        Free rotations.
    implicit : list of Deformation
        Other conditions of the position problem.
    tears : list of Deformation
        Dependent deformations whose values are further unknowns: those in placements, and angles
        in couplings, which may be of many turns.
    shared : list of Deformation
        Degrees of freedom in couplings. Their rates are unknowns of the velocity problem, so that
        each given rate is in one row only.
    """

    def __init__(self, assembly: Assembly, placed: Sequence[Placed] = ()) -> None:
        A = self.assembly = assembly
        self.placed = list(placed)
        consumed = {q.name for p in self.placed for q in p.strains}
        covered = {c for p in self.placed for c in p.columns}
        place = {c.name: i for i, c in enumerate(_scalar_coordinates(A))}
        self.given = [
            Given(q, place[q.name])
            for q in A.position_rows
            if isinstance(q, Coordinate)
            and place.get(q.name, -1) >= 0
            and place[q.name] not in covered
        ]
        consumed |= {g.coordinate.name for g in self.given}
        self.turned: list[Turned] = []
        if isinstance(A, SpeedAssembly):
            free = A.model.nodes.free_rotations()
            self.turned = [Turned(node, tuple(A.columns[node.name])) for node in free]
        consumed |= {c.name for t in self.turned for c in t.node.quantities}
        self.implicit = [q for q in A.position_rows if q.name not in consumed]
        used = [q for p in self.placed for q in p.strains]
        placing = {q.name for q in used}
        self.followed = [
            q
            for q in A.coupled
            if self._sparse and q.role is Role.DEPENDENT and q.winds and q.name not in placing
        ]
        self.implicit += self.followed
        self.tears = [q for q in used if q.role is Role.DEPENDENT] + self.followed
        self.tear_values = column(ca.SX.sym(f"{q.name}:tear") for q in self.tears)
        self._kinematic_used = [q for q in used if q.role is Role.KINEMATIC]
        self._in_placements = placing
        self._held = [q for q in A.coupled if q.name not in placing] if self._sparse else []
        self.shared = [q for q in A.coupled if q.role is Role.DOF] if self._sparse else []
        self.shared_rates = column(ca.SX.sym(f"{q.name}:shared_rate") for q in self.shared)
        self._residuals: dict[bool, ca.SX] = {}
        self._jacobians: dict[bool, ca.SX] = {}

    def rows(self, kinematic: bool) -> list[Quantity]:
        """Return the conditions that are left of the position problem or of the velocity problem.

        Parameters
        ----------
        kinematic : bool
            Whether kinematic coordinates are given: they are in the position problem only.
        """
        if kinematic:
            return [*self.implicit]
        consumed = {q.name for p in self.placed for q in p.strains}
        consumed |= {g.coordinate.name for g in self.given}
        turned = self.turned_where(kinematic=False)
        consumed |= {spin.name for t in turned for spin in t.node.slips()}
        rows = [q for q in self.assembly.velocity_rows if q.name not in consumed]
        first = len(rows) - sum(isinstance(q, Slip) for q in rows)
        return [*rows[:first], *self.followed, *rows[first:]]

    def residual(self, kinematic: bool) -> ca.SX:
        """Return what vanishes: given and placed speeds, then rates of `rows` less their own.

        An expression of the speeds and of the rates of all strains.
        """
        if kinematic not in self._residuals:
            self._residuals[kinematic] = self._make_residual(kinematic)
        return self._residuals[kinematic]

    def _make_residual(self, kinematic: bool) -> ca.SX:
        A, rows = self.assembly, self.rows(kinematic)
        parts = [A.v[g.column] - g.coordinate.rate for g in self.given_where(kinematic)]
        parts += [
            A.v[list(t.columns)] - A.place(t.rates(kinematic)) for t in self.turned_where(kinematic)
        ]
        parts += [A.v[list(p.columns)] - A.place(_speeds(p)) for p in self.placed]
        own = [ca.SX(0) if q.role is Role.ZERO else q.rate for q in rows]
        whole = column([*parts, self._rates(rows, kinematic) - column(own)])
        if kinematic:
            return whole
        rates = column(q.rate for q in self.shared)
        return column([self.shared_rates - rates, replace(whole, rates, self.shared_rates)])

    def _rates(self, rows: Sequence[Quantity], kinematic: bool) -> ca.SX:
        """Rates of ``rows``; those of couplings in rates of the quantities in them."""
        A = self.assembly
        if not self._sparse:
            return A.rates(list(rows))
        related = A.place(
            rates_of(
                [A.relations[q.name] for q in rows if q.name in A.relations],
                lambda q: self._rate_of_held(q, kinematic),
                lambda expression: A.along(A.place(expression)),
            )
        )
        plain = A.rates([q for q in rows if q.name not in A.relations])
        ours, others = iter(_scalars(related)), iter(_scalars(plain))
        return column(next(ours) if q.name in A.relations else next(others) for q in rows)

    def _rate_of_held(self, q: Deformation, kinematic: bool) -> ca.SX:
        """Rate of a deformation in a coupling: its symbol where that is given or unknown."""
        follows = q.role is Role.DEPENDENT or (q.role is Role.KINEMATIC and not kinematic)
        own = q.name in self._in_placements or q in self.followed
        return self.assembly.rate(q) if follows and not own else q.rate

    @property
    def _sparse(self) -> bool:
        """Whether couplings are written in rates of the quantities in them, not in speeds alone."""
        return isinstance(self.assembly, SpeedAssembly)

    @cached_property
    def values(self) -> tuple[ca.SX, ca.SX]:
        """Symbols for values of strains in placements, and these values."""
        given = [q for p in self.placed for q in p.strains if q.role is not Role.DEPENDENT]
        given += [q for p in self.placed for q in p.zero if q not in given]
        A = self.assembly
        targets = A.place(column(A.target(q) for q in given))
        symbols = column(q.value for q in [*given, *self.tears])
        held = [q for q in self._held if q not in self.followed]
        there = column(self.held_value(q) for q in held)
        return (
            column([symbols, *(q.value for q in held)]),
            column([targets, self.tear_values, there]),
        )

    def followed_values(self) -> dict[str, ca.SX]:
        """Return the unknowns that are values of dependent deformations in couplings."""
        coupled = {q.name for q in self.assembly.coupled}
        pairs = zip(self.tears, ca.vertsplit(self.tear_values) if self.tears else [], strict=True)
        return {q.name: symbol for q, symbol in pairs if q.name in coupled}

    def held_value(self, q: Deformation) -> ca.SX:
        """Value of a deformation in a coupling, unless it is unknown: a state, a target or D(x)."""
        A = self.assembly
        return A.strain(q) if q.role is Role.DEPENDENT else A.place(A.target(q))

    def along(self, residual: ca.SX) -> ca.SX:
        """Return the rate of ``residual`` at constant speeds and rates of strains."""
        A = self.assembly
        strains = [q for p in self.placed for q in p.strains]
        held = [self._rate_of_held(q, kinematic=False) for q in self._held]
        return jtimes(
            residual,
            column([A.changing, *(q.value for q in [*strains, *self._held])]),
            column([A.change, *(q.rate for q in strains), *held]),
        )

    def given_where(self, kinematic: bool) -> list[Given]:
        """Return the coordinates that are given, kinematic ones on demand."""
        return [g for g in self.given if kinematic or g.coordinate.role is not Role.KINEMATIC]

    def turned_where(self, kinematic: bool) -> list[Turned]:
        """Return the free rotations whose speeds are given."""
        return [t for t in self.turned if kinematic or t.given]

    def groups(self, kinematic: bool) -> list[tuple[list[int], list[int]]]:
        """Return rows and columns of given and placed quantities, in the order of ``residual``."""
        found: list[tuple[list[int], list[int]]] = []
        first = self.assembly.v.numel() + len(self.tears) + len(self._kinematic_used)
        shared = {} if kinematic else {q.name: k for k, q in enumerate(self.shared)}
        row = len(shared)

        def share(q: Deformation) -> None:
            k = shared.pop(q.name, None)
            if k is not None:
                found.append(([k], [first + k]))

        # Each shared rate right before what needs it, where elimination takes it out early.
        for g in self.given_where(kinematic):
            share(g.coordinate)
            found.append(([row], [g.column]))
            row += 1
        explicit: list[Turned | Placed] = [*self.turned_where(kinematic), *self.placed]
        for p in explicit:
            for q in p.strains if isinstance(p, Placed) else ():
                share(q)
            found.append((list(range(row, row + len(p.columns))), list(p.columns)))
            row += len(p.columns)
        for q in self.shared:
            share(q)
        return found

    def jacobian(self, kinematic: bool) -> ca.SX:
        """Return the Jacobian of `residual` by the unknowns, shape (m, n)."""
        if kinematic not in self._jacobians:
            residual = replace(self.residual(kinematic), *self.values)
            made = sparse(derivatives.jacobian(residual, self.unknown(kinematic)))
            self._jacobians[kinematic] = made
        return self._jacobians[kinematic]

    def sizes(self, kinematic: bool, natural: float) -> Sizes:
        """Return natural sizes of the conditions of `residual`, and of their unknowns.

        Parameters
        ----------
        natural : float
            The mechanism's natural length, m.
        """
        speeds = [c.unit for c in _scalar_coordinates(self.assembly)]
        unknown = [*self.tears] if kinematic else [*self.tears, *self._kinematic_used, *self.shared]
        columns = [*speeds, *(q.unit for q in unknown)]
        found = [] if kinematic else [q.unit for q in self.shared]
        found += [speeds[g.column] for g in self.given_where(kinematic)]
        explicit: list[Turned | Placed] = [*self.turned_where(kinematic), *self.placed]
        found += [speeds[c] for p in explicit for c in p.columns]
        found += [q.unit for q in self.rows(kinematic)]
        return Sizes(sizes_of(found, natural), sizes_of(columns, natural))

    def unknown(self, kinematic: bool) -> ca.SX:
        """Return the speeds and the rates of tears, and in velocities others, too.

        Those are rates of kinematic coordinates in placements, and of degrees of freedom in
        couplings.
        """
        rates = [self.assembly.v, *(q.rate for q in self.tears)]
        if not kinematic:
            rates += [*(q.rate for q in self._kinematic_used), self.shared_rates]
        return column(rates)


def _scalar_coordinates(A: Assembly) -> list[Coordinate]:
    """Coordinates behind the speeds, in their order; a dummy where a speed is none's rate."""
    if not isinstance(A, SpeedAssembly):
        return A.coordinates
    found: dict[int, Coordinate] = {}
    for node in A.model.nodes.values():
        if not isinstance(node, Rotation):
            free = [h for h in node.quantities if h.fixed is None]
            found.update(zip(A.columns[node.name], free, strict=True))
    dummy = Coordinate("", ca.SX(0), "", ca.SX(0))
    return [found.get(i, dummy) for i in range(A.v.numel())]


def _scalars(vector: ca.SX) -> list[ca.SX]:
    return ca.vertsplit(vector) if vector.numel() else []


def _speeds(p: Placed) -> ca.SX:
    """Speeds of a placed node by the others' and the strains' rates."""
    if p.placement.speeds is not None:
        return p.placement.speeds
    others = p.placement.others
    changing = column(node.changing for node in others)
    change = column(node.change for node in others)
    strains = [*p.strains, *p.zero]
    values = column(q.value for q in strains)
    rates = column(q.rate for q in strains)
    return jtimes(p.placement.coordinates, column([changing, values]), column([change, rates]))


def placed_values(relations: Relations, values: dict[str, ca.SX]) -> dict[str, ca.SX]:
    """Return the coordinates of placed nodes as functions of those that nothing places.

    Parameters
    ----------
    values : dict of str to SX
        What stands for the coordinates of other nodes, by name of the node.

    Returns
    -------
    dict of str to SX
        All nodes' coordinates, by name of the node.
    """
    everything = dict(values)
    A, strain_values = relations.assembly, Substitution(*relations.values)
    # A node may place many others, and have as many directions.
    known: dict[str, Pairs] = {}
    for p in relations.placed:
        others = [node for node in p.placement.others if node.name in everything]
        for node in others:
            if node.name not in known:
                known[node.name] = _defined(node, everything[node.name])
        expression = strain_values(A.place(p.placement.coordinates))
        found = replace_found(expression, [known[node.name] for node in others])
        everything[p.placement.node.name] = found
    return everything


def _defined(node: Node, coordinates: ca.SX) -> Pairs:
    """Return a node's coordinates and what turns with it, with their values at a place."""
    symbols, values = column([]), column([])
    pairs = node.definitions()
    if pairs:
        symbols = column(symbol for symbol, _ in pairs)
        values = replace(column(value for _, value in pairs), node.coordinates, coordinates)
    return paired(column([node.coordinates, symbols]), column([coordinates, values]))
