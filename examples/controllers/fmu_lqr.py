r"""Linear quadratic regulators that know a system by its FMU alone: a caster and a bicycle.

The FMU gives its linearization by its own directional derivatives: in Model Exchange, at the
motion about which is linearized, column j of A is ∂f/∂x e_j, and B = ∂f/∂u. For steps of h with
held inputs, x₊ = A_d x + B_d u (`control.c2d`), the regulator u = -K x makes
J = Σ xᵀ Q x + uᵀ R u smallest (`control.dlqr`), and J = x₀ᵀ P x₀ then. The loop is closed around
the same FMU in Co-Simulation, which is nonlinear. Started near the motion, it has to follow
x_k = (A_d - B_d K)^k x₀ and to cost x₀ᵀ P x₀; started far away, it shows what the regulator can do.

**Caster** [Schwab2002] 3.5.2 with a swivel damper c. About straight running with speed v, the
virtual power of the rolling gear and l φ̇ = u̇ - v φ give, by hand,

    m (a² + r²)/l λ³ + (m a v/l + c/l) λ² + k l λ + k v = 0,

and by Routh's criterion it shimmies above v_c = c l / (m (r² - a (l - a))): 1 m/s for c = 0.05.

**Bicycle**, the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007), whose Table 2 has the
eigenvalues: at 3 m/s, below its weave speed, it falls within seconds. It is steered by torque.

Run: python examples/controllers/fmu_lqr.py [--figures DIR]
It needs python-control: pip install ".[control]"
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

try:
    import control
except ImportError as missing:
    raise ImportError(
        "examples/controllers/fmu_lqr.py needs the package control: pip install '.[control]'"
    ) from missing

from mbcore import Result
from mbcore.examples.common import figures_folder, print_comparison, show
from mbcore.examples.controllers import fmu_lqr_figures as figures
from mbcore.examples.dynamics import Dynamics
from mbcore.fmi import LoopOptions, closed_loop, export
from mbcore.fmus import bicycle, caster

STEP = 0.01
"""Sampling time of the regulators, s."""
NEAR = 1e-4
"""Size of the start near the motion, of the one far away."""


@dataclass(frozen=True)
class Plant:
    """A plant to be stabilized: variables by name, the motion, weights, and a start far away."""

    name: str
    states: tuple[str, ...]
    torque: str
    motion: Mapping[str, float]
    """Start values of the motion about which is linearized; ``states`` are zero on it."""
    start: tuple[float, ...]
    """Of ``states``."""
    sizes: tuple[float, ...]
    """Of ``states``; each is as bad as ``effort``."""
    effort: float
    shown: str
    """The state that is drawn, rad."""
    duration: float
    """s."""
    begin: float
    """When the regulator is switched on in the motion far away, s."""


CASTER = Plant(
    "caster",
    ("strut.deflection_rate", "strut.deflection", "swivel.angle"),
    "swivel.torque",
    {"attachment.speed": 3.0, "swivel.damping": 0.05, "swivel.angle": 0.0},
    start=(0.0, 0.2, 0.0),
    sizes=(1.0, 0.5, 0.2),
    effort=0.5,
    shown="swivel.angle",
    duration=40.0,
    begin=25.0,
)
BICYCLE = Plant(
    "bicycle",
    ("bicycle.lean_rate", "bicycle.steer_rate", "bicycle.lean", "bicycle.steer"),
    "steer.torque",
    {"bicycle.speed": 3.0, "bicycle.lean_rate": 0.0},
    start=(0.4, 0.0, 0.0, 0.0),
    sizes=(0.5, 1.0, 0.2, 0.2),
    effort=5.0,
    shown="bicycle.lean",
    duration=5.0,
    begin=0.2,
)
FALLEN = 0.6
"""Angle at which a motion without regulator ends, rad."""

REFERENCE = {
    "caster: critical speed (m/s)": 1.0,
    "bicycle: weave speed (m/s)": 4.29238253634111,
    "bicycle: capsize speed (m/s)": 6.02426201538837,
    "bicycle: weave, real": 1.70675605663975,
    "bicycle: weave, imaginary": 2.31582447384325,
    "bicycle: capsize": -2.63366137253667,
    "bicycle: castering": -10.35101467245920,
}
"""By hand, and Meijaard et al. (2007), Table 2 and section 5, at 3 m/s."""


@dataclass(frozen=True)
class Regulator:
    """A plant's linearization and its regulator."""

    plant: Plant
    A: np.ndarray
    B: np.ndarray
    stepped: np.ndarray
    """A_d - B_d K."""
    gain: np.ndarray
    """K, shape (n,)."""
    worth: np.ndarray
    """P."""

    @property
    def eigenvalues(self) -> np.ndarray:
        """Those of the plant alone, the fastest growing first."""
        return sorted_roots(np.linalg.eigvals(self.A))

    @property
    def regulated(self) -> np.ndarray:
        """Those of the closed loop, ln(eigenvalue) / h."""
        return sorted_roots(np.log(np.linalg.eigvals(self.stepped).astype(complex)) / STEP)


