"""Tyre property files (``.tir``): what stands in them, in SI units.

A file comes from a test rig or from the internet, so nothing in it is trusted: it is read as text
of bounded length, and errors name file and line. A value that is neither a finite number nor a word
is an error where somebody needs it, `TirFile.refuse`, and a remark otherwise, `TirFile.unread`.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from mbcore.model.errors import ModelError, warn_user
from mbcore.model.wording import count

MOST_BYTES = 500_000
"""Of a file; those of tyre test rigs have 10 to 60 kB."""
MOST_ROWS = 200
"""Of a curve."""
CURVE = "DEFLECTION_LOAD_CURVE"
COMMENTS = "$!"
HEADINGS = "{('\""
"""Begin headings of tables, and lines of the block of comments that some programs write."""
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eEdD][+-]?\d+)?", re.ASCII)
"""Each digit has one place in it, so that a long line of digits is refused in linear time."""
LINE_END = re.compile(r"\r\n|\r|\n")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
CUT = re.compile(
    rf"\[[^]]*|{NAME.pattern}|{NAME.pattern}\s*=\s*"
    r"('[^']*|\"[^\"]*|[+-]|[+-]?(\d+(\.\d*)?|\.\d+)[eEdD][+-]?)"
)
"""The rest of a section's heading or a statement that is cut within."""
MOST_CUT = 1000
"""Letters of such a line."""
WITHOUT_EQUALS = re.compile(rf"[A-Z_][A-Z0-9_]*|{NAME.pattern}[:;,]?\s+{NUMBER.pattern}", re.ASCII)
"""A key, or a key and a number: no words of a comment."""
LENGTHS = {
    "meter": 1.0,
    "metre": 1.0,
    "m": 1.0,
    "centimeter": 0.01,
    "cm": 0.01,
    "millimeter": 1e-3,
    "mm": 1e-3,
}
FORCES = {"newton": 1.0, "n": 1.0, "kilonewton": 1e3, "kn": 1e3}
MASSES = {"kg": 1.0, "kilogram": 1.0, "gram": 1e-3, "g": 1e-3}
TIMES = {"second": 1.0, "sec": 1.0, "s": 1.0}
ANGLES = {"radian": 1.0, "radians": 1.0, "rad": 1.0}
PRESSURES = {"pascal": 1.0, "pa": 1.0, "kilopascal": 1e3, "kpa": 1e3, "bar": 1e5}
UNITS = {
    "LENGTH": LENGTHS,
    "FORCE": FORCES,
    "MASS": MASSES,
    "TIME": TIMES,
    "ANGLE": ANGLES,
    "PRESSURE": PRESSURES,
}
"""Factors to SI of the units in the section UNITS; one that is not given is SI, a pressure force
over length squared."""
DIMENSIONS = {
    "UNLOADED_RADIUS": "LENGTH",
    "WIDTH": "LENGTH",
    "RIM_RADIUS": "LENGTH",
    "RIM_WIDTH": "LENGTH",
    "FNOMIN": "FORCE",
    "FZMIN": "FORCE",
    "FZMAX": "FORCE",
    "VERTICAL_STIFFNESS": "FORCE LENGTH-1",
    "VERTICAL_DAMPING": "FORCE TIME LENGTH-1",
    "LONGITUDINAL_STIFFNESS": "FORCE LENGTH-1",
    "LATERAL_STIFFNESS": "FORCE LENGTH-1",
    "YAW_STIFFNESS": "FORCE LENGTH",
    "BOTTOM_OFFST": "LENGTH",
    "BOTTOM_STIFF": "FORCE LENGTH-1",
    "LONGVL": "LENGTH TIME-1",
    "VXLOW": "LENGTH TIME-1",
    "INFLPRES": "PRESSURE",
    "IP": "PRESSURE",
    "IP_NOM": "PRESSURE",
    "NOMPRES": "PRESSURE",
    "PRESMIN": "PRESSURE",
    "PRESMAX": "PRESSURE",
    "MASS": "MASS",
    "IXX": "MASS LENGTH2",
    "IYY": "MASS LENGTH2",
    "BELT_MASS": "MASS",
    "MBELT": "MASS",
}
"""Units of the values that have one; Magic Formula coefficients have none but radians."""
RANGES = {
    "load": ("FZMIN", "FZMAX"),
    "slip ratio": ("KPUMIN", "KPUMAX"),
    "slip angle": ("ALPMIN", "ALPMAX"),
    "camber": ("CAMMIN", "CAMMAX"),
    "pressure": ("PRESMIN", "PRESMAX"),
}
"""Keys of the file's ranges."""


