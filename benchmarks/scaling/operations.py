"""How many arithmetic operations a right-hand side takes, counted in its functions."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

RIGHT_HAND_SIDE = ("newton", "motion", "derivative")
"""Functions of a right-hand side, as far as equations have them: one step of Newton's iteration,
what moves with it, and the states' derivatives."""
MOVES = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_PARAMETER, ca.OP_ASSIGN}
"""Instructions that only bring numbers from one place to another."""


def operations(function: ca.Function) -> int:
    """Return the number of arithmetic operations of one call.

    A sine or a square root counts as one, like a product. Functions that are composed of others
    are counted with these.
    """
    flat = function if function.is_a("SXFunction") else function.expand()
    return sum(flat.instruction_id(i) not in MOVES for i in range(flat.n_instructions()))


def right_hand_side(functions: Mapping[str, ca.Function]) -> dict[str, int]:
    """Return the operations of each function that a right-hand side calls, by name.

    Repeated ones count once, as in C; Python's functions of large models keep them.

    Parameters
    ----------
    functions : mapping of str to casadi.Function
        ``equations.functions``.
    """
    return {n: operations(_once(functions[n])) for n in RIGHT_HAND_SIDE if n in functions}


def _once(function: ca.Function) -> ca.Function:
    """Return a function without repeated operations."""
    flat = function if function.is_a("SXFunction") else function.expand()
    arguments = flat.sx_in()
    results = ca.cse(flat.call(arguments, True, False))
    return ca.Function(function.name(), arguments, results)
