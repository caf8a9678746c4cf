"""Which quantity a symbol stands for in what users write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import casadi as ca

from mbcore.model.quantities import Deformation, Slip


class Owner(Protocol):
    """What has deformations, coordinates and slips: a model."""

    def deformations(self) -> list[Deformation]:
        """Return all deformations."""
        ...

    def coordinates(self) -> Iterable[Deformation]:
        """Return all coordinates, those without a role too."""
        ...

    def slips(self) -> list[Slip]:
        """Return all slips."""
        ...


class Handles:
    """The handles of a model's deformations, coordinates and slips."""

    def __init__(self, model: Owner) -> None:
        deformations = {q.name: q for q in [*model.deformations(), *model.coordinates()]}
        self._by_value = {q.value.element_hash(): q for q in deformations.values()}
        self._by_rate = {q.rate.element_hash(): q for q in deformations.values()}
        self._by_velocity = {s.velocity.element_hash(): s for s in model.slips()}

    def values_in(self, expression: ca.SX) -> list[Deformation]:
        """Return the deformations whose ``value`` an expression holds."""
        return [self._by_value[k] for k in _keys(expression) if k in self._by_value]

    def rates_in(self, expression: ca.SX) -> list[Deformation]:
        """Return the deformations whose ``rate`` an expression holds."""
        return [self._by_rate[k] for k in _keys(expression) if k in self._by_rate]

    def velocities_in(self, expression: ca.SX) -> list[Slip]:
        """Return the slips whose ``velocity`` an expression holds."""
        return [self._by_velocity[k] for k in _keys(expression) if k in self._by_velocity]


def _keys(expression: ca.SX) -> list[int]:
    return [symbol.element_hash() for symbol in ca.symvar(expression)]
