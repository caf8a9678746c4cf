"""Remarks on a tyre property file for its user: one warning of all it lacks or has amiss.

Only `mbcore.elements.tyres.magic_formula` uses this; what makes a file useless is an error of
`mbcore.elements.tyres.coefficients`.
"""

from __future__ import annotations

import math

from mbcore.elements.tyres.coefficients import (
    DEFAULTS,
    LARGEST,
    LEFT_OUT,
    LONGITUDINAL,
    NEW_SCALING,
    NOT_MODELLED,
    OLD_SCALING,
    ONLY_62,
    ONLY_NEW,
    ONLY_OLD,
    OTHER,
    OTHER_NAMES,
    PAC2002_MORE,
    PRESSURES,
    SCALING,
    TRANSIENT,
    TURN_SLIP,
    VERTICAL,
    drives,
    is_pac2002,
    names_of,
    version_of,
)
from mbcore.elements.tyres.tir_file import RANGES, UNITS, TirFile
from mbcore.model.errors import warn_user
from mbcore.model.wording import listed

MOST = 8
"""Names that are listed."""
LONGEST = 40
"""Letters of a file's words that are shown."""
ENDS = {end for ends in RANGES.values() for end in ends}
"""Ends of ranges, which may be as large as they like."""
USUAL = ("VERTICAL_DAMPING", "BREFF", "DREFF", "FREFF")
"""Coefficients of the radial spring and the radii in files of any version."""
SECOND_STIFFNESS = ("VERTICAL_STIFFNESS", "Q_FZ1")
"""A file has one of both; where it has none, the spring says so."""
FRICTION = 0.02, 5.0
"""Peak forces over the load that a tyre can have: 0.05 on wet ice, 3 of racing tyres on a belt."""
PEAKS = {"longitudinal": ("PDX1", "LMUX"), "side": ("PDY1", "LMUY")}
"""The coefficient and the factor of a peak at the nominal load."""
RARE = ("LCZ", "BOTTOM_OFFST", "BOTTOM_STIFF", "RIM_RADIUS")
"""Of the radial spring, in few files."""


def warn_of_file(file: TirFile, needed: set[str]) -> None:
    """Warn once of missing, unused and doubtful values of the file.

    ``needed`` are the keys that formulas take.
    """
    words = _of_wrong_sign(file)
    if not drives(file):
        words.insert(
            0,
            f"has no longitudinal force ({', '.join(LONGITUDINAL)} are zero), so that nothing "
            "drives, brakes or spins its wheels",
        )
    words += (
        _of_friction(file) + _outside(file) + _of_units(file) + _lacking(file) + _not_used(file)
    )
    words += _not_read(file, needed)
    if words:
        warn_user(f"tyre property file {file.path} " + "; ".join(words))


def _lacking(file: TirFile) -> list[str]:
    """Say which coefficients and ends of ranges are not given."""
    version, pac2002 = version_of(file), is_pac2002(file)
    own = {OTHER_NAMES.get(name, name) for name in file.numbers}
    may_lack = {*TRANSIENT, *SECOND_STIFFNESS, *RARE}
    if version == 52:
        may_lack |= {*PAC2002_MORE, *VERTICAL} - {*USUAL}
    no_turn_slip = not own & {*TURN_SLIP}
    if no_turn_slip:
        may_lack |= {*TURN_SLIP}
    lacking = [n for n in names_of(version, pac2002) if n not in own and n not in may_lack]
    words = []
    if lacking:
        so = "it has its default" if len(lacking) == 1 else "they have their defaults"
        words.append(f"has no {listed(map(file.named, lacking), MOST)}, so {so}")
    # Turn slip is the last section where a file has it; PAC2002 has none of it.
    if no_turn_slip and not pac2002:
        words.append(f"has no turn slip ({TURN_SLIP[0]} to {TURN_SLIP[-1]}), perhaps truncated")
    ends = [file.named(end) for of, both in RANGES.items() for end in _open(file, of, both)]
    if ends:
        words.append(f"has no {listed(ends, MOST)}, so that ranges have no end there")
    return words


def _open(file: TirFile, of: str, ends: tuple[str, str]) -> list[str]:
    """Return the ends that a range lacks; few versions have one of the pressure."""
    missing = [end for end in ends if end not in file.numbers]
    return [] if of == "pressure" and len(missing) == 2 else missing


def _of_units(file: TirFile) -> list[str]:
    """Say which units are taken as SI for want of the file's, and which are not known."""
    units = [key.removeprefix("UNIT ") for key in file.lines if key.startswith("UNIT ")]
    missing = [of for of in UNITS if of not in (*units, "PRESSURE")]
    words = []
    if len(missing) == len(UNITS) - 1:
        words.append("has no section UNITS, so its numbers are taken in SI units")
    elif missing:
        words.append(f"has no unit of {listed(missing)}, so that of SI is taken")
    mass = file.texts.get("UNIT MASS", "kg")
    if mass.lower() not in UNITS["MASS"]:
        words.append(f"has a unit of MASS, {mass[:LONGEST]!r}, that is not known; no law needs it")
    foreign = [f"{of} (line {file.lines[f'UNIT {of}']})" for of in units if of not in UNITS]
    if foreign:
        words.append(f"has {listed(foreign, MOST)} in its section UNITS, which is ignored")
    return words


