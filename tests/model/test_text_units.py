"""Values given as text with their unit: factors of the SI brochure and of pint, and refusals."""

from __future__ import annotations

import math

import pytest

from mbcore import Body, Item, Model, ModelError, equilibrium, linearize, simulate, steady_motion
from mbcore.model.units import units
from mbcore.model.units.text_units import _registry, value_in


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("50 km/h", "m/s", 50 / 3.6),
        ("60 mph", "m/s", 26.8224),  # exact by the definition of the mile, 1609.344 m
        ("30 deg", "rad", math.pi / 6),
        ("5°", "rad", math.pi / 36),
        ("90 rpm", "rad/s", 3 * math.pi),
        ("2 turn/minute", "rad/s", math.pi / 15),
        ("2 kN", "N", 2000.0),
        ("10 lbf", "N", 44.482216152605),  # exact by the definition of the pound-force
        ("0.3 N.m/rad", "N.m/rad", 0.3),
        ("1 N m/deg", "N.m/rad", 180 / math.pi),
        ("4 Nm", "N.m", 4.0),
        ("4 kNm", "J", 4000.0),
        ("9.81 m/s^2", "m/s2", 9.81),
        ("1 kg*cm**2", "kg.m2", 1e-4),
        ("30 %", "1", 0.3),
        ("-1.5e3 mm", "m", -1.5),
        ("90 km/h", "km/h", 90.0),  # an FMU's variable may have such a unit
        ("36 km/h", "mm/s", 1e4),
        ("\N{MINUS SIGN}5e\N{MINUS SIGN}3 m", "mm", -5.0),
        ("5 N/m/s", "N/(m.s)", 5.0),
        ("2 kg m^2/s**2", "J", 2.0),
        ("3 m.s^-1", "m/s", 3.0),
        ("0e-999 m", "m", 0.0),
        ("1e305 km", "km", 1e305),
        ("2 g_0", "m/s2", 19.6133),  # exact by the CGPM of 1901
    ],
)
def test_values(text: str, unit: str, value: float) -> None:
    assert value_in("x", text, unit) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "unit", "says"),
    [
        ("5 km/h", "rad", "steer is an angle [rad]; '5 km/h' is a speed; give e.g. '5 deg'"),
        ("5 Hz", "rad/s", "is a rotational speed [rad/s]; '5 Hz' is a frequency [Hz], and rad"),
        ("30 deg", "1", "is a number [1]; '30 deg' is an angle [rad], and rad is not a plain n"),
        ("2 N.m", "N.m/rad", "is a rotational stiffness [N.m/rad]; '2 N.m' is a torque"),
        ("70 kg", "N", "is a force [N]; '70 kg' is a mass; give e.g. '70 N'"),
        ("3 kg.m5", "N", "'3 kg.m5' is a quantity in kg.m5"),
        ("20 degC", "K", "does not begin at zero, so that differences and factors in it"),
        ("3 dB", "1", "give the plain number"),
        ("5 kmh", "m/s", "the unit 'kmh' is unknown; is 'km/h' meant?"),
        ("5 m**0.5", "m", "meter to the power 0.5"),
        ("1,5 m", "m", "'1,5 m': its number has a comma; write '1.5 m'"),
        ("1,500 m", "m", "write '1.500 m', or '1500 m' if it separates thousands"),
        ("2*3 m", "m", "is unknown"),
        ("5", "rad", "steer = '5': give a number, or a text with its unit, as in '1 deg'"),
        ("fast", "m/s", "steer = 'fast': give a number"),
        ("nan m", "m", "steer = 'nan m': give a number"),
        ("1e400 m", "m", "steer = '1e400 m' is too large for a number in m"),
        ("1e308 km", "mm", "is too large for a number in mm"),
        ("-1e-400 m", "m", "is too small for a number in m"),
        ("٣ m", "m", "give a number"),
        ("5 m٣", "m3", "the unit 'm٣' is unknown"),
        ("1 1 m", "m", "give the number with a point and nothing else in it, as in '1000.5 m'"),
        (
            "5 N/m.s",
            "N.s/m",
            "'s' in the denominator of 'N/m.s'? Write 'N/(m.s)' if it is, else 'N.s/m'",
        ),
        ("5 N.m / rad s", "N.m.s/rad", "Write 'N.m/(rad.s)' if it is, else 'N.m.s/rad'"),
        ("5 m//s", "m/s", "the unit 'm//s' is unknown; is 'm/s' meant?"),
        ("5 ton", "kg", "'ton' has several meanings; write 't' for 1000 kg, 'short_ton' or"),
        ("400 gr", "kg", "'gr' has several meanings; write 'g' for grams"),
        ("1 Grad", "rad", "'Grad' has several meanings; write 'deg'"),
        ("5 g", "m/s2", "'5 g' is a mass; give e.g. '5 g_0'"),
        ("5 km1000", "m", "the unit 'km1000' is unknown"),
        ("5 Gm99", "m", "the unit 'Gm99' is unknown"),
        ("5 m^(9^9^9^9)", "m", "the unit 'm^(9^9^9^9)' is unknown"),
        ("5 m" + "*m" * 99, "m", "is unknown"),
        ("", "m", "steer = ''"),
    ],
)
def test_refusals_name_thing_value_and_remedy(text: str, unit: str, says: str) -> None:
    with pytest.raises(ModelError) as refused:
        value_in("steer", text, unit)
    assert says in str(refused.value)


