r"""An extended Kalman filter whose model is an FMU: a shimmying caster, seen through noise.

A caster on its strut (Co-Simulation) is pushed by a random torque w ~ N(0, q), held for h = 20 ms,
and only a gyroscope (`swivel.rate`) and a load cell (`attachment.force_y`) are read, with noise of
covariance R. A second instance of the same FMU is the filter's model. It knows neither the torque
nor the start; every step it goes through

    predict:  x̂₊ = doStep(x̂),   P₊ = Φ P Φᵀ + Γ q Γᵀ,
    correct:  ν = y - g(x̂₊),   S = C P₊ Cᵀ + R,   K = P₊ Cᵀ S⁻¹,   x̂ = x̂₊ + K ν,   P = (1 - K C) P₊.

The corrected state has to go into the FMU, and states may be set until initialization ends. So the
FMU's state is saved in Initialization Mode, once, and restored before each step: the FMU is back
where states are start values. (Time is back at 0 too, which is allowed because this model does not
depend on it.) A, B and C are its directional derivatives, A and B before and after the step, and

    [Φ Γ; 0 1] = exp(h [Ā B̄; 0 0]),   Ā, B̄ their means, an error of order h³.

At one moment the filter looks ahead: it saves the state, goes on for 2 s, restores it, and
continues as if nothing had been.

**Consistency.** If P is what it claims to be, NIS = νᵀ S⁻¹ ν is distributed as χ² with two degrees
of freedom and independent from step to step, and NEES = (x - x̂)ᵀ P⁻¹ (x - x̂) as χ² with three.
Twenty runs with other noise are held against both (Bar-Shalom, Li and Kirubarajan, *Estimation with
applications to tracking and navigation*, 5.4). A filter that is told half the noise of the sensors
has to fail.

Run: python examples/controllers/fmu_kalman_filter.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import chi2

from mbcore.examples.common import figures_folder, head, plain, print_comparison, save
from mbcore.examples.cosimulation import Unit
from mbcore.examples.swivel_picture import show_swivelled
from mbcore.fmi import export
from mbcore.fmus import caster

STEP, STEPS, RUNS = 0.02, 400, 20
"""h, s; steps of a run; runs."""
STATES = ("strut.deflection_rate", "strut.deflection", "swivel.angle")
TORQUE = "swivel.torque"
MEASURED = ("swivel.rate", "attachment.force_y")
NOISE = np.diag(np.square([0.05, 0.02]))
"""R: (rad/s)² and N²."""
PUSH = 0.1**2
"""q, (N.m)²."""
EXPECTED = np.array([0.0, 0.0, 0.3])
"""x̂ at the start."""
DOUBT = np.diag(np.square([0.1, 0.1, 0.15]))
"""P at the start: the true one is drawn with it."""
LOOK_AHEAD, AHEAD = 200, 100
"""Step at which the first run looks ahead, and how many steps."""
SEED = 1960
SURE = 0.99
"""Probability of the intervals."""


@dataclass(frozen=True)
class Run:
    """Truth, estimates and what tells of consistency, at every step.

    Attributes
    ----------
    true, estimate : ndarray, shape (STEPS, 3)
        Of ``STATES``.
    covariance : ndarray, shape (STEPS, 3, 3)
        P.
    innovations : ndarray, shape (STEPS, 2)
        ν, in units of its expected deviation: L⁻¹ ν with S = L Lᵀ.
    ahead : ndarray, shape (AHEAD, 3)
        What was seen at step ``LOOK_AHEAD``.
    resumed : bool
        Whether all was as before after that, to the last bit.
    """

    true: np.ndarray
    estimate: np.ndarray
    covariance: np.ndarray
    innovations: np.ndarray
    ahead: np.ndarray
    resumed: bool

    @property
    def nis(self) -> np.ndarray:
        """νᵀ S⁻¹ ν, shape (STEPS,)."""
        return np.sum(self.innovations**2, axis=1)

    @property
    def nees(self) -> np.ndarray:
        """(x - x̂)ᵀ P⁻¹ (x - x̂), shape (STEPS,)."""
        apart = self.true - self.estimate
        solved = np.linalg.solve(self.covariance, apart[:, :, None])[:, :, 0]
        return np.sum(apart * solved, axis=1)


class Filter:
    """The filter; its FMU is left in Step Mode at the estimate's prediction.

    Parameters
    ----------
    unit : Unit
        The model, not initialized yet.
    noise : ndarray, shape (2, 2)
        R as the filter believes it to be.
    """

    def __init__(self, unit: Unit, noise: np.ndarray) -> None:
        self._unit, self._noise = unit, noise
        self._start = unit.saved()
        self._rates = [unit.rates[name] for name in STATES]
        self.state, self.covariance = EXPECTED.copy(), DOUBT.copy()

    def _system(self) -> tuple[np.ndarray, np.ndarray]:
        both = self._unit.jacobian(self._rates, (*STATES, TORQUE))
        return both[:, :-1], both[:, -1:]

    def predict(self) -> None:
        """Go a step ahead."""
        self._unit.restore(self._start)
        self._unit.set(dict(zip(STATES, map(float, self.state), strict=True)))
        self._unit.initialized()
        before = self._system()
        self._unit.step(STEP)
        self.state = np.array(self._unit.get(STATES))
        after = self._system()
        A, B = ((one + other) / 2 for one, other in zip(before, after, strict=True))
        transition, push = over_step(A, B)
        self.covariance = transition @ self.covariance @ transition.T + PUSH * push @ push.T

    def correct(self, measured: np.ndarray) -> np.ndarray:
        """Use a measurement; return the innovation in units of its deviation."""
        C = self._unit.jacobian(MEASURED, STATES)
        innovation = measured - self._unit.get(MEASURED)
        expected = C @ self.covariance @ C.T + self._noise
        gain = np.linalg.solve(expected, C @ self.covariance).T
        self.state = self.state + gain @ innovation
        kept = np.eye(len(STATES)) - gain @ C
        # symmetric and positive whatever the gain (Joseph's form)
        self.covariance = kept @ self.covariance @ kept.T + gain @ self._noise @ gain.T
        return np.linalg.solve(np.linalg.cholesky(expected), innovation)

    def look_ahead(self) -> tuple[np.ndarray, bool]:
        """Return the motion to come, and whether all is as before afterwards."""
        self.predict()
        now, before = self._unit.saved(), self._unit.get((*STATES, *MEASURED))
        seen = [self.state]
        for _ in range(AHEAD - 1):
            self._unit.step(STEP)
            seen.append(np.array(self._unit.get(STATES)))
        self._unit.restore(now)
        self._unit.forget(now)
        return np.array(seen), self._unit.get((*STATES, *MEASURED)) == before

    def close(self) -> None:
        """Free what was saved."""
        self._unit.forget(self._start)


def over_step(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Φ and Γ by the series of the exponential, to order h⁴."""
    transition, push, term = np.eye(len(A)), STEP * B, np.eye(len(A))
    for order in range(1, 5):
        term = term @ A * (STEP / order)
        transition = transition + term
        push = push + STEP / (order + 1) * term @ B
    return transition, push


