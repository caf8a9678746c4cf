"""The variables of an imported FMU: what can be read and set as numbers, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from fmpy.model_description import ModelDescription

from mbcore.model import near_names
from mbcore.model.errors import ModelError
from mbcore.model.variables import Array

REALS = ("Real", "Float64", "Float32")
BOOLEAN = "Boolean"
_ENUMERATIONS = {"2": "Integer", "3": "Int64"}
_NO_NUMBERS = ("String", "Binary", "Clock")
_SET_AT_START = ("exact", "approx")


def element_names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of an array's elements; those of ``der(y)`` are ``der(y[1])``, ..."""
    if name.startswith("der(") and name.endswith(")"):
        return tuple(f"der({of})" for of in Array(name[4:-1], shape, "").elements)
    return Array(name, shape, "").elements


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


class Access(NamedTuple):
    """How variables are read and set together, some of which may be elements of arrays.

    Attributes
    ----------
    references : list of int
        Value references, of arrays once.
    size : int or None
        Values that these have; None where all are single numbers.
    places : list of int
        Place of each variable among these values.
    """

    references: list[int]
    size: int | None
    places: list[int]

    @property
    def is_whole(self) -> bool:
        """Whether the variables are all of these values."""
        return self.size is None or len(set(self.places)) == self.size


class Variables:
    """All variables of an FMU, and the elements of its arrays, ``name[1]`` or ``name[1,2]``.

    Parameters
    ----------
    description : fmpy.model_description.ModelDescription
        Of the FMU.

    Attributes
    ----------
    inputs, outputs : tuple of str
        Names of those that are one number, elements of arrays among them.
    arrays : dict of str to tuple of int
        Shapes of arrays of numbers, by name.
    """

    def __init__(self, description: ModelDescription) -> None:
        self._owner = f"FMU {description.modelName}"
        self._enumeration = _ENUMERATIONS[description.fmiVersion[0]]
        self._all: dict[str, Any] = {v.name: v for v in description.modelVariables}
        self.arrays: dict[str, tuple[int, ...]] = {
            v.name: tuple(map(int, v.shape))
            for v in description.modelVariables
            if v.dimensions and v.type not in _NO_NUMBERS
        }
        self._elements: dict[str, tuple[str, int]] = {}
        for array, shape in self.arrays.items():
            self._elements |= {
                name: (array, i) for i, name in enumerate(element_names(array, shape))
            }
        self._access: dict[tuple[str, ...], Access] = {}
        self._grouped: dict[tuple[str, ...], dict[str, list[str]]] = {}
        self.inputs, self.outputs = (
            tuple(
                one
                for name, v in self._all.items()
                if v.causality == causality and v.type not in _NO_NUMBERS
                for one in self.elements(name)
            )
            for causality in ("input", "output")
        )

    def __contains__(self, name: object) -> bool:
        return name in self._all or name in self._elements

    def __iter__(self) -> Any:
        return iter(self._all)

    def elements(self, name: str) -> tuple[str, ...]:
        """Return the names of the elements of an array, of another variable its own."""
        return element_names(name, self.arrays[name]) if name in self.arrays else (name,)

    def whole(self, name: str) -> str:
        """Return the name of an element's array, of another variable its own."""
        return self._elements[name][0] if name in self._elements else name

    def _variable(self, name: str) -> Any:
        return self._all[self.whole(name)]

    def kind(self, name: str) -> str:
        """Return in which of FMI's functions a variable is read and set.

        Raises
        ------
        ModelError
            There is none of this name, or it is not a single number.
        """
        if name not in self:
            known = [*self.outputs, *self.inputs]
            known += [other for other in self._all if other not in known]
            raise ModelError(f"{self._owner}: {near_names.unknown('variable', name, known)}")
        variable = self._variable(name)
        if variable.type in _NO_NUMBERS or name in self.arrays:
            what = "an array" if variable.dimensions else f"of type {variable.type}"
            remedy = f", as {self.elements(name)[0]!r}" if name in self.arrays else ""
            raise ModelError(f"{self._owner}: {name!r} is {what}; give a scalar number{remedy}")
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
        """Return value references of variables that are not elements."""
        return [self._all[name].valueReference for name in names]

    def access(self, names: Iterable[str]) -> Access:
        """Return how variables are read and set together."""
        wanted = tuple(names)
        if wanted not in self._access:
            first: dict[str, int] = {}
            count = 0
            for name in wanted:
                whole = self._elements.get(name, (name, 0))[0]
                if whole not in first:
                    first[whole] = count
                    count += len(self.elements(whole))
            places = [sum(self._place(name, first)) for name in wanted]
            single = not any(name in self._elements for name in wanted)
            references = self.references(first)
            if single:
                references, places = self.references(wanted), list(range(len(wanted)))
            self._access[wanted] = Access(references, None if single else count, places)
        return self._access[wanted]

    def _place(self, name: str, first: Mapping[str, int]) -> tuple[int, int]:
        whole, place = self._elements.get(name, (name, 0))
        return first[whole], place

    def unit(self, name: str) -> str:
        """Return the unit of a variable, ``"1"`` where it has none."""
        variable = self._variable(name)
        return variable.unit or getattr(variable.declaredType, "unit", None) or "1"

    def text(self, name: str) -> str:
        """Return the description of a variable, empty where it has none."""
        return self._variable(name).description or ""

    def check_start(self, names: Iterable[str]) -> None:
        """Refuse start values for what cannot have one.

        Raises
        ------
        ModelError
            There is no variable of a name, or it is calculated.
        """
        for name in names:
            if name not in self.arrays:
                self.kind(name)
            variable = self._variable(name)
            given = variable.causality in ("parameter", "structuralParameter", "input")
            if not given and variable.initial not in _SET_AT_START:
                raise ModelError(
                    f"{self._owner}: {name!r} is calculated; give start values to parameters, "
                    "inputs and states"
                )

    def check_inputs(self, owner: str, names: Iterable[str]) -> None:
        """Refuse names of what is not an input.

        Raises
        ------
        ModelError
            Naming inputs that are near.
        """
        for name in names:
            if name not in self.inputs:
                other = f" ({name!r} is not an input)" if name in self else ""
                told = near_names.unknown("input", name, self.inputs)
                raise ModelError(f"{self._owner}: {owner}: {told}{other}")
