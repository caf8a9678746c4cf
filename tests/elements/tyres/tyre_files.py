"""Tyre property files for tests: numbers of a road car's tyre, made up for this project."""

from __future__ import annotations

from pathlib import Path

HEADER = """\
[MDI_HEADER]
FILE_TYPE    = 'tir'
FILE_VERSION = 3.0
$ a comment
! another one
(COMMENTS)
{{comment_string}}
'Tyre - XXXX = made up'
[UNITS]
LENGTH = 'meter'
FORCE  = 'newton'
ANGLE  = 'radians'
MASS   = 'kg'
TIME   = 'second'
[MODEL]
FITTYP   = {version}   $ of the formula
TYRESIDE = '{side}'
LONGVL   = 16.0
[DIMENSION]
UNLOADED_RADIUS = 0.32
[SHAPE]
{{radial width}}
 1.0  0.0
 0.9  1.0
[VERTICAL]
FNOMIN = 4.0D3
[INERTIA]
MASS = 9.5
[LONG_SLIP_RANGE]
KPUMIN = -1.2
KPUMAX = 1.2
[SLIP_ANGLE_RANGE]
ALPMIN = -1.1
ALPMAX = 1.2
[INCLINATION_ANGLE_RANGE]
CAMMIN = -0.2
CAMMAX = 0.25
[VERTICAL_FORCE_RANGE]
FZMIN = 200
FZMAX = 9000
"""
SHARED = """\
PCX1=1.62 PDX1=1.12 PDX2=-0.09 PDX3=0.4 PEX1=0.2 PEX2=0.1 PEX3=-0.03 PEX4=0.05 PKX1=22 PKX2=1.5
PKX3=-0.2 PHX1=-0.0004 PHX2=0.0003 PVX1=0.002 PVX2=0.001 RBX1=12.5 RBX2=-9.5 RCX1=1.1 REX1=0.3
REX2=-0.1 RHX1=0.003 PCY1=1.32 PDY1=1.02 PDY2=-0.11 PDY3=1.4 PEY1=-0.8 PEY2=-0.5 PEY3=0.12 PEY4=-4
PKY1=-19.5 PKY2=1.9 PKY3=0.6 PHY1=0.0021 PHY2=0.0008 PVY1=0.012 PVY2=-0.007 PVY3=-0.25 PVY4=-0.1
RBY1=8.1 RBY2=5.2 RBY3=-0.02 RCY1=1.05 REY1=-0.2 REY2=-0.15 RHY1=0.006 RHY2=0.002 RVY1=0.04
RVY2=-0.01 RVY3=-0.2 RVY4=15 RVY5=1.8 RVY6=-11 QBZ1=9.8 QBZ2=-1.1 QBZ3=-0.6 QBZ4=0.2 QBZ5=0.35
QBZ9=12 QBZ10=-0.4 QCZ1=1.15 QDZ1=0.1 QDZ2=-0.006 QDZ3=-0.15 QDZ4=2.1 QDZ6=-0.004 QDZ7=0.002
QDZ8=-0.16 QDZ9=-0.03 QEZ1=-1.4 QEZ2=0.6 QEZ3=-0.4 QEZ4=0.25 QEZ5=-1.1 QHZ1=0.006 QHZ2=-0.002
QHZ3=0.14 QHZ4=0.05 SSZ1=0.01 SSZ2=0.009 SSZ3=0.15 SSZ4=-0.04 QSX1=-0.003 QSX2=0.75 QSX3=0.06
QSY1=0.009 QSY2=0.05 QSY3=0.0007 QSY4=0.00008"""
OLD = "PHY3=0.03 LGAX=0.9 LGAY=1.1 LGAZ=0.95"
NEW = """\
PPX1=-0.35 PPX2=0.4 PPX3=-0.1 PPX4=0.06 RBX3=40 PEY5=1.5 PKY4=2.1 PKY5=-0.2 PKY6=-0.9 PKY7=-0.2
PPY1=0.6 PPY2=0.05 PPY3=-0.16 PPY4=0.28 PPY5=0.2 RBY4=12 QDZ10=0.4 QDZ11=0.1 PPZ1=-0.4 PPZ2=0.2
QSX4=0.02 QSX5=1.1 QSX6=0.8 QSX7=0.7 QSX8=0.3 QSX9=0.4 QSX10=0.1 QSX11=0.9 PPMX1=0.1 QSY5=0.1
QSY6=0.05 QSY7=0.9 QSY8=-0.4 NOMPRES=220000 INFLPRES=240000"""
NEW_62 = "QSX12=0.5 QSX13=0.004 QSX14=0.03"
SPIN = """\
PDXP1=0.4 PDXP2=0.1 PDXP3=0.9 PKYP1=1 PDYP1=0.4 PDYP2=0.05 PDYP3=1.2 PDYP4=0.3 PHYP1=1 PHYP2=0.15
PHYP3=0.02 PHYP4=-4 PECP1=0.5 PECP2=0.01 QDTP1=10 QCRP1=0.2 QCRP2=0.1 QBRP1=0.1 QDRP1=1
QDRP2=-1.5"""


def values(version: int) -> dict[str, float]:
    """Return the coefficients of the file for a version of the formula."""
    texts = [SHARED, SPIN, OLD if version < 60 else NEW, NEW_62 if version == 62 else ""]
    pairs = (pair.split("=") for text in texts for pair in text.split())
    return {name: float(value) for name, value in pairs}


def text(version: int = 61, side: str = "LEFT", **changed: object) -> str:
    """Return the text of a file; a changed value of None leaves the coefficient out."""
    given = {**values(version), **changed}
    lines = [f"{name} = {value}" for name, value in given.items() if value is not None]
    header = HEADER.format(version=version, side=side)
    return header + "[COEFFICIENTS]\n" + "\n".join(lines) + "\n"


def write(folder: Path, *args: object, **changed: object) -> Path:
    """Write a file; arguments as of `text`."""
    path = folder / "tyre.tir"
    path.write_text(text(*args, **changed), encoding="utf-8")  # type: ignore[arg-type]
    return path
