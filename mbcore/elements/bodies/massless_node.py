"""Massless nodes: the forces of springs on them balance, and decide where they are."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Angle, Coordinate, Point
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import dot
from mbcore.model.statements import Limit, Strain


class MasslessNode(Element):
    r"""A point or planar angle without mass, where springs meet: its forces balance at all times.

    Its coordinates q_m are neither degrees of freedom nor states. They follow from the conditions

        F(x, t, u) = 0,

    where F are the forces of all laws and loads on the node. These conditions belong to the
    position problem [Schwab2002] (A.98), so the rates of the node are exact as well. The multiplier
    λ of such a condition obeys F + λ ∂F/∂q_m = 0. It vanishes wherever the balance is regular, so
    the condition adds no force.

    Each deformation ``balance_x``, ``balance_y``, ... is a force over the stiffness at the start,
    in m or rad. Where the stiffness -∂F/∂q_m becomes singular, the node snaps through, and
    everything that moves on stops there by name. Massless nodes that springs connect have one
    stiffness, of all their coordinates, for together they can be unstable where each alone is not.
    Where the balance has other stable solutions at the start, or the one taken is not stable, the
    equations warn of it; the start of the node chooses.

    Parameters
    ----------
    node : Point or Angle
        Node without mass. Its fixed coordinates stay fixed.

    Raises
    ------
    ModelError
        When equations are made: if a constraint, a contact or an element with mass acts on the
        node, if no law holds it, or if a law there depends on velocities: then the node's place is
        a state, and its rate the force over the damping.

    Examples
    --------
    >>> knot = model.point("knot", (0.0, 0.4))
    >>> for name, end in ends.items():
    ...     rope = model.add(Truss(f"rope {name}", knot, end))
    ...     rope.elongation.release().spring(1e3)
    >>> model.add(MasslessNode("meeting", knot))
    """

    kind = "massless node"

    def __init__(self, name: str, node: Point | Angle) -> None:
        super().__init__(name)
        if not isinstance(node, Point | Angle):
            raise ModelError(
                f"massless node {name}: node = {node!r}; give a point or a planar angle of the "
                "model (a rotation in space needs inertia)"
            )
        self.node = node
        self._stability: Limit | None = None

    def strains(self) -> dict[str, Strain]:
        """Return a condition for each coordinate; equations put the forces in its place."""
        unit = "m" if isinstance(self.node, Point) else "rad"
        return {
            f"balance_{c.name.rsplit('.', 1)[-1]}": Strain(place, unit)
            for c, place, _ in self.balanced_coordinates()
        }

    def balanced_coordinates(self) -> Sequence[tuple[Coordinate, ca.SX, ca.SX]]:
        """Return the coordinates that are not fixed, with the symbols of place and velocity."""
        places, speeds = ca.vertsplit(self.node.coordinates), ca.vertsplit(self.node.velocities)
        every = zip(self.node.quantities, places, speeds, strict=True)
        return [found for found in every if found[0].fixed is None]

    def take_balance(
        self, slope: ca.SX | None, forces: tuple[object, ...], together: Sequence[str]
    ) -> None:
        """Take -∂F/∂q_m of all coordinates ``together``, of which `limits` is made."""
        self.balanced_forces = forces
        self._stability = None if slope is None else _stability(slope, together)

    def limits(self) -> dict[str, Limit]:
        """Return that the balance is stable; of connected nodes the first alone states it."""
        return {} if self._stability is None else {"stability": self._stability}

    def shapes(self) -> list[Shape]:
        """Return a dot where a point is."""
        if not isinstance(self.node, Point):
            return []
        return [dot(self.node)]


def _stability(stiffness: ca.SX, names: Sequence[str]) -> Limit:
    """Return that a stiffness is positive definite."""
    if len(names) == 1:
        K = ca.densify(stiffness)
        found = [ca.det(K[:i, :i]) for i in range(1, K.shape[0] + 1)]
        followed = found[-1]
        message = (
            f"the springs on {names[0]} do not hold it in a stable balance, so it snaps to "
            "another place; keep away from there, start it where it is stable, or give it mass"
        )
    else:
        found = _pivots(stiffness)
        # A product of many pivots is small everywhere. The least has the sign of the stability,
        # and is continuous where it vanishes first.
        followed = functools.reduce(ca.fmin, found)
        message = (
            f"the springs on {', '.join(names)} do not hold them in a stable balance, so they "
            "snap to other places; keep away from there, start them where they are stable, or "
            "give them mass"
        )
    return Limit(functools.reduce(ca.fmin, found), message, followed=followed)


def _pivots(matrix: ca.SX) -> list[ca.SX]:
    """Return the pivots of elimination along the diagonal, all positive if the matrix is.

    The coordinate that is connected to the fewest is eliminated first, so that a row of n nodes
    costs n times as much as one. Of several it is the one that has been so for longest: a row is
    eliminated from both ends. So the last pivot is that of its middle, which moves most where the
    row loses its stability, and it goes through zero on the straightest line.
    """
    rows: list[dict[int, ca.SX]] = [{} for _ in range(matrix.shape[0])]
    for i, j in zip(*matrix.sparsity().get_triplet(), strict=True):
        rows[i][j] = matrix[i, j]
    left, pivots = set(range(len(rows))), list[ca.SX]()
    since = [0] * len(rows)
    while left:
        k = min(left, key=lambda i: (len(rows[i]), since[i], i))
        left.remove(k)
        row = rows[k]
        pivot = row.pop(k, ca.SX(0))
        pivots.append(pivot)
        if pivot.is_zero():
            break
        for i in left:
            if k not in rows[i]:
                continue
            factor, since[i] = rows[i].pop(k) / pivot, len(pivots)
            for j, entry in row.items():
                rows[i][j] = rows[i].get(j, 0) - factor * entry
    return pivots
