r"""A slider-crank with an elastic rod at constant speed, [Schwab2002] 4.4.2, Figs. 4.5 to 4.7.

Crank 0.15 m, rigid; rod 0.3 m of two planar beams, EI = 12.72345 N.m², both 0.2225 kg/m; plunger
0.033375 kg. The rod's four bending deformations are the degrees of freedom, and small beside the
motion of the rigid mechanism. Material damping gives the pinned rod's first mode 1 % or 2 % of
critical damping. Shown is the midpoint's distance from the line between the rod's ends over the
rod's length, v/l.

The text does not say what is inextensible. Here it is the arc, the centre line itself, or the chord
of each element; then bending does not shorten an element, and plunger and rod are accelerated less
by it. This matters at second order in the deflection, where axial forces do work, so the linear
equations differ. Amplitudes near 1/3 of the first frequency differ by a quarter.

The **references** are derived by hand. Those of the linear equations have the same two cubics, but
displace their points across the line between the rod's ends, where a planar beam has cubics in both
coordinates. That is another effect of second order, within an element: `slider_crank_by_hand` does
both, and gives the references and our numbers to all digits. It changes a deflection at 150 rad/s
by 7e-4 of itself or less with the arc and 6e-3 with the chord, and the largest ones near resonance
by 3e-3 and 8e-3. The reference of the nonlinear equations is a rod that has converged: two elements
differ from it by up to 2 %, four elements by 6e-4 at 150 rad/s.

**Fig. 4.5**: at 150 rad/s, undeformed and at rest at the outer dead centre. The transient motion by
averaging is beside that by integration of the linear equations, and the nonlinear motion.
**Fig. 4.6**: resonances at 1/5, 1/4 and 1/3 of the first frequency; nonlinear peaks bend backwards.
With 1 % damping there are two motions at one speed, one found from above, down to 249 rad/s, and
one from below, up to 262 rad/s.
**Fig. 4.7**: the forcing has no fourth harmonic, so its quasi-static response (dotted) is zero. The
response has one, with a peak at 1/4 of the first frequency: the coefficients' first and third
harmonics make it of the response's third and first ones.

Run: python examples/vibration/slider_crank_periodic.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import find_peaks

from mbcore import (
    ConfigurationError,
    Equations,
    Result,
    SimulationError,
    linearize,
    simulate,
)
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.vibration.elastic_slider_crank import (
    EXACT_FREQUENCY,
    FIRST_FREQUENCY,
    Elongation,
    slider_crank,
)
from mbcore.examples.vibration.slider_crank_periodic_figures import (
    draw_harmonics,
    draw_largest,
    draw_revolution,
)
from mbcore.periodic.harmonic_balance import HarmonicBalance
from mbcore.vibration import (
    NominalMotion,
    PeriodicSolution,
    Shooting,
    nominal_motion,
    nominal_range,
)

SPEED, SHARE = 150.0, 0.02
"""Of Fig. 4.5: rad/s, and part of critical damping."""
RANGE = (150.0, 300.0)
DAMPINGS = (0.01, 0.02)
HARMONICS, SAMPLES = 20, 64
"""Of the linear equations."""
BALANCED = 14
"""Harmonics of the nonlinear solutions."""
DENSE = 2001

TRANSIENT = {  # crank angle, degrees: nonlinear, linear arc, linear chord
    20: (0.003848, 0.003874, 0.003901),
    60: (0.012006, 0.012147, 0.012555),
    100: (0.006263, 0.006051, 0.005730),
    180: (0.002130, 0.002054, 0.002125),
    280: (-0.009709, -0.009592, -0.009519),
    340: (-0.007762, -0.007607, -0.007976),
}
LARGEST = {  # rad/s: linear arc 1 %, 2 %; linear chord 1 %, 2 %; nonlinear 1 %, 2 %
    150: (0.012766, 0.012788, 0.013073, 0.013085, 0.012662, 0.012686),
    180: (0.019235, 0.019260, 0.019127, 0.019159, 0.019110, 0.019136),
    200: (0.034500, 0.032339, 0.033651, 0.032217, 0.031425, 0.030103),
    220: (0.023052, 0.023751, 0.025903, 0.026549, 0.023177, 0.023925),
    260: (0.054823, 0.052867, 0.042910, 0.042891, 0.048157, 0.047152),
    300: (0.042309, 0.042915, 0.049939, 0.050399, 0.042301, 0.042970),
}
READINGS: tuple[Elongation, Elongation] = ("arc", "chord")
WHY = """
Why they differ:
* linear: a planar beam has cubics in both coordinates, the references' points are displaced across
  the line between the rod's ends. That is an effect of second order within an element. By hand, the
  former gives our largest deflections to 1e-9 of themselves, the latter the references to 6e-7;
