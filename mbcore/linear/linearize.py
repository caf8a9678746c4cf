"""Linearized equations about any state: one call, which caches its linearizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mbcore.equations.equations import Equations, checked_equations
from mbcore.host.threads import single_threaded
from mbcore.linear.linearization import Linearization
from mbcore.linear.linearizer import Linearizer, State
from mbcore.model.variables import Value


@single_threaded
def linearize(
    equations: Equations,
    state: State | None = None,
    *,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    time: float = 0.0,
    motion: Literal["actual", "held"] = "actual",
    unsteady: bool = False,
) -> Linearization:
    """Linearize about a state: an equilibrium, a steady motion, a point of a trajectory.

    Parameters
    ----------
    equations : Equations
        What to linearize.
    state : mapping of str to float or str, or ndarray, optional
        Values by name, others at their start values; or all in order.
    parameters, inputs : mapping of str to float or str
        Values that differ from the model's.
    time : float
        s.
    motion : {"actual", "held"}
        Whether the degrees of freedom accelerate freely, or are held at zero acceleration by the
        forces f^d of [Schwab2002] (2.38).
    unsteady : bool
        Whether an actual motion may change there. Otherwise a ``ModelWarning`` names the largest
        acceleration that is left, or the rate of a state on which accelerations depend.

    Returns
    -------
    Linearization
        M̄, C̄, K̄^d, K̄^k, A, B^d, B^k, f^d and a complete state-space model. Where M̄ is singular,
        which is accepted with motions held only, accelerations have no rows in it: they are NaN,
        and outputs are those at zero acceleration.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    ConfigurationError
        If the state cannot be assembled, the configuration is singular, or degrees of freedom
        without mass are not held.
    """
    return linearizer_of(equations).at(
        state,
        parameters=parameters,
        inputs=inputs,
        time=time,
        motion=motion,
        unsteady=unsteady,
    )


def linearizer_of(equations: Equations) -> Linearizer:
    """Return the linearizer of the equations, made when it is first asked for."""
    made = checked_equations("linearize", equations).__dict__.get("_linearizer")
    if made is None:
        made = equations.__dict__["_linearizer"] = Linearizer(equations)
    return made
