"""An FMU as a system of differential equations, ẋ = f(x, u, p), y = g(x, u, p), with derivatives.

Model Exchange of FMI 3.0 through FMPy's functions: the importer owns time and states, the FMU
evaluates. All that is known of the model is its description, so this serves any FMU with these
capabilities. Derivatives come from the FMU itself: directional ones, J v, column by column, and
adjoint ones, vᵀ J, row by row.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_double, c_uint32
from pathlib import Path
from types import TracebackType

import fmpy
import numpy as np
from fmpy.fmi3 import FMU3Model

Names = tuple[str, ...]


class Dynamics:
    """An FMU for Model Exchange in Continuous-Time Mode, its variables by name.

    Parameters
    ----------
    path : Path
        FMI 3.0.
    start : mapping of str to float
        Start values of parameters, states and inputs.

    Attributes
    ----------
    states : tuple of str
        In the order of the state's vector.
    rates : tuple of str
        The variables that hold their derivatives.
    """

    def __init__(self, path: Path, start: Mapping[str, float]) -> None:
        description = fmpy.read_model_description(str(path))
        if not description.fmiVersion.startswith("3"):
            raise ValueError(f"{path} is of FMI {description.fmiVersion}; FMI 3.0 is needed here")
        self._references = {v.name: v.valueReference for v in description.modelVariables}
        derivatives = [unknown.variable for unknown in description.derivatives]
        self.rates: Names = tuple(variable.name for variable in derivatives)
        self.states: Names = tuple(variable.derivative.name for variable in derivatives)
        self._arrays: dict[Names, tuple[object, int]] = {}
        self._folder = fmpy.extract(str(path))
        self._fmu = FMU3Model(
            guid=description.instantiationToken,
            unzipDirectory=self._folder,
            modelIdentifier=description.modelExchange.modelIdentifier,
            instanceName=description.modelName,
        )
        self._fmu.instantiate()
        self.set(start)
        self._fmu.enterInitializationMode()
        self._fmu.exitInitializationMode()
        self._go_on()
        self._state = (c_double * len(self.states))()
        self._rate = (c_double * len(self.states))()
        self._fmu.getContinuousStates(self._state, len(self.states))

    def __enter__(self) -> Dynamics:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._fmu.terminate()
        self._fmu.freeInstance()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _listed(self, names: Sequence[str]) -> tuple[object, int]:
        key = tuple(names)
        if key not in self._arrays:
            references = [self._references[name] for name in key]
            self._arrays[key] = (c_uint32 * len(references))(*references), len(references)
        return self._arrays[key]

    @property
    def state(self) -> np.ndarray:
        """The state's vector; what is assigned is where all is evaluated from then on."""
        return np.array(self._state)

    @state.setter
    def state(self, values: Sequence[float] | np.ndarray) -> None:
        self._state[:] = values
        self._fmu.setContinuousStates(self._state, len(self.states))

    def _go_on(self) -> None:
        while self._fmu.updateDiscreteStates()[0]:
            pass
        self._fmu.enterContinuousTimeMode()

    def tune(self, values: Mapping[str, float]) -> None:
        """Set tunable parameters, in Event Mode as the standard has it."""
        self._fmu.enterEventMode()
        self.set(values)
        self._go_on()

    def set(self, values: Mapping[str, float]) -> None:
        """Set inputs and states by name."""
        names, count = self._listed(tuple(values))
        numbers = (c_double * count)(*values.values())
        self._fmu.fmi3SetFloat64(self._fmu.component, names, count, numbers, count)

    def get(self, names: Sequence[str]) -> np.ndarray:
        """Return variables."""
        listed, count = self._listed(names)
        numbers = (c_double * count)()
        self._fmu.fmi3GetFloat64(self._fmu.component, listed, count, numbers, count)
        return np.array(numbers)

    def rate(self) -> np.ndarray:
        """Return the state's derivative."""
        self._fmu.getContinuousStateDerivatives(self._rate, len(self.states))
        return np.array(self._rate)

    def forward(self, of: Sequence[str], by: Sequence[str], seed: Iterable[float]) -> np.ndarray:
        """Return J v, by the directional derivative.

        Parameters
        ----------
        of, by : sequence of str
            What is differentiated, rates or outputs; and by what, states, inputs or parameters.
        seed : iterable of float
            v, one for each of ``by``.
        """
        return self._derivative("fmi3GetDirectionalDerivative", of, by, seed, len(of))

    def backward(self, of: Sequence[str], by: Sequence[str], seed: Iterable[float]) -> np.ndarray:
        """Return vᵀ J, by the adjoint derivative; arguments as in `forward`, v for ``of``."""
        return self._derivative("fmi3GetAdjointDerivative", of, by, seed, len(by))

    def _derivative(
        self, function: str, of: Sequence[str], by: Sequence[str], seed: Iterable[float], size: int
    ) -> np.ndarray:
        unknowns, n_unknowns = self._listed(of)
        knowns, n_knowns = self._listed(by)
        n_seed = n_knowns + n_unknowns - size
        given, found = (c_double * n_seed)(*seed), (c_double * size)()
        getattr(self._fmu, function)(
            self._fmu.component, unknowns, n_unknowns, knowns, n_knowns, given, n_seed, found, size
        )
        return np.array(found)

    def jacobian(self, of: Sequence[str], by: Sequence[str]) -> np.ndarray:
        """Return J, one directional derivative for each of ``by``; shape (of, by)."""
        columns = [self.forward(of, by, unit) for unit in np.eye(len(by))]
        return np.column_stack(columns) if columns else np.empty((len(of), 0))
