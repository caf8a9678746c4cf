"""Units that an output's expression cannot have: told where its dimension is known."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import casadi as ca
import pytest

from mbcore import Body, Model, ModelWarning, PlanarHinge, Table, Table2D, Truss


class Told:
    """A mass on a spring and a turning frame, with what an output of it is told."""

    def __init__(self) -> None:
        self.model = Model("machine", gravity=(0, -9.81))
        self.place = self.model.point("place")
        self.place.x.dof("x")
        self.place.y.fix()
        self.model.add(Body("mass", self.place, mass=1.0))
        self.turning = self.model.angle("turning")
        joint = self.model.add(
            PlanarHinge("joint", self.model.angle("base", fixed=True), self.turning)
        )
        self.angle = joint.angle.dof("q")
        self.model.add(Body("rotor", self.place, self.turning, mass=0.0, inertia=1.0))
        tip = self.model.point("tip", (1, 0))
        tip.y.fix()
        self.rod = self.model.add(Truss("rod", self.place, tip))
        self.k = self.model.parameter("k", 3.0, unit="N/m")
        self.mass = self.model.parameter("m", 2.0, unit="kg")
        self.factor = self.model.parameter("factor", 2.0)
        self.model.output("used", self.k + self.mass * self.factor)

    def __call__(self, expression: ca.SX, unit: str) -> list[str]:
        self.model.output("y", expression, unit=unit)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            self.model.equations()
        return [str(warning.message) for warning in found]


SPRING = Table([-9, 0, 9], [-9, 0, 9], units=("m", "N"), interpolation="monotone", name="spring")
MOTOR = Table2D([-9, 9], [0, 9], [[0, 9], [0, 9]], units=("rpm", "1", "N.m"), name="motor")

WRONG: list[tuple[Callable[[Told], ca.SX], str, str]] = [
    (lambda m: m.place.position[0], "kg", "m"),
    (lambda m: -m.place.position[0], "N", "m"),
    (lambda m: m.place.x.rate + 0.5, "m/s2", "m/s"),
    (lambda m: m.place.x.acceleration, "N", "m/s2"),
    (lambda m: m.k * m.place.x.value, "J", "N"),
    (lambda m: m.k * m.place.x.value**2, "N", "J"),
    (lambda m: ca.sqrt(m.k / m.mass), "m", "Hz"),
    (lambda m: m.place.y.reaction, "m", "N"),
    (lambda m: m.angle.rate, "kg", "Hz"),
    (lambda m: m.model.reaction(m.rod).force[0], "N.m", "N"),
    (lambda m: -m.model.reaction(m.place, of=m.rod).force[1], "m", "N"),
    (lambda m: m.model.kinetic_energy, "W", "J"),
    (lambda m: m.model.time, "m", "s"),
    (lambda m: ca.fmax(m.place.x.value, 0.0), "kg", "m"),
    (lambda m: ca.if_else(m.model.time > 1, m.place.x.value, 0), "s", "m"),
    (lambda m: SPRING(m.place.x.value), "N.m", "N"),
    (lambda m: m.place.x.rate * SPRING(m.place.x.value), "N", "W"),
    (lambda m: SPRING.derivative(m.place.x.value) * m.place.x.value, "J", "N"),
    (lambda m: MOTOR(m.angle.rate, m.factor), "kg", "J"),
]


@pytest.mark.parametrize(("expression", "unit", "own"), WRONG)
def test_a_unit_of_another_dimension_is_told(
    expression: Callable[[Told], ca.SX], unit: str, own: str
) -> None:
    told = Told()
    (message,) = told(expression(told), unit)
    assert message == (
        f"machine: output y is in {unit}, but its expression is in {own}; give the unit that fits, "
        "or the factor that is missing with its own unit"
    )


RIGHT: list[tuple[Callable[[Told], ca.SX], str]] = [
    (lambda m: m.place.position[0], "m"),
    (lambda m: m.place.position[0], "1"),
    (lambda m: 1000 * m.place.position[0], "kg"),  # 1000 kg/m of a rope that is lifted
    (lambda m: m.factor * m.place.position[0], "N"),
    (lambda m: m.mass * m.place.x.acceleration + m.k * m.place.x.value, "N"),
    (lambda m: m.mass * m.place.x.rate**2 / 2, "N"),
    (lambda m: m.k * m.place.x.value * m.place.x.rate, "W"),
    (lambda m: m.model.kinetic_energy, "N.m"),
    (lambda m: m.angle.value, "m"),  # on a radius of 1 m
    (lambda m: m.place.y.reaction * m.place.x.value, "J"),
    (lambda m: m.angle.rate, "Hz"),
    (lambda m: ca.cos(m.angle.value), "m"),
    (lambda m: m.place.x.value + m.angle.value, "m"),
    (lambda m: SPRING(m.place.x.value) * m.place.x.rate, "W"),
    (lambda m: SPRING.derivative(m.place.x.value), "N/m"),
    (lambda m: SPRING.integral(m.place.x.value), "J"),
    (lambda m: SPRING(m.factor * m.place.x.rate), "N"),
    (lambda m: MOTOR(m.angle.rate, m.factor) * m.angle.rate, "W"),
    (lambda m: MOTOR.derivative(m.angle.rate, m.factor, 1), "N.m.s/rad"),
]


@pytest.mark.parametrize(("expression", "unit"), RIGHT)
def test_what_may_have_its_unit_is_not_told(expression: Callable[[Told], ca.SX], unit: str) -> None:
    told = Told()
    assert not told(expression(told), unit)


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        (lambda m: SPRING(m.angle.value), "table 'spring' is over m, but its argument is in 1"),
        (lambda m: SPRING(m.place.x.rate), "table 'spring' is over m, but its argument is in m/s"),
        (
            lambda m: MOTOR(m.place.x.value, 1.0),
            "table 'motor x' is over rad/s, but its argument is in m",
        ),
    ],
)
def test_arguments_of_tables_in_another_unit_are_told(
    expression: Callable[[Told], ca.SX], says: str
) -> None:
    told = Told()
    told.place.x.law(expression(told))
    told.place.x.law(expression(told) * 2)
    (message,) = told(told.place.position[0], "m")
    assert message == (
        f"machine: {says}; give the unit that fits, or the factor that is missing with its own unit"
    )


def test_a_spring_or_damper_of_the_wrong_sign_is_told() -> None:
    told = Told()
    with pytest.warns(ModelWarning, match=r"place.x: stiffness = -5 N/m is negative: it pushes"):
        told.place.x.spring(-5)
    with pytest.warns(ModelWarning, match=r"joint.angle: damping = -0.1 N.m.s/rad is negative"):
        told.angle.spring(2.0, -0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told.place.x.spring(0.0, 0.0)
        told.place.x.law(-5 * told.place.x.value)