def _not_used(file: TirFile) -> list[str]:
    """Say which keys the version, or any Magic Formula, does not know."""
    version = version_of(file)
    known = {
        *names_of(version, is_pac2002(file)),
        *OTHER,
        *(end for r in RANGES.values() for end in r),
    }
    formula = {*SCALING, *OLD_SCALING, *NEW_SCALING, *ONLY_OLD, *ONLY_NEW, *ONLY_62}
    foreign = [key for key in file.numbers if key in formula and key not in known]
    unknown = [
        key
        for key in file.numbers
        if key not in formula | known
        and not key.startswith("UNIT ")
        and not NOT_MODELLED.fullmatch(key)
        and not any(keys.fullmatch(key) for keys in LEFT_OUT.values())
    ]
    words = []
    if foreign:
        words.append(
            f"has {listed(foreign, MOST)}, which MF {version / 10:.1f} does not know; ignored"
        )
    if unknown:
        words.append(f"has {listed(unknown, MOST)}, which no Magic Formula knows; ignored")
    for what, keys in LEFT_OUT.items():
        here = [key for key, value in file.numbers.items() if value and keys.fullmatch(key)]
        if here:
            words.append(f"has {listed(here, MOST)}, {what}, which is not modelled")
    return words


def _not_read(file: TirFile, needed: set[str]) -> list[str]:
    """Say which values and lines are not read, since nothing needs them."""
    words = []
    if file.unread:
        keys = [f"{key} ({_line(why)})" for key, why in file.unread.items()]
        words.append(
            f"has {listed(keys, MOST)}, neither a number nor a word, or given twice; nothing needs "
            "it, so it is not read"
        )
    large = [key for key, value in file.numbers.items() if abs(value) > LARGEST]
    large = [f"{key} = {file.numbers[key]:g}" for key in large if key not in needed | ENDS]
    if large:
        words.append(f"has {listed(large, MOST)}, beyond any tyre; it is not needed")
    if file.wrapped:
        lines = listed(map(str, file.wrapped), MOST)
        words.append(f"has words without a sign in line {lines}, taken as the comment's above")
    rim, radius = file.numbers.get("RIM_RADIUS", 0.0), file.numbers["UNLOADED_RADIUS"]
    if radius <= rim <= LARGEST:
        words.append(
            f"has RIM_RADIUS = {rim:g}, not below UNLOADED_RADIUS = {radius:g}, so it is not used"
        )
    return words


def _line(wrong: str) -> str:
    """Return the words on the line in an error of a value."""
    return "line " + wrong.rpartition(", line ")[2].partition(":")[0]


def _of_wrong_sign(file: TirFile) -> list[str]:
    """Say which forces drive where they should resist."""
    shape = DEFAULTS["PKY4"]
    if version_of(file) != 52:
        shape = file.numbers.get("PKY4", shape)
    words = []
    if file.numbers["PKX1"] * file.numbers.get("LKX", 1.0) < 0:
        words.append(
            "has a slip stiffness (PKX1, LKX) by which longitudinal forces act along the slip and "
            "not against it; correct its sign"
        )
    stiffness = file.numbers["PKY1"] * math.sin(shape * math.atan(1 / file.numbers["PKY2"]))
    if stiffness * file.numbers.get("LKY", 1.0) > 0:
        words.append(
            "has a cornering stiffness (PKY1, PKY2, PKY4, LKY) by which side forces act along the "
            "side slip and not against it; correct its signs if they are of other axes than W"
        )
    if file.numbers.get("QSY1", 0.0) * file.numbers.get("LMY", 1.0) < 0:
        words.append("has a rolling resistance (QSY1, LMY) that drives the wheel; correct its sign")
    return words


def _of_friction(file: TirFile) -> list[str]:
    """Say which peak forces at the nominal load are beyond what tyres have."""
    words, (least, most) = [], FRICTION
    for what, (name, factor) in PEAKS.items():
        peak, scale = file.numbers[name], file.numbers.get(factor, 1.0)
        if peak and scale and not least <= abs(peak * scale) <= most:
            given = f"{name} = {peak:g}" + (f", {factor} = {scale:g}" if scale != 1.0 else "")
            words.append(
                f"has a {what} force of up to {abs(peak * scale):.3g} times the nominal load "
                f"({given}); tyres have {least:g} to {most:g}"
            )
    return words


def _outside(file: TirFile) -> list[str]:
    """Return words on values of the file that are outside its own ranges."""
    words = []
    for of, names in (("load", ("FNOMIN",)), ("pressure", PRESSURES)):
        least, most = file.range(of)
        words += [
            f"has {name} = {file.numbers[name]:g} outside its own range of the {of}, {least:g} to "
            f"{most:g}"
            for name in names
            if file.numbers.get(name) and not least <= file.numbers[name] <= most
        ]
    return words
