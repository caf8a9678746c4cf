"""Names and defaults of Magic Formula coefficients, for each version of the formula."""

from __future__ import annotations

import re

from mbcore.elements.tyres.tir_file import TirFile
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number

VERSIONS = {5: 52, 6: 52, 21: 52, 51: 52, 52: 52, 60: 61, 61: 61, 62: 62}
"""Version of the formula, 52, 61 or 62, by a file's ``FITTYP``."""
FORMATS = {"PAC2002": 52, "MF_05": 52, "MF05": 52, "MF52": 52, "MF61": 61, "MF62": 62}
"""The same by ``PROPERTY_FILE_FORMAT``; "USER" and others say nothing."""


def _numbered(*names: str) -> tuple[str, ...]:
    """Return names such as PDX1 to PDX3 from "PDX 1-3"."""
    found = []
    for name in names:
        stem, _, numbers = name.partition(" ")
        first, _, last = numbers.partition("-")
        found += [f"{stem}{i}" for i in range(int(first), int(last or first) + 1)]
    return tuple(found)


SCALING = (
    *("LFZO", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LCY", "LMUY", "LEY", "LKY", "LHY"),
    *("LVY", "LTR", "LRES", "LXAL", "LYKA", "LVYKA", "LS", "LMX", "LVMX", "LMY"),
)
OLD_SCALING = ("LGAX", "LGAY", "LGAZ")
NEW_SCALING = ("LKYC", "LKZC", "LMP")
SHARED = _numbered(
    "PCX 1",
    "PDX 1-3",
    "PEX 1-4",
    "PKX 1-3",
    "PHX 1-2",
    "PVX 1-2",
    "RBX 1-2",
    "RCX 1",
    "REX 1-2",
    "RHX 1",
    "PCY 1",
    "PDY 1-3",
    "PEY 1-4",
    "PKY 1-3",
    "PHY 1-2",
    "PVY 1-4",
    "RBY 1-3",
    "RCY 1",
    "REY 1-2",
    "RHY 1-2",
    "RVY 1-6",
    "QBZ 1-5",
    "QBZ 9-10",
    "QCZ 1",
    "QDZ 1-4",
    "QDZ 6-9",
    "QEZ 1-5",
    "QHZ 1-4",
    "SSZ 1-4",
    "QSX 1-3",
    "QSY 1-4",
)
TURN_SLIP = _numbered(
    "PDXP 1-3",
    "PKYP 1",
    "PDYP 1-4",
    "PHYP 1-4",
    "PECP 1-2",
    "QDTP 1",
    "QCRP 1-2",
    "QBRP 1",
    "QDRP 1-2",
)
TRANSIENT = (
    *("LSGKP", "LSGAL", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"),
    *_numbered("PTX 1-4", "PTY 1-3", "PCFX 1-3", "PCFY 1-3"),
)
"""Of relaxation, in any version; scaling factors first."""
VERTICAL = (
    *("LCZ", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "BREFF", "DREFF", "FREFF", "PFZ1"),
    *("Q_RE0", "Q_V1", "Q_V2", "Q_FZ1", "Q_FZ2", "BOTTOM_OFFST", "BOTTOM_STIFF", "RIM_RADIUS"),
)
"""Of radii and the radial spring, in any version; the scaling factor first."""
OTHER_NAMES = {
    **{"QRE0": "Q_RE0", "QV1": "Q_V1", "QV2": "Q_V2", "QFZ1": "Q_FZ1", "QFZ2": "Q_FZ2"},
    **{"IP": "INFLPRES", "IP_NOM": "NOMPRES", "QPZ1": "PPZ1", "QPZ2": "PPZ2", "QPX1": "PPMX1"},
}
"""Names of the same coefficients in PAC2002."""
LEFT_OUT = {
    "by which forces in the road's plane and camber change the radial spring": re.compile(
        "Q_?FC[XYG][12]?|Q_CAM[123]?|Q_?FZ3|Q_FYS[123]"
    ),
    "by which friction falls with the speed of sliding": re.compile("LMUV"),
}
"""Coefficients of the Magic Formula that would change a law's forces, and are not modelled."""
ONLY_OLD = _numbered("PHY 3")
ONLY_NEW = _numbered(
    "PPX 1-4",
    "RBX 3",
    "PEY 5",
    "PKY 4-7",
    "PPY 1-5",
    "RBY 4",
    "QDZ 10-11",
    "PPZ 1-2",
    "QSX 4-11",
    "PPMX 1",
    "QSY 5-8",
)
ONLY_62 = _numbered("QSX 12-14")
PAC2002_MORE = _numbered("PPX 1-4", "PPY 1-4", "PPZ 1-2", "PPMX 1", "QSX 4-11")
"""Additions of later editions of PAC2002 to MF 5.2; files of earlier ones have none of it."""
DEFAULTS = {name: 1.0 for name in (*SCALING, *OLD_SCALING, *NEW_SCALING)} | {
    "LSGKP": 1.0,
    "LSGAL": 1.0,
    "LCZ": 1.0,
    "Q_RE0": 1.0,
    "PKY4": 2.0,
    "QSY7": 1.0,
    "PHYP1": 1.0,
    "QDRP1": 1.0,
}
"""Coefficients that are not zero where a file lacks them."""
REQUIRED = ("UNLOADED_RADIUS", "FNOMIN", *_numbered("PCX 1", "PDX 1", "PKX 1"), "PCY1") + _numbered(
    "PDY 1", "PKY 1-2"
)
"""Keys without which there is no tyre."""
NOT_ZERO = ("PDX1", "PKX1", "PDY1", "PKY1", "PKY2")
"""Coefficients without which a tyre has no force."""
LONGITUDINAL = ("PCX1", "PDX1", "PKX1")
"""Coefficients that are all zero where a tyre was measured without longitudinal slip."""
NOT_NEGATIVE = (
    *("VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "BOTTOM_OFFST", "BOTTOM_STIFF", "RIM_RADIUS"),
    *("LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS", "PTX4", "PTY3", "VXLOW", "LMUX", "LMUY"),
)
POSITIVE = (
    *("UNLOADED_RADIUS", "FNOMIN", "LONGVL", "NOMPRES", "INFLPRES", "IP", "IP_NOM", "LFZO"),
    *("PCX1", "PCY1"),
)
PRESSURES = ("INFLPRES", "IP", "NOMPRES", "IP_NOM")
BESIDES = (*REQUIRED, "LONGVL", "VXLOW", *PRESSURES)
"""Values that formulas take beside the coefficients, and those without which there is no tyre."""
PLAUSIBLE = {
    "UNLOADED_RADIUS": (0.01, 5.0, "m", "LENGTH"),
    "FNOMIN": (1.0, 2e6, "N", "FORCE"),
    "LONGVL": (0.2, 200.0, "m/s", "LENGTH"),
    **dict.fromkeys(PRESSURES, (1e3, 1e7, "Pa", "PRESSURE")),
}
"""Least and largest, from models to mining trucks, in which unit, and the file's name of that."""
LARGEST = 1e12
"""Amount of any value but the ends of ranges, in SI units."""
FALLBACKS = {"LONGVL": 16.7, "NOMPRES": 2e5, "VXLOW": 1.0}
"""Of values that only some formulas need, m/s and Pa; also for a VXLOW of zero."""
OTHER = {
    *("FILE_TYPE", "FILE_VERSION", "FILE_FORMAT", "USE_MODE", "FITTYP", "PROPERTY_FILE_FORMAT"),
    *("TYRESIDE", "LONGVL", "VXLOW", "UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "RIM_WIDTH"),
    *("ASPECT_RATIO", "FNOMIN", "INFLPRES", "NOMPRES", "VERTICAL_STIFFNESS", "VERTICAL_DAMPING"),
    *("BREFF", "DREFF", "FREFF"),
    *OTHER_NAMES,
}
"""Keys that are known beside the coefficients."""
NOT_MODELLED = re.compile(
    "MASS|I[XYZ]{2}|GRAVITY|M?BELT(_.*)?|(FREQ|DAMP|DYNAMIC|ELLIPS|ENV|ROAD|MC|MFSAFE|TEST|TIRE)_?.*"
    "|Q_(BV|R|A|B|V|S).*|PCMZ1|YAW_STIFFNESS|QTZ1|LGYR|LIP|LKG|N_TIRE_STATES|SWITCH_.*"
    "|HMAX_.*|TIME_.*|BOTTOM.*|INFLATION_PRESSURE|CONTACT_.*|FE_METHOD|LOCAL_.*|TOLERANCE|PRESSURE"
)
"""Keys of belt dynamics, enveloping, inertia and programs, of which a law's forces are without."""


def _program(file: TirFile) -> str:
    """Return for which program a file says that it is, in parentheses, or nothing."""
    said = [
        f"{key} = {file.texts[key]!r}"
        for key in ("PROPERTY_FILE_FORMAT", "FUNCTION_NAME")
        if key in file.texts
    ]
    return f" ({', '.join(said)})" if said else ""


def version_of(file: TirFile) -> int:
    """Return the version of the formula, 52, 61 or 62, from FITTYP or the file's format.

    Raises
    ------
    ModelError
        If it is not known, or both contradict each other.
    """
    file.refuse("FITTYP", "PROPERTY_FILE_FORMAT")
    if "FITTYP" in file.texts:
        raise ModelError(
            f"{file.place('FITTYP')}: FITTYP = {file.texts['FITTYP']!r}; give 6 (MF 5.2, PAC2002), "
            "61 or 62"
        )
    fittyp = file.numbers.get("FITTYP")
    named = FORMATS.get(file.texts.get("PROPERTY_FILE_FORMAT", "").upper().replace("-", ""))
    if fittyp is None:
        if named is None and "PCX1" not in file.numbers:
            raise ModelError(
                f"{file.path}: it has neither FITTYP nor PCX1, so it is not a Magic Formula tyre"
                f"{_program(file)}; give a file of MF 5.2 (PAC2002), 6.1 or 6.2"
            )
        if named is None:
            raise ModelError(
                f"{file.path}: neither FITTYP nor PROPERTY_FILE_FORMAT says which Magic Formula "
                "it is for; add FITTYP = 6 (MF 5.2, PAC2002), 61 or 62"
            )
        return named
    version = VERSIONS.get(int(fittyp)) if fittyp == int(fittyp) else None
    if version is None:
        raise ModelError(
            f"{file.place('FITTYP')}: FITTYP = {fittyp:g} is not known; there are "
            + ", ".join(str(known) for known in VERSIONS)
        )
    if named is not None and (named == 52) != (version == 52):
        raise ModelError(
            f"{file.place('FITTYP')}: FITTYP = {fittyp:g} contradicts PROPERTY_FILE_FORMAT = "
            f"{file.texts['PROPERTY_FILE_FORMAT']!r}; the same names mean other things in both"
        )
    return version


def names_of(version: int, pac2002: bool = False) -> tuple[str, ...]:
    """Return the names of the coefficients and scaling factors of a version."""
    names = SCALING + SHARED + TURN_SLIP + TRANSIENT + VERTICAL
    if version == 52:
        return names + OLD_SCALING + ONLY_OLD + (PAC2002_MORE if pac2002 else ())
    return names + NEW_SCALING + ONLY_NEW + (ONLY_62 if version == 62 else ())


def needed_of(file: TirFile, turn_slip: bool) -> set[str]:
    """Return the keys of a file that a law's formulas take; others never refuse a file."""
    version, pac2002 = version_of(file), is_pac2002(file)
    names = {*names_of(version, pac2002), *BESIDES}
    given_ = {OTHER_NAMES.get(name, name) for name, value in file.numbers.items() if value}
    if not turn_slip:
        names -= {*TURN_SLIP}
    if "BOTTOM_STIFF" not in given_ | {*file.unread}:
        names -= {"BOTTOM_OFFST", "RIM_RADIUS"}
    if file.curve:
        names -= {"VERTICAL_STIFFNESS", "Q_FZ1", "Q_FZ2"}
    elif "VERTICAL_STIFFNESS" in given_:
        names -= {"Q_FZ1"}
    if version == 52 and not pac2002 and "PFZ1" not in given_ | {*file.unread}:
        names -= {*PRESSURES}
    return names | {own for own, name in OTHER_NAMES.items() if name in names}


def coefficients_of(file: TirFile, turn_slip: bool = True) -> dict[str, float]:
    """Return all coefficients of the file's version, those that it lacks by their defaults.

    Raises
    ------
    ModelError
        If a value that a tyre needs is missing, is not a number, or not positive.
    """
    version = version_of(file)
    names, needed = names_of(version, is_pac2002(file)), needed_of(file, turn_slip)
    _refuse_values(file, needed)
    _refuse_signs(file, needed)
    if file.numbers.get("PTY1") and not file.numbers.get("PTY2"):
        raise ModelError(
            f"{file.place('PTY1')}: PTY1 needs the load of the greatest relaxation length; add "
            "PTY2, or remove PTY1"
        )
    if not file.numbers.get("FZMIN", 0.0) >= 0:
        raise ModelError(
            f"{file.place('FZMIN')}: FZMIN = {file.numbers['FZMIN']:g}; a tyre does not pull, give "
            "zero or more"
        )
    numbers = {
        OTHER_NAMES.get(name, name): value
        for name, value in file.numbers.items()
        if name in needed or abs(value) <= LARGEST
    }
    found = {name: numbers.get(name, DEFAULTS.get(name, 0.0)) for name in names}
    if not drives(file):
        found["PCX1"] = 1.0  # of a force that is zero
    if not is_pac2002(file):
        found["PTX3"] *= -1  # MF-Tyre's relaxation has exp(-PTX3 df_z), PAC2002's exp(PTX3 df_z)
    if not found["RIM_RADIUS"] < numbers["UNLOADED_RADIUS"]:
        found["RIM_RADIUS"] = 0.0
    if found["VERTICAL_STIFFNESS"] and not file.curve:
        linear = found["VERTICAL_STIFFNESS"] * file.numbers["UNLOADED_RADIUS"] / numbers["FNOMIN"]
        if not linear * linear > 4 * found["Q_FZ2"]:
            raise ModelError(
                f"{file.place('VERTICAL_STIFFNESS')}: VERTICAL_STIFFNESS = "
                f"{found['VERTICAL_STIFFNESS']:g} contradicts Q_FZ2 = {found['Q_FZ2']:g}: the "
                "unloaded tyre would have no stiffness; correct one of them"
            )
    # Coefficients that a version lacks act as zeros, or as factors of one.
    for name in (*SCALING, *OLD_SCALING, *NEW_SCALING, *ONLY_OLD, *ONLY_NEW, *ONLY_62):
        found.setdefault(name, DEFAULTS.get(name, 0.0))
    return found


def _refuse_values(file: TirFile, needed: set[str]) -> None:
    """Refuse values that are needed and missing, no numbers, or too large."""
    file.refuse(*sorted(needed))
    for name in sorted(needed & {*file.texts}):
        raise ModelError(f"{file.place(name)}: {name} = {file.texts[name]!r}; give it a number")
    missing = [file.named(name) for name in REQUIRED if name not in file.numbers]
    if missing:
        raise ModelError(
            f"{file.path}: {', '.join(missing)} missing, so the file is not a Magic Formula tyre, "
            f"or truncated; add {'it' if len(missing) == 1 else 'them'}"
        )
    for name in sorted(needed & {*file.numbers}):
        if abs(file.numbers[name]) > LARGEST:
            raise ModelError(
                f"{file.place(name)}: {name} = {file.numbers[name]:g} is beyond what a tyre can "
                "have; correct it"
            )


def _refuse_signs(file: TirFile, needed: set[str]) -> None:
    """Refuse values that must be positive, plausible, not negative, or not zero."""
    absent = () if drives(file) else LONGITUDINAL
    for name in POSITIVE:
        if name in needed and name not in absent and not file.numbers.get(name, 1.0) > 0:
            raise ModelError(
                f"{file.place(name)}: {name} = {file.numbers[name]:g}; it must be positive"
            )
    for name, (least, most, unit, of) in PLAUSIBLE.items():
        if name in needed and not least <= file.numbers.get(name, least) <= most:
            raise ModelError(
                f"{file.place(name)}: {name} = {file.numbers[name]:g} {unit} is not that of a "
                f"tyre, {least:g} to {most:g} {unit}; correct it, or {of} in the section UNITS"
            )
    for name in NOT_NEGATIVE:
        if name in needed and file.numbers.get(name, 0.0) < 0:
            raise ModelError(
                f"{file.place(name)}: {name} = {file.numbers[name]:g}; it must not be negative"
            )
    rim, radius = file.numbers.get("RIM_RADIUS", 0.0), file.numbers["UNLOADED_RADIUS"]
    if "RIM_RADIUS" in needed and rim >= radius:
        raise ModelError(
            f"{file.place('RIM_RADIUS')}: RIM_RADIUS = {rim:g} m is not below UNLOADED_RADIUS = "
            f"{radius:g} m; correct one of them"
        )
    for name in NOT_ZERO:
        if name not in absent and file.numbers[name] == 0:
            raise ModelError(
                f"{file.place(name)}: {name} = 0, so that the tyre has no force; correct it"
            )


def drives(file: TirFile) -> bool:
    """Return whether a tyre was measured with longitudinal slip."""
    return any(file.numbers[name] for name in LONGITUDINAL)


def refuse_singular_spin(file: TirFile) -> None:
    """Refuse turn slip coefficients by which formulas divide, where they are zero."""
    shape = file.numbers.get("QDRP1", DEFAULTS["QDRP1"])
    if shape % 2 == 0:
        raise ModelError(
            f"{file.place('QDRP1')}: QDRP1 = {shape:g}, and the moment of turn slip is divided by "
            "sin(π/2 QDRP1); give 1, or turn_slip=False"
        )
    if not file.numbers.get("PECP1", 0.0) < 1:
        raise ModelError(
            f"{file.place('PECP1')}: PECP1 = {file.numbers['PECP1']:g}, and turn slip is divided "
            "by 1 - PECP1; give less than 1, or turn_slip=False"
        )


def given(value: Number) -> bool:
    """Return whether a coefficient of which a file may have none is other than zero."""
    return not (isinstance(value, float | int) and value == 0)


def is_pac2002(file: TirFile) -> bool:
    """Return whether a file says that it is for PAC2002."""
    return file.texts.get("PROPERTY_FILE_FORMAT", "").upper() == "PAC2002"
