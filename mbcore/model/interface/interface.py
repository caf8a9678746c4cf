"""The interface of a model: its named variables, events and requirements."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from mbcore.model.interface.discretes import Discretes
from mbcore.model.interface.events import Events
from mbcore.model.interface.filters import Filters
from mbcore.model.interface.inputs import Inputs
from mbcore.model.interface.kinds import select
from mbcore.model.interface.named_records import Namespace
from mbcore.model.interface.outputs import Outputs
from mbcore.model.interface.parameters import Parameters
from mbcore.model.interface.requirements import Requirements
from mbcore.model.interface.states import States
from mbcore.model.variables import Number


class Interface:
    """The records of a model's variables, events and requirements, by kind and name.

    Attributes
    ----------
    parameters, inputs, states, discretes, outputs
        Variables; no two of them have the same name.
    events, requirements
        These have names of their own.
    arrays : dict of str to Array
        Variables that are elements of arrays, by the names of these.
    filters
        By the name of the input that each follows.
    """

    def __init__(self) -> None:
        namespace = Namespace()
        self.arrays = namespace.arrays
        self.parameters = Parameters(namespace)
        self.inputs = Inputs(namespace)
        self.states = States(namespace, self.inputs)
        self.discretes = Discretes(namespace)
        self.outputs = Outputs(namespace)
        self.events = Events(self.discretes)
        self.requirements = Requirements()
        self.filters = Filters(self.parameters, self.inputs, self.states, self.requirements)

    def select(self, choice: Number, *values: Number) -> ca.SX:
        """Return the one of the values that belongs to the item chosen.

        Parameters
        ----------
        choice : SX
            Symbol of an enumeration, of a whole number counted from 1, or an expression of one.
            An expression that is not the number of a value chooses the last one.
        *values : number or SX
            One for each item, in their order.

        Raises
        ------
        ModelError
            There is no value, there are more or fewer than items, or the choice is Boolean or a
            constant that is no value's number.
        """
        return select([*self.parameters.values(), *self.inputs.values()], choice, values)

    def declared(self) -> dict[str, Mapping[str, object]]:
        """Return all records by what messages call their kind, and by name."""
        return {
            "parameter": self.parameters,
            "input": self.inputs,
            "state": self.states,
            "discrete variable": self.discretes,
            "event": self.events,
            "output": self.outputs,
            "requirement": self.requirements,
        }