* arc beside chord: a chord that keeps its length is not shortened by bending, so that the axial
  force does other work, of second order too. These are two models, each with its reference;
* nonlinear: the references' rod has converged. Two elements, as in the text, differ from it by up
  to 2 %, four by 6e-4 at 150 rad/s."""
REFERENCE = {
    "first frequency, two elements (rad/s)": FIRST_FREQUENCY,
    **{f"nonlinear, {a} deg": row[0] for a, row in TRANSIENT.items()},
    **{
        f"linear, {a} deg, {reading}": row[i]
        for i, reading in enumerate(READINGS, 1)
        for a, row in TRANSIENT.items()
    },
    **{
        f"largest at {w} rad/s, linear, {reading}, {share:.0%}": row[2 * i + j]
        for w, row in LARGEST.items()
        for i, reading in enumerate(READINGS)
        for j, share in enumerate(DAMPINGS)
    },
    **{
        f"largest at {w} rad/s, nonlinear, {share:.0%}": row[4 + j]
        for w, row in LARGEST.items()
        for j, share in enumerate(DAMPINGS)
    },
    "linear peak at 1/5, 1% (rad/s)": 164.5,
    "linear peak at 1/4, 1% (rad/s)": 205.0,
    "linear peak at 1/3, 1% (rad/s)": 268.0,
    "linear peak at 1/4, 2% (rad/s)": 204.5,
    "linear peak at 1/3, 2% (rad/s)": 268.5,
    "linear peak at 1/4, 2%": 0.039,
    "linear peak at 1/3, 2%": 0.082,
    "fourth harmonic of the forcing over the first": 0.0,
}
"""Derived by hand, as the module says; what has no unit is v/l."""


def equations(elongation: Elongation = "arc", elements: int = 2) -> Equations:
    """Return the equations of the mechanism, driven at the constant speed ``crank.speed``."""
    found = slider_crank(f"slider_crank_{elongation}", elements=elements, elongation=elongation)
    speed = found.model.parameter("crank.speed", SPEED, unit="rad/s", positive=True)
    found.crank.angle.prescribe(speed * found.model.time)
    return found.model.equations()


def given(speed: float, share: float) -> dict[str, float]:
    """Return the parameters of a speed, rad/s, and a damping."""
    return {"crank.speed": float(speed), "rod.damping": share}


def nominal(system: Equations, speed: float, share: float) -> NominalMotion:
    """Return the motion of the rigid mechanism at a speed, rad/s."""
    return nominal_motion(system, 2 * np.pi / speed, SAMPLES, parameters=given(speed, share))


def largest(solution: PeriodicSolution) -> float:
    """Return the largest |v|/l of a period."""
    return float(np.abs(solution["deflection"](np.linspace(0, solution.period, DENSE))).max())


def nonlinear(system: Equations, speeds: Iterable[float], share: float) -> np.ndarray:
    """Return the largest |v|/l of nonlinear periodic motions, each sought near the one before.

    By harmonic balance alone, without multipliers, which would take most of the time. Where none is
    found, near the end of a branch, it is not a number.
    """
    found, before = [], None
    for speed in speeds:
        period = 2 * np.pi / speed
        shooting = Shooting(system, period, parameters=given(speed, share))
        balance = HarmonicBalance(shooting, BALANCED)
        linear = nominal(system, speed, share).periodic(HARMONICS)
        times = balance.times * period
        near = balance.coefficients(np.column_stack([linear[n](times) for n in shooting.names]))
        guesses = [near, near / 2] if before is None else [before, near, near / 2]
        solved = (_newton(balance, guess, period) for guess in guesses)
        c = next((c for c in solved if c is not None), None)
        found.append(np.nan if c is None else _largest_of(balance, c, period))
        before = before if c is None else c
    return np.array(found)


def _newton(balance: HarmonicBalance, c: np.ndarray, period: float) -> np.ndarray | None:
    """Solve the balance by Newton's damped method; None where it does not converge."""
    try:
        here = balance.at(c, period)
        for _ in range(15):
            step = np.linalg.solve(here.jacobian, -here.residual).reshape(c.shape)
            if np.abs(step).max() < 1e-8 * np.abs(c).max():
                return c + step
            for part in (1.0, 0.5, 0.25, 0.125):
                there = balance.at(c + part * step, period)
                if there.size < here.size:
                    break
            else:
                return None
            c, here = c + part * step, there
    except (ConfigurationError, SimulationError):  # bent beyond what two elements describe
        return None
    return None