def follow(fmu: Path, seed: int, noise: np.ndarray = NOISE) -> Run:
    """Let a caster move, and a filter follow it.

    Parameters
    ----------
    fmu : Path
        The caster, FMI 3.0.
    seed : int
        Of torques, start and noise.
    noise : ndarray, shape (2, 2)
        R as the filter believes it to be.
    """
    chance = np.random.default_rng(seed)
    start = chance.multivariate_normal(EXPECTED, DOUBT)
    pushes = chance.normal(scale=np.sqrt(PUSH), size=STEPS)
    disturbed = chance.multivariate_normal([0.0, 0.0], NOISE, size=STEPS)
    rows, innovations, ahead, resumed = [], [], np.empty((0, len(STATES))), True
    begin = dict(zip(STATES, map(float, start), strict=True))
    with Unit(fmu, begin, 1e-8) as plant, Unit(fmu, {}, 1e-8, initialize=False) as model:
        kalman = Filter(model, noise)
        for k in range(STEPS):
            plant.set({TORQUE: float(pushes[k])})
            plant.step(STEP)
            if k == LOOK_AHEAD:
                state, covariance = kalman.state, kalman.covariance
                ahead, resumed = kalman.look_ahead()
                kalman.state, kalman.covariance = state, covariance
            kalman.predict()
            innovations.append(kalman.correct(plant.get(MEASURED) + disturbed[k]))
            rows.append((plant.get(STATES), kalman.state, kalman.covariance))
        kalman.close()
    true, estimate, covariance = (np.array(column) for column in zip(*rows, strict=True))
    return Run(true, estimate, covariance, np.array(innovations), ahead, resumed)


