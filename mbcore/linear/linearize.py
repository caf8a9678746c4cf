"""Linearized equations about any state, exact: [Schwab2002] 2.4.2 and (A.112) to (A.118)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mbcore.equations.equations import Equations
from mbcore.host.backend import Backend, takes_backend
from mbcore.linear.linearization import Linearization
from mbcore.linear.linearizer import State, linearizer_of
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value


@takes_backend
@explains_arguments
def linearize(
    equations: Equations,
    state: State | None = None,
    *,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    time: float = 0.0,
    motion: Literal["actual", "held"] = "actual",
    unsteady: bool = False,
    backend: Backend = "auto",
) -> Linearization:
    """Linearize about a state: an equilibrium, a steady motion, a point of a trajectory.

    Rigid contacts that touch at rest and are pressed are closed: each is a constraint, as held
    slips are, and takes a gap and its rate from the motion. Those that nothing presses are refused.

    Parameters
    ----------
    equations : Equations or driver
        What to linearize; of an FMU what `mbcore.driver` returns.
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
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Returns
    -------
    Linearization
        M̄, C̄, K̄^d, K̄^k, A, B^d, B^k, f^d and a complete state-space model. Where M̄ is singular,
        which is accepted with motions held only, accelerations have no rows in it: they are NaN,
        and outputs are those at zero acceleration. Of an FMU a ``Point``: A, B, C, D, eigenvalues
        and modes.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    ConfigurationError
        If the state cannot be assembled, the configuration is singular, or degrees of freedom
        without mass are not held.
    """
    if hasattr(equations, "linearized"):
        if motion != "actual":
            raise ModelError(
                "linearize: motion='held' needs our equations; leave it out for an FMU"
            )
        found: Linearization = equations.linearized(state, parameters, inputs, time, unsteady)
        return found
    return linearizer_of(equations).at(
        state,
        parameters=parameters,
        inputs=inputs,
        time=time,
        motion=motion,
        unsteady=unsteady,
    )
