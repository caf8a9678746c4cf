"""The virtual power of the solution, one number for each degree of freedom: Hᵀ(M a - f).

It vanishes if the accelerations are right. It is not made from the reduced equations that gave
them: forces and inertia forces of all speeds, as they are assembled, are balanced by the
multipliers of the velocity problem, and those of the degrees of freedom's rates are what is left.
Rounding leaves about the machine's precision of the terms' sizes; where accelerations have lost
digits near a singular block, more is left.

Used by `mbcore.equations.function_results` alone; it stands apart because nothing in it is needed
to solve the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from mbcore.equations.dynamics import Reduced
from mbcore.equations.elimination.unit_sizes import length_power
from mbcore.model.expressions import column, dense, depends, replace, scalars, total

FLOOR = 1e-6
"""Part of all virtual powers, in natural units, that counts as a term of each one."""


RESTING = 0.1
"""Part of what forces alone would give to all masses, below which accelerations count as rest."""

LEAVES = 4
"""Most parts of a sum that are looked at."""


class VirtualPower:
    """The residual of virtual power, the sizes of its terms, and the error that it indicates.

    Parameters
    ----------
    reduced : Reduced
        The solved equations of motion.
    natural : float
        The mechanism's natural length, m.
    """

    def __init__(self, reduced: Reduced, natural: float) -> None:
        self._reduced, self._natural = reduced, natural
        V, A = reduced.velocity, reduced.assembly
        self._velocity, self._assembly = V, A
        self._forces = reduced.resolved(reduced.applied)
        self._terms = reduced.resolved(A.h)
        self._left = ca.sparsify(self._forces - self._terms - A.M @ reduced.a)
        # What they are in, to be found as it was formed: a symbol for each force that is not zero.
        self._symbols = ca.SX.sym("left", self._left.sparsity())
        self._formed = dense(V.by_dofs.T @ V.multipliers(self._symbols))
        # Accelerations of what has no mass may need rates that nobody gives.
        missing = column(marker for marker, _ in reduced.missing)
        self._a = ca.sparsify(replace(reduced.a, missing, ca.SX.zeros(missing.numel())))

    @cached_property
    def left(self) -> ca.SX:
        """Hᵀ(f - h - M a), shape (nd, 1), in N for a length and N.m for an angle."""
        given = column(self._left.nonzeros())
        return replace(self._formed, column(self._symbols.nonzeros()), given)

    @property
    def part(self) -> ca.SX:
        """A part of the last sum in each of them, and the same floor, shape (nd, 1).

        It is at most `size` and costs next to nothing: where less than 1e-8 of it is left, the
        sizes of all terms need not be known.
        """
        rows, left = self._left.sparsity().row(), column(self._left.nonzeros())
        symbols, terms = column(self._symbols.nonzeros()), ca.SX.sym("term", self._left.nnz())
        forces = dense(self._forces)
        known = _Terms(symbols, terms, [not forces[i].is_zero() for i in rows])
        formed = column(_some_parts(entry, known) for entry in ca.vertsplit(self._formed))
        sizes = column(ca.fabs(forces[i]) for i in rows)
        parts = replace(formed, column([symbols, terms]), column([left, sizes]))
        return parts + self._floor(parts)

    @cached_property
    def size(self) -> ca.SX:
        """Sum of the sizes of their terms, shape (nd, 1), and a floor.

        Forces are counted one by one, so that those which cancel on one node have a size.
        """
        V, A = self._velocity, self._assembly
        terms = self._reduced.sizes_of_forces() + ca.fabs(self._terms)
        terms += ca.fabs(A.M) @ ca.fabs(self._a)
        bound = V.solver.bound_transposed(V.padded(ca.sparsify(terms)))
        own = dense(ca.fabs(V.by_dofs).T @ bound)
        return own + self._floor(own)

    def _floor(self, sizes: ca.SX) -> ca.SX:
        """Return `FLOOR` of all virtual powers together, in natural units, for each of them."""
        units = [self._natural ** length_power(q.unit) for q in self._assembly.independent]
        floor = FLOOR * total(
            unit * size for size, unit in zip(ca.vertsplit(sizes), units, strict=True)
        )
        return column(floor / unit for unit in units)

    @cached_property
    def error(self) -> ca.SX:
        """Error of the accelerations by one step of refinement, in parts of the largest one.

        All are in natural units. Forces of contacts and held slips stay. At rest accelerations are
        rounding errors themselves: then it is in parts of what the net forces would give to all
        masses together.
        """
        change, A = self._reduced.change_by(self._left), self._assembly
        sizes = self._velocity.relations.sizes(False, self._natural).columns[: A.v.numel()]
        units = ca.SX(list(sizes))
        pushed = ca.dot(ca.fabs(dense(self._forces)), units)
        moved = ca.dot(dense(ca.diag(A.M)), units**2)
        resting = RESTING * pushed / moved
        return _largest(change / units) / ca.fmax(_largest(self._a / units), resting)


def _largest(vector: ca.SX) -> ca.SX:
    return ca.norm_inf(dense(vector))


class _Terms:
    """Symbols of residual forces at the speeds, and of the sizes of these forces.

    A force that is zero has no size ``there``.
    """

    def __init__(self, left: ca.SX, sizes: ca.SX, there: Sequence[bool]) -> None:
        self.left = left
        pairs = zip(scalars(left), scalars(sizes), there, strict=True)
        self._sizes = {symbol.element_hash(): size for symbol, size, has in pairs if has}

    def is_force(self, expression: ca.SX) -> bool:
        """Return whether an expression is a symbol of a force that is not zero."""
        return expression.element_hash() in self._sizes

    def size(self, expression: ca.SX) -> ca.SX:
        """Return the size of an expression, or of the force that it is what is left of."""
        found = self._sizes.get(expression.element_hash()) if expression.nnz() else None
        return ca.fabs(dense(expression)) if found is None else found


def _some_parts(entry: ca.SX, known: _Terms) -> ca.SX:
    """Return the size of parts of a sum that nearly vanishes, scalar; it costs few operations."""
    leaves = [entry]
    while len(leaves) < LEAVES:
        sums = [i for i, leaf in enumerate(leaves) if _operands(leaf)]
        if not sums:
            break
        leaves += _operands(leaves.pop(sums[0]))
    return total(_part_of_product(leaf, known) for leaf in leaves)


def _part_of_product(leaf: ca.SX, known: _Terms) -> ca.SX:
    """Return |x y| of a product x (y + z), a component of a moment that vanishes itself; else |x|.

    It is y and z that hold forces. The rest of a force counts as the force itself, and then the
    other one counts as well, because forces may be absent.

    >>> x, y, z, size = (ca.SX.sym(name) for name in ("x", "y", "z", "size"))
    >>> known = _Terms(y, size, [True])
    >>> _part_of_product(x * (z + y), known), _part_of_product(x, known)
    (SX(((size+fabs(z))*fabs(x))), SX(fabs(x)))
    """
    if leaf.nnz() and leaf.n_dep() == 2 and leaf.op() == ca.OP_MUL:
        for factor, whole in ((leaf.dep(0), leaf.dep(1)), (leaf.dep(1), leaf.dep(0))):
            operands = _operands(whole) or [whole]
            if depends(whole, known.left):
                operands.sort(key=lambda operand: not known.is_force(operand))
                counted = operands if known.is_force(operands[0]) else operands[:1]
                return total(map(known.size, counted)) * ca.fabs(factor)
    return known.size(leaf)


def _operands(entry: ca.SX) -> list[ca.SX]:
    """Return the two operands of a sum or difference; none of anything else."""
    if entry.nnz() and entry.n_dep() == 1 and entry.op() == ca.OP_NEG:
        return _operands(entry.dep(0))
    if entry.nnz() and entry.n_dep() == 2 and entry.op() in (ca.OP_ADD, ca.OP_SUB):
        return [entry.dep(0), entry.dep(1)]
    return []
