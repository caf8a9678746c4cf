"""Roles and checks of a model before its equations are solved, and what is warned of."""

from __future__ import annotations

from collections.abc import Mapping

from mbcore.equations.assembly.accelerations import refuse_accelerations
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.elastic_energy import warn_of_energy
from mbcore.equations.assembly.massless import balance_massless_nodes
from mbcore.equations.checks.called_functions import declare_ordinates
from mbcore.equations.checks.constant_checks import check_constants
from mbcore.equations.checks.dimension_checks import warn_of_dimensions
from mbcore.equations.checks.formula_checks import check_formulas
from mbcore.equations.checks.moved_starts import moved_starts, warn_of_moves
from mbcore.equations.checks.table_knots import follow_knots
from mbcore.equations.checks.unused_variables import warn_of_unused
from mbcore.equations.checks.variable_checks import check_variables, warn_of_fmu_names
from mbcore.equations.checks.zero_stresses import warn_of_zero_stresses
from mbcore.equations.records import Records
from mbcore.equations.roles.automatic import automatic_roles
from mbcore.equations.roles.balances import warn_of_other_balances
from mbcore.equations.roles.choice import check_roles
from mbcore.equations.roles.redundancy import Released
from mbcore.model.checks import refuse_at_start
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends
from mbcore.model.system import System


def with_roles(
    model: System, roles: str, at: Mapping[str, float] | None
) -> tuple[System, Released, tuple[str, ...]]:
    """Return the model with all roles, what these have released, and the reasons of chosen ones.

    Raises
    ------
    ModelError, RoleError
        If a part is incomplete or a number wrong, or no roles are found.
    """
    declare_ordinates(model)
    parameters, found = model.parameters, [*model.elements.checks(), *model.nodes.checks()]
    refuse_at_start(found, parameters.symbols, parameters.start_values)
    refuse_accelerations(model)
    follow_knots(model)
    balance_massless_nodes(model)
    if roles == "auto":
        return automatic_roles(model, at)
    if roles != "given":
        raise ModelError(f"roles is 'given' or 'auto', got {roles!r}")
    return model, Released(), ()


def checked_start(assembly: Assembly, at: Mapping[str, float] | None, chosen: bool) -> float:
    """Return the size of the mechanism at its start, m, where formulas and roles make sense.

    Raises
    ------
    ModelError, RoleError
        If they do not.
    """
    check_formulas(assembly)
    check_constants(assembly)
    check_variables(assembly)
    start = assembly.start_values(at)
    length = check_roles(assembly, start, chosen=chosen)
    if at is None:
        warn_of_moves(assembly.model.name, moved_starts(assembly, start, length))
        warn_of_other_balances(assembly, start)
    return length


def warn_of_variables(A: Assembly, unused: Mapping[str, tuple[str, ...]]) -> None:
    """Warn of variables that nothing uses, of names for FMUs, of units, of stresses that vanish."""
    warn_of_unused(A.model.name, unused)
    warn_of_fmu_names(A)
    warn_of_dimensions(A)
    warn_of_zero_stresses(A)


def warn_of_outputs(A: Assembly, records: Records, length: float) -> None:
    """Warn where an output is a potential energy that is incomplete; ``length`` is natural, m."""
    if depends(column(o.expression for o in records.outputs), A.model.potential_energy):
        given = [0.0, *(i.start for i in records.inputs)], [p.value for p in records.parameters]
        warn_of_energy(A.model.name, A.elastic, given, length)
