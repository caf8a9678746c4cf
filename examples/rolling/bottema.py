r"""Bottema's point: a non-holonomic equilibrium is not a holonomic one with fewer coordinates.

Whittaker held that near an equilibrium the difference is unimportant: integrate the constraints
there, δy = 0, and count fewer coordinates. Bottema [SchwabMeijaard2003, 16] showed that this is
wrong: the characteristic determinant is asymmetric, and as many roots vanish as there are
non-holonomic constraints.

A heavy body stands on a slope on one knife edge, which bears its weight sideways. The edge is below
the mass centre A = (x, y), y up the slope, and makes the angle ψ with the horizontal x axis. A
spring k that stays parallel to x acts at the distance b beside A, a torsional spring c about A:

    V = ½ k (x - b sin ψ)² + ½ c ψ² + P y,    ẏ cos ψ = ẋ sin ψ,    P = m g sin β.

x and ψ are degrees of freedom, y is a kinematic coordinate. With virtual velocities δy = tan ψ δx,

    m ẍ + m tan ψ d(ẋ tan ψ)/dt + k (x - b sin ψ) + P tan ψ = 0,
    J ψ̈ + c ψ - k b cos ψ (x - b sin ψ) = 0,

and about the equilibrium x = ψ = 0, any y,

    [m 0; 0 J] [ẍ; ψ̈] + [k, -k b + P; -k b, k b² + c] [x; ψ] = 0,    ẏ = 0.

The constraint force P turns with the edge; this brings P into one corner only. Where the constraint
is integrated first, y = const, P drops out: the matrix is symmetric and the equilibrium stable
whatever the slope is. With m = k = b = c = 1 and J = 2,

    "non-holonomic"  λ² = -1 ± √((1 - P)/2), and λ = 0 once,
    holonomic        λ² = -1 ± √(1/2).

So the body flutters where P > 1 and falls aside where P < -1 (the spring below A). At P = 3 one has
λ = ± √((√2 - 1)/2) ± i √((√2 + 1)/2). Energy is conserved nevertheless: wriggling, the body slides
down the slope and feeds on that.

The reference for the transient at P = 3 from ψ = 0.01 is the pair of equations above, integrated
here by SciPy at relative tolerances of 1e-12.

Run: python examples/rolling/bottema.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mbcore import Body, Linearization, Linearizer, Model, PlanarKnifeEdge, Result, Strain, simulate
from mbcore.drawing import COLOURS, Shape, arrow, dot, line, tube
from mbcore.elements import Element
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.rolling.bottema_figures import draw_eigenvalues, draw_motion
from mbcore.model.nodes.nodes import Angle, Point

LOAD = 3.0
"""P where the example flutters."""
START, DURATION = 0.01, 14.0
"""Angle at which the transient starts, and its end."""
WALL = -2.6
"""Where the spring's guide is drawn, m."""
SQUARE_ROOT = np.sqrt(0.5)

REFERENCE = {
    "flutter above P": 1.0,
    "divergence below P": -1.0,
    "K(x, psi) - K(psi, x) at P = 3": 3.0,
    "growth at P = 3": np.sqrt((np.sqrt(2) - 1) / 2),
    "frequency at P = 3": np.sqrt((np.sqrt(2) + 1) / 2),
    "vanishing roots": 1,
    "holonomic: K(x, psi) - K(psi, x)": 0.0,
    "holonomic: growth": 0.0,
    "holonomic: lower frequency": np.sqrt(1 - SQUARE_ROOT),
    "holonomic: higher frequency": np.sqrt(1 + SQUARE_ROOT),
    "holonomic: vanishing roots": 0,
}


class GuidedSpring(Element):
    """A spring that stays parallel to x and acts beside a point that turns; ``stretch`` in m."""

    def __init__(self, name: str, point: Point, turned: Angle, beside: float) -> None:
        super().__init__(name)
        self.point, self.turned, self.beside = point, turned, beside

    def strains(self) -> dict[str, Strain]:
        """Return x - b sin ψ."""
        along = self.point.position[0] - self.beside * ca.sin(self.turned.coordinates[0])
        return {"stretch": Strain(along, rigid=False)}

    def shapes(self) -> list[Shape]:
        """Return the spring, its guide in the inertial frame, and the lever that it acts on."""
        x, y = ca.vertsplit(self.point.position + self.beside * self.turned.matrix[:, 1])
        windings = [(0.2 + 0.05 * i, 0.12 * (-1) ** i) for i in range(13)]
        places = [(0.0, 0.0), (0.2, 0.0), *windings, (0.8, 0.0), (1.0, 0.0)]
        coil = [(WALL + share * (x - WALL), y + aside) for share, aside in places]
        return [
            tube([self.point, (x, y)], name="lever"),
            line(coil, colour=COLOURS["spring"]),
            dot((x, y), mark="hinge", name="lever"),
            dot((WALL, y), mark="slide_y", name="guide"),
        ]


