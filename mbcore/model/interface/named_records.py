"""Records of one kind by name, the base of an interface's parts."""

from __future__ import annotations

import inspect
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

import casadi as ca

from mbcore.model.arrays.elements import Given, alike, given_array, in_shape, single
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_declared, named
from mbcore.model.variables import Array

Record = TypeVar("Record")
P = ParamSpec("P")
R = TypeVar("R")
_VALUES = ("value", "start", "expression")
"""Arguments that messages call by the variable's name alone."""
_SINGLE = ("minimum", "maximum", "nominal")
"""Numbers that elements share."""


class Namespace(list[MutableMapping[str, Any]]):
    """Dictionaries whose names must all differ; the first one is that of the ``arrays``."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        super().__init__([self.arrays])


class NamedRecords(dict[str, Record]):
    """Records of one kind, by names that differ from all others in their namespace.

    Parameters
    ----------
    namespace : Namespace
        The dictionaries that share it; this one is appended.
    """

    kind: ClassVar[str]
    """Its name in messages."""

    def __init__(self, namespace: Namespace) -> None:
        super().__init__()
        self._namespace = namespace
        namespace.append(self)

    def refuse_name(self, name: str, unit: str = "1", display_unit: str | None = None) -> None:
        """Refuse a name that is in use or empty, and units that no variable may have.

        Raises
        ------
        ModelError
            Naming the kind of variable and its name.
        """
        named(self.kind, name, ChainMap(*self._namespace), unit, display_unit)
        whole = self._namespace.arrays.get(name.partition("[")[0])
        if whole is not None:
            raise ModelError(
                f"{self.kind} {name!r} would be an element of the array {whole.name!r}, whose "
                f"shape is {whole.shape}; give another name"
            )

    def add_array(
        self,
        name: str,
        given: Given,
        add: Callable[[str, Any], Any],
        description: str = "",
    ) -> list[Any]:
        """Add the elements of an array, all or none; return what ``add`` has returned for each.

        Parameters
        ----------
        name, description : str
            Of the array.
        given : tuple
            Its shape, and what ``add`` takes for each element besides the element's name.
        add : callable
            Adds one element.

        Raises
        ------
        ModelError
            The name is in use, or an element is refused.
        """
        shape, values = given
        self.refuse_name(name)
        if "[" in name:
            raise ModelError(
                f"{self.kind} {name!r}: an array has no index in its name; give another name, or a "
                "matrix"
            )
        array = Array(name, shape, self.kind, description)
        made: list[Any] = []
        try:
            for element, value in zip(array.elements, values, strict=True):
                made.append(add(element, value))
        except Exception:
            for element in array.elements[: len(made)]:
                del self[element]
            raise
        self._namespace.arrays[name] = array
        return made

    def array_named(self, name: object) -> Array | None:
        """Return the array of a name, None where there is none of these records."""
        array = self._namespace.arrays.get(name) if isinstance(name, str) else None
        return array if array is not None and array.kind == self.kind else None

    def _checked(self, record: Any) -> None:
        """Add a record after the checks that all kinds share."""
        check_declared(self.kind, record)
        self[record.name] = record


def by_element(
    *along: str,
) -> Callable[[Callable[Concatenate[Any, str, P], R]], Callable[Concatenate[Any, str, P], R]]:
    """Let a method that adds one record add an array of them, one for each element.

    Parameters
    ----------
    along : str
        Arguments that may be arrays, all of one shape; elements share numbers and all other
        arguments.
    """

    def wrapped(
        method: Callable[Concatenate[Any, str, P], R],
    ) -> Callable[Concatenate[Any, str, P], R]:
        behind = list(inspect.signature(method).parameters)[2:]  # itself and the name

        @wraps(method)
        def add(records: Any, name: str, *args: P.args, **kwargs: P.kwargs) -> R:
            given = dict(zip(behind, args, strict=False)) | kwargs
            arrays = {what: given[what] for what in along if what in given}
            shape = _shape_of(f"{records.kind} {name}", arrays)
            if shape is None:
                return method(records, name, *args, **kwargs)
            inspect.signature(method).bind(records, name, *args, **kwargs)
            return cast(R, _add_each(records, name, shape, arrays, given, method))

        return add

    return wrapped


def _shape_of(owner: str, arrays: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the shape of the first that is an array."""
    for what, value in arrays.items():
        found = given_array(owner if what in _VALUES else f"{owner}: {what}", value)
        if found is not None:
            return found[0]
    return None


def _add_each(
    records: NamedRecords[Any],
    name: str,
    shape: tuple[int, ...],
    arrays: Mapping[str, Any],
    given: Mapping[str, Any],
    method: Callable[..., Any],
) -> ca.SX | None:
    """Add the elements of an array; return their symbols in its shape, if they have some."""
    owner = f"{records.kind} {name}"
    shared = {what: value for what, value in given.items() if what not in arrays}
    if len(shared.get("items", ())):
        raise ModelError(
            f"{owner}: a choice among items cannot be an array; add one {records.kind} for each"
        )
    single(owner, **{what: shared[what] for what in _SINGLE if what in shared})
    columns = [alike(owner, what, value, shape) for what, value in arrays.items()]
    rows = [dict(zip(arrays, row, strict=True)) for row in zip(*columns, strict=True)]
    made = records.add_array(
        name,
        (shape, rows),
        lambda element, row: method(records, element, **row, **shared),
        shared.get("description", ""),
    )
    return None if made[0] is None else in_shape(shape, made)
