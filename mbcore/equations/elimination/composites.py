"""Loops with all that moves with them relative to a common frame: one block for elimination.

A loop that is closed between points of one body has many parents, and each of these the same few:
a suspension hangs on its cabin. With the blocks between, it is one block whose parents are the
cabin's speeds alone. When only these move, it moves rigidly, whatever its form; so most
entries of its transfers are 0 or 1 wherever the loop is closed, as numbers at several
configurations tell. Matrices that pass to the parents become as small as those of one rigid body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.elimination.block_solver import TornBlock
from mbcore.equations.elimination.blocks import Block, PlacedBlock, SmallBlock
from mbcore.equations.elimination.loops import ClosingBlock
from mbcore.model.expressions import sparse

Simplify = Callable[[ca.SX, ca.SX], tuple[ca.SX, ca.SX]]
"""Puts numbers in the place of entries that are 0, 1 or -1 wherever the loops are closed.

It takes a matrix and its short form, see `ClosedSamples.carried`, and returns both.
"""


@dataclass(frozen=True)
class _Stage:
    """Unknowns that follow from those before them: a block, or the tears of a loop."""

    columns: list[int]
    rows: list[int]
    others: list[int]
    transfer: ca.SX
    solve: Callable[[ca.SX], ca.SX]


class CompositeBlock(Block):
    """Blocks one after the other, with the first ones' parents and without those between.

    Parameters
    ----------
    parts : sequence of Block
        Each needs only those before it and outer blocks.
    simplify : callable
        See `Simplify`.
    """

    def __init__(self, parts: Sequence[Block], simplify: Simplify) -> None:
        rows = [i for part in parts for i in part.rows]
        columns = [j for part in parts for j in part.columns]
        super().__init__(parts[0].entries, rows, columns, parts[0].sizes)
        self._simplify = simplify
        self._stages = [stage for part in parts for stage in _stages(part)]

    def solve(self, right: ca.SX) -> ca.SX:
        """Return X with J X = right, over the block's own rows and columns."""
        place = {row: k for k, row in enumerate(self.rows)}
        k = right.shape[1]
        found: dict[int, ca.SX] = {}
        for stage in self._stages:
            own = sparse(right[[place[i] for i in stage.rows], :])
            there = stage.solve(own) if own.nnz() else ca.SX(len(stage.columns), k)
            self._place(stage, found, self._passed(stage, found, there))
        return sparse(ca.vertcat(*(found[j] for j in self.columns)))

    def transfer(self) -> ca.SX:
        """Return how the unknowns move with `others`, shape (n, k)."""
        k = len(self.others)
        found = {j: ca.SX(1, k) for j in self.others}
        for i, j in enumerate(self.others):
            found[j][0, i] = 1
        short = dict(found)
        for stage in self._stages:
            nothing = ca.SX(len(stage.columns), k)
            both = self._simplify(*(self._passed(stage, f, nothing) for f in (found, short)))
            for rows, there in zip((found, short), both, strict=True):
                self._place(stage, rows, there)
        return sparse(ca.vertcat(*(found[j] for j in self.columns)))

    @staticmethod
    def _passed(stage: _Stage, found: dict[int, ca.SX], there: ca.SX) -> ca.SX:
        known = [(i, found[j]) for i, j in enumerate(stage.others) if j in found]
        known = [(i, row) for i, row in known if row.nnz()]
        if known:
            rows = sparse(ca.vertcat(*(row for _, row in known)))
            there = there + sparse(stage.transfer[:, [i for i, _ in known]]) @ rows
        return sparse(there)

    @staticmethod
    def _place(stage: _Stage, found: dict[int, ca.SX], there: ca.SX) -> None:
        if stage.columns:
            found.update(zip(stage.columns, ca.vertsplit(there), strict=True))


def _stages(block: Block) -> list[_Stage]:
    """A block as one stage; of a loop the tears come first, and then what follows from them."""
    whole = -block.solve(block.coupling)
    if not isinstance(block, TornBlock):
        return [_Stage(block.columns, block.rows, block.others, sparse(whole), block.solve)]
    tearing = block.tearing
    n = len(block.columns) - len(tearing.tears)
    found = [
        _Stage(
            tearing.tears,
            block.rows,
            block.others,
            sparse(whole[n:, :]),
            lambda right: sparse(block.solve(right)[n:, :]),
        )
    ]
    for part in tearing.parts:
        kind = PlacedBlock if part.placed else SmallBlock
        found += _stages(kind(block.entries, part.rows, part.columns, block.sizes))
    return found


