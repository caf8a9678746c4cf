"""Transfer functions of a linearization by name: systems of python-control, and their drawings.

Used by `mbcore.linear.linearization` only; a file of its own because it needs nothing but the
state-space matrices and names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.linear.no_derivative import told, without_derivative
from mbcore.linear.transfer.figures import Responses, Signal, plot_bode, plot_poles, plot_steps
from mbcore.model import checks, near_names, wording
from mbcore.model.errors import ModelError
from mbcore.model.variables import Input, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12
"""Largest number of transfer functions in one figure."""
Names = str | Sequence[str] | None


@dataclass(frozen=True)
class TransferFunctions:
    """The state-space model of a `Linearization` between inputs and outputs chosen by name.

    `Linearization` has its methods. Inputs and outputs are by default all of them. Where an input's
    rate is an input as well, the rate follows the input, so that s U(s) is added to it.
    """

    name: str
    equations: Equations
    state_matrix: np.ndarray
    input_matrix: np.ndarray
    output_matrix: np.ndarray
    feedthrough: np.ndarray

    def to_control(self) -> Any:
        """Return a ``control.StateSpace`` with the names of states, inputs and outputs.

        Dots in names become ``_``. An input and its rate are two inputs.

        Raises
        ------
        ModelError
            If the package ``control`` is not installed.
        """
        equations = self.equations
        return _control("to_control").ss(
            self.state_matrix,
            self.input_matrix,
            self.output_matrix,
            self.feedthrough,
            states=[s.name.replace(".", "_") for s in equations.states],
            inputs=[i.name.replace(".", "_") for i in equations.inputs],
            outputs=[o.name.replace(".", "_") for o in equations.outputs],
            name=self.name,
        )

    def bode(
        self,
        inputs: Names = None,
        outputs: Names = None,
        *,
        frequencies: Sequence[float] | np.ndarray | None = None,
    ) -> Figure:
        """Draw gain and phase over the frequency.

        Parameters
        ----------
        inputs, outputs : str or sequence of str, optional
            Names to draw; an output may be a state.
        frequencies : sequence of float, optional
            rad/s, rising; by default python-control's choice.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If a name is unknown, there are too many to be drawn, or ``control`` is not installed.
        """
        control = _control("bode")
        sources, targets = self._chosen("bode", inputs, outputs)
        system = self._system(control, sources, targets)
        if frequencies is None:
            omega = np.asarray(control.frequency_response(system).omega)
        else:
            omega = _frequencies(frequencies)
        response = self._response(control, sources, targets, omega)
        return plot_bode(Responses(self.name, omega, response, _signals(sources), targets))

    def step_response(
        self, inputs: Names = None, outputs: Names = None, *, until: Value | None = None
    ) -> Figure:
        """Draw the response of outputs to a step of one unit of each input from the nominal state.

        Parameters
        ----------
        inputs, outputs : str or sequence of str, optional
            Names to draw; an output may be a state.
        until : float or str, optional
            End time, s; by default python-control's choice.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If a name is unknown, an input's rate is an input as well and would be infinite, there
            are too many to be drawn, or ``control`` is not installed.
        """
        control = _control("step_response")
        sources, targets = self._chosen("step_response", inputs, outputs)
        for source in sources:
            if source.rate is not None:
                raise ModelError(
                    f"step_response, {self.name}: a step of {source.name!r} has no rate, and the "
                    f"model needs {source.rate.name!r}; let model.filtered follow the input"
                )
        system = self._system(control, sources, targets)
        end = (
            None
            if until is None
            else checks.real("step_response", "until", until, above=0, unit="s")
        )
        found = control.step_response(system, end, squeeze=False)
        responses = Responses(self.name, found.time, found.outputs, _signals(sources), targets)
        return plot_steps(responses)

    def poles(self, found: np.ndarray, input: str | None, output: str | None) -> Figure:
        """Draw the eigenvalues ``found``, and the zeros from an input to an output."""
        if input is None and output is None:
            return plot_poles(f"{self.name}: eigenvalues", found, np.array([]))
        if input is None or output is None:
            raise ModelError(f"poles, {self.name}: give input and output, or neither")
        (source,), (target,) = sources, targets = self._chosen("poles", input, output)
        if source.rate is not None:
            raise ModelError(
                f"poles, {self.name}: zeros from {source.name!r}, whose rate is an input as well, "
                "are not made; let model.filtered follow the input"
            )
        control = _control("poles")
        zeros = np.asarray(control.zeros(self._system(control, sources, targets)))
        title = f"{self.name}: poles, and zeros from {source.name} to {target.name}"
        return plot_poles(title, found, zeros)

    def _chosen(
        self, owner: str, inputs: Names, outputs: Names
    ) -> tuple[list[Input], list[Signal]]:
        """Return the inputs and outputs of these names.

        Raises
        ------
        ModelError
            If a name is unknown, there are none, too many, or one has no derivative there.
        """
        equations, where = self.equations, f"{owner}, {self.name}"
        rates = {record.rate.name for record in equations.inputs if record.rate is not None}
        sources = {record.name: record for record in equations.inputs}
        free = [name for name in sources if name not in rates]
        targets = {record.name: Signal(record.name, record.unit) for record in equations.states}
        shown_outputs = {
            record.name: Signal(record.name, record.unit) for record in equations.outputs
        }
        from_ = _listed(where, "input", inputs, sources, free)
        both = np.hstack([self.output_matrix, self.feedthrough])
        without = without_derivative(equations, [both])
        shown = [name for name in shown_outputs if name not in without]
        to = _listed(where, "output or state", outputs, shown_outputs | targets, shown)
        chosen = [name for name in to if name in without]
        if chosen:
            raise ModelError(f"{where}: {told(chosen, 'there')}")
        if len(from_) * len(to) > MOST:
            raise ModelError(
                f"{where}: {len(from_)} inputs and {len(to)} outputs are too many for one figure; "
                "choose some by inputs=[...], outputs=[...]"
            )
        return [sources[name] for name in from_], [(shown_outputs | targets)[name] for name in to]

    def _rows(self, targets: Sequence[Signal]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of C and D; states are outputs, too."""
        names = [*(o.name for o in self.equations.outputs)]
        states = [s.name for s in self.equations.states]
        C = np.vstack([self.output_matrix, np.eye(len(states))])
        D = np.vstack([self.feedthrough, np.zeros((len(states), len(self.equations.inputs)))])
        places = [(names + states).index(target.name) for target in targets]
        return C[places], D[places]

    def _column(self, record: Input) -> int:
        return [i.name for i in self.equations.inputs].index(record.name)

    def _system(self, control: Any, sources: Sequence[Input], targets: Sequence[Signal]) -> Any:
        C, D = self._rows(targets)
        columns = [self._column(source) for source in sources]
        return control.ss(self.state_matrix, self.input_matrix[:, columns], C, D[:, columns])

    def _response(
        self, control: Any, sources: Sequence[Input], targets: Sequence[Signal], omega: np.ndarray
    ) -> np.ndarray:
        """Return the complex gains, shape (targets, sources, frequencies)."""
        columns = []
        for source in sources:
            total = np.zeros((len(targets), omega.size), complex)
            record: Input | None = source
            factor = np.ones(omega.size, complex)
            while record is not None:
                system = self._system(control, [record], targets)
                total += factor * system(1j * omega, squeeze=False)[:, 0, :]
                record, factor = record.rate, factor * 1j * omega
            columns.append(total)
        return np.stack(columns, axis=1)


