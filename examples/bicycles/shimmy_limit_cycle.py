r"""The limit cycle of a shimmying caster whose tyre slips and whose swivel rubs, over speed.

The swivel wheel of ``swivel_wheel.py`` (m = l = 1, a/l = 0.2, m r² = 0.21, k = 0.3), pulled with
the speed v, on a tyre that slips sideways. The side force depends on the slip angle α by a magic
formula [Pacejka], linear at first and with a largest value L,

    F = -L sin(c arctan(C α/(c L))),    tan α = v_y/v_x,    c = 1.3,

and the swivel resists by M = d φ̇ + M_c tanh(φ̇/ε), viscous and dry friction, the latter smoothed.
Nothing of the slip is forbidden, so u and φ are both degrees of freedom. By hand, b = l - a,

    m ü - m b cos φ φ̈ + m b sin φ φ̇² + k u = F cos φ,
    (m r² + m b²) φ̈ - m b cos φ ü + M = -F l,
    v_x = v cos φ + u̇ sin φ,    v_y = -v sin φ + u̇ cos φ - l φ̇.

**Straight running** loses its stability at a Hopf bifurcation. The reference is where the
eigenvalues of the linear equations by hand reach the imaginary axis (M is then d + M_c/ε times φ̇).

**The cycle** that begins there is unstable and goes back to lower speeds: the bifurcation is
subcritical, and its amplitude grows as the square root of the distance. The tyre's largest force
bounds it: at a fold it becomes stable and returns to higher speeds. Between fold and Hopf point the
caster runs straight until something pushes it, and shimmies then. Dry friction nearly doubles the
speed up to which straight running is stable, and hardly moves the fold: where a swivel rubs, a
linear analysis promises far too much.

The reference for cycles and folds was found from the equations above, integrated at tolerances of
1e-12, as fixed points of the map from one passage of φ = 0 to the next, stable and unstable.

Run: python examples/bicycles/shimmy_limit_cycle.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np

from mbcore import (
    Bearing,
    Body,
    Equations,
    Model,
    PlanarWheel,
    Result,
    RigidLink,
    linearize,
    simulate,
)
from mbcore.drawing import arrow
from mbcore.examples.bicycles.shimmy_figures import draw_shimmy
from mbcore.examples.common import figures_folder, print_comparison, save
from mbcore.examples.swivel_picture import show_swivelled
from mbcore.fmus.caster import add_shapes
from mbcore.vibration import (
    Branch,
    Equilibria,
    Periodic,
    PeriodicSolution,
    Steps,
    continuation,
    periodic_solution,
)

SWIVELS = {
    "viscous": {"swivel.damping": 0.05, "swivel.friction": 0.0},
    "rubbing": {"swivel.damping": 0.03, "swivel.friction": 0.01},
}
"""Resistances to swivelling."""
SPEEDS = (0.4, 2.05)
SIMULATED = (1.2, 2.0)
"""Speeds at which cycles are compared with the reference and with long simulations."""
DRAWN = "Caster whose tyre slips (green); the road pushes it back (red)"
BETWEEN = 0.8
"""A speed at which the viscous caster may run straight or shimmy."""
SETTLED = 300.0
"""How long a simulation takes to settle, s."""
STATES = ("strut.deflection", "strut.deflection_rate", "swivel.angle", "swivel.rate")

REFERENCE = {
    "viscous: Hopf point, speed": 0.8864611627,
    "viscous: Hopf point, frequency": 1.0722780,
    "viscous: fold, speed": 0.6037024790,
    "viscous, v = 1.2: period": 6.4371426908,
    "viscous, v = 1.2: amplitude": 0.5266353165,
    "viscous, v = 2: period": 6.4346737532,
    "viscous, v = 2: amplitude": 0.4715873528,
    "viscous, v = 1.2: simulated less found": 0.0,
    "viscous, v = 2: simulated less found": 0.0,
    "viscous: power of the amplitude's growth": 0.5,
    "rubbing: Hopf point, speed": 1.5633704541,
    "rubbing: fold, speed": 0.5557190377,
    "rubbing, v = 1.2: period": 6.4390365425,
    "rubbing, v = 1.2: amplitude": 0.5083301238,
    "rubbing, v = 2: period": 6.4648753810,
    "rubbing, v = 2: amplitude": 0.4560924917,
    "rubbing, v = 1.2: simulated less found": 0.0,
    "rubbing, v = 2: simulated less found": 0.0,
    "unstable, v = 0.8: period": 6.0514464627,
    "unstable, v = 0.8: amplitude": 0.2420068782,
    "product of the multipliers / exp ∫ trace": 1.0,
    "pushed less than the unstable cycle: shimmies": 0.0,
    "pushed more: end less the stable amplitude": 0.0,
}


def model() -> Model:
    """Return the caster on a tyre that slips."""
    gear = Model("slipping caster")
    v = gear.parameter("speed", 1.0, unit="m/s", positive=True)
    stiffness = gear.parameter("tyre.cornering_stiffness", 3.0, unit="N/rad", positive=True)
    limit = gear.parameter("tyre.largest_force", 0.3, unit="N", positive=True)
    damping = gear.parameter("swivel.damping", 0.05, unit="N.m.s/rad", minimum=0.0)
    friction = gear.parameter("swivel.friction", 0.0, unit="N.m", minimum=0.0)
    smooth = gear.parameter("swivel.friction_rate", 0.1, unit="rad/s", positive=True)
    travelled = gear.state("attachment.x", v, unit="m", nominal=10.0, visibility="output")
    C, airframe = gear.point("C", (0, 0)), gear.angle("airframe", fixed=True)
    B, strut = gear.point("B", (0, 0)), gear.angle("strut")
    A, locked = gear.point("A", (-1, 0)), gear.angle("wheel rotation", fixed=True)
    C.x.prescribe(travelled)
    C.y.fix()
    swivel = gear.add(Bearing("swivel", C, airframe, B, strut))
    gear.add(RigidLink("trail", B, strut, A)).visible = False
    gear.add(Body("wheel and strut", A, strut, mass=1, inertia=0.21, offset=(0.2, 0)))
    wheel = gear.add(PlanarWheel("wheel", A, strut, locked, radius=1.0))
    wheel.longitudinal.release()
    slip_angle = ca.atan(wheel.lateral.velocity / wheel.longitudinal.velocity)
    force = -limit * ca.sin(1.3 * ca.atan(stiffness * slip_angle / (1.3 * limit)))
    wheel.lateral.release().law(-force)
    deflection = swivel.y.dof("strut.deflection", "strut.deflection_rate", nominal=0.1)
    deflection.spring(0.3)
    angle = swivel.rotation.dof("swivel.angle", "swivel.rate", nominal=0.1)
    angle.law(damping * angle.rate + friction * ca.tanh(angle.rate / smooth))
    add_shapes(gear, (B, strut), C, wheel, ca.SX(1))
    gear.output("tyre.slip_angle", slip_angle, unit="rad")
    gear.output("tyre.force", force, unit="N", description="of the ground, to the left")
    return gear


def with_slip() -> Model:
    """Return the caster with the slip velocity of its tyre as an arrow."""
    gear = model()
    wheel, strut = gear.elements["wheel"], gear.nodes["strut"]
    slip = strut.matrix[:, 1] * wheel.lateral.velocity  # type: ignore[attr-defined]
    gear.show(arrow(wheel.centre, slip, of="motion", name="slip"))  # type: ignore[attr-defined]
    return gear


@dataclass(frozen=True)
class Shimmy:
    """Motions of one swivel over speed.

    Attributes
    ----------
    straight, cycles : Branch
        Straight running, and the cycles that begin at its Hopf point.
    simulated : dict of float to float
        Amplitude of φ to which long simulations come from 10 % outside the cycle, by speed, rad.
    """

    straight: Branch
    cycles: Branch
    simulated: dict[float, float]

    @property
    def hopf(self) -> float:
        """Speed from which straight running is unstable, m/s."""
        return self.straight.events[0].value

    @property
    def fold(self) -> float:
        """Least speed of the cycles, m/s."""
        return next(event.value for event in self.cycles.events if event.kind == "fold")


@dataclass(frozen=True)
class Record:
    """Numbers as in ``REFERENCE``, both swivels, and motions on both sides of an unstable cycle."""

    numbers: dict[str, float]
    shimmies: dict[str, Shimmy]
    unstable: PeriodicSolution
    stable: PeriodicSolution
    pushed: tuple[Result, Result]


def branches(equations: Equations, swivel: str) -> Shimmy:
    """Follow straight running and the cycles of a swivel over speed."""
    parameters = SWIVELS[swivel]
    straight = continuation(Equilibria(equations, parameters=parameters), "speed", SPEEDS)
    [hopf] = [event for event in straight.events if event.kind == "hopf"]
    cycles = continuation(
        Periodic(equations, start=hopf), "speed", SPEEDS, steps=Steps(longest=0.06)
    )
    return Shimmy(straight, cycles, {})


def follow(equations: Equations, swivel: str) -> Shimmy:
    """Follow straight running and the cycles of a swivel, and simulate some."""
    shimmy, parameters = branches(equations, swivel), SWIVELS[swivel]
    for v in SIMULATED:
        found = cycle(equations, shimmy, swivel, v, stable=True)
        off = {name: 1.1 * found.start[name] for name in STATES}
        shimmy.simulated[v] = half_range(settle(equations, {**parameters, "speed": v}, off))
    return shimmy


def settle(equations: Equations, parameters: dict[str, float], start: dict[str, float]) -> Result:
    """Simulate until the motion has settled."""
    samples = np.linspace(0, SETTLED, round(SETTLED / 0.02) + 1)
    return simulate(
        equations, SETTLED, start=start, parameters=parameters, samples=samples,
        rtol=1e-9, atol=1e-11,
    )  # fmt: skip


def half_range(motion: Result) -> float:
    """Return half the range of φ at the end of a motion, by parabolas through its extremes."""
    late = motion["swivel.angle"][motion.time > SETTLED - 20]
    ends = []
    for values in (late, -late):
        inside = values[1:-1]
        top = np.flatnonzero((inside >= values[:-2]) & (inside > values[2:]))
        before, at, after = values[top], values[top + 1], values[top + 2]
        tops = at - (after - before) ** 2 / (8 * (before - 2 * at + after))
        ends.append(float(tops.max(initial=0.0)))
    return sum(ends) / 2


def cycle(
    equations: Equations, shimmy: Shimmy, swivel: str, v: float, stable: bool
) -> PeriodicSolution:
    """Return the cycle at a speed, from the nearest point of the branch."""
    columns = shimmy.cycles.columns
    apart = np.abs(columns.values - v) + 1e3 * (columns.stable != stable)
    guess = shimmy.cycles.solution(int(np.argmin(apart)))
    return periodic_solution(
        equations, guess.period, guess=guess, parameters={**SWIVELS[swivel], "speed": v},
        autonomous=True,
    )  # fmt: skip


def trace_integral(equations: Equations, found: PeriodicSolution, samples: int = 256) -> float:
    """Return ∫ trace of the equations linearized along a cycle, by the trapezoidal rule."""
    traces = []
    for time in found.period / samples * np.arange(samples):
        state = {name: float(found[name](time)) for name in STATES}
        there = linearize(equations, state, parameters=found.parameters, unsteady=True)
        traces.append(np.trace(there.state_matrix))
    return float(np.mean(traces) * found.period)


def order_of_growth(shimmy: Shimmy) -> float:
    """Return with which power of the distance from the Hopf point the amplitude begins."""
    v, size = shimmy.cycles.columns.values, shimmy.cycles.columns.amplitude("swivel.angle")
    small = np.flatnonzero((size > 0.005) & (size < 0.05))
    near = small[small < int(np.argmin(v))]
    distance = shimmy.hopf - v[near]
    return float(np.polyfit(np.log(distance), np.log(size[near]), 1)[0])


def run() -> Record:
    """Follow both swivels over speed, and push the viscous one off its unstable cycle."""
    equations = model().equations()
    shimmies = {name: follow(equations, name) for name in SWIVELS}
    numbers: dict[str, float] = {}
    for name, shimmy in shimmies.items():
        numbers[f"{name}: Hopf point, speed"] = shimmy.hopf
        numbers[f"{name}: Hopf point, frequency"] = shimmy.straight.events[0].exponent.imag
        numbers[f"{name}: fold, speed"] = shimmy.fold
        for v in SIMULATED:
            found = cycle(equations, shimmy, name, v, stable=True)
            numbers[f"{name}, v = {v:g}: period"] = found.period
            numbers[f"{name}, v = {v:g}: amplitude"] = found.amplitude("swivel.angle")
            numbers[f"{name}, v = {v:g}: simulated less found"] = shimmy.simulated[
                v
            ] - found.amplitude("swivel.angle")
    viscous = shimmies["viscous"]
    numbers["viscous: power of the amplitude's growth"] = order_of_growth(viscous)
    unstable, stable = (
        cycle(equations, viscous, "viscous", BETWEEN, stable=which) for which in (False, True)
    )
    numbers[f"unstable, v = {BETWEEN:g}: period"] = unstable.period
    numbers[f"unstable, v = {BETWEEN:g}: amplitude"] = unstable.amplitude("swivel.angle")
    numbers["product of the multipliers / exp ∫ trace"] = float(
        np.prod(unstable.multipliers).real / np.exp(trace_integral(equations, unstable))
    )
    pushed = tuple(
        settle(
            equations,
            {**SWIVELS["viscous"], "speed": BETWEEN},
            {name: part * unstable.start[name] for name in STATES},
        )
        for part in (0.8, 1.2)
    )
    numbers["pushed less than the unstable cycle: shimmies"] = float(
        half_range(pushed[0]) > unstable.amplitude("swivel.angle")
    )
    numbers["pushed more: end less the stable amplitude"] = half_range(
        pushed[1]
    ) - stable.amplitude("swivel.angle")
    return Record(numbers, shimmies, unstable, stable, (pushed[0], pushed[1]))


def draw(record: Record, folder: Path) -> None:
    """Draw caster, cycles over speed, multipliers, and motions beside the unstable cycle."""
    save(draw_shimmy(record, SPEEDS, BETWEEN), folder, "shimmy_limit_cycle")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_swivelled(with_slip(), folder, "shimmy_limit_cycle", DRAWN)
    record = run()
    print_comparison(
        "Limit cycle of a caster, beside equations derived by hand",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
