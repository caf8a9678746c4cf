r"""Parameters of a caster from a noisy motion, with gradients by the FMU's adjoint derivatives.

A caster with unknown mass, stiffness and dampers is pushed by a known torque about its swivel axis,
which is held for h, and its angle and deflection are measured every fourth step with noise σ. The
motion is computed by Runge and Kutta's method of order 4 on the FMU in Model Exchange,

    k_i = f(x + a_i h k_{i-1}, u, p),   x₊ = x + h (k_1 + 2 k_2 + 2 k_3 + k_4)/6,   a = 0, ½, ½, 1,

and p and x_0 make J = ½ Σ ((y - ŷ)/σ)² smallest. Its gradient comes from one sweep back: with
λ₊ = ∂J/∂x₊, from the last stage to the first, c = 1, 2, 2, 1,

    k̄_i = h c_i/6 λ₊ + a_{i+1} h x̄_{i+1},    x̄_i = (∂f/∂x)ᵀ k̄_i,    p̄ += (∂f/∂p)ᵀ k̄_i,

    λ = λ₊ + Σ x̄_i + (∂y/∂x)ᵀ (y - ŷ)/σ²,

which is exact for the discrete motion. Each transposed product is one call of
`fmi3GetAdjointDerivative` for states and parameters at once, so the sweep costs the same for any
number of parameters. Ahead, with directional derivatives, the same method carries ∂x/∂(p, x_0);
that gives the information matrix F = Σ (∂y/∂θ)ᵀ (∂y/∂θ)/σ², and F⁻¹ bounds the estimate's
covariance (Cramér and Rao). L-BFGS-B searches; it sees J and the gradient only.

Run: python examples/controllers/fmu_adjoints.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

from mbcore import simulate
from mbcore.examples.common import ABOVE, figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.cosimulation import Unit
from mbcore.examples.dynamics import Dynamics
from mbcore.fmi import export
from mbcore.fmus import caster

STEP, STEPS, EVERY = 0.03, 400, 4
"""h, s; number of steps; steps between measurements."""
MEASURED = ("swivel.angle", "strut.deflection")
NOISE = np.array([0.004, 0.004])
"""σ, rad and m."""
UNKNOWN = ("wheel.mass", "strut.stiffness", "strut.damping", "swivel.damping")
START = ("strut.deflection_rate", "strut.deflection", "swivel.angle")
"""States whose start is not known either."""
TRUE = np.array([1.3, 0.45, 0.06, 0.08, 0.0, 0.1, 0.2])
"""Of ``UNKNOWN`` and ``START``: what made the measurements."""
GUESS = np.array([1.0, 0.3, 0.02, 0.02, 0.0, 0.0, 0.0])
BOUNDS = [(0.1, None), (0.0, None), (0.0, None), (0.0, None), (None, None), (None, None), (-1, 1)]
SEED = 20021
SEEN = (0.0, 3.75)
"""When the caster is drawn, s: the force of the ground is large at the second time."""


def torques() -> np.ndarray:
    """Return the known torque of every step: three sines, N.m."""
    time = STEP * np.arange(STEPS)
    return 0.3 * np.sin(1.1 * time) + 0.2 * np.sin(2.7 * time + 1) + 0.1 * np.sin(5.3 * time)


def measure(fmu: Path, seed: int = SEED) -> np.ndarray:
    """Return measurements of a caster with the true parameters, shape (STEPS/EVERY, 2)."""
    noise = np.random.default_rng(seed).normal(size=(STEPS // EVERY, 2)) * NOISE
    rows = []
    with Unit(fmu, dict(zip(UNKNOWN + START, TRUE, strict=True)), tolerance=1e-10) as unit:
        for k, torque in enumerate(torques(), start=1):
            unit.set({"swivel.torque": float(torque)})
            unit.step(STEP)
            if k % EVERY == 0:
                rows.append(unit.get(MEASURED))
    return np.array(rows) + noise


class Fit:
    """J and its derivatives for measurements.

    Parameters
    ----------
    dynamics : Dynamics
        The caster.
    measured : ndarray, shape (STEPS/EVERY, 2)
        From `measure`.
    """

    def __init__(self, dynamics: Dynamics, measured: np.ndarray) -> None:
        self._dynamics, self._measured = dynamics, measured
        self._torques = torques()
        self._started = [dynamics.states.index(name) for name in START]
        self._shown = [dynamics.states.index(name) for name in MEASURED]
        self._knowns = dynamics.states + UNKNOWN

    def _begin(self, theta: np.ndarray) -> np.ndarray:
        self._dynamics.tune(dict(zip(UNKNOWN, map(float, theta), strict=False)))
        state = np.zeros(len(self._dynamics.states))
        state[self._started] = theta[len(UNKNOWN) :]
        return state

    def _rate(self, state: np.ndarray) -> np.ndarray:
        self._dynamics.state = state
        return self._dynamics.rate()

    def _stages(self, state: np.ndarray, torque: float) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the states of the stages, and the state after the step."""
        self._dynamics.set({"swivel.torque": torque})
        first = self._rate(state)
        places = [state, state + STEP / 2 * first]
        second = self._rate(places[1])
        places.append(state + STEP / 2 * second)
        third = self._rate(places[2])
        places.append(state + STEP * third)
        fourth = self._rate(places[3])
        return places, state + STEP / 6 * (first + 2 * second + 2 * third + fourth)

    def _course(self, theta: np.ndarray) -> tuple[np.ndarray, list[list[np.ndarray]]]:
        """Return the states at all steps, and those of all stages."""
        states, stages = [self._begin(theta)], []
        for torque in self._torques:
            places, after = self._stages(states[-1], float(torque))
            states.append(after)
            stages.append(places)
        return np.array(states), stages

    def motion(self, theta: np.ndarray) -> np.ndarray:
        """Return the states at all steps, shape (STEPS + 1, ns)."""
        return self._course(theta)[0]

    def shown(self, states: np.ndarray) -> np.ndarray:
        """Return what is measured at states, shape (n, 2); both are states themselves."""
        return states[:, self._shown]

    def residuals(self, states: np.ndarray) -> np.ndarray:
        """Return (y - ŷ)/σ, shape (STEPS/EVERY, 2)."""
        return (self.shown(states[EVERY::EVERY]) - self._measured) / NOISE

    def value(self, theta: np.ndarray) -> float:
        """Return J."""
        return 0.5 * float(np.sum(self.residuals(self.motion(theta)) ** 2))

    def gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return J and its gradient: one sweep ahead, one back."""
        states, stages = self._course(theta)
        residuals = self.residuals(states)
        adjoint, parameters = np.zeros(states.shape[1]), np.zeros(len(UNKNOWN))
        for k in range(STEPS, 0, -1):
            if k % EVERY == 0:
                adjoint[self._shown] += residuals[k // EVERY - 1] / NOISE
            self._dynamics.set({"swivel.torque": float(self._torques[k - 1])})
            back, seen = np.zeros_like(adjoint), np.zeros_like(adjoint)
            for place, weight, ahead in zip(
                reversed(stages[k - 1]), (1, 2, 2, 1), (0.0, 1.0, 0.5, 0.5), strict=True
            ):
                self._dynamics.state = place
                seed = STEP * (weight / 6 * adjoint + ahead * seen)
                both = self._dynamics.backward(self._dynamics.rates, self._knowns, seed)
                seen = both[: adjoint.size]
                back += seen
                parameters += both[adjoint.size :]
            adjoint = adjoint + back
        return 0.5 * float(np.sum(residuals**2)), np.append(parameters, adjoint[self._started])

    def sensitivities(self, theta: np.ndarray) -> np.ndarray:
        """Return ∂((y - ŷ)/σ)/∂θ by directional derivatives, shape (STEPS/EVERY, 2, θ)."""
        state, count = self._begin(theta), len(UNKNOWN)
        change = np.zeros((state.size, theta.size))
        change[self._started, range(count, theta.size)] = 1
        given = np.eye(count, theta.size)
        rows = []
        for k, torque in enumerate(self._torques, start=1):
            places, after = self._stages(state, float(torque))
            total, before = np.zeros_like(change), np.zeros_like(change)
            for place, weight, ahead in zip(
                places, (1, 2, 2, 1), (0.0, 0.5, 0.5, 1.0), strict=True
            ):
                self._dynamics.state = place
                J = self._dynamics.jacobian(self._dynamics.rates, self._knowns)
                before = J @ np.vstack([change + ahead * STEP * before, given])
                total += STEP * weight / 6 * before
            state, change = after, change + total
            if k % EVERY == 0:
                rows.append(change[self._shown] / NOISE[:, None])
        return np.array(rows)


@dataclass(frozen=True)
class Record:
    """Results.

    Attributes
    ----------
    estimate, error_bars : ndarray, shape (7,)
        Of ``UNKNOWN`` and ``START``; standard deviations.
    information : ndarray, shape (7, 7)
        F.
    chi_squared : float
        2 J at the estimate.
    gradients : ndarray, shape (2, 7)
        At the guess, by adjoints and by central differences.
    history : ndarray, shape (n,)
        J of every evaluation.
    measured, guessed, fitted : ndarray
        Measurements, and the motions of guess and estimate.
    """

    estimate: np.ndarray
    error_bars: np.ndarray
    information: np.ndarray
    chi_squared: float
    gradients: np.ndarray
    history: np.ndarray
    measured: np.ndarray
    guessed: np.ndarray
    fitted: np.ndarray

    @property
    def distance(self) -> float:
        """(θ - θ*)ᵀ F (θ - θ*), distributed as χ² with 7 degrees of freedom."""
        apart = self.estimate - TRUE
        return float(apart @ self.information @ apart)


def differences(fit: Fit, theta: np.ndarray) -> np.ndarray:
    """Return the gradient by central differences of order 4."""
    sizes = 1e-3 * np.maximum(np.abs(theta), 0.1)
    columns = []
    for unit, size in zip(np.eye(theta.size), sizes, strict=True):
        near, far = (
            fit.value(theta + n * size * unit) - fit.value(theta - n * size * unit) for n in (1, 2)
        )
        columns.append((8 * near - far) / (12 * size))
    return np.array(columns)


def run(fmu: Path | None = None, seed: int = SEED) -> Record:
    """Measure, estimate, and say how sure that is.

    Parameters
    ----------
    fmu : Path, optional
        The caster, FMI 3.0; exported into a temporary folder where absent.
    seed : int
        Of the noise.
    """
    if fmu is None:
        with tempfile.TemporaryDirectory() as folder:
            return run(export(caster.component(), folder, fmi="3.0")[0], seed)
    measured = measure(fmu, seed)
    history: list[float] = []
    with Dynamics(fmu, {}) as dynamics:
        fit = Fit(dynamics, measured)

        def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = fit.gradient(theta)
            history.append(value)
            return value, gradient

        found = minimize(
            objective,
            GUESS,
            jac=True,
            method="L-BFGS-B",
            bounds=BOUNDS,
            options={"maxiter": 300, "ftol": 1e-13, "gtol": 1e-5, "maxcor": 20},
        )
        rows = fit.sensitivities(found.x).reshape(-1, found.x.size)
        information = rows.T @ rows
        return Record(
            found.x,
            np.sqrt(np.diag(np.linalg.inv(information))),
            information,
            2 * float(found.fun),
            np.array([fit.gradient(GUESS)[1], differences(fit, GUESS)]),
            np.array(history),
            measured,
            fit.shown(fit.motion(GUESS)),
            fit.shown(fit.motion(found.x)),
        )


def draw(record: Record, folder: Path) -> None:
    """Draw measurements and motions, the search, and the estimates in their error bars."""
    figure = Figure(figsize=(9.4, 9.2), layout="constrained")
    rows = figure.subfigures(3, 1, height_ratios=(1, 1, 1.1))
    figure.suptitle("caster.fmu: parameters from a noisy motion, by adjoint derivatives")
    time = STEP * np.arange(STEPS + 1)
    for part, at, factor, label, title in (
        (rows[0], 0, 180 / np.pi, "angle (°)", "Swivel angle"),
        (rows[1], 1, 100.0, "deflection (cm)", "Deflection of the strut"),
    ):
        axes = part.subplots()
        measured = factor * record.measured[:, at]
        axes.plot(time[EVERY::EVERY], measured, ".", color="0.5", markersize=4, label="measured")
        guessed, fitted = (factor * motion[:, at] for motion in (record.guessed, record.fitted))
        axes.plot(time, guessed, "--", color="#c4501b", linewidth=1, label="guess")
        axes.plot(time, fitted, color="#1f5fa8", linewidth=1.3, label="estimate")
        axes.set_xlim(0, time[-1])
        plain(axes, "time (s)" if at else "", label)
        head(axes, title, 3)
    search, errors = rows[2].subplots(1, 2)
    search.semilogy(record.history, ".-", color="#1f5fa8", linewidth=1)
    search.axhline((record.measured.size - TRUE.size) / 2, color="0.4", linestyle=":")
    plain(search, "evaluation", "J")
    search.set_title("Search; dotted: expected of the noise", loc="left")
    places = np.arange(TRUE.size)[::-1]
    apart = (record.estimate - TRUE) / record.error_bars
    errors.axvspan(-1, 1, color="0.9")
    errors.errorbar(apart, places, xerr=1, fmt="o", color="#1f5fa8", capsize=3)
    errors.axvline(0, color="0.4", linewidth=0.8)
    errors.set_yticks(places, [*UNKNOWN, *(f"{name}, start" for name in START)], fontsize="small")
    errors.set_xlim(-4, 4)
    plain(errors, "(estimate - true value) / standard deviation", "")
    errors.set_title("Estimates", loc="left")
    save(figure, folder, "fmu_adjoints")


def show_measured(folder: Path) -> None:
    """Write the picture of the caster in the motion that is measured."""
    given = dict(zip(UNKNOWN + START, map(float, TRUE), strict=True))
    pushes = torques()
    seen = simulate(
        caster.model().equations(),
        SEEN[-1],
        start={name: given[name] for name in START},
        parameters={name: given[name] for name in UNKNOWN},
        inputs={"swivel.torque": lambda t: float(pushes[min(int(t / STEP), STEPS - 1)])},
        max_step=STEP,
        backend="python",
    )
    title = "Caster in the motion that is measured"
    labels = {
        "swivel": ("attachment", 0, -60),
        "swivel axis": ("swivel axis", 60, -20),
        "airframe": ("airframe", -10, 50),
    }
    show(seen, folder, "fmu_adjoints", title, times=SEEN, view=ABOVE, labels=labels)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_measured(folder)
    record = run()
    names = [*UNKNOWN, *(f"{name}, start" for name in START)]
    print_comparison(
        "Gradient at the guess by adjoints; reference: central differences",
        list(zip(names, *map(list, record.gradients), strict=True)),
    )
    print_comparison(
        "Estimates; reference: what made the measurements",
        list(zip(names, map(float, record.estimate), map(float, TRUE), strict=True)),
    )
    print("in standard deviations: ", np.round((record.estimate - TRUE) / record.error_bars, 2))
    print_comparison(
        "Is it as good as it claims? Reference: expected of χ² distributions",
        [
            ("squares of what is left, over σ²", record.chi_squared,
             float(record.measured.size - TRUE.size)),
            ("distance of the estimate", record.distance, float(TRUE.size)),
        ],
    )  # fmt: skip
    print(f"{record.history.size} evaluations of J and its gradient")
    draw(record, folder)


if __name__ == "__main__":
    main()
