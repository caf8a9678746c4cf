"""Values given as text with their unit, ``"50 km/h"`` or ``"30 deg"``, converted to SI units.

Units in Modelica's syntax are read by `mbcore.model.units.units`, all others by pint (``"60 mph"``,
``"2 lbf*ft"``, ``"9.81 m/s^2"``). A unit of another quantity is refused. Radians count here, as
in FMI's base units, although pint takes them for numbers: 5 Hz is not a rotational speed, 2 N.m no
stiffness of a hinge, 30 deg no number.
"""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches
from functools import cache
from typing import Any

from mbcore.model.errors import ModelError
from mbcore.model.units.units import BASE_UNITS, OFFERED_DISPLAY_UNITS, Unit, coherent_unit, parse
from mbcore.model.wording import shortened

_VALUE = re.compile(
    r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(.*?)\s*", re.DOTALL
)
_MINUS = str.maketrans("\N{MINUS SIGN}", "-")
_SIGNS = re.compile(r"[\w\s°%·⋅*/^().+⁻-]*")
"""Characters that units are written with."""
_POWER = re.compile(r"\^\s*(\()?[+-]?[0-9]{1,2}(?:\.[0-9]{1,3})?(?(1)\))(?![0-9^]|\.[0-9]|\s*\^)")
"""A power in a unit, of few digits: pint would try to evaluate any power."""
_FACTORS_BELOW = re.compile(r"(.*?)/([^()/]*?)[.*·⋅ ]([^()/]*)")
LONGEST = 60
"""Most letters of a unit."""
_NEWTON_METRES = re.compile(r"(?<![A-Za-z])([kmM]?N)m(?![A-Za-z])")
"""Nm, which pint reads as number metric, a measure of yarns."""
_MICRO = str.maketrans("\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}", "uu")
_DEGREE = re.compile("°(?![A-Za-z])")
"""A degree of an angle, not of a temperature."""
_PINT_NAMES = {
    "kilogram": "kg",
    "gram": "g",
    "meter": "m",
    "second": "s",
    "ampere": "A",
    "kelvin": "K",
    "mole": "mol",
    "candela": "cd",
    "radian": "rad",
}
"""Names of pint's root units here."""

_MEASURES = {
    "1": "a number",
    "m": "a length",
    "rad": "an angle",
    "s": "a time",
    "kg": "a mass",
    "m/s": "a speed",
    "m/s2": "an acceleration",
    "rad/s": "a rotational speed",
    "rad/s2": "a rotational acceleration",
    "Hz": "a frequency",
    "N": "a force",
    "N.m": "a torque or an energy",
    "W": "a power",
    "Pa": "a pressure",
    "m2": "an area",
    "m3": "a volume",
    "kg.m2": "a moment of inertia",
    "kg/m": "a mass per length",
    "kg/m3": "a density",
    "N/m": "a stiffness",
    "N.s/m": "a damping",
    "N.m/rad": "a rotational stiffness",
    "N.m.s/rad": "a rotational damping",
    "N.m2": "a bending stiffness",
    "Pa.s": "a viscosity",
    "K": "a temperature",
    "A": "a current",
    "V": "a voltage",
}
"""Measured quantities, by the exponents of base units."""

_COMMON = (
    "deg", "rad", "rpm", "rad/s", "deg/s", "mm", "cm", "m", "km", "m/s", "km/h", "mph", "m/s2",
    "g", "kg", "t", "N", "kN", "N.m", "kN.m", "N/m", "N/mm", "N.s/m", "N.m/rad", "N.m.s/rad",
    "kg.m2", "s", "ms", "min", "Hz", "Pa", "MPa", "GPa", "Pa.s", "J", "W", "kW", "%",
)  # fmt: skip
"""Units that an unknown one is compared with."""


_AMBIGUOUS = {
    "ton": "'t' for 1000 kg, 'short_ton' or 'long_ton'",
    "tons": "'t' for 1000 kg, 'short_ton' or 'long_ton'",
    "gr": "'g' for grams, 'grain' for 65 mg",
    "Grad": "'deg' for a 360th of a turn, 'gon' for a 400th",
    "grad": "'deg' for a 360th of a turn, 'gon' for a 400th",
}
"""Names with more than one meaning, and what to write instead."""


def is_value(given: object) -> bool:
    """Return whether something is a text that begins with a number and goes on with a unit."""
    match = _VALUE.fullmatch(given.translate(_MINUS)) if isinstance(given, str) else None
    return bool(match and match[2])


