"""CasADi's derivatives without calls of the derivatives of tables' searches, which are zero.

A search that is called gets a call for each change, whether the change reaches it or not, times
whatever the product rule has: a symbol that a derivative does not depend on would stay in it. These
functions leave the calls out at once. Derivatives that take sides at kinks are in
`mbcore.model.kinks`.
"""

from __future__ import annotations

import casadi as ca

from mbcore.model.tables.lookup import without_slopes


def jacobian(expression: ca.SX, symbols: ca.SX) -> ca.SX:
    """Return the Jacobian of a column by a column of symbols."""
    return without_slopes(ca.jacobian(expression, symbols))


def jtimes(expression: ca.SX, symbols: ca.SX, seed: ca.SX, transposed: bool = False) -> ca.SX:
    """Return the Jacobian, or the transposed one, times a column."""
    return without_slopes(ca.jtimes(expression, symbols, seed, transposed))


def gradient(expression: ca.SX, symbols: ca.SX) -> ca.SX:
    """Return the gradient of a scalar by a column of symbols."""
    return without_slopes(ca.gradient(expression, symbols))


def hessian(expression: ca.SX, symbols: ca.SX) -> ca.SX:
    """Return the second derivatives of a scalar by a column of symbols."""
    return without_slopes(ca.hessian(expression, symbols)[0])