@dataclass(frozen=True)
class Case:
    """Results of a plant; ``far`` and ``bare`` start alike."""

    regulator: Regulator
    near: Result
    far: Result
    bare: Result
    """Without regulator, until it falls."""

    def states(self, run: Result) -> np.ndarray:
        """Return the plant's states over time, shape (n, ns)."""
        return np.column_stack([run[name] for name in self.regulator.plant.states])

    @property
    def apart(self) -> float:
        """Largest distance of the near motion from the linear one, over the start's size."""
        found = self.states(self.near)
        linear = [found[0]]
        while len(linear) < len(found):
            linear.append(self.regulator.stepped @ linear[-1])
        return float(np.abs(found - linear).max() / np.abs(found[0]).max())

    @property
    def cost_ratio(self) -> float:
        """Cost of the near motion over x₀ᵀ P x₀."""
        x, u = self.states(self.near), self.near[self.regulator.plant.torque]
        Q, R = weights(self.regulator.plant)
        cost = np.einsum("ti,ij,tj", x, Q, x) + R[0, 0] * np.sum(u**2)
        return float(cost / (x[0] @ self.regulator.worth @ x[0]))


@dataclass(frozen=True)
class Record:
    """Both plants, and numbers with the names of ``REFERENCE``."""

    caster: Case
    bicycle: Case
    numbers: dict[str, float]


def sorted_roots(roots: np.ndarray) -> np.ndarray:
    """Return eigenvalues, the largest real part first, of a pair that with positive frequency."""
    return np.array(sorted(roots, key=lambda root: (-root.real, -root.imag)))