def _control(owner: str) -> Any:
    """Return the package.

    Raises
    ------
    ModelError
        If it is not installed.
    """
    try:
        import control
    except ImportError as missing:
        raise ModelError(f"{owner} needs the package control: pip install control") from missing
    return control


def _listed(
    where: str, what: str, given: Names, known: Iterable[str], usual: list[str]
) -> list[str]:
    names = [given] if isinstance(given, str) else usual if given is None else list(given)
    if not names:
        raise ModelError(f"{where}: there is no {what}; choose one by name")
    for name in names:
        if name not in known:
            raise ModelError(f"{where}: {near_names.unknown(what, name, known)}")
    return list(dict.fromkeys(names))


def _signals(records: Iterable[Input]) -> list[Signal]:
    return [Signal(record.name, record.unit) for record in records]


def _frequencies(given: object) -> np.ndarray:
    """Return rising positive numbers."""
    try:
        found = np.atleast_1d(np.asarray(given, float))
    except (TypeError, ValueError):
        found = np.zeros(0)
    if not (found.ndim == 1 and found.size and np.all(np.isfinite(found)) and np.all(found > 0)):
        raise ModelError(
            f"bode: frequencies = {wording.shortened(repr(given))}; give positive ones in rad/s"
        )
    if np.any(np.diff(found) <= 0):
        raise ModelError("bode: frequencies must rise")
    return found
