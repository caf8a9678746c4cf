"""``roles="auto"``: roles where none are given, in a copy of the model.

Used by `mbcore.equations.roles.preparation` alone; it stands apart because it changes a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.checks.constant_checks import check_constants
from mbcore.equations.checks.formula_checks import check_formulas
from mbcore.equations.roles.choice import choose_free_rotations, choose_roles
from mbcore.equations.roles.redundancy import Released, release_redundant
from mbcore.model.system import System


def automatic_roles(
    model: System, at: Mapping[str, float] | None = None
) -> tuple[System, Released, tuple[str, ...]]:
    """Give roles where none are given, and release constraints that are redundant everywhere.

    Parameters
    ----------
    model : System
        Keeps its roles.
    at : mapping of str to float, optional
        Coordinates of the nodes at which roles are chosen, by default those of the start.

    Returns
    -------
    System
        A copy with all roles and the same symbols.
    Released
        Redundant constraints.
    tuple of str
        What was picked and why.

    Raises
    ------
    ModelError
        If a formula, a law, a motion or a constant has a forbidden dependence.
    RoleError
        If redundant constraints contradict each other, or nothing is left to be chosen.
    """
    model = deepcopy(model)
    assembly = Assembly(model)
    check_formulas(assembly)
    check_constants(assembly)
    freed = choose_free_rotations(assembly, assembly.start_values(at))
    assembly = Assembly(model)
    released, values = release_redundant(assembly, assembly.start_values(at))
    redundant = tuple(
        f"{q.name} is released: it follows everywhere from other constraints, among which the "
        "force is not unique"
        for q in released.released
    )
    assembly = Assembly(model)
    kept_out = {q.name for q in released.released}
    chosen = choose_roles(assembly, values, assembly.start_values(at), kept_out)
    return model, released, freed + redundant + chosen
