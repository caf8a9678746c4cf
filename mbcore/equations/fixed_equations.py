"""Equations in which some parameters are constants: the same functions of fewer parameters.

Constants are folded, so terms that they switch off in every state are gone: terms, dependencies,
and the modes of events whose condition is a constant that never holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import casadi as ca

from mbcore.equations.equations import KEPT, Equations
from mbcore.equations.functions import FUNCTIONS, POINT
from mbcore.model.errors import ModelError
from mbcore.model.tables.common_formulas import common_once
from mbcore.model.variables import type_of

_PLACES = {name: i for i, name in enumerate(POINT)}
_BY_PARAMETERS = ("variation", "whole_variation")
"""Further arguments that have an entry for each parameter, after those of (s, t, u)."""
_CACHED = ("mass_parts", "remembered", "fixed_modes")


class FixedEquations(Equations):
    """Equations whose ``parameters`` are fewer: those that are ``fixed`` are constants.

    Parameters
    ----------
    equations : Equations
        The equations; they stay as they are.
    values : mapping of str to float
        Numbers of the parameters that are fixed, by name.

    Attributes
    ----------
    fixed : tuple of Parameter
        Records of the parameters that are constants, with their values.

    Raises
    ------
    ModelError
        A name is not a parameter of the equations.
    """

    def __init__(self, equations: Equations, values: Mapping[str, float]) -> None:
        known = {parameter.name for parameter in equations.parameters}
        for name in values:
            if name not in known:
                raise ModelError(f"{equations.name}: {name} is not a parameter; name one that is")
        self.__dict__.update(
            (name, value)
            for name, value in equations.__dict__.items()
            if name not in _CACHED and not name.startswith(KEPT)
        )
        self._whole, self._made = equations, {}
        self._values = {
            i: values[parameter.name]
            for i, parameter in enumerate(equations.parameters)
            if parameter.name in values
        }
        every = dict(enumerate(equations.parameters))
        self.fixed = tuple(replace(every[i], value=value) for i, value in self._values.items())
        self._kept = [i for i in every if i not in self._values]
        self.parameters = tuple(every[i] for i in self._kept)
        # an array of which some elements alone are constants is none
        self.arrays = tuple(
            array
            for array in equations.arrays
            if len({element in values for element in array.elements}) == 1
        )

    def function(
        self,
        name: str,
        results: Sequence[ca.SX],
        extra: Sequence[ca.SX] = (),
        seldom: bool = False,
    ) -> ca.Function:
        """Return a function of (t, s, d, u, p, x), then of ``extra``, as `Equations.function`."""
        return self._folded(self._whole.function(name, results, extra, seldom))

    def _function_named(self, name: str) -> ca.Function:
        return self._folded(self._whole.functions[name], self.fixed_modes)

    @cached_property
    def fixed_modes(self) -> tuple[int, ...]:
        """Places of the events that never become active, for their indicators are constants."""
        folded = self._folded(self._whole.functions["indicator"])
        [indicators] = folded.call(_symbols(folded), True, False)
        return tuple(
            i
            for i in range(len(self.events))
            if indicators[i].is_constant() and float(indicators[i]) < 0
        )

    def _folded(self, function: ca.Function, modes: Sequence[int] = ()) -> ca.Function:
        """Return a function of the parameters that are left, these events' modes being zero."""
        arguments, given = [], []
        for i, whole in enumerate(_symbols(function)):
            taken = self._entries(function, i, whole.numel())
            own = whole[taken] if len(taken) < whole.numel() else whole
            if len(taken) < whole.numel():
                whole = ca.SX(whole)
                constants = self._values if i == _PLACES["p"] else {}
                for j in set(range(whole.numel())).difference(taken):
                    whole[j] = constants.get(j, 0.0)
            if i == _PLACES["d"]:
                whole = ca.SX(whole)
                whole[list(modes)] = 0.0
            arguments.append(own)
            given.append(whole)
        results = function.call(given, True, False)
        if function.name() == "adjoint_change":
            results = [results[0][self._varied(results[0].numel())]]
        folded = [ca.densify(result) for result in common_once(results)]
        return ca.Function(function.name(), arguments, folded)

    def _entries(self, function: ca.Function, i: int, size: int) -> list[int]:
        """Return which entries of an argument the function still has."""
        if i == _PLACES["p"]:
            return self._kept
        further = FUNCTIONS[function.name()].extra if function.name() in FUNCTIONS else ()
        extra = dict(enumerate(further, start=len(POINT)))
        return self._varied(size) if extra.get(i) in _BY_PARAMETERS else list(range(size))

    def _varied(self, size: int) -> list[int]:
        """Return which entries are left of a variation of (s, t, u, p), or of (s, t, u, p, d)."""
        first = len(self.states) + 1 + len(self.inputs)
        return [i for i in range(size) if i - first not in self._values]


def felt_numbers(equations: Equations, values: Mapping[str, float]) -> tuple[int, ...]:
    """Return the places of the remembered numbers that the chosen laws set or feel.

    Those of laws that are not chosen, such as the places where a friction would stick, are left
    out: they occur in no function any more once the choices are constants.

    Parameters
    ----------
    values : mapping of str to float
        Parameters by name. Choices are those that are no real numbers.
    """
    every = equations.remembered.numbers
    choices = {
        record.name: values[record.name]
        for record in equations.parameters
        if type_of(record) != "real" and record.name in values
    }
    return FixedEquations(equations, choices).remembered.numbers if every and choices else every


def _symbols(function: ca.Function) -> list[ca.SX]:
    """Return symbols for the arguments of a function."""
    return [ca.SX.sym(function.name_in(i), *function.size_in(i)) for i in range(function.n_in())]