def with_composites(
    blocks: Sequence[Block],
    rates_in: dict[int, list[int]],
    massive: set[int],
    kept: set[int],
    simplify: Simplify,
) -> list[Block]:
    """Return blocks in which loops are merged with the blocks up to their common parents.

    Parameters
    ----------
    rates_in : dict of int to list of int
        Degrees of freedom whose rates a row holds.
    massive : set of int
        Unknowns that have mass.
    kept : set of int
        Rows of blocks that stay as they are.
    """
    if not any(isinstance(block, TornBlock) for block in blocks):
        return list(blocks)
    return _Merging(blocks, rates_in, massive, kept).merged(simplify)


class _Merging:
    def __init__(
        self,
        blocks: Sequence[Block],
        rates_in: dict[int, list[int]],
        massive: set[int],
        kept: set[int],
    ) -> None:
        self._blocks = list(blocks)
        self._owner = {j: b for b, block in enumerate(blocks) for j in block.columns}
        # The closing conditions of a loop contain its parts too, which come later: it needs none
        # of them.
        self._needs = [
            {j for j in block.others if self._owner[j] < b} for b, block in enumerate(blocks)
        ]
        self._dofs = [len({q for i in b.rows for q in rates_in.get(i, [])}) for b in blocks]
        self._fixed = [
            isinstance(block, ClosingBlock)
            or not kept.isdisjoint(block.rows)
            or 0 < len(block.rows) <= dofs
            for block, dofs in zip(blocks, self._dofs, strict=True)
        ]
        self._massive = [not massive.isdisjoint(block.columns) for block in blocks]
        for b in reversed(range(len(blocks))):
            if self._massive[b]:
                for k in self._parents(b):
                    self._massive[k] = True
        self._ancestors: list[set[int]] = []
        for b in range(len(blocks)):
            parents = self._parents(b)
            self._ancestors.append(parents.union(*(self._ancestors[k] for k in parents)))
        self._taken: set[int] = set()

    def _parents(self, b: int) -> set[int]:
        return {self._owner[j] for j in self._needs[b]}

    def _outside(self, members: set[int]) -> set[int]:
        """Unknowns outside that members need."""
        needed = {j for b in members for j in self._needs[b]}
        return {j for j in needed if self._owner[j] not in members}

    def _width(self, members: set[int]) -> int:
        return len(self._outside(members)) + sum(self._dofs[b] for b in members)

    def _around(self, loop: int) -> set[int] | None:
        """Members that are fewest parents and degrees of freedom with a loop; None if it alone."""
        members = {loop}
        best, least = None, self._width(members)
        while True:
            ahead = {self._owner[j] for j in self._outside(members)}
            later = set().union(*(self._ancestors[k] for k in ahead))
            able = [b for b in ahead - later - self._taken if not self._fixed[b]]
            if not able:
                return best
            members = members | {max(able)}
            if self._width(members) < least:
                best, least = members, self._width(members)

    def _with_children(self, members: set[int]) -> set[int]:
        """Add massive blocks that need members and, beside these, hardly more than they do."""
        members, outside = set(members), self._outside(members)
        for b in range(min(members), len(self._blocks)):
            if (
                b in members
                or b in self._taken
                or self._parents(b).isdisjoint(members)
                or not self._massive[b]
                or self._fixed[b]
                or self._dofs[b]
            ):
                continue
            added = {j for j in self._needs[b] if self._owner[j] not in members}
            beyond = {j for j in outside | added if self._owner[j] != b}
            ahead = (self._ancestors[self._owner[j]] for j in beyond)
            if len(beyond) <= len(outside) + 1 and all(
                b not in ancestors and ancestors.isdisjoint(members) for ancestors in ahead
            ):
                members.add(b)
                outside = beyond
        return members

    def _take(self, members: set[int]) -> None:
        """Let what needs one member need them all, and all that they need: they are one block."""
        whole = members.union(*(self._ancestors[b] for b in members))
        for b, ancestors in enumerate(self._ancestors):
            if b in members:
                self._ancestors[b] = whole - members
            elif not ancestors.isdisjoint(members):
                self._ancestors[b] = ancestors | whole
        self._taken |= members

    def merged(self, simplify: Simplify) -> list[Block]:
        groups: list[set[int]] = []
        for b, block in enumerate(self._blocks):
            if isinstance(block, TornBlock) and b not in self._taken and self._massive[b]:
                members = None if self._fixed[b] else self._around(b)
                if members is not None:
                    members = self._with_children(members)
                    groups.append(members)
                    self._take(members)
        group_of = {b: g for g, members in enumerate(groups) for b in members}
        order: list[Block] = []
        done: set[int] = set()

        def visit(b: int) -> None:
            if b in done:
                return
            members = groups[group_of[b]] if b in group_of else {b}
            done.update(members)
            for j in sorted(self._outside(members)):
                visit(self._owner[j])
            parts = [self._blocks[k] for k in sorted(members)]
            order.append(CompositeBlock(parts, simplify) if len(parts) > 1 else parts[0])

        for b in range(len(self._blocks)):
            visit(b)
        return order
