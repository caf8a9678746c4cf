"""What elements state beside their formulas, against what follows from these by differentiation.

Short rates of strains, placements of nodes and parts of the inertia spare the equations work, so
each must say the same as the formula that it stands for. Everything is compared as a function of
coordinates x, speeds w and their rates a; a new element is tested by a line in
``element_cases.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
import pytest

from mbcore.elements import Element
from mbcore.equations.assembly.inertia import element_inertia
from mbcore.model.expressions import column, replace
from mbcore.model.nodes.nodes import Node, Rotation
from mbcore.model.statements import Placement, Strain
from tests.elements.element_cases import CASES, MASSIVE, TILT
from tests.elements.element_formulas import by_coordinates, deformed, in_model, normalized


class Moving:
    """Coordinates x, speeds w and their rates a of nodes, and rates of functions of them.

    Nothing but the coordinates and their rates by speeds is used, so that whatever nodes say of
    directions that turn with them is checked as well.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.x = column(node.coordinates for node in nodes)
        self.w = column(node.speeds for node in nodes)
        self.a = column(node.speed_rates for node in nodes)
        self._definitions = [pair for node in nodes for pair in node.definitions()]
        pairs = [pair for node in nodes for pair in node.coordinate_rates()]
        by_speeds = (column(p[0] for p in pairs), column(p[1] for p in pairs))
        self.x_rate = replace(column(node.velocities for node in nodes), *by_speeds)
        self.x_second = replace(column(node.accelerations for node in nodes), *by_speeds)

    def write(self, expression: ca.SX) -> ca.SX:
        """Put in what turns with the nodes, so that x and w are left."""
        definitions = self._definitions
        symbols, values = column(p[0] for p in definitions), column(p[1] for p in definitions)
        return replace(ca.SX(expression), symbols, values)

    def rate(self, expression: ca.SX) -> ca.SX:
        """Time derivative of a function of x and w."""
        of, by = ca.vertcat(self.x, self.w), ca.vertcat(self.x_rate, self.a)
        return ca.jtimes(self.write(expression), of, by)


def made(name: str) -> Element:
    element = in_model(CASES[name].build())
    element.formulas()
    return element


def numbers(arguments: Sequence[ca.SX], result: ca.SX, *values: object) -> np.ndarray:
    return np.array(ca.Function("f", [*arguments], [ca.densify(result)])(*values))


def norms(nodes: Sequence[Node]) -> list[ca.SX]:
    return [c.expression for node in nodes for c in node.conditions()]


def where_zero(x: ca.SX, conditions: ca.SX, guess: np.ndarray) -> np.ndarray:
    """Newton's method with the smallest step."""
    f = ca.Function("f", [x], [ca.densify(conditions), ca.densify(ca.jacobian(conditions, x))])
    for _ in range(20):
        value, slope = f(guess)
        guess = guess - np.linalg.pinv(np.array(slope)) @ np.array(value).ravel()
    assert np.abs(np.array(f(guess)[0])).max(initial=0) < 1e-14
    return guess


# Directions


def test_directions_and_speeds_of_a_rotation_belong_to_its_euler_parameters() -> None:
    # [Schwab2002] (B.13), (B.14)
    random = np.random.default_rng(14)
    node = Rotation("e", TILT)
    node.turned((1.0, -2.0, 0.5))
    of = Moving([node])
    arguments = (of.x, of.w, of.a)
    pairs = [
        (of.rate(node.changing), of.write(node.change)),
        (of.rate(of.x_rate), of.x_second),
        *((symbol, by_coordinates_of(node, of, value)) for symbol, value in node.nodal_speeds()),
    ]
    x = random.standard_normal(4)
    values = x / np.linalg.norm(x), random.standard_normal(3), random.standard_normal(3)
    for given, derived in pairs:
        found = numbers(arguments, given, *values)
        assert np.abs(found).min() > 1e-3
        assert np.allclose(found, numbers(arguments, derived, *values), rtol=1e-13, atol=1e-13)


