"""The one table of methods, from which Python's steppers, C, FMUs and documents take them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules

from mbcore.integrators import methods as shipped
from mbcore.integrators.method import Method
from mbcore.model import near_names
from mbcore.model.errors import ModelError
from mbcore.model.variables import Item


def shipped_methods() -> tuple[Method, ...]:
    """Return the records of the files in ``methods/``, those with items first, by their numbers."""
    names = sorted(module.name for module in iter_modules(shipped.__path__))
    found = [import_module(f"{shipped.__name__}.{name}").METHOD for name in names]
    return tuple(sorted(found, key=lambda method: (not method.number, method.number)))


_methods: tuple[Method, ...] = shipped_methods()


def methods() -> tuple[Method, ...]:
    """Return all methods; this is what decides on compiled runtimes, too."""
    return _methods


def method_named(name: str) -> Method:
    """Return the method of a name.

    Raises
    ------
    ModelError
        There is none.
    """
    for method in _methods:
        if method.name == name:
            return method
    raise ModelError(near_names.unknown("method", name, [m.name for m in _methods]))


def stand_in_of(method: Method) -> Method:
    """Return the method that continues in Python where C fails by another one."""
    return method_named(method.stand_in) if method.stand_in else method


def partners_of(method: Method) -> tuple[Method, Method]:
    """Return the explicit and the implicit method of an automatic choice, in Python."""
    return method_named(method.explicit), stand_in_of(method_named(method.implicit_partner))


def methods_in_c() -> tuple[Method, ...]:
    """Return what C has, in the order of the numbers there, from 1; items of FMUs come first."""
    return tuple(sorted((m for m in _methods if m.in_c), key=lambda m: m.item is None))


def items() -> tuple[Item, ...]:
    """Return the items of ``solver.method`` in FMUs, in the order of their numbers, from 1."""
    return tuple(m.item for m in _methods if m.in_c and m.item is not None)


def add_method(method: Method) -> Method:
    """Add a method for this process: to Python, to C and, where it has an item, to new FMUs.

    Adding the same one again changes nothing, so that a file which adds it may be run twice.

    Raises
    ------
    ModelError
        There is another one with its name or its item's, or a method that it names is missing.
    """
    global _methods
    if method in _methods:
        return method
    for other in _methods:
        if method.name == other.name:
            raise ModelError(f"method {method.name} is there already; give it a name of its own")
        if method.item and other.item and method.item.name == other.item.name:
            raise ModelError(
                f"method {method.name}: method {other.name} has the item {method.item.name!r}; "
                "give this one a name of its own"
            )
    if method.c_arrays:
        raise ModelError(
            f"method {method.name}: a step function in C is part of the runtime; give a tableau"
        )
    if method.stand_in and not method_named(method.stand_in).in_python:
        raise ModelError(
            f"method {method.name}: stand_in={method.stand_in!r}, but Python "
            "does not have that method"
        )
    if method.tighter and not method_named(method.tighter).in_c:
        raise ModelError(
            f"method {method.name}: tighter={method.tighter!r}, but the "
            "runtime in C does not have that method"
        )
    _methods = (*_methods, method)
    return method


def remove_method(method: Method) -> None:
    """Take a method out again that `add_method` has added."""
    global _methods
    _methods = tuple(m for m in _methods if m != method)


@contextmanager
def added_method(method: Method) -> Iterator[Method]:
    """Add a method for the length of a ``with`` statement."""
    before = methods()
    add_method(method)
    try:
        yield method
    finally:
        if method not in before:
            remove_method(method)