@dataclass(frozen=True)
class Record:
    """Twenty runs, and one whose filter believes in half the noise."""

    runs: list[Run]
    overconfident: Run

    @property
    def nis(self) -> float:
        """Mean over all steps and runs."""
        return float(np.mean([run.nis for run in self.runs]))

    @property
    def nees(self) -> np.ndarray:
        """Mean over the runs, shape (STEPS,)."""
        return np.mean([run.nees for run in self.runs], axis=0)

    @property
    def correlation(self) -> float:
        """Of an innovation and the next one, mean of both sensors over all."""
        pairs = [run.innovations[1:] * run.innovations[:-1] for run in self.runs]
        return float(np.mean(pairs))


def interval(freedoms: int, samples: int) -> tuple[float, float]:
    """Return where the mean of squares with these degrees of freedom is to be expected."""
    low, high = chi2.interval(SURE, freedoms * samples)
    return float(low / samples), float(high / samples)


def run(fmu: Path | None = None) -> Record:
    """Follow twenty casters.

    Parameters
    ----------
    fmu : Path, optional
        The caster, FMI 3.0; exported into a temporary folder where absent.
    """
    if fmu is None:
        with tempfile.TemporaryDirectory() as folder:
            return run(export(caster.component(), folder, fmi="3.0")[0])
    runs = [follow(fmu, SEED + k) for k in range(RUNS)]
    return Record(runs, follow(fmu, SEED, NOISE / 4))


def draw(record: Record, folder: Path) -> None:
    """Draw one run with the look ahead, and both measures of consistency."""
    figure = Figure(figsize=(9.4, 9.6), layout="constrained")
    angle, deflection, nis, nees = figure.subplots(4, 1, height_ratios=(1.2, 1.2, 0.9, 0.9))
    figure.suptitle("caster.fmu followed by an extended Kalman filter with the same FMU")
    time, first = STEP * np.arange(1, STEPS + 1), record.runs[0]
    ahead = STEP * (LOOK_AHEAD + 1 + np.arange(AHEAD))
    for axes, at, factor, label, title in (
        (angle, 2, 180 / np.pi, "angle (°)", "Swivel angle, not measured"),
        (deflection, 1, 100.0, "deflection (cm)", "Deflection of the strut"),
    ):
        estimate = factor * first.estimate[:, at]
        around = 2 * factor * np.sqrt(first.covariance[:, at, at])
        axes.fill_between(
            time, estimate - around, estimate + around, color="#1f5fa8", alpha=0.25, linewidth=0,
            label="estimate ± 2 deviations",
        )  # fmt: skip
        axes.plot(time, estimate, color="#1f5fa8", linewidth=1.1, label="estimate")
        axes.plot(time, factor * first.true[:, at], color="black", linewidth=1.1, label="true")
        axes.plot(
            ahead, factor * first.ahead[:, at], "--", color="#c4501b",
            label=f"seen ahead at {STEP * LOOK_AHEAD:g} s",
        )  # fmt: skip
        plain(axes, "", label)
        head(axes, title, 4)
    for axes, values, samples, freedoms, label in (
        (nis, np.mean([run.nis for run in record.runs], axis=0), RUNS, 2, "NIS"),
        (nees, record.nees, RUNS, 3, "NEES"),
    ):
        low, high = interval(freedoms, samples)
        axes.axhspan(low, high, color="0.88", label=f"{SURE:.0%} of {samples} runs' means")
        axes.plot(time, values, color="#5c3566", linewidth=0.9, label="mean of the runs")
        axes.axhline(freedoms, color="0.4", linewidth=0.8, linestyle=":")
        axes.set_ylim(0, 2.2 * freedoms)
        plain(axes, "time (s)" if axes is nees else "", label)
        head(axes, f"{label}: χ² with {freedoms} degrees of freedom if consistent", 2)
    for axes in (angle, deflection, nis, nees):
        axes.set_xlim(0, STEP * STEPS)
    figure.align_ylabels([angle, deflection, nis, nees])
    save(figure, folder, "fmu_kalman_filter")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_swivelled(caster.model(), folder, "fmu_kalman_filter", "Swivel wheel and strut")
    record = run()
    last = record.runs[0]
    print_comparison(
        "Consistency of the filter; reference: what χ² distributions expect",
        [
            ("NIS, mean of all steps and runs", record.nis, 2.0),
            ("NEES, mean of all steps and runs", float(record.nees.mean()), 3.0),
            ("correlation of successive innovations", record.correlation, 0.0),
        ],
    )
    low, high = interval(2, STEPS * RUNS)
    print(f"NIS has to lie between {low:.3f} and {high:.3f} ({SURE:.0%})")
    print(f"told half the noise of the sensors: NIS {record.overconfident.nis.mean():.2f}")
    print(f"resumed after looking ahead, to the last bit: {'yes' if last.resumed else 'NO'}")
    draw(record, folder)


if __name__ == "__main__":
    main()
