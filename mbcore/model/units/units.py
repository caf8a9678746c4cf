"""Units in Modelica's syntax: their base-unit exponents, factors and display units.

``kg.m2/s2`` is a numerator and at most one denominator of factors with exponents; several factors
in the denominator stand in parentheses. Radians are counted as written: rad/s has exponent 1,
N.m/rad has -1, N.m has 0.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError

BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")

_SYMBOLS: dict[str, tuple[float, dict[str, int]]] = {
    "g": (1e-3, {"kg": 1}),
    "m": (1.0, {"m": 1}),
    "s": (1.0, {"s": 1}),
    "A": (1.0, {"A": 1}),
    "K": (1.0, {"K": 1}),
    "mol": (1.0, {"mol": 1}),
    "cd": (1.0, {"cd": 1}),
    "rad": (1.0, {"rad": 1}),
    "N": (1.0, {"kg": 1, "m": 1, "s": -2}),
    "J": (1.0, {"kg": 1, "m": 2, "s": -2}),
    "W": (1.0, {"kg": 1, "m": 2, "s": -3}),
    "Pa": (1.0, {"kg": 1, "m": -1, "s": -2}),
    "Hz": (1.0, {"s": -1}),
    "C": (1.0, {"A": 1, "s": 1}),
    "V": (1.0, {"kg": 1, "m": 2, "s": -3, "A": -1}),
    "Ohm": (1.0, {"kg": 1, "m": 2, "s": -3, "A": -2}),
    "F": (1.0, {"kg": -1, "m": -2, "s": 4, "A": 2}),
    "H": (1.0, {"kg": 1, "m": 2, "s": -2, "A": -2}),
    "Wb": (1.0, {"kg": 1, "m": 2, "s": -2, "A": -1}),
    "T": (1.0, {"kg": 1, "s": -2, "A": -1}),
}
"""Symbols that take a prefix: factor to the base units, exponents."""

_FIXED_SYMBOLS: dict[str, tuple[float, dict[str, int]]] = {
    "1": (1.0, {}),
    "%": (0.01, {}),
    "deg": (math.pi / 180, {"rad": 1}),
    "rev": (2 * math.pi, {"rad": 1}),
    "rpm": (math.pi / 30, {"rad": 1, "s": -1}),
    "min": (60.0, {"s": 1}),
    "h": (3600.0, {"s": 1}),
    "d": (86400.0, {"s": 1}),
    "t": (1000.0, {"kg": 1}),
    "l": (1e-3, {"m": 3}),
    "bar": (1e5, {"kg": 1, "m": -1, "s": -2}),
}
"""Symbols that take no prefix."""

_PREFIXES = {
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "c": 1e-2,
    "d": 1e-1,
    "h": 1e2,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
}

DEFAULT_DISPLAY_UNIT = {"rad": "deg"}
"""Default display units."""

OFFERED_DISPLAY_UNITS = {
    "m": ("mm", "m"),  # in descriptions m comes first, and FMPy plots in the first
    "rad": ("deg",),
    "m/s": ("km/h",),
    "rad/s": ("rpm", "deg/s"),
}
"""Display units that every definition of the unit offers."""

_FACTOR = re.compile(r"([A-Za-z%]+|1)([+-]?[0-9]{1,2})?")


@dataclass(frozen=True)
class Unit:
    """A unit as ``factor`` times powers of the base units, exponents in order of BASE_UNITS."""

    name: str
    factor: float
    exponents: tuple[int, ...]

    def attributes(self) -> dict[str, str]:
        """Return the attributes of its BaseUnit element, defaults left out."""
        powers = {
            name: str(exponent)
            for name, exponent in zip(BASE_UNITS, self.exponents, strict=True)
            if exponent
        }
        factor = float(f"{self.factor:.15g}")
        return powers if factor == 1 else powers | {"factor": repr(factor)}


@explains_construction
@dataclass(frozen=True)
class Units:
    """The units of a variable.

    Attributes
    ----------
    si : str
        SI unit of all values.
    display : str, optional
        Unit that tools display, such as ``"deg"``.
    """

    si: str
    display: str | None = None


def as_units(unit: str | Units) -> Units:
    """Return units; a text is an SI unit without display unit."""
    return unit if isinstance(unit, Units) else Units(unit)


def parse(text: str, variable: str = "") -> Unit:
    """Read a unit.

    Parameters
    ----------
    text : str
        ``"kg.m2"``, ``"m/s2"``, ``"N.m/(rad.s)"``, ``"1"``.
    variable : str
        The variable that has it, for the error.

    Raises
    ------
    ModelError
        A symbol is unknown or the syntax is wrong; names variable, unit and symbol.
    """
    if not isinstance(text, str):
        raise ModelError(f"{_owner(variable)}: unit = {text!r}; give a text, as in 'm' or 'kg.m2'")
    factor, exponents = 1.0, dict.fromkeys(BASE_UNITS, 0)
    for symbol, power in _factors(text, variable):
        scale, powers = _symbol(symbol, text, variable)
        factor = _scaled(factor, scale, power)
        for base, exponent in powers.items():
            exponents[base] += exponent * power
    if not 0 < factor < math.inf:
        raise ModelError(f"{_owner(variable)}: unit {text!r} is too large or too small")
    return Unit(text, factor, tuple(exponents.values()))


def _scaled(factor: float, scale: float, power: int) -> float:
    try:
        return factor * scale**power
    except OverflowError:
        return math.inf


def per_second(text: str, variable: str = "") -> str:
    """Return the unit of the time derivative: ``"m/s"`` gives ``"m/s2"``.

    Raises
    ------
    ModelError
        As `parse`.
    """
    return quotient(text, "s", variable)


def quotient(text: str, by: str, variable: str = "") -> str:
    """Return the unit of a derivative: ``"m/s"`` by ``"kg"`` gives ``"m/(s.kg)"``.

    Raises
    ------
    ModelError
        As `parse`.
    """
    powers: dict[str, int] = {}
    below_it = [(symbol, -power) for symbol, power in _factors(by, variable)]
    for symbol, power in [*_factors(text, variable), *below_it]:
        powers[symbol] = powers.get(symbol, 0) + power
    powers.pop("1", None)
    above = [_power(symbol, power) for symbol, power in powers.items() if power > 0]
    below = [_power(symbol, -power) for symbol, power in powers.items() if power < 0]
    numerator = ".".join(above) or "1"
    if not below:
        return numerator
    return numerator + "/" + (below[0] if len(below) == 1 else f"({'.'.join(below)})")


def display_unit(unit: str, asked: str | None, variable: str = "") -> str | None:
    """Return the display unit of a variable: the one asked for, else the default, else None.

    Raises
    ------
    ModelError
        The one asked for is unknown or measures another quantity.
    """
    if asked is None:
        return DEFAULT_DISPLAY_UNIT.get(unit)
    if asked == unit:
        return None
    display_factor(unit, asked, variable)
    return asked


def display_factor(unit: str, display: str, variable: str = "") -> float:
    """Return the factor from values in ``unit`` to values in ``display`` (rad to deg: 57.3).

    Raises
    ------
    ModelError
        One of them is unknown or they measure different quantities.
    """
    of, to = parse(unit, variable), parse(display, variable)
    if of.exponents != to.exponents:
        raise ModelError(
            f"{_owner(variable)}: its display unit {display!r} is of another quantity than "
            f"its unit {unit!r}; give one of the same quantity"
        )
    return float(f"{of.factor / to.factor:.15g}")


def refuse_foreign(unit: str, display: str | None, owner: str) -> None:
    """Refuse a unit other than that of SI, in which all values of a model are.

    Raises
    ------
    ModelError
        The unit is unknown or not SI's, or the display unit measures another quantity.
    """
    for what, text in (("unit", unit), ("display_unit", display)):
        if text is not None and not isinstance(text, str):
            raise ModelError(f"{owner}: {what} = {text!r}; give a text, as in 'm' or 'kg.m2'")
    known = parse(unit, owner)
    if known.factor != 1:
        coherent = coherent_unit(known)
        raise ModelError(
            f"{owner}: its unit is {unit!r}, {known.factor:g} {coherent}, but values in a model "
            f"are in SI units; give the value in {coherent} and unit={coherent!r}, or "
            f"unit=Units({coherent!r}, {unit!r}), which is shown in {unit!r}"
        )
    if display is not None:
        display_unit(unit, display, owner)


def coherent_unit(unit: Unit) -> str:
    """Return the SI unit that measures the same: ``"N"`` for kN, ``"m/s"`` for km/h.

    Symbols lose their prefixes where that is enough, so that kN.m gives N.m, not J, and N/mm gives
    N/m, not kg/s2.
    """
    plain = re.sub(r"[A-Za-z%]+", lambda symbol: _without_prefix(symbol[0]), unit.name)
    try:
        known = parse(plain)
        if known.factor == 1 and known.exponents == unit.exponents:
            return plain
    except ModelError:
        pass  # its name is in other words, or it has none
    for symbol, (factor, exponents) in _SYMBOLS.items():
        powers = tuple(exponents.get(base, 0) for base in BASE_UNITS)
        if factor == 1 and powers == unit.exponents:
            return symbol
    powers_by_base = list(zip(BASE_UNITS, unit.exponents, strict=True))
    above = [_power(base, power) for base, power in powers_by_base if power > 0]
    below = [_power(base, -power) for base, power in powers_by_base if power < 0]
    numerator = ".".join(above) or "1"
    if not below:
        return numerator
    return numerator + "/" + (below[0] if len(below) == 1 else f"({'.'.join(below)})")


def _without_prefix(symbol: str) -> str:
    whole = symbol in _FIXED_SYMBOLS or symbol == "kg" or symbol in _SYMBOLS
    return symbol if whole or symbol[:1] not in _PREFIXES else symbol[1:]


def _power(symbol: str, power: int) -> str:
    return symbol if power == 1 else f"{symbol}{power}"


def _owner(variable: str) -> str:
    """Return a name as messages begin with it, or what begins them already."""
    return variable if " " in variable else f"variable {variable!r}"


def _factors(text: str, variable: str) -> list[tuple[str, int]]:
    """Return the symbols of a unit and their powers, those of the denominator negative."""
    numerator, slash, denominator = text.partition("/")
    if "." in denominator or "(" in denominator:
        bracketed = denominator.startswith("(") and denominator.endswith(")")
        denominator = denominator[1:-1] if bracketed else ""
    factors: list[tuple[str, int]] = []
    for part, sign in ((numerator, 1), *([(denominator, -1)] if slash else [])):
        for piece in part.split("."):
            match = _FACTOR.fullmatch(piece)
            if not match:
                raise ModelError(
                    f"{_owner(variable)}: unit {text!r} is not in Modelica's syntax at "
                    f"{piece!r}; write it as in 'kg.m2', 'm/s2' or 'N.m/(rad.s)', "
                    "and '1' for a number"
                )
            factors.append((match[1], sign * int(match[2] or 1)))
    return factors


def _symbol(symbol: str, text: str, variable: str) -> tuple[float, dict[str, int]]:
    """Return factor and exponents of one symbol, with or without prefix."""
    if symbol in _FIXED_SYMBOLS:
        return _FIXED_SYMBOLS[symbol]
    if symbol == "kg":
        return 1.0, {"kg": 1}
    if symbol in _SYMBOLS:
        return _SYMBOLS[symbol]
    prefix, rest = symbol[:1], symbol[1:]
    if prefix in _PREFIXES and rest in _SYMBOLS:
        factor, powers = _SYMBOLS[rest]
        return _PREFIXES[prefix] * factor, powers
    known = ", ".join(sorted({"kg", *_SYMBOLS, *_FIXED_SYMBOLS}))
    product = _product(symbol)
    hint = f"write a product as {product!r}; " if product else ""
    raise ModelError(
        f"{_owner(variable)}: unknown unit {symbol!r} in {text!r}; {hint}known are {known}"
    )


def _product(symbol: str) -> str:
    """Return ``"N.m"`` for ``"Nm"``; nothing where a text is no product of two or more symbols."""
    for i in range(len(symbol), 0, -1):
        if (first := symbol[:i]) in _SYMBOLS or first == "kg":
            rest = symbol[i:]
            if not rest:
                return first
            if (others := _product(rest)) and others.partition(".")[0] != first:
                return f"{first}.{others}"
    return ""