def by_coordinates_of(node: Node, of: Moving, expression: ca.SX) -> ca.SX:
    velocities = ca.vertcat(node.velocities, node.accelerations)
    return replace(expression, velocities, ca.vertcat(of.x_rate, of.x_second))


@pytest.mark.parametrize("name", CASES)
def test_all_directions_are_known_once_the_formulas_are_stated(name: str) -> None:
    element = made(name)

    def known() -> list[int]:
        return [node.changing.numel() for node in element.nodes()]

    before = known()
    for state in (
        element.strains,
        element.slip_rates,
        element.placements,
        element.inertias,
        element.kinetic_energy,
        element.first_moment,
        element.limits,
    ):
        state()
        assert known() == before, state


# Rates of strains


def with_rates(element: Element) -> dict[str, Strain]:
    return {key: s for key, s in element.strains().items() if s.rate is not None}


COLLECTED = {name: made(name) for name in CASES}
"""What tests are collected from; each test makes its own."""


@pytest.mark.parametrize("name", [n for n, element in COLLECTED.items() if with_rates(element)])
def test_stated_rates_are_derivatives(name: str) -> None:
    """First rates with any speeds, convective second ones where the named strains stay zero."""
    # [Schwab2002] (A.3)
    random = np.random.default_rng(15)
    element = made(name)
    of, strains = Moving(element.nodes()), element.strains()
    for key, strain in with_rates(element).items():
        named = column(of.write(strains[other].expression) for other in strain.rate_if_zero)
        slope = ca.jacobian(of.rate(named), of.w)
        stated, derived = of.write(strain.rate), of.rate(strain.expression)
        results = [stated, derived, of.rate(stated), of.rate(derived), slope]
        f = ca.Function("f", [of.x, of.w, of.a], [ca.densify(result) for result in results])
        for _ in range(5):
            conditions = ca.vertcat(named, *norms(element.nodes()))
            x = where_zero(of.x, conditions, deformed(element, random, 0.05))
            w = random.standard_normal(of.w.numel())
            held = np.zeros(of.w.numel())
            found, expected, _, _, J = map(np.array, f(x, w, held))
            assert found == pytest.approx(expected, abs=1e-12), key
            assert np.abs(found).max() > 1e-3

            w -= np.linalg.pinv(J) @ J @ w
            _, _, second, expected, _ = map(np.array, f(x, w, held))
            assert second == pytest.approx(expected, abs=1e-11), key


# Placements