@dataclass(frozen=True)
class TirFile:
    """The values of a tyre property file.

    Attributes
    ----------
    path : str
        Where it was read, for messages.
    numbers : dict of str to float
        By key in capitals, in SI units.
    texts : dict of str to str
        By key in capitals, without quotes.
    lines : dict of str to int
        Where each key stands.
    empty : dict of str to int
        Where keys without a value stand.
    curve : list of pairs of numbers
        Deflections, m, and loads, N, of the section DEFLECTION_LOAD_CURVE.
    unread : dict of str to str
        Why the value of a key is none, for an error, with file and line.
    wrapped : list of int
        Lines that continue a comment without its sign.
    """

    path: str
    numbers: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    empty: dict[str, int] = field(default_factory=dict)
    curve: list[tuple[float, float]] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    wrapped: list[int] = field(default_factory=list)

    def refuse(self, *keys: str) -> None:
        """Refuse keys that are needed, and whose value is none.

        Raises
        ------
        ModelError
            Names the first of them, its value, file and line.
        """
        for key in keys:
            if key in self.unread:
                raise ModelError(self.unread[key])

    def place(self, key: str) -> str:
        """Return where a key stands, for messages."""
        return f"{self.path}, line {self.lines[key]}" if key in self.lines else self.path

    def named(self, key: str) -> str:
        """Return the name of a key without a number, and where it stands without a value."""
        return f"{key} (empty in line {self.empty[key]})" if key in self.empty else key

    def range(self, of: str) -> tuple[float, float]:
        """Return the range of a tyre's argument; an end that is not given is infinite."""
        lowest, highest = RANGES[of]
        return self.numbers.get(lowest, -math.inf), self.numbers.get(highest, math.inf)


def read_tir(path: str | PathLike[str]) -> TirFile:
    """Return the values of a tyre property file in SI units.

    Raises
    ------
    ModelError
        If the file cannot be read, is not text, too long, or has a line that is not a statement,
        units that are not known, or ranges that are empty, or ends within a line.
    """
    found, text = TirFile(str(path)), _text(path)
    curves: dict[int, list[list[str]]] = {}
    *before, last = re.split(LINE_END, text)
    cut = len(last) < MOST_CUT and CUT.fullmatch(last.strip())
    truncated = "; the file ends within this line, so it is perhaps truncated" if cut else ""
    try:
        for number, section, key, value in _statements(found, text):
            wrong = _keep(found, number, key, value) if key else ""
            if wrong and truncated and number == len(before) + 1:
                raise ModelError(wrong)
            if not key and section.name == CURVE:
                curves.setdefault(section.line, []).append(value.replace(",", " ").split())
    except ModelError as error:
        here = str(error).startswith(f"{found.path}, line {len(before) + 1}:")
        raise ModelError(f"{error}{truncated if here else ''}") from None
    if not found.numbers:
        raise ModelError(f"{found.path}: no value in it; give a tyre property file (.tir)")
    _keep_curve(found, curves)
    _convert(found)
    _refuse_ranges(found)
    return found


def _refuse_ranges(found: TirFile) -> None:
    """Refuse ranges that are empty, and those of slips and camber without the wheel that rolls."""
    for of, (lowest, highest) in RANGES.items():
        found.refuse(lowest, highest)
        least, most = found.range(of)
        wrong = "" if least < most else "is empty"
        if not wrong and of not in ("load", "pressure") and not least <= 0 <= most:
            wrong = "is without zero"
        if wrong:
            raise ModelError(
                f"{found.place(highest)}: the range of the {of} {wrong}, {lowest} = {least:g} and "
                f"{highest} = {most:g}; correct them"
            )


