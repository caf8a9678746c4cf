"""A model over speeds: angular velocities instead of rates of Euler parameters.

The equations are those of `Assembly`, with fewer unknowns and shorter terms: a direction that turns
with a rotation is a symbol whose rate is ω × e.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.couplings import Relation, rates_of
from mbcore.equations.assembly.inertia import ElementInertia, element_inertia
from mbcore.model.expressions import Substitution, column, replace
from mbcore.model.kinks import jtimes
from mbcore.model.nodes.nodes import Node, Rotation
from mbcore.model.quantities import Deformation, Quantity, Role
from mbcore.model.system import System


class SpeedAssembly(Assembly):
    """Index sets of a model over the speeds of its nodes, after those over its coordinates.

    Attributes
    ----------
    v, a : SX
        Speeds that are not fixed and their rates, shape (n, 1).
    speed_names : list of str
        Their names.
    columns : dict of str to list of int
        Places of a node's speeds in ``v`` by the node's name; none where it is fixed.
    """

    def __init__(self, model: System) -> None:
        self._partly_fixed: list[Deformation] = []
        super().__init__(model)
        # Speeds have no norm to keep: ω turns Euler parameters without changing their length.
        norms = {c.name for node in model.nodes.values() for c in node.conditions()}
        self.rigid = [*(q for q in self.rigid if q.name not in norms), *self._partly_fixed]

    def _state_formulas(self) -> None:
        """Do nothing: the assembly over coordinates has done so before."""

    def _collect_coordinates(self) -> None:
        known: list[tuple[ca.SX, ca.SX]] = []
        self.coordinates, self.fixed = [], []
        self.speed_names: list[str] = []
        self.columns: dict[str, list[int]] = {}
        places: list[ca.SX] = []
        speeds: list[ca.SX] = []
        rates: list[ca.SX] = []
        for node in self.model.nodes.values():
            free = [coordinate.fixed is None for coordinate in node.quantities]
            if isinstance(node, Rotation) and any(free) and not all(free):
                self._partly_fixed += [
                    _kept(coordinate) for coordinate in node.quantities if coordinate.fixed
                ]
                free = [True] * 4
            self.columns[node.name] = []
            for i, coordinate in enumerate(node.quantities):
                if free[i]:
                    self.coordinates.append(coordinate)
                    places.append(node.coordinates[i])
                else:
                    self.fixed.append((coordinate, node.coordinates[i], node.velocities[i]))
                    known.append((node.coordinates[i], ca.SX(coordinate.fixed)))
            for i, name in enumerate(node.speed_names):
                if free[i]:
                    self.columns[node.name].append(len(speeds))
                    self.speed_names.append(name)
                    speeds.append(node.speeds[i])
                    rates.append(node.speed_rates[i])
                else:
                    known += [(node.speeds[i], ca.SX(0)), (node.speed_rates[i], ca.SX(0))]
        self.x, self.v, self.a = column(places), column(speeds), column(rates)
        self._set_known(known)
        self.start = column(c.start for c in self.coordinates)

    def _set_known(self, known: list[tuple[ca.SX, ca.SX]]) -> None:
        """Note the directions of fixed nodes, and the rates of Euler parameters in speeds."""
        fixed = (column(k for k, _ in known), column(v for _, v in known))
        for node in self.model.nodes.values():
            if isinstance(node, Rotation):
                if not self.columns[node.name]:
                    known += [(s, replace(e, *fixed)) for s, e in node.definitions()]
                known += [(s, replace(e, *fixed)) for s, e in node.coordinate_rates()]
        self._known = (column(k for k, _ in known), column(v for _, v in known))
        moving = [n for n in self.model.nodes.values() if self.columns[n.name]]
        self.placed = column(node.changing for node in moving)
        self.placed_change = self.place(column(node.change for node in moving))
        self.definitions = [pair for node in moving for pair in node.definitions()]

    def rate(self, q: Quantity) -> ca.SX:
        """D'(x) v of a deformation or V(x) v of a slip, over speeds."""
        if q.name in self.relations:
            return self.related_rate(self.relations[q.name])
        if isinstance(q, Deformation) and q.short_rate is not None:
            return self.place(q.short_rate)
        return super().rate(q)

    def rates(self, quantities: Sequence[Quantity]) -> ca.SX:
        """Rates of many quantities at once, shape (k, 1)."""
        short = [self._short_rate(q) for q in quantities]
        long = [q.expression for q, s in zip(quantities, short, strict=True) if s is None]
        derived = ca.vertsplit(self.along(self.place(column(long)))) if long else []
        remaining = iter(derived)
        given = iter(ca.vertsplit(self.place(column(s for s in short if s is not None))))
        return column(next(remaining) if s is None else next(given) for s in short)

    def nodal_rate(self, q: Quantity) -> ca.SX:
        """D'(x) ẋ or V(x) ẋ over all nodal speeds, fixed ones included."""
        if q.name in self.relations:
            relation, nodes = self.relations[q.name], list(self.model.nodes.values())
            places = column(node.changing for node in nodes)
            speeds = column(node.change for node in nodes)
            return rates_of([relation], self.nodal_rate, lambda e: jtimes(e, places, speeds))
        if isinstance(q, Deformation) and q.short_rate is not None:
            return q.short_rate
        return super().nodal_rate(q)

    def _short_rate(self, q: Quantity) -> ca.SX | None:
        if q.name in self.relations:
            return self.rate(q)
        return q.short_rate if isinstance(q, Deformation) else q.expression

    def related(self, relation: Relation) -> ca.SX:
        """Return a relation as a function of x, of states and of signals."""
        return self._valued(self.place(relation.expression))

    def related_rate(self, relation: Relation) -> ca.SX:
        """Return the rate of a relation over speeds and rates of signals."""
        return self._valued(self.place(rates_of([relation], self.rate, self._placed_along)))

    def _placed_along(self, expression: ca.SX) -> ca.SX:
        return self.along(self.place(expression))

    @cached_property
    def _valued(self) -> Substitution:
        """Replaces symbols in relations by values."""
        held = [q for q in self.coupled if q.role not in (Role.DOF, Role.KINEMATIC)]
        return Substitution(column(q.value for q in held), column(map(self.held_value, held)))

    def held_value(self, q: Deformation) -> ca.SX:
        """Value of a deformation in a relation: a state, a target, an unknown or D(x)."""
        if q.role is not Role.DEPENDENT:
            return self.place(self.target(q))
        return self.winding.get(q.name, self.place(q.expression))

    def strain(self, q: Deformation) -> ca.SX:
        """D(x), or the unknown that is its value."""
        return self.winding[q.name] if q.name in self.winding else super().strain(q)

    @cached_property
    def inertias(self) -> list[ElementInertia]:
        """Inertia of the elements with mass."""
        made = [element_inertia(e, self.place) for e in self.model.elements.values()]
        return [part for part in made if part.M.nnz() or part.h.nnz()]

    @cached_property
    def _inertia(self) -> tuple[ca.SX, ca.SX]:
        n = self.v.numel()
        rows: list[int] = []
        columns: list[int] = []
        entries: list[ca.SX] = []
        h: list[ca.SX] = [ca.SX(0)] * n
        for part in self.inertias:
            places = self.places_of(part.nodes)
            i, j = part.M.sparsity().get_triplet()
            for k, (a, b) in enumerate(zip(i, j, strict=True)):
                # Speeds of fixed nodes have no row and no column.
                if places[a] >= 0 and places[b] >= 0:
                    rows.append(places[a])
                    columns.append(places[b])
                    entries.append(part.M.nz[k])
            for k, place in enumerate(places):
                if place >= 0:
                    h[place] = h[place] + part.h[k]
        return _sum_triplets(rows, columns, entries, n), column(h)

    def places_of(self, nodes: list[Node]) -> list[int]:
        """Places in ``v`` of the nodes' speeds, -1 where they are fixed."""
        found = []
        for node in nodes:
            own = iter(self.columns[node.name])
            full = len(self.columns[node.name]) == node.speeds.numel()
            for i in range(node.speeds.numel()):
                free = full or (node.quantities[i].fixed is None and bool(self.columns[node.name]))
                found.append(next(own) if free else -1)
        return found

    @cached_property
    def M(self) -> ca.SX:
        """Mass matrix of the speeds, shape (n, n)."""
        return self._inertia[0]

    @cached_property
    def h(self) -> ca.SX:
        """Inertia terms of the speeds, shape (n, 1)."""
        return self._inertia[1]

    def in_coordinates(self, expression: ca.SX) -> ca.SX:
        """Replace directions that turn with rotations by functions of their Euler parameters."""
        pairs = self.definitions
        return replace(expression, column(s for s, _ in pairs), column(e for _, e in pairs))


def _kept(coordinate: Deformation) -> Deformation:
    kept = Deformation(coordinate.name, coordinate.expression, coordinate.unit, role=Role.RIGID)
    kept.target = ca.SX(getattr(coordinate, "fixed", 0))
    return kept


def _sum_triplets(rows: list[int], columns: list[int], entries: list[ca.SX], n: int) -> ca.SX:
    """Return a sparse matrix of entries, those in one place added."""
    sums: dict[tuple[int, int], ca.SX] = {}
    for i, j, entry in zip(rows, columns, entries, strict=True):
        sums[j, i] = sums[j, i] + entry if (j, i) in sums else entry
    order = sorted(sums)
    pattern = ca.Sparsity.triplet(n, n, [i for _, i in order], [j for j, _ in order])
    return ca.SX(pattern, ca.vertcat(*(sums[key] for key in order))) if order else ca.SX(n, n)