def plain_number(owner: str, text: str) -> float | None:
    """Return the number that a text is, None for any other text.

    Raises
    ------
    ModelError
        If it is too large or too small for a float.
    """
    match = _VALUE.fullmatch(text.translate(_MINUS))
    return _in_range(owner, text, match[1], 1.0, "") if match and not match[2] else None


def value_in(owner: str, text: str, unit: str | Unit, display: str | None = None) -> float:
    """Return the value of a text with its unit, in the unit of a variable.

    Parameters
    ----------
    owner : str
        Owner of the value, first words of the message: ``"input steer.angle"``.
    text : str
        A number and its unit: ``"50 km/h"``.
    unit : str or Unit
        The variable's unit, in Modelica's syntax or as it is defined elsewhere.
    display : str, optional
        The display unit, for the message's example.

    Raises
    ------
    ModelError
        There is no number or no unit, the unit is unknown, ambiguous, has an offset or is
        logarithmic, it measures another quantity, or the value is too large or too small.
    """
    match = _VALUE.fullmatch(text.translate(_MINUS))
    own = parse(unit, owner) if isinstance(unit, str) else unit
    example = display or OFFERED_DISPLAY_UNITS.get(own.name, (own.name,))[0]
    asked = f"as in '1 {example}'" if example != "1" else "as in '30 %'"
    short = shortened(text)
    if not match or not match[2]:
        asked += (
            "; formulas are not given as text: write them as in casadi.sin(t)"
            if "(" in text
            else ""
        )
        raise ModelError(f"{owner} = {short!r}: give a number, or a text with its unit, {asked}")
    if re.match(",[0-9]", match[2]):
        thousands = re.match(r",[0-9]{3}\b", match[2])
        other = f", or {short.replace(',', '')!r} if it separates thousands" if thousands else ""
        raise ModelError(
            f"{owner} = {short!r}: its number has a comma; write {short.replace(',', '.')!r}{other}"
        )
    given = _read(owner, short, match[2])
    if given.exponents != own.exponents:
        what = f"{owner} is {_measured(own)} [{own.name}]; {short!r} is {_measured(given)}"
        if own.exponents[:-1] == given.exponents[:-1]:
            what += f" [{coherent_unit(given)}], and rad is not a plain number here"
        # "1 g" of an acceleration is meant as standard gravity, which pint calls g_0.
        if match[2] == "g" and own.exponents == parse("m/s2").exponents:
            example = "g_0"
        raise ModelError(f"{what}; give e.g. '{match[1]}{'' if example == '1' else ' ' + example}'")
    return _in_range(owner, text, match[1], given.factor / own.factor, own.name)


def factor_of(owner: str, header: str, unit: str, own: str | Unit) -> float:
    """Return how many of a variable's units one of the unit in a header is.

    Parameters
    ----------
    owner : str
        First words of the message: a file's name.
    header : str
        Text that stands there: ``"push [kN]"``.
    unit : str
        The unit in it.
    own : str or Unit
        The variable's.

    Raises
    ------
    ModelError
        As `value_in`, and it names the header.
    """
    wanted = parse(own, owner) if isinstance(own, str) else own
    given = _read(f"{owner}: header", header, unit)
    if given.exponents != wanted.exponents:
        remedy = f"write [{wanted.name}], or the unit that the data have"
        remedy = "leave its unit out" if wanted.name == "1" else remedy
        raise ModelError(
            f"{owner}: the column {header!r} has the unit of {_measured(given)}, where "
            f"{_measured(wanted)} is wanted; {remedy}"
        )
    return given.factor / wanted.factor


def unit_of(owner: str, text: str, unit: str) -> Unit:
    """Return a unit as people write it, in Modelica's syntax or not: ``"Nm"``, ``"°"``, ``"µm"``.

    Parameters
    ----------
    owner : str
        First words of the message: a file's name.
    text : str
        Where it stands: ``"push [kN]"``.
    unit : str
        The unit.

    Raises
    ------
    ModelError
        The unit is unknown, ambiguous, has an offset or is logarithmic.
    """
    return _read(owner, text, unit)


def _in_range(owner: str, text: str, number: str, factor: float, unit: str) -> float:
    """Return a number times a factor, and refuse overflow and underflow."""
    value, mantissa = float(number) * factor, re.split("[eE]", number)[0]
    least, most = sys.float_info.min, sys.float_info.max
    # A zero mantissa is zero, not an underflow.
    if not least <= abs(value) <= most and mantissa.strip("+-0."):
        size = "large" if abs(value) > most else "small"
        where = f" in {unit}" if unit else ""
        raise ModelError(
            f"{owner} = {shortened(text)!r} is too {size} for a number{where}; "
            f"sizes are from {least:.3g} to {most:.3g}"
        )
    return value