def test_every_symbol_means_what_it_means_in_pint() -> None:
    registry = _registry()
    own = {**units._SYMBOLS, **units._FIXED_SYMBOLS}
    called = {"Ohm": "ohm", "rev": "turn", "%": "percent"}
    for symbol, (factor, exponents) in own.items():
        if symbol == "1":
            continue
        base = "*".join(f"{name}**{power}" for name, power in exponents.items()) or "dimensionless"
        theirs = registry.Quantity(1.0, called.get(symbol, symbol)).to(base)
        assert theirs.magnitude == pytest.approx(factor, rel=1e-14), symbol
    for prefix, factor in units._PREFIXES.items():
        assert registry.Quantity(1.0, f"{prefix}N").to("N").magnitude == pytest.approx(factor)


def turntable() -> Model:
    """Return a disk on a spring, J q'' + k q = T, every value of which is a text."""
    model = Model("turntable")
    inertia = model.parameter("inertia", "20000 g.cm2", unit="kg.m2", maximum="1 t.m2")
    torque = model.input("torque", "1 mN.m", unit="N.m", maximum="1 kN.m")
    model.enumeration("law", ["linear", Item("dry", available=False)])
    angle = model.angle("angle")
    model.add(Body("disk", None, angle, inertia=inertia))
    turned = angle.angle.dof("q", "v", start="30 deg", rate_start="10 rpm", nominal="1 mrad")
    turned.spring("20 mN.m/rad").law(-torque)
    model.add(Body("weight", model.point("weight", ("10 mm", 0), fixed=True), mass="200 g"))
    return model


def test_texts_in_a_model_are_taken_in_si_units() -> None:
    model = turntable()
    assert model.parameters["inertia"].value == pytest.approx(2e-3, rel=1e-14)
    assert model.parameters["inertia"].maximum == 1000.0
    assert model.inputs["torque"].start == 1e-3
    assert model.elements["weight"].mass == pytest.approx(0.2)
    at = {state.name: (state.start, state.nominal) for state in model.equations().states}
    assert at["q"] == pytest.approx((math.pi / 6, 1e-3))
    assert at["v"] == pytest.approx((math.pi / 3, 1.0))
    with pytest.raises(ModelError, match=r"angle.*start of its value is an angle.*'1 m' is a len"):
        Model("m").angle("angle").angle.dof("q", start="1 m")
    with pytest.raises(ModelError, match=r"parameter l is a length \[m\]; '3 s' is a time"):
        Model("m").parameter("l", "3 s", unit="m")


def test_texts_in_analyses_give_what_numbers_give() -> None:
    equations = turntable().equations()
    texts = simulate(
        equations, "200 ms", start={"q": "9 deg"}, parameters={"inertia": "40 kg.cm2"},
        inputs={"torque": "2 N.mm"}, samples=3, max_step="10 ms",
    )  # fmt: skip
    # J q'' = T - k q from q0, v0: q = T/k + (q0 - T/k) cos w t + v0/w sin w t
    w, middle, t = math.sqrt(20e-3 / 4e-3), 0.1, 0.2
    exact = (
        middle + (math.radians(9) - middle) * math.cos(w * t) + math.pi / 3 / w * math.sin(w * t)
    )
    assert texts.final("q") == pytest.approx(exact, rel=1e-8)
    rest = equilibrium(equations, start={"q": "1 deg"}, inputs={"torque": "3 mN.m"})
    assert rest.states["q"] == pytest.approx(0.15)
    about = linearize(
        equations, {"q": "0.05 rad", "v": "0 rpm"}, parameters={"inertia": "0.5 kg.m2"},
        time="1 min",
    )  # fmt: skip
    assert abs(about.eigenvalues()[0]) == pytest.approx(0.2)
    assert about.time == 60.0


def test_texts_in_analyses_are_refused_by_name() -> None:
    equations = turntable().equations()
    with pytest.raises(ModelError, match=r"start value q is an angle \[rad\]; '5 m/s' is a speed"):
        simulate(equations, 1, start={"q": "5 m/s"})
    with pytest.raises(ModelError, match=r"input torque is a torque.*'5 N' is a force"):
        simulate(equations, 1, inputs={"torque": "5 N"})
    with pytest.raises(ModelError, match=r"until is a time \[s\]; '5 m' is a length"):
        simulate(equations, "5 m")
    with pytest.raises(ModelError, match=r"law = 'viscous': give one of linear, dry"):
        linearize(equations, parameters={"law": "viscous"})
    with pytest.raises(ModelError, match="law = dry: this item is not available yet"):
        linearize(equations, parameters={"law": "dry"})


def test_conditions_of_a_steady_motion_may_be_texts() -> None:
    model = Model("car")
    place = model.point("car", (0, 0))
    place.y.fix()
    place.x.dof("x", "v")
    drive = model.input("drive", unit="N")
    place.x.law(2.0 * place.x.rate - drive)
    model.add(Body("car", place, mass="1 t"))
    found = steady_motion(model.equations(), {"v": "36 km/h"}, find=["drive"])
    assert found.inputs["drive"] == pytest.approx(20.0)
    assert repr(found).startswith("<steady motion: v = 10 m/s, x = 0 m; inputs drive = 20 N; ")
