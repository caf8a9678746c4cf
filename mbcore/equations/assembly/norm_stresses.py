"""Stresses of the norm conditions of Euler parameters, [Schwab2002] (B.24).

Used by `mbcore.equations.assembly.assembly` alone; it stands apart because it asks elements for
their inertia.
"""

from __future__ import annotations

import casadi as ca

from mbcore.model.nodes.nodes import Rotation
from mbcore.model.statements import Spin
from mbcore.model.system import System


def norm_stresses(model: System) -> list[tuple[ca.SX, ca.SX]]:
    """Return pairs of symbol and λ = Σ ω'ᵀJ'ω' of bodies, for rotations that were asked for it.

    All moments, those of joints too, act on Euler parameters by [Schwab2002] (B.25), without a part
    along the parameters themselves. So λ balances inertia alone.
    """
    found = []
    for node in model.nodes.values():
        if isinstance(node, Rotation) and node.asked_stress is not None:
            turning = node.matrix.T @ node.speeds
            parts = [
                part.tensor
                for element in model.elements.values()
                for part in element.inertias()
                if isinstance(part, Spin) and part.rotation is node
            ]
            whole = sum(parts, ca.SX(3, 3))
            # [Schwab2002] (B.24)
            found.append((node.asked_stress, ca.bilin(whole, turning, turning)))
    return found