def _measured(unit: Unit) -> str:
    """Return the quantity that a unit measures, with an article."""
    return _measures().get(unit.exponents) or f"a quantity in {coherent_unit(unit)}"


@cache
def _measures() -> dict[tuple[int, ...], str]:
    return {parse(text).exponents: measured for text, measured in _MEASURES.items()}


def _read(owner: str, text: str, unit: str) -> Unit:
    """Return a unit in Modelica's syntax or in pint's."""
    _refuse_ambiguous(owner, text, unit)
    try:
        return parse(_DEGREE.sub("deg", _NEWTON_METRES.sub(r"\1.m", unit.translate(_MICRO))))
    except ModelError:
        return _read_by_pint(owner, text, unit)


def _refuse_ambiguous(owner: str, text: str, unit: str) -> None:
    """Refuse what Modelica, pint and people read differently.

    Raises
    ------
    ModelError
        Naming all meanings.
    """
    for word in re.findall("[A-Za-z_]+", unit):
        if word in _AMBIGUOUS:
            raise ModelError(
                f"{owner} = {text!r}: {word!r} has several meanings; write {_AMBIGUOUS[word]}"
            )
    # "N/m.s" is N.s/m for pint and N/(m.s) for many people; Modelica does not allow it.
    bare = re.sub(r"\s*([/*.·⋅])\s*", r"\1", _without_powers(unit))
    below = _FACTORS_BELOW.fullmatch(bare)
    if below:
        above, first, others = below.groups()
        others = re.sub("[*·⋅ ]", ".", others)
        raise ModelError(
            f"{owner} = {text!r}: is {others!r} in the denominator of {unit!r}? Write "
            f"'{above}/({first}.{others})' if it is, else '{above}.{others}/{first}'"
        )


def _without_powers(unit: str) -> str:
    return _POWER.sub("", unit.replace("**", "^"))


def _writable(unit: str) -> bool:
    """Return whether a unit has only signs of units, and powers of a usual size."""
    rest = _without_powers(unit)
    foreign = any(sign.isdecimal() and not sign.isascii() for sign in unit)
    of_number = re.match(r"[0-9](?!\s*/)", unit)
    signs = _SIGNS.fullmatch(unit) and "^" not in rest and "//" not in rest
    return bool(signs and not foreign and not of_number and len(unit) <= LONGEST)


def _read_by_pint(owner: str, text: str, unit: str) -> Unit:
    registry = _registry()
    try:
        if not _writable(unit):
            raise ValueError(unit)
        known = registry.parse_units(_NEWTON_METRES.sub(r"\1*m", unit))
        # The value of zero shows an offset, as that of degC.
        one, nothing = (registry.Quantity(x, known).to_root_units() for x in (1.0, 0.0))
    except Exception:  # pint's parser ends in errors of many kinds
        raise ModelError(f"{owner} = {text!r}: {_unknown(unit)}") from None
    if nothing.magnitude != 0:
        warm = any(name == "kelvin" for name, _ in one.unit_items())
        remedy = "give K" if warm else "give the plain number"
        raise ModelError(
            f"{owner} = {text!r}: {unit!r} does not begin at zero, so that differences and "
            f"factors in it mean something else; {remedy}"
        )
    factor, exponents = float(one.magnitude), dict.fromkeys(BASE_UNITS, 0)
    for name, power in one.unit_items():
        base = parse(_PINT_NAMES[name]) if name in _PINT_NAMES else None
        if base is None or power != int(power):
            raise ModelError(
                f"{owner} = {text!r}: {unit!r} is {name} to the power {power:g}, which no variable "
                "here has"
            )
        factor *= base.factor**power
        exponents[BASE_UNITS[base.exponents.index(1)]] += int(power)
    return Unit(unit, factor, tuple(exponents.values()))


def _unknown(unit: str) -> str:
    """Return the words for a unit that cannot be read, with units that may have been meant."""
    said, example = f"the unit {shortened(unit)!r} is unknown", "as in 'km/h', 'kg.m2' or 'N.m/rad'"
    if unit[0] in ",':_" or unit[0].isdigit():
        return f"{said}; give the number with a point and nothing else in it, as in '1000.5 m'"
    near = get_close_matches(unit, _COMMON, 1, 0.5)
    return (
        f"{said}; is {near[0]!r} meant? Write it {example}"
        if near
        else f"{said}; write it {example}"
    )


@cache
def _registry() -> Any:
    import pint  # takes a third of a second, which few need

    return pint.UnitRegistry()
