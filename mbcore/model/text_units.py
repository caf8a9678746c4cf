"""Values given as text with their unit, ``"50 km/h"`` or ``"30 deg"``, in the unit of a variable.

Units in Modelica's syntax are read by `mbcore.model.units`, all others by pint (``"60 mph"``,
``"2 lbf*ft"``, ``"9.81 m/s^2"``). A unit of another quantity is refused. Radians count here, as
in FMI's base units, though pint takes them for numbers: 5 Hz is no rotational speed, 2 N.m no
stiffness of a hinge, 30 deg no number.
"""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from functools import cache
from typing import Any

from mbcore.model.errors import ModelError
from mbcore.model.units import BASE_UNITS, OFFERED_DISPLAY_UNITS, Unit, coherent_unit, parse

_VALUE = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.DOTALL)
_NEWTON_METRES = re.compile(r"(?<![A-Za-z])([kmM]?N)m(?![A-Za-z])")
"""Nm, which pint takes for a measure of yarns."""
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
"""What pint's root units are called here."""

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
"""What units measure, by the exponents of theirs."""

_COMMON = (
    "deg", "rad", "rpm", "rad/s", "deg/s", "mm", "cm", "m", "km", "m/s", "km/h", "mph", "m/s2",
    "g", "kg", "t", "N", "kN", "N.m", "kN.m", "N/m", "N/mm", "N.s/m", "N.m/rad", "N.m.s/rad",
    "kg.m2", "s", "ms", "min", "Hz", "Pa", "MPa", "GPa", "Pa.s", "J", "W", "kW", "%",
)  # fmt: skip
"""Units among which one is looked for that was meant."""


def is_value(given: object) -> bool:
    """Return whether something is a text that begins with a number and goes on with a unit."""
    match = _VALUE.fullmatch(given) if isinstance(given, str) else None
    return bool(match and match[2])


def value_in(owner: str, text: str, unit: str | Unit, shown: str | None = None) -> float:
    """Return the value of a text with its unit, in the unit of a variable.

    Parameters
    ----------
    owner : str
        What the value is for, which begins the message: ``"input steer.angle"``.
    text : str
        A number and its unit: ``"50 km/h"``.
    unit : str or Unit
        The variable's unit, in Modelica's syntax or as it is defined elsewhere.
    shown : str, optional
        The unit in which it is shown, for the message's example.

    Raises
    ------
    ModelError
        There is no number or no unit, the unit is unknown, has an offset or is logarithmic, or it
        measures another quantity.
    """
    match = _VALUE.fullmatch(text)
    own = parse(unit, owner) if isinstance(unit, str) else unit
    example = shown or OFFERED_DISPLAY_UNITS.get(own.name, (own.name,))[0]
    asked = f"as in '1 {example}'" if example != "1" else "as in '30 %'"
    if not match or not match[2] or not math.isfinite(float(match[1])):
        raise ModelError(f"{owner} = {text!r}: give a number, or a text with its unit, {asked}")
    given = _read(owner, text, match[2])
    if given.exponents != own.exponents:
        what = f"{owner} is {_measured(own)} [{own.name}]; {text!r} is {_measured(given)}"
        if own.exponents[:-1] == given.exponents[:-1]:
            what += f" [{coherent_unit(given)}], and rad is no number here"
        raise ModelError(f"{what}; give e.g. '{match[1]}{'' if example == '1' else ' ' + example}'")
    return float(match[1]) * given.factor / own.factor


def _measured(unit: Unit) -> str:
    """Return what a unit measures, with an article."""
    return _measures().get(unit.exponents) or f"a quantity in {coherent_unit(unit)}"


@cache
def _measures() -> dict[tuple[int, ...], str]:
    return {parse(text).exponents: measured for text, measured in _MEASURES.items()}


def _read(owner: str, text: str, unit: str) -> Unit:
    """Return a unit in Modelica's syntax or in pint's."""
    try:
        return parse("deg" if unit == "°" else unit)
    except ModelError:
        return _read_by_pint(owner, text, unit)


def _read_by_pint(owner: str, text: str, unit: str) -> Unit:
    registry = _registry()
    try:
        known = registry.parse_units(_NEWTON_METRES.sub(r"\1*m", unit))
        one, nothing = (registry.Quantity(x, known).to_root_units() for x in (1.0, 0.0))
    except Exception:  # pint's parser ends in errors of many kinds
        near = get_close_matches(unit, _COMMON, 1, 0.5)
        meant = f"is {near[0]!r} meant? " if near else ""
        raise ModelError(
            f"{owner} = {text!r}: the unit {unit!r} is unknown; {meant}Write it as in 'km/h', "
            "'kg.m2' or 'N.m/rad'"
        ) from None
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


@cache
def _registry() -> Any:
    import pint  # takes a third of a second, which few need

    return pint.UnitRegistry()