class Placing:
    """The configuration and the speeds of an element that one of its placements gives.

    Nodes that are neither placed nor needed are where the strains in ``zero`` say.
    """

    def __init__(self, element: Element, placement: Placement) -> None:
        names = [*placement.strains, *(k for k in placement.zero if k not in placement.strains)]
        self.strains = [element.deformations[key] for key in names]
        self.count = len(placement.strains)
        node, others = placement.node, Moving(placement.others)
        known = {node.name, *(other.name for other in placement.others)}
        self._others = placement.others
        self.absent = [n for n in element.nodes() if n.name not in known]
        absent = Moving(self.absent)
        q = column(strain.value for strain in self.strains)
        rates = column(strain.rate for strain in self.strains)
        seconds = ca.SX.sym("seconds", q.numel())
        of = ca.vertcat(others.x, others.w, q, rates)
        by = ca.vertcat(others.x_rate, others.a, rates, seconds)
        x = others.write(placement.coordinates)
        if placement.speeds is None:
            assert not isinstance(node, Rotation), "speeds that no coordinates' rates tell"
            w = ca.jtimes(x, of, by)
        else:
            by_both = Moving([node, *placement.others]).write(placement.speeds)
            w = replace(by_both, node.coordinates, x)
        a = ca.jtimes(w, of, by)
        self.given = (others.x, others.w, others.a, q, rates, seconds)
        self.free = (absent.x, absent.w, absent.a)
        self.known = (
            ca.vertcat(node.coordinates, node.speeds, node.speed_rates),
            ca.densify(ca.vertcat(x, w, a)),
        )
        moving = Moving(element.nodes())
        formulas = [element.strains()[key] for key in names]
        self.residual = column(
            moving.write(s.residual(strain.value) if s.residual else s.expression - strain.value)
            for s, strain in zip(formulas, self.strains, strict=True)
        )
        self._here = [
            column(moving.write(strain.expression) for strain in self.strains[self.count :]),
        ]
        for _ in range(2):
            self._here.append(moving.rate(self._here[-1]))
        self._here[0] = ca.vertcat(self._here[0], *norms(self.absent))

    def rest(
        self, samples: Sequence[Sequence[np.ndarray]], coordinates: np.ndarray
    ) -> list[list[np.ndarray]]:
        """Coordinates, speeds and their rates of the absent nodes, for each sample of the given."""
        rows = [[there] for there in coordinates]
        for k in (1, 2) if self.absent else ():
            error = replace(self._here[k], *self.known)
            results = [ca.densify(error), ca.densify(ca.jacobian(error, self.free[k]))]
            f = ca.Function("error", [*self.given, *self.free[: k + 1]], results)
            for row, values in zip(rows, samples, strict=True):
                error, slope = f(*values, *row, np.zeros(self.free[k].numel()))
                wrong = np.array(error).ravel() - values[3 + k][self.count :]
                row.append(-np.linalg.pinv(np.array(slope)) @ wrong)
        return rows if self.absent else [[np.zeros(0)] * 3 for _ in samples]

    def coordinates(self, samples: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
        """Coordinates of the absent nodes for each sample, shape (samples, n).

        The strains have another solution, a beam the other way round, so coordinates are followed
        from where the element starts, those of all samples side by side.
        """
        if not self.absent:
            return np.zeros((len(samples), 0))
        error = ca.densify(replace(self._here[0], *self.known))
        of = (self.given[0], self.given[3], self.free[0])
        slope = ca.densify(ca.jacobian(error, self.free[0]))
        f = ca.Function("f", of, [error, slope]).map(len(samples))
        start, there = column(n.start for n in self._others), column(n.start for n in self.absent)
        first, there = (np.array(ca.DM(s)).ravel() for s in (start, there))
        there = np.tile(there, (len(samples), 1))
        strains = np.array([values[3] for values in samples])
        for part in np.linspace(0, 1, 41):
            x = [normalized(self._others, (1 - part) * first + part * v[0]) for v in samples]
            for _ in range(5):
                residual, slopes = map(np.array, f(np.transpose(x), part * strains.T, there.T))
                slopes = slopes.reshape(error.numel(), *there.shape).swapaxes(0, 1)
                there = there - (np.linalg.pinv(slopes) @ residual.T[:, :, None])[:, :, 0]
                if part < 1 and np.abs(residual).max() < 1e-4:
                    break  # on the way, the next part begins near enough
        return there

    def evaluated(self, expression: ca.SX) -> Callable[[Sequence[np.ndarray]], np.ndarray]:
        """An expression of all nodes, as a function of what is given and of the absent nodes."""
        there = replace(ca.SX(expression), *self.known)
        f = ca.Function("f", [*self.given, *self.free], [ca.densify(there)])
        return lambda values: np.array(f(*values)).ravel()


def placements() -> list[tuple[str, int]]:
    return [(n, i) for n, element in COLLECTED.items() for i in range(len(element.placements()))]


@pytest.mark.parametrize(("name", "index"), placements())
def test_placements_put_nodes_where_the_strains_say(name: str, index: int) -> None:
    random = np.random.default_rng(16)
    element = made(name)
    placement = element.placements()[index]
    node, others = placement.node, placement.others
    assert len(placement.strains) == node.speeds.numel()
    assert set(placement.zero) <= set(element.deformations)
    of, placed = Moving(element.nodes()), Placing(element, placement)
    strains = [element.strains()[key] for key in placement.strains]
    wound = np.array([strain.residual is not None for strain in strains])
    m = len(placed.strains)
    held = [element.deformations[key].name for key in placement.zero]
    zero = np.array([strain.name in held for strain in placed.strains])
    first = column(of.rate(strain.expression) for strain in placed.strains)
    n, k = column(o.coordinates for o in others).numel(), column(o.speeds for o in others).numel()
    samples = []
    for _ in range(5):
        q = random.uniform(-1, 1, m)
        q[: wound.size] *= np.where(wound, 8.0, 1.0)
        q[zero] = 0
        rates, seconds = random.standard_normal((2, m))
        x = normalized(others, random.standard_normal(n))
        samples.append([x, *random.standard_normal((2, k)), q, rates, seconds])
    still = [[*values[:4], np.where(zero, 0, values[4]), values[5]] for values in samples]

    residual, length = placed.evaluated(placed.residual), column(norms(element.nodes()))
    length, rate, second = map(placed.evaluated, (length, first, of.rate(first)))
    there = placed.coordinates(samples)
    for values, rest in zip(samples, placed.rest(samples, there), strict=True):
        whole = [*values, *rest]
        assert np.abs(residual(whole)).max() < 1e-13
        assert np.abs(length(whole)).max(initial=0) < 1e-13
        # Constraint forces need all first rates, also of those that are zero.
        assert np.allclose(rate(whole), values[4], rtol=1e-12, atol=1e-12)
    for values, rest in zip(still, placed.rest(still, there), strict=True):
        assert np.allclose(second([*values, *rest]), values[5], rtol=1e-11, atol=1e-11)


# Inertia


def differentiated(name: str) -> Element:
    """Make an element that says its kinetic energy as if it could not be told by parts."""
    element = made(name)
    kind = type(element)

    class ByEnergy(kind):  # type: ignore[misc, valid-type]
        def kinetic_energy(self) -> ca.SX:
            return super().kinetic_energy()

    element.__class__ = ByEnergy
    return element


@pytest.mark.parametrize("name", MASSIVE)
@pytest.mark.parametrize("build", [made, differentiated])
def test_inertia_is_that_of_lagrange(name: str, build: Callable[[str], Element]) -> None:
    """M is the Hessian of T, and M a + h are Lagrange's d(∂T/∂ẋ)/dt - ∂T/∂x, as δw sees them."""
    # Kane's equations beside those of Lagrange
    # [Schwab2002] (A.12), (A.13), (B.19)
    random = np.random.default_rng(17)
    element = build(name)
    nodes = element.nodes()
    of, inertia = Moving(nodes), element_inertia(element, lambda expression: expression)
    T = element.kinetic_energy()
    M, h = of.write(inertia.M), of.write(inertia.h)
    hessian = ca.hessian(of.write(T), of.w)[0]

    v, v_rate = column(n.velocities for n in nodes), column(n.accelerations for n in nodes)
    energy = by_coordinates(element, T)
    momentum = ca.gradient(energy, v)
    change = ca.jtimes(momentum, ca.vertcat(of.x, v), ca.vertcat(v, v_rate))
    lagrange = replace(
        change - ca.gradient(energy, of.x),
        ca.vertcat(v, v_rate),
        ca.vertcat(of.x_rate, of.x_second),
    )
    forces = ca.jacobian(of.x_rate, of.w).T @ lagrange
    results = [M, hessian, M @ of.a + h, forces]
    f = ca.Function("f", [of.x, of.w, of.a], [ca.densify(result) for result in results])
    for _ in range(3):
        x = deformed(element, random)
        w, a = random.standard_normal((2, of.w.numel()))
        mass, by_energy, found, expected = map(np.array, f(x, w, a))
        assert np.allclose(mass, by_energy, rtol=1e-12, atol=1e-12)
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())
