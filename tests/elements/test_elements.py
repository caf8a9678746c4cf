"""Properties that every element has; a new element is tested by a line in ``element_cases.py``.

Rigid motion strains nothing, slips are linear in the velocities and do not depend on the observer,
the kinetic energy is that of the known mass, centre and inertia, and momentum is the rate of the
first moment.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from mbcore import elements
from mbcore.elements import Bearing, Element, Hinge, Wheel
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Angle, Node, Point, Rotation
from tests.elements.element_cases import CASES, MASSIVE, Case, point
from tests.elements.element_formulas import (
    by_coordinates,
    coordinates_of,
    deformed,
    function,
    start_of,
    tangent,
)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(20020612)


class Motion:
    """A rigid displacement, or its velocity, of all nodes of a case's element."""

    def __init__(self, case: Case, random: np.random.Generator) -> None:
        self.still, self.planar = case.still, case.motions == "plane"
        turn, shift = random.uniform(-3, 3, 3), random.uniform(-2, 2, 3)
        if case.motions in ("plane", "flat"):
            turn[:2], shift[2] = 0, 0
        if case.motions == "sphere":
            shift[:] = 0
        self.turn, self.shift = turn, shift
        self.matrix = Turn.from_rotvec(turn).as_matrix()
        self.parameters = Turn.from_rotvec(turn).as_quat(scalar_first=True)

    def _quaternion(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        return np.array(ca.DM(rotations.product(ca.SX(ca.DM(q)), ca.SX(ca.DM(p))))).ravel()

    def displace(self, element: Element, x: np.ndarray) -> np.ndarray:
        return self._each(element, x, self._displaced)

    def _displaced(self, node: Node, c: np.ndarray) -> np.ndarray:
        if isinstance(node, Angle):
            return c if node.name in self.still else c + self.turn[2]
        if isinstance(node, Rotation):
            return self._quaternion(self.parameters, c)
        return self.matrix[: c.size, : c.size] @ c + self.shift[: c.size]

    def turned(self, element: Element, v: np.ndarray) -> np.ndarray:
        """Velocities as another observer, who does not move, writes them."""

        def of(node: Node, c: np.ndarray) -> np.ndarray:
            if isinstance(node, Angle):
                return c
            if isinstance(node, Rotation):
                return self._quaternion(self.parameters, c)
            return self.matrix[: c.size, : c.size] @ c

        return self._each(element, v, of)

    def velocity(self, element: Element, x: np.ndarray) -> np.ndarray:
        """Velocities of the rigid motion with velocity ``shift``, angular velocity ``turn``."""

        def of(node: Node, c: np.ndarray) -> np.ndarray:
            if isinstance(node, Angle):
                return np.array([0.0 if node.name in self.still else self.turn[2]])
            if isinstance(node, Rotation):
                return self._quaternion(np.r_[0, self.turn], c) / 2
            place = np.r_[c, 0.0] if c.size == 2 else c
            return (np.cross(self.turn, place) + self.shift)[: c.size]

        return self._each(element, x, of)

    @staticmethod
    def _each(
        element: Element, x: np.ndarray, of: Callable[[Node, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        parts, at = [], 0
        for node in element.nodes():
            n = node.coordinates.numel()
            parts.append(of(node, x[at : at + n]))
            at += n
        return np.concatenate(parts)


def test_every_element_has_a_case() -> None:
    kinds = {type(case.build()) for case in CASES.values()}
    covered = {kind for kind in kinds if kind.__module__.startswith("mbcore.")}
    public = {getattr(elements, name) for name in elements.__all__}
    # The user states the formulas of the first three; those of frictions are their joints' rates.
    # A flat contact ends all turning, also about the normal, which no other element feels.
    elsewhere = (
        elements.Coupling,
        elements.MasslessNode,
        elements.Speed,
        elements.DryFriction,
        elements.RollingResistance,
        elements.FlatContact,
    )
    concrete = {
        c for c in public if isinstance(c, type) and issubclass(c, Element) and c is not Element
    }
    assert {c for c in concrete if not issubclass(c, elsewhere)} == covered


@pytest.mark.parametrize("name", CASES)
def test_rigid_motion_strains_nothing(name: str, random: np.random.Generator) -> None:
    # [Schwab2002] (2.1), (A.2)
    case = CASES[name]
    element = case.build()
    for key, strain in element.strains().items():
        value = function(element, strain.expression)
        for _ in range(5):
            x = deformed(element, random)
            moved = Motion(case, random).displace(element, x)
            assert abs(value(moved, 0 * x) - value(x, 0 * x)) < 1e-13, key


@pytest.mark.parametrize("name", CASES)
def test_rigid_velocity_has_no_strain_rate(name: str, random: np.random.Generator) -> None:
    # [Schwab2002] (A.3)
    case = CASES[name]
    element = case.build()
    for key, strain in element.strains().items():
        expression = by_coordinates(element, strain.expression)
        rate = function(element, ca.jtimes(expression, *coordinates_of(element)))
        x = deformed(element, random)
        assert abs(rate(x, Motion(case, random).velocity(element, x))) < 1e-13, key


@pytest.mark.parametrize("name", CASES)
def test_residual_is_the_distance_to_the_target(name: str, random: np.random.Generator) -> None:
    element = CASES[name].build()
    for strain in element.strains().values():
        if strain.residual is None:
            continue
        x = deformed(element, random)
        value = function(element, strain.expression)(x, 0 * x)
        for offset in (0.3, -0.4):
            residual = function(element, strain.residual(ca.SX(float(value) - offset)))(x, 0 * x)
            assert residual == pytest.approx(offset, abs=1e-12)


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if c.build().slip_rates()])
def test_slips_are_linear_and_the_same_for_all_observers(
    name: str, random: np.random.Generator
) -> None:
    # [Schwab2002] (2.17), (A.90)
    case = CASES[name]
    element = case.build()
    for slip in element.slip_rates().values():
        value = function(element, slip.expression)
        x = deformed(element, random)
        v, w = random.standard_normal((2, x.size))
        assert value(x, 2 * v - 3 * w) == pytest.approx(2 * value(x, v) - 3 * value(x, w))
        assert value(x, v) != pytest.approx(0, abs=1e-3)
        motion = Motion(case, random)
        moved = value(motion.displace(element, x), motion.turned(element, v))
        assert moved == pytest.approx(value(x, v))


@pytest.mark.parametrize("name", MASSIVE)
def test_rigid_kinetic_energy_is_exact(name: str, random: np.random.Generator) -> None:
    # [Schwab2002] (A.11)
    case = CASES[name]
    element = case.build()
    energy = function(element, element.kinetic_energy())
    x = start_of(element)
    centre = np.r_[case.centre, 0.0][:3]
    inertia = np.diag([0, 0, case.inertia]) if np.ndim(case.inertia) == 0 else case.inertia
    for _ in range(5):
        motion = Motion(case, random)
        velocity = motion.shift + np.cross(motion.turn, centre)
        expected = (case.mass * velocity @ velocity + motion.turn @ inertia @ motion.turn) / 2
        assert energy(x, motion.velocity(element, x)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", MASSIVE)
def test_angular_momentum_is_exact(name: str, random: np.random.Generator) -> None:
    """∂T/∂ẋ applied to a rigid velocity about the origin is the angular momentum."""
    case = CASES[name]
    element = case.build()
    kinetic = by_coordinates(element, element.kinetic_energy())
    momentum = function(element, ca.gradient(kinetic, coordinates_of(element)[1]))
    x = start_of(element)
    centre = np.r_[case.centre, 0.0][:3]
    inertia = np.diag([0, 0, case.inertia]) if np.ndim(case.inertia) == 0 else case.inertia
    motion, turning = Motion(case, random), Motion(case, random)
    turning.shift[:] = 0
    velocity = motion.shift + np.cross(motion.turn, centre)
    expected = case.mass * np.cross(centre, velocity) + inertia @ motion.turn
    found = momentum(x, motion.velocity(element, x)) @ turning.velocity(element, x)
    assert found == pytest.approx(expected @ turning.turn, rel=1e-12)


@pytest.mark.parametrize("name", MASSIVE)
def test_mass_matrix_is_positive_semidefinite(name: str, random: np.random.Generator) -> None:
    element = CASES[name].build()
    kinetic = by_coordinates(element, element.kinetic_energy())
    mass = function(element, ca.hessian(kinetic, coordinates_of(element)[1])[0])
    energy = function(element, kinetic)
    x = deformed(element, random)
    v = random.standard_normal(x.size)
    matrix = mass(x, v)
    assert np.allclose(matrix, mass(x, 2 * v), rtol=1e-13)
    assert np.allclose(matrix, matrix.T, rtol=1e-13)
    assert np.linalg.eigvalsh(matrix).min() > -1e-12 * np.abs(matrix).max()
    assert energy(x, v) == pytest.approx(v @ matrix @ v / 2)


@pytest.mark.parametrize("name", MASSIVE)
def test_euler_parameters_have_energy_only_where_they_may_go(
    name: str, random: np.random.Generator
) -> None:
    """A velocity against the norm condition turns nothing: q is in the kernel of M."""
    element = CASES[name].build()
    energy = function(element, element.kinetic_energy())
    x = deformed(element, random)
    v = random.standard_normal(x.size)
    off, at = np.zeros(x.size), 0
    for node in element.nodes():
        n = node.coordinates.numel()
        if isinstance(node, Rotation):
            off[at : at + n] = random.standard_normal() * x[at : at + n]
        at += n
    assert energy(x, v + off) == pytest.approx(energy(x, v), rel=1e-12)


@pytest.mark.parametrize("name", MASSIVE)
def test_kinetic_energy_is_the_same_for_all_observers(
    name: str, random: np.random.Generator
) -> None:
    case = CASES[name]
    element = case.build()
    energy = function(element, element.kinetic_energy())
    for _ in range(5):
        x = deformed(element, random)
        v, motion = random.standard_normal(x.size), Motion(case, random)
        moved = energy(motion.displace(element, x), motion.turned(element, v))
        assert moved == pytest.approx(energy(x, v), rel=1e-12)


@pytest.mark.parametrize("name", MASSIVE)
def test_momentum_is_the_rate_of_the_first_moment(name: str, random: np.random.Generator) -> None:
    case = CASES[name]
    element = case.build()
    nodes = element.nodes()
    moment = element.first_moment()
    assert moment is not None
    x_symbol, v_symbol = coordinates_of(element)
    centre = function(element, moment)
    rate = function(element, ca.jtimes(by_coordinates(element, moment), x_symbol, v_symbol))
    kinetic = by_coordinates(element, element.kinetic_energy())
    gradient = function(element, ca.gradient(kinetic, v_symbol))
    x = deformed(element, random)
    v = tangent(element, x, random.standard_normal(x.size))
    momentum, forces, at = np.zeros(moment.numel()), gradient(x, v), 0
    for node in nodes:
        n = node.coordinates.numel()
        if isinstance(node, Point):
            momentum += forces[at : at + n]
        at += n
    assert np.allclose(momentum, rate(x, v), rtol=1e-12, atol=1e-12)
    assert np.allclose(centre(start_of(element), v), case.mass * np.asarray(case.centre))


@pytest.mark.parametrize("turns", [0.1, 0.49, 0.51, 1.2, -3.3])
def test_hinge_knows_its_angle_beyond_a_turn(turns: float) -> None:
    # [Schwab2002] (3.32), (3.33), (3.34)
    angle = 2 * np.pi * turns
    p, q = Rotation("p"), Rotation("q", rotations.about((0, 1, 0), angle))
    hinge = Hinge("hinge", p, q, axis=(0, 2, 0))
    strains = hinge.strains()
    residual = strains["angle"].residual
    assert residual is not None
    x = np.r_[1, 0, 0, 0, rotations.about((0, 1, 0), angle)]
    for offset in (0.0, 0.2, -0.2):
        found = function(hinge, residual(ca.SX(angle - offset)))(x, 0 * x)
        assert found == pytest.approx(offset, abs=1e-12)
    for key in ("bending_y", "bending_z"):
        assert function(hinge, strains[key].expression)(x, 0 * x) == pytest.approx(0, abs=1e-14)


def test_bearing_measures_on_the_axes_of_the_sleeve() -> None:
    # [Schwab2002] (3.1), (3.36)
    element = Bearing(
        "bearing", point("s", 0, 0), Angle("a"), point("j", 0, 0), Angle("b"), direction=0.1
    )
    x = np.r_[0.3, 0.4, np.pi / 2 - 0.1, 0.3 - 0.02, 0.4 + 0.01, 2.0]
    values = {k: function(element, s.expression)(x, 0 * x) for k, s in element.strains().items()}
    assert values["x"] == pytest.approx(0.01)
    assert values["y"] == pytest.approx(0.02)
    assert values["rotation"] == pytest.approx(2.0 - np.pi / 2 + 0.1)


def test_wheel_that_rolls_upright_does_not_slip() -> None:
    """Speed v and spin v/r about the axle: the classical rolling condition, on plane and sphere."""
    # [Schwab2002] (3.48), (3.51)
    radius, speed = 0.5, 1.3
    heading = np.array([np.cos(0.6), np.sin(0.6), 0])
    axle = np.array([-np.sin(0.6), np.cos(0.6), 0])
    turn = rotations.about((0, 0, 1), 0.6)
    e = Rotation("e", turn)
    wheel = Wheel("wheel", point("w", 0, 0, radius), e, point("c", 0, 0, 0), radius=radius)
    omega = speed / radius * axle
    rate = np.array(ca.DM(rotations.product(ca.SX(ca.DM(np.r_[0, omega])), ca.SX(ca.DM(turn)))))
    x = np.r_[0, 0, radius, turn, 0, 0, 0]
    v = np.r_[speed * heading, rate.ravel() / 2, speed * heading]
    assert [type(node) for node in wheel.nodes()] == [Point, Rotation, Point]
    for key, strain in wheel.strains().items():
        assert function(wheel, strain.expression)(x, v) == pytest.approx(0, abs=1e-14), key
    for key, slip in wheel.slip_rates().items():
        assert function(wheel, slip.expression)(x, v) == pytest.approx(0, abs=1e-14), key
        doubled = v + np.r_[0.1 * heading + 0.2 * axle, np.zeros(4), 0.1 * heading + 0.2 * axle]
        slipping = function(wheel, slip.expression)(x, doubled)
        # Scaled by |r| and by |r| |n|, so that λ_1 |r| and λ_2 |r| |n| are the forces.
        expected = {"longitudinal": 0.1, "lateral": 0.2}.get(key, 0.0) * radius
        assert abs(slipping) == pytest.approx(expected, abs=1e-14), key
