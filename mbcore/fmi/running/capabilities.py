"""Capabilities that an FMU declares, read from its description itself.

FMPy does not read all of it: FMI 3.0's directional derivatives are missing there.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from mbcore.model.errors import ModelError

_TRUE = ("true", "1")
_DERIVATIVES = ("providesDirectionalDerivative", "providesDirectionalDerivatives")
_SAVES = ("canGetAndSetFMUstate", "canGetAndSetFMUState")


@dataclass(frozen=True)
class Interface:
    """One of an FMU's interfaces.

    Attributes
    ----------
    has_derivatives : bool
        Whether it gives directional derivatives.
    saves_state : bool
        Whether its state can be saved and restored.
    """

    has_derivatives: bool
    saves_state: bool


@dataclass(frozen=True)
class Capabilities:
    """Capabilities of an FMU.

    Attributes
    ----------
    version : str
        Of FMI.
    model_exchange, cosimulation : Interface or None
        Its interfaces; None where it has not this one.
    """

    version: str
    model_exchange: Interface | None
    cosimulation: Interface | None


def capabilities(path: Path) -> Capabilities:
    """Return what an FMU can do.

    Raises
    ------
    ModelError
        There is no such file, or it is not an FMU.
    """
    if not path.exists():
        raise ModelError(f"there is no FMU {path}; build it with export(...), or give its path")
    try:
        with zipfile.ZipFile(path) as archive:
            root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError) as error:
        raise ModelError(f"{path} cannot be read as an FMU: {error}") from error
    found = (_interface(root, name) for name in ("ModelExchange", "CoSimulation"))
    return Capabilities(str(root.get("fmiVersion", "")), *found)


def _interface(root: ElementTree.Element, name: str) -> Interface | None:
    offered = root.find(name)
    if offered is None:
        return None
    return Interface(
        any(offered.get(flag) in _TRUE for flag in _DERIVATIVES),
        any(offered.get(flag) in _TRUE for flag in _SAVES),
    )
