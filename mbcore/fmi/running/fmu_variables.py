"""The variables of an imported FMU: what can be read and set as numbers, by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from fmpy.model_description import ModelDescription

from mbcore.model import near_names
from mbcore.model.errors import ModelError

REALS = ("Real", "Float64", "Float32")
BOOLEAN = "Boolean"
_ENUMERATIONS = {"2": "Integer", "3": "Int64"}
_NO_NUMBERS = ("String", "Binary", "Clock")
_SET_AT_START = ("exact", "approx")


def intermediate_names(folder: Path) -> set[str]:
    """Return what may be set or read between communication points, by FMI 3.0.

    Parameters
    ----------
    folder : Path
        Of an extracted FMU; FMPy does not read that attribute.
    """
    root = ElementTree.parse(folder / "modelDescription.xml").getroot()
    return {
        str(variable.get("name"))
        for variable in root.iterfind("ModelVariables/*")
        if variable.get("intermediateUpdate") in ("true", "1")
    }


class Variables:
    """All variables of an FMU.

    Parameters
    ----------
    description : fmpy.model_description.ModelDescription
        Of the FMU.

    Attributes
    ----------
    inputs, outputs : tuple of str
        Names of those that are one number.
    """

    def __init__(self, description: ModelDescription) -> None:
        self._owner = f"FMU {description.modelName}"
        self._enumeration = _ENUMERATIONS[description.fmiVersion[0]]
        self._all: dict[str, Any] = {v.name: v for v in description.modelVariables}
        self._grouped: dict[tuple[str, ...], dict[str, list[str]]] = {}
        self.inputs, self.outputs = (
            tuple(
                name
                for name, v in self._all.items()
                if v.causality == causality and v.type not in _NO_NUMBERS and not v.dimensions
            )
            for causality in ("input", "output")
        )

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def __iter__(self) -> Any:
        return iter(self._all)

    def kind(self, name: str) -> str:
        """Return in which of FMI's functions a variable is read and set.

        Raises
        ------
        ModelError
            There is none of this name, or it is no single number.
        """
        if name not in self._all:
            known = [*self.outputs, *self.inputs]
            known += [other for other in self._all if other not in known]
            raise ModelError(f"{self._owner}: {near_names.unknown('variable', name, known)}")
        variable = self._all[name]
        if variable.type in _NO_NUMBERS or variable.dimensions:
            what = "an array" if variable.dimensions else f"of type {variable.type}"
            raise ModelError(f"{self._owner}: {name!r} is {what}; only single numbers are taken")
        return self._enumeration if variable.type == "Enumeration" else str(variable.type)

    def by_kind(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return names by kind."""
        wanted = tuple(names)  # the same ones again at each sample
        if wanted not in self._grouped:
            groups: dict[str, list[str]] = {}
            for name in wanted:
                groups.setdefault(self.kind(name), []).append(name)
            self._grouped[wanted] = groups
        return self._grouped[wanted]

    def references(self, names: Iterable[str]) -> list[int]:
        """Return value references."""
        return [self._all[name].valueReference for name in names]

    def unit(self, name: str) -> str:
        """Return the unit of a variable, ``"1"`` where it has none."""
        variable = self._all[name]
        return variable.unit or getattr(variable.declaredType, "unit", None) or "1"

    def text(self, name: str) -> str:
        """Return the description of a variable, empty where it has none."""
        return self._all[name].description or ""

    def check_start(self, names: Iterable[str]) -> None:
        """Refuse start values for what cannot have one.

        Raises
        ------
        ModelError
            There is no variable of a name, or it is calculated.
        """
        for name in names:
            self.kind(name)
            variable = self._all[name]
            given = variable.causality in ("parameter", "structuralParameter", "input")
            if not given and variable.initial not in _SET_AT_START:
                raise ModelError(
                    f"{self._owner}: {name!r} is calculated; give start values to parameters, "
                    "inputs and states"
                )

    def check_inputs(self, owner: str, names: Iterable[str]) -> None:
        """Refuse names of what is no input.

        Raises
        ------
        ModelError
            Naming inputs that are near.
        """
        for name in names:
            if name not in self.inputs:
                other = f" ({name!r} is no input)" if name in self._all else ""
                told = near_names.unknown("input", name, self.inputs)
                raise ModelError(f"{self._owner}: {owner}: {told}{other}")