def linearized(dynamics: Dynamics, plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Return A and B of the plant's states where the FMU is now."""
    rates = [dynamics.rates[dynamics.states.index(name)] for name in plant.states]
    return dynamics.jacobian(rates, plant.states), dynamics.jacobian(rates, [plant.torque])


def growth(dynamics: Dynamics, plant: Plant, speed: str, value: float) -> float:
    """Return the largest real part of an eigenvalue at a speed."""
    dynamics.set({speed: value})
    return float(np.linalg.eigvals(linearized(dynamics, plant)[0]).real.max())


def weights(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """Return Q and R."""
    return np.diag(1 / np.square(plant.sizes)), np.array([[1 / plant.effort**2]])


def design(A: np.ndarray, B: np.ndarray, plant: Plant) -> Regulator:
    """Return the regulator of a linearization."""
    whole = control.ss(A, B, np.eye(len(A)), np.zeros_like(B))
    sampled = control.c2d(whole, STEP)
    gain, worth, _ = control.dlqr(sampled, *weights(plant))
    return Regulator(plant, A, B, sampled.A - sampled.B @ gain, np.asarray(gain)[0], worth)


def close(path: Path, regulator: Regulator, size: float, begin: float) -> Result:
    """Close the loop around the FMU in Co-Simulation.

    Parameters
    ----------
    path : Path
        The FMU.
    regulator : Regulator
        Of its plant.
    size : float
        Factor of the plant's start.
    begin : float
        When the regulator is switched on, s; until then the motion ends where it falls.
    """
    plant = regulator.plant
    start = dict(zip(plant.states, size * np.array(plant.start), strict=True))

    def torque(time: float, state: Mapping[str, float]) -> dict[str, float]:
        on = time > begin - STEP / 2
        return {plant.torque: -float(regulator.gain @ [*state.values()]) if on else 0.0}

    return closed_loop(
        path,
        torque,
        sample_time=STEP,
        until=plant.duration,
        start={**plant.motion, **start},
        measurements=plant.states,
        options=LoopOptions(
            stop=lambda time, state: time < begin - STEP / 2 and abs(state[plant.shown]) > FALLEN,
            tolerance=1e-10,
        ),
    )


def study(path: Path, plant: Plant, speed: str, limits: Mapping[str, tuple[float, float]]) -> tuple[
    Case, dict[str, float]
]:  # fmt: skip
    """Linearize, design and close the loop of one plant; find the speeds where it turns unstable.

    Parameters
    ----------
    path : Path
        The FMU.
    plant : Plant
        What is stabilized.
    speed : str
        The variable that is the speed.
    limits : mapping of str to tuple of float
        By name, an interval in which a limit of stability is.
    """
    with Dynamics(path, plant.motion) as dynamics:
        A, B = linearized(dynamics, plant)
        found = {
            name: brentq(lambda v: growth(dynamics, plant, speed, v), *ends, xtol=1e-13)
            for name, ends in limits.items()
        }
    regulator = design(A, B, plant)
    case = Case(
        regulator,
        near=close(path, regulator, NEAR, 0.0),
        far=close(path, regulator, 1.0, plant.begin),
        bare=close(path, regulator, 1.0, np.inf),
    )
    return case, found


def caster_by_hand(speed: float) -> np.ndarray:
    """Return the caster's eigenvalues from the polynomial above."""
    m, a, r2, k, c, length = 1.0, 0.2, 0.21, 0.3, 0.05, 1.0
    return sorted_roots(
        np.roots([m * (a**2 + r2) / length, (m * a * speed + c) / length, k * length, k * speed])
    )


def run(fmus: Mapping[str, Path] | None = None) -> Record:
    """Stabilize both.

    Parameters
    ----------
    fmus : mapping of str to Path, optional
        Caster and bicycle, FMI 3.0, by name; exported into a temporary folder where absent.
    """
    if fmus is None:
        with tempfile.TemporaryDirectory() as folder:
            sources = {source.NAME: source.component() for source in (caster, bicycle)}
            return run({name: export(s, folder, fmi="3.0")[0] for name, s in sources.items()})
    wheel, wheel_limits = study(
        fmus["caster"], CASTER, "attachment.speed", {"caster: critical speed (m/s)": (0.5, 2.0)}
    )
    ride, ride_limits = study(
        fmus["bicycle"],
        BICYCLE,
        "bicycle.speed",
        {"bicycle: weave speed (m/s)": (4.2, 4.4), "bicycle: capsize speed (m/s)": (5.9, 6.1)},
    )
    weave, _, capsize, castering = ride.regulator.eigenvalues
    numbers = wheel_limits | ride_limits | {
        "bicycle: weave, real": float(weave.real),
        "bicycle: weave, imaginary": float(weave.imag),
        "bicycle: capsize": float(capsize.real),
        "bicycle: castering": float(castering.real),
    }  # fmt: skip
    return Record(wheel, ride, numbers)


def draw(record: Record, folder: Path) -> None:
    """Draw motions, torques and eigenvalues of both."""
    table2 = np.array([1.70675605663975 + 2.31582447384325j, 1.70675605663975 - 2.31582447384325j,
                       -2.63366137253667, -10.35101467245920])  # fmt: skip
    figures.draw([(record.caster, caster_by_hand(3.0)), (record.bicycle, table2)], folder)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(bicycle.model(), folder, "fmu_lqr", "Benchmark bicycle")
    record = run()
    pair, _, third = record.caster.regulator.eigenvalues
    expected, _, other = caster_by_hand(3.0)
    print_comparison(
        "Stability from the FMUs' directional derivatives: by hand, Meijaard et al. (2007)",
        [(name, record.numbers[name], value) for name, value in REFERENCE.items()]
        + [
            ("caster: shimmy at 3 m/s, real", float(pair.real), float(expected.real)),
            ("caster: shimmy at 3 m/s, imaginary", float(pair.imag), float(expected.imag)),
            ("caster: third eigenvalue", float(third.real), float(other.real)),
        ],
    )
    for case in (record.caster, record.bicycle):
        print_comparison(
            f"{case.regulator.plant.name}.fmu with its regulator, started near the motion",
            [
                ("cost over x₀ᵀ P x₀", case.cost_ratio, 1.0),
                ("distance from the linear motion", case.apart, 0.0),
            ],
        )
    draw(record, folder)


if __name__ == "__main__":
    main()