def _largest_of(balance: HarmonicBalance, c: np.ndarray, period: float) -> float:
    """Return the largest |v|/l of coefficients."""
    run = balance.shooting.flow.run
    place = [o.name for o in balance.shooting.equations.outputs].index("deflection")
    dense = np.linspace(0, 1, 161)
    values = []
    for part, state in zip(dense, balance.terms(dense) @ c * balance.shooting.nominal, strict=True):
        run.move(float(part) * period, state)
        values.append(run.evaluation.output()[place])
    return _top(np.abs(values))


def _top(values: np.ndarray) -> float:
    """Return the largest value, by a parabola through the top."""
    i = int(np.clip(np.argmax(values), 1, values.size - 2))
    before, top, after = values[i - 1 : i + 2]
    return float(top - (after - before) ** 2 / (8 * min(before - 2 * top + after, -1e-30)))


@dataclass(frozen=True)
class Record:
    """Motions of the rod; names as in ``REFERENCE``.

    Attributes
    ----------
    periodic : PeriodicSolution
        Of the linear equations at 150 rad/s.
    motions : dict of str to Result
        The first revolution there: by averaging, by integration, nonlinear.
    speeds, linear, harmonics, quasistatic : ndarray
        Speeds, (n,); largest |v|/l for both dampings, (2, n); amplitudes of harmonics 1 to 4 with
        2 % and those of the quasi-static response, (n, 4).
    nonlinear : dict of (float, str) to ndarray, shape (2, k)
        By damping and direction: speeds and largest |v|/l.
    """

    numbers: dict[str, float]
    periodic: PeriodicSolution
    motions: dict[str, Result]
    speeds: np.ndarray
    linear: np.ndarray
    harmonics: np.ndarray
    quasistatic: np.ndarray
    nonlinear: dict[tuple[float, str], np.ndarray]


def run(step: float = 0.5, coarse: float = 3.0, every: bool = True) -> Record:
    """Find transients, periodic motions and resonances.

    Parameters
    ----------
    step, coarse : float
        Between speeds of the linear and the nonlinear curves, rad/s.
    every : bool
        Whether to find the nonlinear solutions at all speeds of the table; the first and the last
        otherwise.
    """
    systems = {reading: equations(reading) for reading in READINGS}
    arc = systems["arc"]
    still = linearize(arc, parameters=given(1e-6, 0.0), motion="held").eigenvalues()
    numbers = {"first frequency, two elements (rad/s)": float(np.abs(still).min())}
    motions, shown = first_revolution(systems, numbers)
    for w in LARGEST:
        for reading, system in systems.items():
            for share in DAMPINGS:
                name = f"largest at {w} rad/s, linear, {reading}, {share:.0%}"
                numbers[name] = largest(nominal(system, w, share).periodic(HARMONICS))
    for w in LARGEST if every else (min(LARGEST), max(LARGEST)):
        for share in DAMPINGS:
            name = f"largest at {w} rad/s, nonlinear, {share:.0%}"
            numbers[name] = float(nonlinear(arc, [w], share)[0])
    speeds = np.linspace(*RANGE, round((RANGE[1] - RANGE[0]) / step) + 1)
    linear, harmonics, quasistatic, absent = over_speeds(arc, speeds)
    numbers["fourth harmonic of the forcing over the first"] = absent
    numbers |= peaks(speeds, linear)
    curves: dict[tuple[float, str], np.ndarray] = {}
    for share in DAMPINGS:
        for direction in ("upwards", "downwards"):
            along = spaced(coarse) if direction == "upwards" else spaced(coarse)[::-1]
            curves[share, direction] = np.array([along, nonlinear(arc, along, share)])
    return Record(numbers, shown, motions, speeds, linear, harmonics, quasistatic, curves)


def spaced(coarse: float) -> np.ndarray:
    """Return speeds, three times as many where the peaks are, rad/s."""
    speeds = np.arange(RANGE[0], RANGE[1] + coarse / 3, coarse / 3)
    near = ((speeds > 196) & (speeds < 212)) | ((speeds > 252) & (speeds < 276))
    return speeds[near | (np.arange(speeds.size) % 3 == 0)]


