"""Stresses in outputs that are zero because nothing acts: those of free joints without a law.

The stress of a free deformation is that of its laws. To find the torque of a motor, prescribe the
motion, or write the torque as a law. An output that holds other forces too, as the
tension of a belt whose span and contour are two deformations, is left alone.
"""

from __future__ import annotations

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model import wording
from mbcore.model.errors import warn_user
from mbcore.model.expressions import hashes
from mbcore.model.quantities import Quantity, Slip
from mbcore.model.quantities.quantity import with_article


def warn_of_zero_stresses(A: Assembly) -> None:
    """Issue one ``ModelWarning`` that names outputs with stresses or slip forces that are zero."""
    acting = A.implicit.names
    free = {
        q.dual.element_hash(): q
        for q in A.lawful
        if not q.laws and q.name not in acting and not (isinstance(q, Slip) and q.held)
    }
    forces = {q.dual.element_hash() for q in A.quantities()}
    found: list[tuple[str, Quantity]] = []
    for name, output in A.model.outputs.items():
        held = [key for key in hashes(output.expression) if key in forces]
        if all(key in free for key in held):
            found += [(name, free[key]) for key in held]
    if not found:
        return
    each = [
        f"output {name} holds the {_word(q)} of {q.name}, which is zero: {q.name} is "
        f"{with_article(q.role) if q.role else 'free'} without a law"
        for name, q in found[: wording.MOST_NAMES]
    ]
    warn_user(
        f"{A.model.name}: {'; '.join(each)}; a motor with the torque or force T is law(-T), and "
        "the force that a given motion needs is the stress after prescribe(motion) or rigid()"
    )


def _word(q: Quantity) -> str:
    return "force" if isinstance(q, Slip) else "stress"
