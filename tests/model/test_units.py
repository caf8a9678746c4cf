"""Units: exponents and factors of the SI brochure, and Modelica's syntax."""

import math

import pytest

from mbcore import Model, ModelError
from mbcore.model.units import units


@pytest.mark.parametrize(
    ("text", "factor", "powers"),
    [
        ("1", 1, {}),
        ("kg.m2", 1, {"kg": 1, "m": 2}),
        ("m/s2", 1, {"m": 1, "s": -2}),
        ("rad/s", 1, {"rad": 1, "s": -1}),
        ("N.m", 1, {"kg": 1, "m": 2, "s": -2}),
        ("N.m/rad", 1, {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("N.m.s/rad", 1, {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("N.s/m", 1, {"kg": 1, "s": -1}),
        ("N.m2", 1, {"kg": 1, "m": 3, "s": -2}),
        ("Pa.s", 1, {"kg": 1, "m": -1, "s": -1}),
        ("W", 1, {"kg": 1, "m": 2, "s": -3}),
        ("Hz", 1, {"s": -1}),
        ("W/(m2.K)", 1, {"kg": 1, "s": -3, "K": -1}),
        ("1/s", 1, {"s": -1}),
        ("m.s-2", 1, {"m": 1, "s": -2}),
        ("km/h", 1 / 3.6, {"m": 1, "s": -1}),
        ("kN", 1000, {"kg": 1, "m": 1, "s": -2}),
        ("rpm", 2 * math.pi / 60, {"rad": 1, "s": -1}),
    ],
)
def test_exponents_and_factors(text, factor, powers):
    unit = units.parse(text)
    assert unit.factor == pytest.approx(factor, rel=1e-14)
    assert dict(zip(units.BASE_UNITS, unit.exponents, strict=True)) == (
        dict.fromkeys(units.BASE_UNITS, 0) | powers
    )


def test_dimensionless_has_an_empty_base_unit():
    assert units.parse("1").attributes() == {}


@pytest.mark.parametrize(
    ("unit", "display", "factor"),
    [
        ("rad", "deg", 57.2957795130823),
        ("rad/s", "rpm", 9.54929658551372),
        ("m/s", "km/h", 3.6),
        ("m", "mm", 1000.0),
    ],
)
def test_display_factors_are_those_of_the_contract(unit, display, factor):
    assert units.display_factor(unit, display) == factor


@pytest.mark.parametrize(
    ("unit", "rate"),
    [
        ("m", "m/s"),
        ("m/s", "m/s2"),
        ("1", "1/s"),
        ("rad/s", "rad/s2"),
        ("s", "1"),
        ("N.m.s/rad", "N.m/rad"),
        ("kg/m", "kg/(m.s)"),
    ],
)
def test_unit_of_the_rate(unit, rate):
    assert units.per_second(unit) == rate
    seconds = units.BASE_UNITS.index("s")
    expected = list(units.parse(unit).exponents)
    expected[seconds] -= 1
    assert units.parse(rate).exponents == tuple(expected)


@pytest.mark.parametrize("text", ["furlong", "m/s/s", "m**2", "", "N m", "kg.", "mkg", "m/kg.s"])
def test_unknown_units_are_refused_with_the_variables_name(text):
    with pytest.raises(ModelError, match=r"'strut\.length'"):
        units.parse(text, "strut.length")


def test_a_display_unit_must_measure_the_same():
    with pytest.raises(ModelError, match=r"'a'.*'mm'.*'rad'"):
        units.display_unit("rad", "mm", "a")
    assert units.display_unit("rad", None) == "deg"
    assert units.display_unit("m/s", "km/h") == "km/h"
    assert units.display_unit("N", None) is None


@pytest.mark.parametrize(
    ("unit", "si"),
    [
        ("kN.m", "N.m"),  # a torque, not an energy
        ("kW.h", "J"),
        ("N/mm", "N/m"),
        ("kN.s/m", "N.s/m"),
        ("kg.mm2", "kg.m2"),
        ("l/min", "m3/s"),
        ("rpm", "rad/s"),
        ("km/h", "m/s"),
        ("t", "kg"),
    ],
)
def test_the_si_unit_keeps_the_symbols_where_they_are_of_si(unit: str, si: str) -> None:
    assert units.coherent_unit(units.parse(unit)) == si


def test_a_quantity_without_a_name_has_the_si_unit_of_its_powers() -> None:
    assert units.coherent_unit(units.Unit("", 1.0, (1, 2, -2, 0, 0, 0, 0, 0))) == "J"


@pytest.mark.parametrize(("given", "product"), [("Nm", "N.m"), ("Nms/rad", "N.m.s"), ("qq", "")])
def test_a_product_written_without_its_dot_is_told(given: str, product: str) -> None:
    hint = f"write a product as '{product}'; " if product else ""
    with pytest.raises(ModelError, match=rf"unknown unit '\w+' in '{given}'; {hint}known are"):
        Model("m").parameter("k", 1.0, unit=given)
