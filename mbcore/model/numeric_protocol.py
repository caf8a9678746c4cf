"""Let expressions say themselves that they are no numbers, which CasADi finds out slowly.

CasADi's calls have one name for numbers, expressions and graphs. To find which are meant, it first
asks of each argument whether it can be a matrix of numbers: by the argument's method ``__DM__``
where it has one, else by functions in Python that look for arrays of NumPy and of SciPy. SX has no
such method, and so half of the time of a sum or a product of expressions goes into a question
whose answer is known.

Only `mbcore.model.expressions` uses this, which all modules that make expressions import; it stands
apart since it changes a class of CasADi's for the whole process.
"""

from __future__ import annotations

import casadi as ca


def _no_numbers(self: ca.SX) -> None:
    """Return nothing: no matrix of numbers stands for an expression."""


def answer_at_once() -> None:
    """Give SX the method ``__DM__`` of CasADi's protocol, unless CasADi has done so."""
    if not hasattr(ca.SX, "__DM__"):
        ca.SX.__DM__ = _no_numbers
