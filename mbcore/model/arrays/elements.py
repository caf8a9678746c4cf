"""Arrays of variables: their names, shapes and elements.

Each element is a variable of its own, ``name[1]``, ``name[2]``, ... or ``name[1,1]``,
``name[1,2]``, ..., row by row, one behind another. Arrays are what users, results and FMI 3.0 make
of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, dense
from mbcore.model.variables import Array
from mbcore.model.wording import shortened

Given = tuple[tuple[int, ...], list[Any]]
"""A shape, and the elements row by row."""
MOST_DIMENSIONS = 2


def given_array(owner: str, value: object) -> Given | None:
    """Return shape and elements of lists, NumPy arrays and expressions; None for one number.

    Raises
    ------
    ModelError
        It is empty or ragged, has more than two dimensions, or mixes truth values with numbers.
    """
    shape, elements = _parts(owner, value)
    if shape is None:
        return None
    if len(shape) > MOST_DIMENSIONS:
        raise ModelError(f"{owner} has {len(shape)} dimensions; give one or two, or several arrays")
    if not elements:
        raise ModelError(f"{owner} has the shape {shape}, without elements; give one at least")
    truths = {isinstance(element, bool | np.bool_) for element in elements}
    if len(truths) > 1:
        raise ModelError(
            f"{owner} = {shortened(repr(value), 60)} holds Booleans and numbers; an array has "
            "elements of one kind"
        )
    return shape, elements


def _parts(owner: str, value: Any) -> tuple[tuple[int, ...] | None, list[Any]]:
    if isinstance(value, ca.SX | ca.DM):
        if value.is_scalar():
            return None, [value]
        rows, columns = value.shape
        entries = dense(ca.SX(value)).T.nonzeros()  # CasADi counts down the columns
        if isinstance(value, ca.DM):
            entries = [float(entry) for entry in entries]
        return ((rows,) if columns == 1 else (rows, columns)), entries
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        values = np.asarray(value)
        return (values.shape if values.ndim else None), list(values.flat)
    if not isinstance(value, list | tuple):
        return None, [value]
    found = [_parts(owner, part) for part in value]
    shapes = {shape for shape, _ in found}
    if len(shapes) > 1:
        raise ModelError(
            f"{owner} = {shortened(repr(value), 60)} has rows of different lengths; give equal ones"
        )
    inner = shapes.pop() if shapes else None
    elements = [element for _, part in found for element in part]
    return (len(value), *(inner or ())), elements


def in_shape(shape: tuple[int, ...], elements: Sequence[ca.SX]) -> ca.SX:
    """Return elements as one expression: a column, or a matrix with the rows."""
    stacked = column(elements)
    return stacked if len(shape) == 1 else ca.reshape(stacked, *reversed(shape)).T


def alike(owner: str, what: str, given: Any, shape: tuple[int, ...]) -> list[Any]:
    """Return what each element has: its own where an array is given, else all the same.

    Raises
    ------
    ModelError
        The shapes differ.
    """
    own = given_array(f"{owner}: {what}", given)
    if own is None:
        return [given] * int(np.prod(shape))
    if own[0] != shape:
        raise ModelError(f"{owner}: {what} has the shape {own[0]}, but the array {shape}")
    return own[1]


def single(owner: str, **given: object) -> None:
    """Refuse arrays in the place of what all elements of an array share.

    Raises
    ------
    ModelError
        Naming the argument.
    """
    for what, value in given.items():
        if value is not None and given_array(f"{owner}: {what}", value) is not None:
            raise ModelError(f"{owner}: {what} is an array; give one number for all elements")


def shape_in(name: str, known: Iterable[str]) -> tuple[int, ...] | None:
    """Return the shape of an array by the names of its elements; None where it has none."""
    own = [other for other in known if other.startswith(f"{name}[") and other.endswith("]")]
    last = own[-1][len(name) + 1 : -1].split(",") if own else []
    if not own or not all(part.isdigit() for part in last):
        return None
    array = Array(name, tuple(int(part) for part in last), "")
    return array.shape if list(array.elements) == own else None


def elements_named(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the names of an array's elements among all names, of anything else its own."""
    names = known if isinstance(known, Mapping | set | frozenset) else list(known)
    shape = None if name in names else shape_in(name, names)
    return (name,) if shape is None else Array(name, shape, "").elements


def values_by_element(
    owner: str, name: str, value: Any, known: Iterable[str]
) -> list[tuple[str, Any]]:
    """Return a value by its name, or those of an array by the names of its elements.

    Parameters
    ----------
    owner : str
        Its name in messages: ``"parameter k"``.
    name : str
        Name that a value is given to.
    value : Any
        A number, or an array.
    known : iterable of str
        All names that there are.

    Raises
    ------
    ModelError
        An array's value is of another shape.
    """
    names = known if isinstance(known, Mapping | set | frozenset) else list(known)
    if name in names:
        return [(name, value)]
    shape = shape_in(name, names)
    if shape is None:
        return [(name, value)]
    elements = Array(name, shape, "").elements
    given = None if isinstance(value, str) else given_array(owner, value)
    if given is None or given[0] != shape:
        count = f"{len(elements)} values" if len(shape) == 1 else f"the shape {shape}"
        other = ", of shape " + str(given[0]) if given is not None and len(shape) > 1 else ""
        raise ModelError(
            f"{owner} = {shortened(repr(value), 60)}{other}; {name} has {count}, {elements[0]} to "
            f"{elements[-1]}: give as many, or set single elements"
        )
    return list(zip(elements, given[1], strict=True))
