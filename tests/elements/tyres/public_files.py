"""Public tyre property files beside a second reader, a second Magic Formula, a second spring.

    python -m tests.elements.tyres.public_files FOLDER

Each ``.tir`` file of the folder is read by the library and by twelve lines here. Forces at 400
points of both sides, with and without turn slip, are compared with those of
`tests.elements.tyres.second_magic_formula`, and the radial spring with its published formula. The
largest differences over the largest values are printed, or why a file is refused.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from pathlib import Path

import casadi as ca
import numpy as np

from mbcore import MagicFormula, ModelError, TyreContact
from tests.elements.tyres import second_magic_formula as second
from tests.elements.tyres.test_second_implementation import NAMES

POINTS = 400
SPIN = 60.0
"""Of the radial spring, rad/s."""
VERSIONS = {60: 61, 61: 61, 62: 62}
"""By FITTYP; others are 52."""
FOREIGN = {
    52: re.compile(
        r"PP[XYZ]\d|PPMX1|RBX3|PEY5|PKY[4-7]|RBY4|QDZ1[01]|QSX\d+|QSY[5-8]|L(K[YZ]C|MP)"
    ),
    61: re.compile("QSX1[234]|PHY3|LGA[XYZ]"),
    62: re.compile("PHY3|LGA[XYZ]"),
}
"""Coefficients that a version has not."""
KEPT = re.compile("QSX[123]")
"""Of those of 5.2."""
LATER = re.compile("RBX3|PEY5|PKY[4-7]|PPY5|RBY4|QDZ1[01]|QSX1[234]|QSY[5-8]|L(K[YZ]C|MP)")
"""Coefficients that later editions of PAC2002 have not either."""
OTHER_NAMES = {"QPZ1": "PPZ1", "QPZ2": "PPZ2", "QPX1": "PPMX1", "IP": "INFLPRES"} | {
    **{"IP_NOM": "NOMPRES", "QRE0": "Q_RE0", "QV1": "Q_V1", "QV2": "Q_V2"},
    **{"QFZ1": "Q_FZ1", "QFZ2": "Q_FZ2"},
}


class Pressed(second.Points):
    """Points of later editions of PAC2002, where the pressure counts."""

    @property
    def dpi(self) -> second.Array:  # type: ignore[override]
        """Of the pressure."""
        return self.pressure / self.c.NOMPRES - 1


def read(path: Path) -> tuple[dict[str, float], dict[str, str]]:
    """Return numbers and texts of a file in SI units."""
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for line in re.split(r"\r\n|\r|\n", path.read_bytes().decode("latin-1")):
        found = re.match(r"\s*([A-Za-z_]\w*)\s*=\s*('[^']*'|[^$!]*)", line)
        if found:
            key, value = found[1].upper(), found[2].strip()
            try:
                number = float(value.lower().replace("d", "e"))
                numbers.setdefault(OTHER_NAMES.get(key, key), number)
            except ValueError:
                texts.setdefault(key, value.strip("' ").upper())
    return numbers, texts


def spring_error(law: MagicFormula, c: second.Coefficients, pressure: float) -> float:
    """Return the largest difference of the radial spring, over the nominal load."""
    stiffness = c.VERTICAL_STIFFNESS * c.UNLOADED_RADIUS / c.FNOMIN
    linear = np.sqrt(stiffness**2 - 4 * c.Q_FZ2) if stiffness else c.Q_FZ1
    linear = linear or np.sqrt((1 / 0.06) ** 2 - 4 * c.Q_FZ2)
    rim_speed = c.UNLOADED_RADIUS * SPIN / c.LONGVL
    free = c.UNLOADED_RADIUS * ((c.Q_RE0 or 1) + c.Q_V1 * rim_speed**2)
    worst = 0.0
    for loaded in (c.UNLOADED_RADIUS - 0.01, c.UNLOADED_RADIUS - 0.03):
        share = max(free - loaded, 0) / c.UNLOADED_RADIUS
        force = c.FNOMIN * (linear * share + c.Q_FZ2 * share**2) * (1 + c.Q_V2 * rim_speed)
        force *= c.LCZ * (1 + c.PFZ1 * (pressure / c.NOMPRES - 1))
        if c.BOTTOM_STIFF and c.RIM_RADIUS:
            force += c.BOTTOM_STIFF * max(c.RIM_RADIUS + c.BOTTOM_OFFST - loaded, 0)
        found = law.spring(ca.SX(loaded), ca.SX(SPIN)).force
        worst = max(worst, abs(float(ca.evalf(ca.SX(found))) - force) / c.FNOMIN)
    return worst


def coefficients(numbers: dict[str, float], version: int, pac2002: bool) -> second.Coefficients:
    """Return the coefficients that the file's version has, with what it divides by."""
    foreign = LATER if pac2002 else FOREIGN[version]
    own = {k: v for k, v in numbers.items() if KEPT.fullmatch(k) or not foreign.fullmatch(k)}
    usual = {"LONGVL": 16.7, "NOMPRES": 2e5, "PCX1": 1.0}
    own |= {name: own.get(name) or value for name, value in usual.items()}
    return second.Coefficients(own)


