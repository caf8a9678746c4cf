"""One call: the gross motion over a period with the equations linearized along it."""

from __future__ import annotations

from collections.abc import Mapping

from mbcore.equations.equations import Equations
from mbcore.small_vibrations.nominal_motion import NominalMotion
from mbcore.small_vibrations.nominal_path import Path, follow


def nominal_motion(
    equations: Equations,
    period: float,
    samples: int = 64,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, object] | None = None,
    start: Mapping[str, float] | None = None,
) -> NominalMotion:
    """Return the gross motion over one period, and the equations linearized along it.

    The degrees of freedom are held at their start values: rates of values are zero, whatever the
    model's start rates are; generalized speeds keep their start values. Prescribed motions run.

    Parameters
    ----------
    equations : Equations
        The system; without auxiliary states.
    period : float
        T, s. The equations' coefficients must have it; the configuration need not come back.
    samples : int
        Number of equally spaced times.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Values, or functions of the time in s.
    start : mapping of str to float
        Start values of degrees of freedom, generalized speeds and kinematic coordinates.

    Returns
    -------
    NominalMotion

    Raises
    ------
    ModelError
        If a name is unknown, a value impossible, a unilateral contact closed, there are auxiliary
        states, or the coefficients do not have the period: names the largest difference.
    ConfigurationError
        If a state cannot be assembled or a configuration is singular.
    """
    path: Path = follow(equations, period, samples, parameters, inputs, start)
    return NominalMotion(
        equations=equations,
        period=path.period,
        time=path.time,
        states=path.states,
        advance=path.advance,
        output_advance=path.output_advance,
        matrices=path.matrices,
        parameters=path.parameters,
        inputs=path.inputs,
    )
