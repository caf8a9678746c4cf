"""What the co-simulating examples share: FMUs by names of variables, built where missing."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from mbcore.fmi import CoSimulation as Unit
from mbcore.fmi import export

__all__ = ["Unit", "built"]

ROOT = Path(__file__).resolve().parents[1]


def built(source: ModuleType) -> Path:
    """Return the FMU of a module in ``mbcore.fmus``; make it in ``build/`` if missing or stale."""
    path = ROOT / "build" / "fmi3" / f"{source.NAME}.fmu"
    sources = [file for at in ("mbcore", "fmu_src") for file in (ROOT / at).rglob("*.[pch]*")]
    newest = max(file.stat().st_mtime for file in sources if "__pycache__" not in file.parts)
    if not path.exists() or path.stat().st_mtime < newest:
        export(source.component(), ROOT / "build", fmi="3.0")
    return path
