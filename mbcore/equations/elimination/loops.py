"""Long loops: kept open while their parts are eliminated, and closed by multipliers.

The transfer function of a loop is dense. Where it would have more columns than there are tears,
each part of the loop is eliminated by itself, then the tears together with the multipliers of the
closing conditions.

That last matrix, [A, -Kᵀ; -K, -C] with A and C symmetric and not negative, needs no measure beside
that of the loop's closing conditions K. Its inverse consists of (C + K A⁻¹ Kᵀ)⁻¹ ≤ K⁻ᵀ A K⁻¹, of
(A + Kᵀ C⁻¹ K)⁻¹ ≤ K⁻¹ C K⁻ᵀ, and of what couples these. So it is regular wherever K is, and it may
be where K is not. Degrees of freedom in the loop itself leave A positive on what K leaves free, as
other pivots of M̄ are.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from mbcore.equations.elimination.block_solver import TornBlock
from mbcore.equations.elimination.blocks import Block, PlacedBlock, SmallBlock
from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.tearing import Tearing


class ClosingBlock(Block):
    """The tears of a loop and the multipliers of its closing conditions, eliminated together.

    A closing row with the rate of a degree of freedom is not a condition: it is ``moving``.
    """

    def __init__(
        self, entries: Entries, tearing: Tearing, first: int, moving: Container[int]
    ) -> None:
        held = [i for i in tearing.closing if i not in moving]
        multipliers = range(first, first + len(held))
        super().__init__(entries, held, [*tearing.tears, *multipliers])
        self.tears = len(tearing.tears)
        self.moving = [i for i in tearing.closing if i in moving]


def own_rows(block: Block) -> list[int]:
    """Rows that may contain rates of degrees of freedom."""
    return block.moving if isinstance(block, ClosingBlock) else block.rows


def open_loops(
    blocks: Sequence[Block], rates_in: dict[int, list[int]], unknowns: int
) -> list[Block]:
    """Return blocks with long loops in parts, in an order in which each needs only those before it.

    Parameters
    ----------
    rates_in : dict of int to list of int
        Degrees of freedom whose rates a row holds.
    unknowns : int
        Number of unknowns; multipliers get the next columns.
    """
    found: list[Block] = []
    for block in blocks:
        dofs = {q for i in block.rows for q in rates_in.get(i, [])}
        if not isinstance(block, TornBlock) or len(dofs) <= len(block.tearing.tears) + 1:
            found.append(block)
            continue
        tearing = block.tearing
        closing = ClosingBlock(block.entries, tearing, unknowns, rates_in)
        unknowns += len(closing.rows)
        found.append(closing)
        for part in tearing.parts:
            kind = PlacedBlock if part.placed else SmallBlock
            found.append(kind(block.entries, part.rows, part.columns, block.sizes))
    return found
