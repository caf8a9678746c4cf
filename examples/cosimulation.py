"""Shared by co-simulating examples: FMUs by names of variables, built where missing."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import mbcore
from mbcore.fmi import CoSimulation as Unit
from mbcore.fmi import export

__all__ = ["Unit", "built"]

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = Path(mbcore.__file__).resolve().parent


def built(source: ModuleType) -> Path:
    """Return the FMU of a module in ``mbcore.fmus``; make it if missing or older than its sources.

    It is in ``build/`` of a checkout, or, where mbcore is installed, of the folder at work.
    """
    folder = ROOT / "build" if (ROOT / "fmu_src").is_dir() else Path("build")
    path = folder / "fmi3" / f"{source.NAME}.fmu"
    places = LIBRARY, Path(str(source.__file__)).resolve().parent
    sources = [file for place in places for file in place.rglob("*.[pch]*")]
    newest = max(file.stat().st_mtime for file in sources if "__pycache__" not in file.parts)
    if not path.exists() or path.stat().st_mtime < newest:
        export(source.component(), folder, fmi="3.0")
    return path
