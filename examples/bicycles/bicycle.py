r"""The benchmark bicycle: stable by itself at some speeds, in circles, and pushed.

Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955, give for Whipple's
bicycle, of 25 parameters, the linear equations about straight upright riding with speed v,

    M q̈ + v C1 q̇ + (g K0 + v² K2) q = f,    q = (lean φ, steer δ),

and for their benchmark all numbers to 14 digits. The bicycle of `mbcore.fmus.bicycle` is nonlinear,
made from hinges, rigid links and two wheels, so its linearization has to meet them. The paper has
y to the right and z down; here steer is positive to the left, so off-diagonals change their sign.

Of four eigenvalues two are a weave (a pair from 0.684 m/s on), one is the capsize, one the
castering of the front wheel. Between the weave speed 4.292 and the capsize speed 6.024 m/s all of
them decay: nobody needs to steer.

The nonlinear equations are compared with those of Basu-Mandal, Chatterjee and Papadopoulos (ibid.
p. 1983) at a state far from straight riding. Pushed at 4.6 m/s (Fig. 4 of the first paper) the
bicycle gets up again, and the energy of the push, ½ M_φφ φ̇², is speed then. Hands-free circles
begin where the capsize mode turns unstable.

At the end the FMU of the same model is ridden below its weave speed, by the rider of
`examples/bicycles/bicycle_lane_change.py`.

Run: python examples/bicycles/bicycle.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

from mbcore import Equations, Linearizer, Result, SteadyMotion, simulate, steady_motion
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.bicycles import bicycle_lane_change
from mbcore.examples.bicycles.bicycle_figures import draw_circles, draw_eigenvalues, draw_push
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.fmus.bicycle import model

WEAVE = {
    1: (3.52696170990070, 0.80774027519930),
    2: (2.68234517512745, 1.68066296590675),
    3: (1.70675605663975, 2.31582447384325),
    4: (0.41325331521125, 3.07910818603206),
    5: (-0.77534188219585, 4.46486771378823),
    6: (-1.52644486584142, 5.87673060598709),
    7: (-2.13875644258362, 7.19525913329805),
    8: (-2.69348683581097, 8.46037971396931),
    9: (-3.21675402252485, 9.69377351531791),
    10: (-3.72016840437287, 10.90681139476287),
}
"""Real and imaginary part by speed, m/s."""
CAPSIZE_AND_CASTERING = {
    0: (-3.13164324790656, -5.53094371765393),
    1: (-3.13423125066578, -7.11008014637442),
    2: (-3.07158645641514, -8.67387984831735),
    3: (-2.63366137253667, -10.35101467245920),
    4: (-1.42944427361326, -12.15861426576447),
    5: (-0.32286642900409, -14.07838969279822),
    6: (-0.00406690076970, -16.08537123098026),
    7: (0.10268170574766, -18.15788466125262),
    8: (0.14327879765713, -20.27940894394569),
    9: (0.15790184030917, -22.43788559040858),
    10: (0.16105338653172, -24.62459635017404),
}
PUSH_SPEED, PUSH = 4.6, 0.5
"""Speed, m/s, and rate of lean, rad/s, of the nonlinear motion in Fig. 4."""
TURN_SPEEDS = (4.0, 5.0, 6.024, 7.0, 9.0)
"""Of circles that need a torque, m/s."""
ROLLING_MASS = 94 + 0.12 / 0.3**2 + 0.28 / 0.35**2
"""Mass of the bicycle, and its wheels' inertia over their squared radii, kg."""
REFERENCE = {
    "M lean, lean": 80.81722,
    "M lean, steer": -2.31941332208709,
    "M steer, steer": 0.29784188199686,
    "C1 lean, steer": -33.86641391492494,
    "C1 steer, lean": 0.85035641456978,
    "C1 steer, steer": 1.68540397397560,
    "K0 lean, lean": -80.95,
    "K0 lean, steer": 2.59951685249872,
    "K0 steer, steer": -0.80329488458618,
    "K2 lean, steer": -76.59734589573222,
    "K2 steer, steer": 2.65431523794604,
    "speed from which the weave oscillates": 0.68428307889246,
    "its double eigenvalue": 3.78290405129320,
    "weave speed": 4.29238253634111,
    "capsize speed": 6.02426201538837,
    **{f"weave at {v} m/s, real": real for v, (real, _) in WEAVE.items()},
    **{f"weave at {v} m/s, imaginary": imag for v, (_, imag) in WEAVE.items()},
    **{f"capsize at {v} m/s": c for v, (c, _) in CAPSIZE_AND_CASTERING.items()},
    **{f"castering at {v} m/s": c for v, (_, c) in CAPSIZE_AND_CASTERING.items()},
    "far from straight: lean acceleration": 7.8555281128244,
    "far from straight: steer acceleration": -4.6198904039403,
    "far from straight: rear wheel's": 1.8472554144217,
    "far from straight: yaw acceleration": 0.8353281706379,
    "far from straight: front wheel's": 2.4548072904550,
    "speed long after the push": float(np.sqrt(PUSH_SPEED**2 + 80.81722 * PUSH**2 / ROLLING_MASS)),
    "hands-free circles begin at": 6.02426201538837,
}
"""Both papers' values on the present axes; the last but one from the energy."""
BOTH = ("lean", "steer")