def model(holonomic: bool = False) -> Model:
    """Return the body on its edge, or with the edge's constraint integrated, y = const."""
    slope = Model("holonomic" if holonomic else "bottema")
    m = slope.parameter("body.mass", 1, unit="kg", positive=True, description="mass")
    inertia = slope.parameter("body.inertia", 2, unit="kg.m2", positive=True, description="about A")
    k = slope.parameter("spring.stiffness", 1, unit="N/m", description="along the horizontal")
    c = slope.parameter("torsion.stiffness", 1, unit="N.m/rad", description="about A")
    weight = slope.parameter(
        "slope.load", LOAD, unit="N", description="component of the weight down the slope, P"
    )
    slope.gravity = ca.vertcat(0, -weight / m)

    A, psi = slope.point("A", (0, 0)), slope.angle("psi")
    slope.add(Body("body", A, psi, mass=m, inertia=inertia))
    slope.add(GuidedSpring("spring", A, psi, 1.0)).stretch.spring(k)
    A.x.dof("x")
    psi.angle.dof("psi", start=START).spring(c)
    if holonomic:
        A.y.fix()
    else:
        slope.add(PlanarKnifeEdge("edge", A, psi))
        A.y.kinematic("y")
    slope.show(arrow(A, (0, -weight), name="load"))
    slope.output("energy", slope.kinetic_energy + slope.potential_energy, unit="J")
    return slope


class AtRest:
    """One of both treatments, linearized about the equilibrium at any load."""

    def __init__(self, holonomic: bool) -> None:
        self._linearizer = Linearizer(model(holonomic).equations())

    def at(self, load: float) -> Linearization:
        """Linearize about x = ψ = 0."""
        return self._linearizer.at({"psi": 0.0}, parameters={"slope.load": load})

    def discriminant(self, load: float) -> float:
        """Return that of the quadratic for λ²; negative where there is flutter."""
        found = self.at(load)
        Q = np.linalg.solve(found.M, found.K_d)
        return float(np.trace(Q) ** 2 - 4 * np.linalg.det(Q))

    def determinant(self, load: float) -> float:
        """Return det K̄^d; negative where the body falls aside."""
        return float(np.linalg.det(self.at(load).K_d))


def by_hand(t: float, s: np.ndarray) -> list[float]:
    """Right-hand side for (x, ψ, y, ẋ, ψ̇) at P = 3, from the equations above."""
    x, psi, _, dx, dpsi = s
    tangent, stretch = np.tan(psi), x - np.sin(psi)
    secant = 1 + tangent**2
    ddx = -(tangent * secant * dpsi * dx + stretch + LOAD * tangent) / secant
    return [dx, dpsi, dx * tangent, ddx, (np.cos(psi) * stretch - psi) / 2]


@dataclass(frozen=True)
class Record:
    """Results; names as in ``REFERENCE``."""

    numbers: dict[str, float]
    references: dict[str, float]
    loads: np.ndarray
    eigenvalues: dict[str, np.ndarray]
    motion: Result
    holonomic_motion: Result
    energy_drift: float


def _vanishing(found: Linearization) -> int:
    return len(found.structural_zeros)


def run(points: int = 301) -> Record:
    """Linearize both over a range of loads; simulate both at P = 3."""
    edge, integrated = AtRest(False), AtRest(True)
    loads = np.linspace(-3, 5, points)
    eigenvalues = {
        name: np.array([treated.at(p).eigenvalues() for p in loads])
        for name, treated in (("edge", edge), ("integrated", integrated))
    }
    found, wrong = edge.at(LOAD), integrated.at(LOAD)
    growing = found.eigenvalues()[0]
    frequencies = np.sort(abs(wrong.eigenvalues().imag))
    samples = np.linspace(0, DURATION, 701)
    motion, holonomic_motion = (
        simulate(model(h).equations(), DURATION, rtol=1e-11, atol=1e-13, samples=samples)
        for h in (False, True)
    )
    exact = solve_ivp(
        by_hand, (0, DURATION), [0, START, 0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-14
    ).y[:, -1]
    numbers = {
        "flutter above P": brentq(edge.discriminant, 0, 3, xtol=1e-15),
        "divergence below P": brentq(edge.determinant, -3, 0, xtol=1e-15),
        "K(x, psi) - K(psi, x) at P = 3": float(found.K_d[0, 1] - found.K_d[1, 0]),
        "growth at P = 3": float(growing.real),
        "frequency at P = 3": float(abs(growing.imag)),
        "vanishing roots": _vanishing(found),
        "holonomic: K(x, psi) - K(psi, x)": float(wrong.K_d[0, 1] - wrong.K_d[1, 0]),
        "holonomic: growth": float(wrong.eigenvalues().real.max()),
        "holonomic: lower frequency": float(frequencies[0]),
        "holonomic: higher frequency": float(frequencies[-1]),
        "holonomic: vanishing roots": _vanishing(wrong),
        f"x({DURATION:g}) at P = 3": motion.final("x"),
        f"psi({DURATION:g}) at P = 3": motion.final("psi"),
        f"y({DURATION:g}) at P = 3": motion.final("y"),
    }
    transient = dict(zip(list(numbers)[-3:], map(float, exact[:3]), strict=True))
    return Record(
        numbers,
        {**REFERENCE, **transient},
        loads,
        eigenvalues,
        motion,
        holonomic_motion,
        float(np.ptp(motion["energy"])),
    )


def draw(record: Record, folder: Path) -> None:
    """Write both figures."""
    figure = draw_eigenvalues(record.loads, record.eigenvalues)
    save(figure, folder, "bottema_eigenvalues")
    figure = draw_motion(record.motion, record.holonomic_motion)
    save(figure, folder, "bottema_motion")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "bottema", "Body on an edge, seen on the slope")
    record = run()
    print_comparison(
        "Body on a knife edge on a slope",
        [(name, record.numbers[name], value) for name, value in record.references.items()],
    )
    print(f"energy drift of the transient {record.energy_drift:.1e}")
    draw(record, folder)


if __name__ == "__main__":
    main()
