"""Inputs and outputs of a vehicle's wheels, `car` or `iltis`: of each wheel, or arrays of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import casadi as ca

from mbcore import Model
from mbcore.fmi.component import Component
from mbcore.model.errors import ModelError

ARRAY = "wheel"
"""Beginning of the names of arrays."""


class WheelVariables:
    """Adds inputs and outputs of wheels to a model.

    Parameters
    ----------
    model : Model
        The model.
    wheels : iterable of str
        Names of the wheels, in the order of an array's elements.
    arrays : bool
        Whether ``wheel.load`` has the loads of all wheels, or ``front_left.load`` that of one.
    """

    def __init__(self, model: Model, wheels: Iterable[str], arrays: bool) -> None:
        if not isinstance(arrays, bool):
            raise ModelError(f"{model.name}: arrays = {arrays!r}; give True or False")
        self.model, self.arrays = model, arrays
        self._wheels = tuple(wheels)
        self._inputs: dict[str, ca.SX] = {}
        self._outputs: dict[str, list[ca.SX]] = {}

    def input(
        self, wheel: str, what: str, start: float = 0.0, *, rate: ca.SX | None = None, **more: Any
    ) -> ca.SX:
        """Add an input of a wheel, or of all wheels where it is the first one; return its symbol.

        ``rate`` is the symbol of this wheel's input that has its rate, in arrays an element.
        """
        if not self.arrays:
            return self.model.input(f"{wheel}.{what}", start, rate=rate, **more)
        if what not in self._inputs:
            whole = rate if rate is None else self._whole(rate)
            name, starts = f"{ARRAY}.{what}", [start] * len(self._wheels)
            self._inputs[what] = self.model.input(name, starts, rate=whole, **self._told(more))
        return self._inputs[what][self._wheels.index(wheel)]

    def name(self, wheel: str, what: str) -> str:
        """Return the name of a wheel's variable."""
        place = self._wheels.index(wheel) + 1
        return f"{ARRAY}.{what}[{place}]" if self.arrays else f"{wheel}.{what}"

    def output(self, wheel: str, what: str, expression: ca.SX, **more: Any) -> None:
        """Add an output of a wheel, or of all wheels where it is the last one."""
        if not self.arrays:
            self.model.output(f"{wheel}.{what}", expression, **more)
            return
        found = self._outputs.setdefault(what, [])
        found.append(ca.SX(expression))
        if len(found) == len(self._wheels):
            self.model.output(f"{ARRAY}.{what}", ca.vertcat(*found), **self._told(more))

    def _whole(self, rate: ca.SX) -> ca.SX:
        """Return the array of which a symbol is the first element."""
        return next(of for of in self._inputs.values() if ca.is_equal(of[0], rate))

    def _told(self, more: dict[str, Any]) -> dict[str, Any]:
        description = f"{more.get('description', '')}; {', '.join(self._wheels)}"
        return more | {"description": description}


def in_arrays(component: Component, wheels: Iterable[str]) -> Component:
    """Return a component whose page and symbols name elements of arrays.

    It has no terminals of wheels: FMI 2.0 has no arrays that could be their members.
    """
    order = tuple(wheels)
    arrays = {a.name for a in component.equations.arrays}

    def named(name: str) -> str:
        wheel, _, what = name.partition(".")
        if wheel not in order or f"{ARRAY}.{what}" not in arrays:
            return name
        return f"{ARRAY}.{what}[{order.index(wheel) + 1}]"

    page = component.page
    plots = [named(p) if isinstance(p, str) else tuple(map(named, p)) for p in page.plots or ()]
    return replace(
        component,
        page=replace(
            page,
            keys={
                key: {named(name): value for name, value in given.items()}
                for key, given in (page.keys or {}).items()
            },
            plots=tuple(plots),
            ranges={named(name): range_ for name, range_ in page.ranges.items()},
        ),
        symbols={
            symbol: ", ".join(map(named, text.split(", ")))
            for symbol, text in component.symbols.items()
        },
        terminals=tuple(t for t in component.terminals if t.name not in order),
    )
