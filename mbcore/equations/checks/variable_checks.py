"""Checks of a model's variables with its states: start values that are numbers, unique names."""

from __future__ import annotations

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_states, refuse_clashes
from mbcore.model.interface.fmu_names import warn_of_names

DEPTH = 9
"""Depth to which two expressions are compared."""


def check_variables(assembly: Assembly) -> None:
    """Refuse events without indicator, states without a finite start, and shared names.

    Raises
    ------
    ModelError
        Naming the variables, or the quantities with a role.
    """
    _refuse_one_name(assembly)
    states, model = assembly.state_records(), assembly.model
    check_states(states)
    own = _own_values(assembly)
    outputs = [
        output.name
        for output in model.outputs.values()
        if not any(ca.is_equal(output.expression, e, DEPTH) for e in own.get(output.name, ()))
    ]
    refuse_clashes(
        model.name,
        {
            "parameter": model.parameters,
            "input": model.inputs,
            "state": [state.name for state in states],
            "discrete variable": [*(f"{name}.active" for name in model.events), *model.discretes],
            "output": outputs,
        },
    )
    model.events.refuse_undefined()


def warn_of_fmu_names(assembly: Assembly) -> None:
    """Warn of variables whose names no FMU can have, early: `export` refuses them."""
    model = assembly.model
    states = [state.name for state in assembly.state_records()]
    kinds = (model.parameters, model.inputs, states, model.discretes, model.outputs, model.events)
    warn_of_names(model.name, dict.fromkeys(name for names in kinds for name in names))


def _own_values(assembly: Assembly) -> dict[str, list[ca.SX]]:
    """Expressions of outputs that equal the state of the same name, so that sharing is harmless."""
    own = {record.name: [record.symbol] for record in assembly.state_records()}
    for q in [*assembly.dofs, *assembly.kinematic]:
        if q.states is not None:
            own[q.states.value].append(q.expression)
    return own


def _refuse_one_name(assembly: Assembly) -> None:
    """Refuse two quantities with a role and the same name: conditions are found by their names."""
    used: set[str] = set()
    for q in assembly.quantities():
        if q.name in used:
            raise ModelError(
                f"model {assembly.model.name}: two quantities with a role are called {q.name}, of "
                "a node and an element or of two elements; rename one of them"
            )
        used.add(q.name)