def first_revolution(
    systems: dict[Elongation, Equations], numbers: dict[str, float]
) -> tuple[dict[str, Result], PeriodicSolution]:
    """Start undeformed and at rest at 150 rad/s; add the deflections at some angles."""
    period = 2 * np.pi / SPEED
    times = period * np.array(list(TRANSIENT)) / 360
    motions: dict[str, Result] = {}
    for reading, system in systems.items():
        about = nominal(system, SPEED, SHARE)
        exact = about.transient(period, method="integration", harmonics=HARMONICS, samples=360)
        for angle, value in zip(TRANSIENT, exact.table(["deflection"], times)[:, 0], strict=True):
            numbers[f"linear, {angle} deg, {reading}"] = float(value)
        if reading == "arc":
            motions["linear, integrated"] = exact
            motions["linear, averaged"] = about.transient(period, harmonics=HARMONICS, samples=360)
            shown = about.periodic(HARMONICS)
    full = simulate(systems["arc"], period, parameters=given(SPEED, SHARE), samples=361, rtol=1e-8)
    motions["nonlinear"] = full
    for angle, value in zip(TRANSIENT, full.table(["deflection"], times)[:, 0], strict=True):
        numbers[f"nonlinear, {angle} deg"] = float(value)
    return motions, shown


def over_speeds(
    system: Equations, speeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the linear curves, and the forcing's fourth harmonic over the first; see `Record`."""
    tops = np.empty((len(DAMPINGS), speeds.size))
    harmonics, quasistatic = np.empty((speeds.size, 4)), np.empty((speeds.size, 4))
    ranges = [
        nominal_range(
            system, "crank.speed", RANGE, samples=SAMPLES, parameters={"rod.damping": share}
        )
        for share in DAMPINGS
    ]
    for i, speed in enumerate(speeds):
        for j, motions in enumerate(ranges):
            about = motions.at(speed)
            solution = about.periodic(HARMONICS)
            tops[j, i] = largest(solution)
        harmonics[i] = 2 * np.abs(solution.harmonics("deflection")[1:5])
        quasistatic[i], forcing = quasistatic_harmonics(about)
    return tops, harmonics, quasistatic, float(forcing[3] / forcing[0])


def quasistatic_harmonics(about: NominalMotion) -> tuple[np.ndarray, np.ndarray]:
    """Return amplitudes of v/l from the mean stiffness alone, and of the forcing; each (4,)."""
    force = np.fft.rfft(-about.f, axis=0)[1:5] / about.time.size
    place = [o.name for o in about.equations.outputs].index("deflection")
    by_values = about.output_matrix[:, place, about.equations.dofs :].mean(axis=0)
    bent = np.linalg.solve(about.K.mean(axis=0), force.T)
    return 2 * np.abs(by_values @ bent), np.linalg.norm(force, axis=1)


def peaks(speeds: np.ndarray, tops: np.ndarray) -> dict[str, float]:
    """Return where the linear curves have their peaks, and how high they are."""
    numbers = {}
    for share, curve in zip(DAMPINGS, tops, strict=True):
        for i in find_peaks(curve)[0]:
            part = round(FIRST_FREQUENCY / speeds[i])
            numbers[f"linear peak at 1/{part}, {share:.0%} (rad/s)"] = float(speeds[i])
            numbers[f"linear peak at 1/{part}, {share:.0%}"] = float(curve[i])
    return numbers


def draw(record: Record, folder: Path) -> None:
    """Draw Figs. 4.5, 4.6 and 4.7."""
    title = "The slider-crank at 60°: crank, elastic rod, plunger"
    sixth = record.periodic.period / 6
    show(record.motions["nonlinear"], folder, "slider_crank_periodic", title, times=(sixth,))
    figure = draw_revolution(record.periodic, record.motions)
    save(figure, folder, "slider_crank_periodic_revolution")
    by_hand = {w: row[4:] for w, row in LARGEST.items()}
    figure = draw_largest(record.speeds, record.linear, record.nonlinear, by_hand)
    save(figure, folder, "slider_crank_periodic_largest")
    figure = draw_harmonics(record.speeds, record.harmonics, record.quasistatic)
    save(figure, folder, "slider_crank_periodic_harmonics")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Slider-crank with an elastic rod [Schwab2002] 4.4.2, derived by hand",
        [(name, record.numbers[name], value) for name, value in REFERENCE.items()],
    )
    print(f"first frequency of the exact beam: {EXACT_FREQUENCY} rad/s")
    print(WHY)
    draw(record, folder)


if __name__ == "__main__":
    main()