def _text(path: str | PathLike[str]) -> str:
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, TypeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ModelError(
            f"tyre property file {str(path)!r} cannot be read: {why}; give the path of a .tir file"
        ) from error
    if len(data) > MOST_BYTES:
        raise ModelError(f"{path}: longer than {MOST_BYTES} bytes, so it is not a property file")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data:
        raise ModelError(f"{path}: no text file; give a tyre property file (.tir)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Section(NamedTuple):
    name: str
    line: int


def _statements(found: TirFile, text: str) -> Iterator[tuple[int, _Section, str, str]]:
    """Yield line number, section, key and value of each ``KEY = value``.

    A row of a table has no key. A unit's key has "UNIT " before it, because MASS is a unit in one
    section, a mass in another. Words below a comment are its rest, which a program has wrapped.
    """
    section, commented = _Section("", 0), 0
    for number, line in enumerate(re.split(LINE_END, text), start=1):
        stripped = line.strip()
        above, commented = commented, commented if not stripped else number * _has_comment(stripped)
        if not stripped or stripped[0] in COMMENTS + HEADINGS:
            continue
        if _is_section(stripped):
            section = _Section(stripped[1 : stripped.index("]")].strip().upper(), number)
            continue
        key, equals, rest = stripped.partition("=")
        if equals and NAME.fullmatch(key.strip()):
            prefix = "UNIT " if section.name == "UNITS" else ""
            yield number, section, prefix + key.strip().upper(), _without_comment(rest.strip())
        elif not equals and _is_row(_without_comment(stripped)):
            yield number, section, "", _without_comment(stripped)
        elif section.name != CURVE and above == number - 1 > 0 and _is_prose(stripped):
            found.wrapped.append(number)
            commented = number
        else:
            raise ModelError(
                f"{found.path}, line {number}: {_short(stripped)} is not a statement; write KEY = "
                "value, a [SECTION], or a comment after $ or !"
            )


def _has_comment(line: str) -> bool:
    """Return whether a line is a comment, or ends with one."""
    return line[0] in COMMENTS or _without_comment(line) != line


def _is_prose(line: str) -> bool:
    """Return whether a line is words, and no key that lacks its equals sign."""
    return not WITHOUT_EQUALS.fullmatch(_without_comment(line))


def _is_section(line: str) -> bool:
    return line[0] == "[" and _without_comment(line).endswith("]")


def _is_row(text: str) -> bool:
    """Return whether a line is a row of a table, as those of the tyre's shape."""
    return all(NUMBER.fullmatch(word) for word in text.replace(",", " ").split())


def _without_comment(text: str) -> str:
    if text[:1] in ("'", '"'):
        end = text.find(text[0], 1)
        return text[: end + 1] if end > 0 else text
    return re.split(rf"[{COMMENTS}]", text, maxsplit=1)[0].strip()


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _keep(found: TirFile, line: int, key: str, value: str) -> str:
    """Add a value; one without text is not given. Return what is wrong with it."""
    place = f"{found.path}, line {line}: {key}"
    if not value:
        found.empty.setdefault(key, line)
        return ""
    read, wrong = _value(place, value)
    if not wrong and key in found.lines:
        if read == found.numbers.get(key, found.texts.get(key)):
            return ""
        wrong = f"{place} stands in line {found.lines[key]} with another value; remove one of them"
    if wrong:
        found.unread.setdefault(key, wrong)
        return wrong
    found.lines[key] = line
    if isinstance(read, str):
        found.texts[key] = read
    else:
        found.numbers[key] = read
    return ""


def _value(place: str, value: str) -> tuple[float | str, str]:
    """Return the number or text that a value is, and its fault."""
    if value[0] in "'\"":
        closed = len(value) > 1 and value[-1] == value[0]
        wrong = "" if closed else f"{place} = {_short(value)} has no closing quote; add it"
        return value[1:-1].strip(), wrong
    if NUMBER.fullmatch(value):
        number = float(re.sub("[dD]", "e", value))
        large = f"{place} = {_short(value)} is too large; give a finite number"
        return number, "" if math.isfinite(number) else large
    if NAME.fullmatch(value) and value.lower() not in ("nan", "inf", "infinity"):
        return value, ""
    return value, f"{place} = {_short(value)} is not a finite number; correct it"


def _keep_curve(found: TirFile, curves: dict[int, list[list[str]]]) -> None:
    """Keep the first curve of deflection and load; one warning names others."""
    for line, rows in curves.items():
        place = f"{found.path}, line {line}: {CURVE}"
        curve = [tuple(float(re.sub("[dD]", "e", word)) for word in row) for row in rows]
        wrong = next((i for i, row in enumerate(curve, start=1) if len(row) != 2), None)
        has = f"{count(len(curve[wrong - 1]), 'number')} in its row {wrong}" if wrong else ""
        if not 2 <= len(curve) <= MOST_ROWS:
            has = count(len(curve), "row")
        if has:
            raise ModelError(
                f"{place} has {has}; give 2 to {MOST_ROWS} rows of a deflection and a load"
            )
        rising = all(
            before[0] < after[0] < math.inf and before[1] < after[1] < math.inf
            for before, after in pairwise(curve)
        )
        if any(curve[0]) or not rising:
            raise ModelError(
                f"{place} does not rise from 0 0 on; sort its rows, and begin at no deflection"
            )
        if not found.curve:
            found.curve.extend((row[0], row[1]) for row in curve)
        elif found.curve != curve:
            warn_user(f"{place} is another curve; the first one counts")


def _convert(found: TirFile) -> None:
    """Bring the values that have units into SI."""
    factors: dict[str, float] = {}
    for what, known in UNITS.items():
        key = f"UNIT {what}"
        if what == "MASS":  # a law has none; remarks name one that is not known
            factors[what] = known.get(found.texts.get(key, "kg").lower(), 1.0)
            continue
        found.refuse(key)
        if key in found.numbers:
            raise ModelError(
                f"{found.place(key)}: {what} = {found.numbers[key]:g} is not a unit; give "
                f"'{next(iter(known))}'"
            )
        if what == "PRESSURE" and key not in found.texts:
            factors[what] = factors["FORCE"] / factors["LENGTH"] ** 2
            continue
        unit = found.texts.get(key, next(iter(known)))
        if unit.lower() not in known:
            raise ModelError(
                f"{found.place(key)}: {what} = {_short(unit)} is not known; convert the file to "
                + ", ".join(sorted(known))
            )
        factors[what] = known[unit.lower()]
    found.curve[:] = [
        (deflection * factors["LENGTH"], load * factors["FORCE"])
        for deflection, load in found.curve
    ]
    for key, units in DIMENSIONS.items():
        if key in found.numbers:
            for unit in units.split():
                name = unit.rstrip("-0123456789")
                found.numbers[key] *= factors[name] ** int(unit[len(name) :] or 1)