def force_error(path: Path, side: str, turn_slip: bool) -> tuple[float, float]:
    """Return the largest differences of forces and of the radial spring."""
    numbers, texts = read(path)
    pac2002 = texts.get("PROPERTY_FILE_FORMAT") == "PAC2002"
    version = VERSIONS.get(int(numbers.get("FITTYP", 52)), 52)
    law = MagicFormula.from_tir(path, side=side, limits="free", turn_slip=turn_slip)
    c = coefficients(numbers, version, pac2002)
    at = np.random.default_rng(5)
    given = {
        "slip_angle": at.uniform(-1, 1, POINTS) ** 3,
        "slip_ratio": 0.8 * at.uniform(-1, 1, POINTS) ** 3,
        "camber": at.uniform(-0.1, 0.1, POINTS),
        "load": at.uniform(0.25, 1.8, POINTS) * c.FNOMIN,
        "speed": at.uniform(1, 50, POINTS),
        "turn_slip": 0.3 * at.uniform(-1, 1, POINTS) ** 3,
    }
    symbols = {name: ca.SX.sym(name) for name in given}
    forces = law.forces(TyreContact(direction=ca.SX(1), **symbols))
    rows = ca.vertcat(*(getattr(forces, name) for name in NAMES))
    function = ca.Function("forces", list(symbols.values()), [rows])
    found = np.array(function.map(POINTS)(*(value[None] for value in given.values())))
    mirror = -1 if texts.get("TYRESIDE") in {"LEFT", "RIGHT"} - {side.upper()} else 1
    sides = {name: mirror * given[name] for name in ("slip_angle", "camber", "turn_slip")}
    if not turn_slip:
        del sides["turn_slip"]
    alike = {name: given[name] for name in ("load", "slip_ratio", "speed")}
    pressure = numbers.get("INFLPRES") or c.NOMPRES
    points = (Pressed if pac2002 else second.Points)(
        c, version, **alike, **sides, pressure=np.full(POINTS, pressure)
    )
    expected = second.forces(points) * np.array([1, mirror, mirror, mirror, 1])[:, None]
    size = np.maximum(np.abs(expected).max(axis=1), 1e-6 * c.FNOMIN)
    worst = (np.abs(found - expected).max(axis=1) / size).max()
    return worst, 0.0 if law.load_curve else spring_error(law, c, pressure)


def main() -> int:
    """Compare and print; the exit status is 1 where a difference is not rounding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    errors, refused = [], 0
    for path in sorted(parser.parse_args().folder.glob("*.tir")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = [force_error(path, side, False) for side in ("left", "right")]
                if read(path)[0].get("QDRP1") and read(path)[0].get("PDXP1") is not None:
                    found += [force_error(path, side, True) for side in ("left", "right")]
        except ModelError as error:
            refused += 1
            print(f"{path.name:60} refused: {error}")
            continue
        errors += [max(each) for each in found]
        print(f"{path.name:60} {max(max(each) for each in found):.1e}")
    print(f"{len(errors)} comparisons, at most {max(errors, default=0):.1e}; {refused} refused")
    return int(max(errors, default=0) > 1e-12)


if __name__ == "__main__":
    sys.exit(main())