class Straight:
    """The bicycle riding straight on, linearized at many speeds."""

    def __init__(self, equations: Equations) -> None:
        self._linearizer = Linearizer(equations)

    def matrices(self, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return mass, damping and stiffness of lean and steer."""
        about = self._linearizer.at({"bicycle.lean_rate": 0.0, "bicycle.speed": speed})
        return about.M[:2, :2], about.C[:2, :2], about.K_d[:2, :2]

    def eigenvalues(self, speed: float) -> np.ndarray:
        """Return weave (two), capsize and castering."""
        M, C, K = self.matrices(speed)
        system = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -C]])
        system[2:] = np.linalg.solve(M, system[2:])
        found = np.linalg.eigvals(system).astype(complex)
        found = found[np.lexsort((-found.imag, -found.real))]
        pair = np.flatnonzero(np.abs(found.imag) > 1e-9)
        rest = np.setdiff1d(np.arange(4), pair)
        # without a pair the weave are the two that grow
        return found[[*pair, *rest]]

    def growth(self, speed: float) -> float:
        """Return the largest real part."""
        return float(self.eigenvalues(speed).real.max())

    def discriminant(self, speed: float) -> float:
        """Return the squared difference of the weave eigenvalues: where it vanishes they meet."""
        first, second = self.eigenvalues(speed)[:2]
        return float(((first - second) ** 2).real)


@dataclass(frozen=True)
class Record:
    """Results; numbers with names and units as in ``REFERENCE``."""

    numbers: dict[str, float]
    speeds: np.ndarray
    eigenvalues: np.ndarray
    """Weave (two), capsize, castering; shape (n, 4)."""
    push: Result
    hands_free: list[SteadyMotion]
    turns: dict[float, list[SteadyMotion]]
    """By speed: circles that the rider holds with a torque."""


def run(points: int = 401) -> Record:
    """Linearize at all speeds, evaluate the published state, push the bicycle, ride in circles."""
    equations = model().equations()
    straight = Straight(equations)
    speeds = np.linspace(0, 10, points)
    numbers = linear_numbers(straight) | nonlinear_numbers(equations)
    push = simulate(
        equations,
        40,
        start={"bicycle.speed": PUSH_SPEED, "bicycle.lean_rate": PUSH},
        samples=np.linspace(0, 40, 4001),
        rtol=1e-10,
        atol=1e-11,
    )
    numbers["speed long after the push"] = push.final("bicycle.speed")
    held = held_by_a_rider()
    near, far = (hands_free_circles(held, [steer])[0] for steer in (0.002, 0.004))
    # even in the steer angle: extrapolated to none
    slow = [motion.state["bicycle.speed"] for motion in (near, far)]
    numbers["hands-free circles begin at"] = slow[0] + (slow[0] - slow[1]) / 3
    return Record(
        numbers,
        speeds,
        np.array([straight.eigenvalues(v) for v in speeds]),
        push,
        hands_free_circles(held, np.radians(np.linspace(0.05, 76.5, 120))),
        {
            v: held_circles(held, v, np.linspace(0.002, 0.45, 30))
            for v in (4.0, 5.0, 6.024, 7.0, 9.0)
        },
    )


def linear_numbers(straight: Straight) -> dict[str, float]:
    """Return matrices, eigenvalues and special speeds."""
    M, _, still = straight.matrices(0.0)
    _, C1, rolling = straight.matrices(1.0)
    places = [(f"{a}, {b}", (i, j)) for i, a in enumerate(BOTH) for j, b in enumerate(BOTH)]
    known = {"M": M, "C1": C1, "K0": still / 9.81, "K2": rolling - still}
    numbers = {
        f"{matrix} {name}": float(values[place])
        for matrix, values in known.items()
        for name, place in places
        if f"{matrix} {name}" in REFERENCE
    }
    for v in CAPSIZE_AND_CASTERING:
        weave, _, capsize, castering = straight.eigenvalues(float(v))
        numbers[f"capsize at {v} m/s"] = float(capsize.real)
        numbers[f"castering at {v} m/s"] = float(castering.real)
        if v:
            numbers[f"weave at {v} m/s, real"] = float(weave.real)
            numbers[f"weave at {v} m/s, imaginary"] = float(weave.imag)
    meeting = brentq(straight.discriminant, 0.5, 0.9, xtol=1e-15)
    return numbers | {
        "speed from which the weave oscillates": meeting,
        "its double eigenvalue": float(straight.eigenvalues(meeting)[:2].real.mean()),
        "weave speed": brentq(straight.growth, 4.2, 4.4, xtol=1e-14),
        "capsize speed": brentq(straight.growth, 5.9, 6.1, xtol=1e-14),
    }


def nonlinear_numbers(equations: Equations) -> dict[str, float]:
    """Return accelerations at the state of Basu-Mandal, Chatterjee and Papadopoulos, Table 1."""
    point = Evaluation(equations)
    point.start({
        "bicycle.lean": np.pi / 2 - 0.9501292851472,
        "bicycle.steer": 0.2311385135743,
        "bicycle.lean_rate": -0.6068425835418,
        "bicycle.steer_rate": 0.4859824687093,
        "bicycle.speed": 0.3 * 8.9129896614890,
    })  # fmt: skip
    names = [state.name for state in equations.states]
    first = dict(zip(names, point.derivative(), strict=True))
    # along the motion: what the rates of the kinematic coordinates change with
    second = dict(zip(names, point.jacobian() @ point.derivative(), strict=True))
    return {
        "far from straight: lean acceleration": float(first["bicycle.lean_rate"]),
        "far from straight: steer acceleration": float(first["bicycle.steer_rate"]),
        "far from straight: rear wheel's": float(first["bicycle.speed"]) / 0.3,
        "far from straight: yaw acceleration": float(second["bicycle.yaw"]),
        "far from straight: front wheel's": float(second["front_wheel.angle"]),
    }


def held_by_a_rider() -> Equations:
    """Return the bicycle with a steer torque that is a state, so that it can be asked for."""
    bicycle = model()
    torque = bicycle.state("rider.torque", 0.0, unit="N.m", description="held by the rider")
    bicycle.elements["steering head"].angle.law(-torque)
    return bicycle.equations()


def hands_free_circles(held: Equations, steers: np.ndarray | list[float]) -> list[SteadyMotion]:
    """Return circles to the left without torque, one for each steer angle."""
    guess = {"bicycle.lean_rate": 0.0, "bicycle.speed": 6.0}
    found = []
    for steer in steers:
        found.append(
            steady_motion(held, {"bicycle.steer": float(steer), "rider.torque": 0.0}, guess=guess)
        )
        guess = found[-1].state
    return found


def held_circles(held: Equations, speed: float, leans: np.ndarray) -> list[SteadyMotion]:
    """Return circles to the left at a speed, with the torques that they need."""
    guess = {"bicycle.lean_rate": 0.0}
    found = []
    for lean in leans:
        found.append(
            steady_motion(held, {"bicycle.lean": -float(lean), "bicycle.speed": speed}, guess=guess)
        )
        guess = found[-1].state
    return found


def draw(record: Record, folder: Path) -> None:
    """Write the figures."""
    published = {v: (*WEAVE.get(v, ()), *CAPSIZE_AND_CASTERING[v]) for v in CAPSIZE_AND_CASTERING}
    stable = record.numbers["weave speed"], record.numbers["capsize speed"]
    save(
        draw_eigenvalues(record.speeds, record.eigenvalues, published, stable),
        folder,
        "bicycle_eigenvalues",
    )
    save(draw_push(record.push, REFERENCE["speed long after the push"]), folder, "bicycle_push")
    save(draw_circles(record.hands_free, record.turns, stable[1]), folder, "bicycle_circles")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "bicycle", "Benchmark bicycle")
    record = run()
    print_comparison(
        "Benchmark bicycle: both papers of 2007, on axes with y to the left",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    drift = float(np.ptp(record.push["energy.total"]))
    print(f"energy of the push: drift {drift:.1e} of {record.push['energy.total'][0]:.1f} J")
    draw(record, folder)
    ride = bicycle_lane_change.run()
    bicycle_lane_change.report(ride)
    bicycle_lane_change.draw(ride, folder)


if __name__ == "__main__":
    main()
