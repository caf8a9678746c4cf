"""Lyapunov exponents: how fast neighbouring motions part, in the mean over a long time.

Orthogonal directions go with the motion as columns of the variational equations, through events.
They are made orthogonal again before the fastest drowns the others. The mean rates of their growth
are the exponents.

Source: G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn: Lyapunov characteristic exponents for
smooth dynamical systems. Meccanica 15 (1980) 9-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.host.backend import Backend, Evaluator, evaluator, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.model import checks, summary
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.periodic.flow import Flow, InputSignal
from mbcore.periodic.variational import StepOptions, VariationalIntegration

STEPS = StepOptions(1e-9, 1e-10)
SETTLING = 0.1
"""Part of the duration that is left out by default."""
SPREAD = 6.0
"""Exponent by which growth of the directions may differ before they are made orthogonal again."""
MOST_SPREAD = 12.0
"""The same, above which an interval is repeated by halves.

Rounding, 2e-16, grows with exp(12) beside the shortest direction, so that the sum of all exponents
has an error of 4e-11 an interval. No estimate is enough: chaos is calm for a while, and in another
interval of that length directions part by exp(28).
"""
HALVINGS = 10
"""Of an interval, at most. More would not part what an event does in an instant."""
MOST = 2.0
"""Largest factor of one interval to the next."""
FORGOTTEN = 1e-14
"""Length that is left of a direction, in parts of the longest one, which is rounding."""
LEAST_INTERVALS = 100
"""Intervals in the duration, at least."""
SHORTEST, LONGEST = 1e-30, 1e30
"""Durations, s, whose means do not drown in rounding or overflow."""
MOST_STEPS = 1e9
"""Durations of the fastest decay or vibration that can be followed, about as many steps."""
PARTS = 10
"""Parts of the duration whose scatter gives the error."""


@dataclass(frozen=True, repr=False)
class LyapunovExponents(summary.Summarized):
    """Mean exponential rates at which neighbouring motions part.

    Attributes
    ----------
    values : ndarray, shape (ns + nm,)
        The exponents of the states, and of numbers that events set and motion depends on, largest
        first, 1/s; -inf where events forget a direction.
    error : ndarray, shape (ns + nm,)
        Their standard errors, from the scatter over ten parts of the time, 1/s.
    times : ndarray, shape (n,)
        Times since the settling, s.
    history : ndarray, shape (n, ns + nm)
        Exponents of the motion up to there, 1/s.
    divergence : float
        Mean rate at which a volume of states grows, 1/s, which is the sum of all exponents.
    backend : {"python", "c"}
        Backend that evaluated the equations.
    """

    values: np.ndarray
    error: np.ndarray
    times: np.ndarray
    history: np.ndarray
    divergence: float
    backend: Evaluator = field(default_factory=evaluator, compare=False)

    def _title(self) -> str:
        return "Lyapunov exponents"

    def _facts(self) -> list[str]:
        return [f"{self.values[0]:.4g} ± {self.error[0]:.1g} 1/s is the largest"]

    def _tables(self) -> list[summary.Table]:
        rows = [[f"{v:.6g}", f"{e:.2g}"] for v, e in zip(self.values, self.error, strict=True)]
        return [summary.Table("exponents", ("value, 1/s", "error, 1/s"), rows)]

    @property
    def dimension(self) -> float:
        """Dimension of the attractor after Kaplan and Yorke.

        So many exponents, the last one in part, have the sum zero; all states where it is positive.
        """
        sums = np.cumsum(self.values)
        if sums[-1] >= 0:
            return float(sums.size)
        whole = int(np.argmax(sums < 0))
        left = sums[whole - 1] if whole else 0.0
        return float(whole + left / -self.values[whole])


@explains_arguments
@takes_backend
@single_threaded
def lyapunov_exponents(
    equations: Equations,
    duration: float,
    start: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputSignal] | None = None,
    *,
    settling: float | None = None,
    steps: StepOptions = STEPS,
    backend: Backend = "auto",
) -> LyapunovExponents:
    """Follow a motion and the growth of its variations.

    A positive exponent means chaos. An attractor other than rest has an exponent zero where
    nothing depends on time; those of a periodic motion are the logarithms of its multipliers over
    the period.

    Parameters
    ----------
    equations : Equations
        The system.
    duration : float
        Time over which growth is averaged, s.
    start : mapping of str to float
        Start values of states that differ from the model's.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    settling : float, optional
        Time before, s, in which the motion comes to its attractor, and the directions to theirs; by
        default a tenth of the duration.
    steps : StepOptions
        Tolerances of the integration.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    ConfigurationError, SimulationError
        If the motion cannot be followed, or an event has no derivative because it grazes.
    """
    owner = f"lyapunov_exponents of {checked_equations('lyapunov_exponents', equations).name}"
    duration = checks.real(owner, "duration", duration, least=SHORTEST, most=LONGEST, unit="s")
    before = SETTLING * duration if settling is None else settling
    before = checks.real(owner, "settling", before, least=0.0, most=LONGEST, unit="s")
    if before + duration / LEAST_INTERVALS == before:
        raise ModelError(
            f"{owner}: duration = {duration:g} s is lost in rounding after settling = "
            f"{before:g} s; give a longer duration or a shorter settling"
        )
    if not isinstance(steps, StepOptions):
        raise ModelError(f"{owner}: steps = {steps!r}; give StepOptions(rtol=..., atol=...)")
    flow = Flow(equations, start, parameters=parameters, inputs=inputs, steps=steps)
    flow.begin(flow.whole(flow.point.s))
    growth = _Growth(flow.integration(before + duration), flow.nominal)
    if (before + duration) * growth.fastest > MOST_STEPS:
        raise ModelError(
            f"{owner}: settling and duration are {before + duration:g} s together, and the fastest "
            f"rate at the start is {growth.fastest:g} 1/s, which takes too many steps to follow; "
            f"give at most {MOST_STEPS / growth.fastest:g} s"
        )
    growth.follow(before, duration / LEAST_INTERVALS)
    growth.forget()
    growth.follow(before + duration, duration / LEAST_INTERVALS)
    return growth.exponents()


class _Growth:
    """Directions that go with a motion, and the logarithms of their growth.

    Parameters
    ----------
    integration : VariationalIntegration
        Of the motion from its start on.
    nominal : ndarray, shape (ns + nm,)
        Sizes of the states, in which lengths are measured.

    Attributes
    ----------
    fastest : float
        Largest modulus of the eigenvalues at the start, 1/s.
    """

    def __init__(self, integration: VariationalIntegration, nominal: np.ndarray) -> None:
        self._integration, self._nominal = integration, nominal[:, None]
        n = nominal.size
        jacobian = integration.point.rates_by_states(range(integration.point.s.size))
        values = np.linalg.eigvals(jacobian)
        self.fastest = float(np.abs(values).max(initial=0.0))
        self._interval = SPREAD / max(float(np.abs(values.real).max(initial=0.0)), 1e-300)
        # any directions will do, but for those that are states alone, which may not be felt
        some = np.cos(np.arange(1.0, n * n + 1).reshape(n, n) ** 2)
        integration.columns = integration.columns @ (self._nominal * np.linalg.qr(some)[0])
        self.forget()

    def forget(self) -> None:
        """Count from here on."""
        self._since = float(self._integration.point.t[0])
        self._integration.trace = 0.0
        self._times: list[float] = []
        self._logarithms: list[np.ndarray] = []
        self._jumps = 0.0

    def follow(self, end: float, longest: float) -> None:
        """Go on to a time, s, in intervals of at most ``longest``, s."""
        integration, halvings = self._integration, 0
        while (now := float(integration.point.t[0])) < end:
            asked, mark = min(self._interval, longest), integration.save()
            # a rest that is very short would be lost in rounding
            integration.go(end if now + asked > end - 0.01 * asked else now + asked)
            interval = float(integration.point.t[0]) - now
            Q, R = np.linalg.qr(integration.columns / self._nominal)
            lengths = np.abs(np.diag(R))
            if halvings < HALVINGS and self._is_lost(lengths):
                integration.restore(mark)
                self._interval, halvings = interval / 2, halvings + 1
                continue
            integration.columns, halvings = Q * self._nominal, 0
            with np.errstate(divide="ignore"):
                logarithms = np.log(np.where(lengths > FORGOTTEN * lengths.max(), lengths, 0.0))
                self._jumps += float(np.log(np.abs(integration.jumps)))
            integration.jumps = 1.0
            self._times.append(float(integration.point.t[0]) - self._since)
            self._logarithms.append(logarithms)
            self._adapt(logarithms, interval)

    def _is_lost(self, lengths: np.ndarray) -> bool:
        """Return whether a direction is lost in rounding beside others, which no event explains."""
        with np.errstate(divide="ignore"):
            spread = -np.log(max(float(lengths.min() / lengths.max()), FORGOTTEN))
            by_events = abs(np.log(abs(self._integration.jumps)))
        return bool(spread > MOST_SPREAD + by_events)

    def _adapt(self, logarithms: np.ndarray, interval: float) -> None:
        """Choose the next interval by how different the growth has been."""
        known = logarithms[np.isfinite(logarithms)]
        spread = float(np.ptp(np.append(known, 0.0)))
        factor = SPREAD / max(spread, SPREAD / MOST)
        self._interval = interval * min(MOST, factor)

    def exponents(self) -> LyapunovExponents:
        """Return the exponents."""
        times = np.array(self._times)
        sums = np.cumsum(self._logarithms, axis=0)
        order = np.argsort(-sums[-1], kind="stable")
        sums = sums[:, order]
        places = np.searchsorted(times, times[-1] * np.arange(1, PARTS) / PARTS)
        ends = np.unique(np.concatenate([places, [times.size - 1]]))
        spans = np.diff(times[ends], prepend=0.0)[:, None]
        with np.errstate(invalid="ignore"):
            parts = np.diff(sums[ends], axis=0, prepend=np.zeros((1, order.size))) / spans
            error = parts.std(axis=0, ddof=1) / np.sqrt(len(parts))
        divergence = (self._integration.trace + self._jumps) / times[-1]
        history = sums / times[:, None]
        return LyapunovExponents(history[-1], error, times, history, float(divergence))
