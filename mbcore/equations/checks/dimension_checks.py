"""Units of outputs that their expressions cannot have: a height in kg.

Dimensions are known where an expression holds symbols with units alone. A number may stand for
anything, 9.81 for an acceleration, and so may a symbol in the unit ``1``: what they are multiplied
with has no dimension here, and what they are added to keeps its own. Where angles are involved, a
radius of 1 m may have been left out. Laws and motions are not examined: a factor of 1 leaves no
trace in an expression, and who tries a model begins with a spring of 1 N/m. Calls of tables are
examined wherever they are, for a table's units are given.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.checks.unused_variables import written
from mbcore.model import wording
from mbcore.model.errors import warn_user
from mbcore.model.expressions import column, hashes, scalars, symbolic
from mbcore.model.nodes.nodes import Point
from mbcore.model.quantities import Deformation
from mbcore.model.quantities.quantity import FORCE_UNITS
from mbcore.model.tables.lookup import Lookup, calls, is_grid, lookup_of, table_units
from mbcore.model.units.units import BASE_UNITS, Unit, coherent_unit, parse

Dimension: TypeAlias = tuple[float, ...] | None
"""Exponents of the base units but the radian; None where it is unknown."""
LONGEST = 500
"""Operations of an expression beyond which its dimension is not sought."""
_SAME = {ca.OP_ASSIGN, ca.OP_NEG, ca.OP_FABS, ca.OP_COPYSIGN, ca.OP_FLOOR, ca.OP_CEIL}
_SUMS = {ca.OP_ADD, ca.OP_SUB, ca.OP_FMIN, ca.OP_FMAX}
_POWERS = {ca.OP_SQ: 2.0, ca.OP_SQRT: 0.5, ca.OP_INV: -1.0}


def warn_of_dimensions(A: Assembly) -> None:
    """Issue one ``ModelWarning`` that names variables whose unit their expressions cannot have."""
    known, angular = _known(A)
    found = _mistaken_arguments(A, known)
    for name, output in A.model.outputs.items():
        wanted, unit = _dimension(output.unit), output.unit
        if wanted is None or output.kind != "real":
            continue
        given = dimension(output.expression, known)
        if given is not None and given != wanted and all(e == int(e) for e in given):
            turns = "rad" in unit or not angular.isdisjoint(hashes(output.expression))
            if turns and _but_lengths(given) == _but_lengths(wanted):
                continue
            whole = tuple(int(e) for e in given)
            other = coherent_unit(Unit("", 1.0, (*whole, 0)))
            found.append(f"output {name} is in {unit}, but its expression is in {other}")
    if found:
        warn_user(
            f"{A.model.name}: {'; '.join(found[: wording.MOST_NAMES])}; give the unit that fits, "
            "or the factor that is missing with its own unit"
        )


def _mistaken_arguments(A: Assembly, known: dict[int, Dimension]) -> list[str]:
    """Return the faults of arguments of tables, each once."""
    found: dict[str, None] = {}
    if not Lookup.made:
        return []
    for function, argument in calls(column(ca.vec(symbolic(e)) for e in written(A.model))):
        units = () if is_grid(function) else table_units(function)
        wanted = _dimension(units[0]) if len(units) < 3 and any(units) else None
        given = dimension(argument, known) if wanted is not None else None
        if given is None or given == wanted:
            continue
        if "rad" in units[0] and _but_lengths(given) == _but_lengths(wanted or ()):
            continue
        if all(e == int(e) for e in given):
            other = coherent_unit(Unit("", 1.0, (*(int(e) for e in given), 0)))
            label = function.name_in(0).replace("_", " ").strip()
            found[f"table {label!r} is over {units[0]}, but its argument is in {other}"] = None
    return list(found)


def _of_row(function: ca.Function) -> list[Dimension]:
    """Return the dimensions of the entries of a table's row: origin, then coefficients."""
    count = int(function.numel_out(0))
    units = table_units(function)
    *across, up = [_dimension(unit) for unit in (*units, *[""] * (2 - len(units)))]
    if len(units) == 2 and (ordinates := lookup_of(function).ordinates):
        factors = [_over(up and (0.0,) * len(up), [(across[0], j)]) for j in range(count)]
        return [across[0], *(factors[i // ordinates] for i in range(count - 1))]
    if len(units) == 2:
        return [across[0], *(_over(up, [(across[0], i)]) for i in range(count - 1))]
    if units and is_grid(function):
        return [across[0]] * count
    if len(units) == 3:
        width = math.isqrt(count)
        powers = ((i // width, i % width) for i in range(count))
        return [_over(up, list(zip(across, each, strict=True))) for each in powers]
    return [across[0], *[None] * (count - 1)]


def _over(dimension: Dimension, divisors: list[tuple[Dimension, int]]) -> Dimension:
    """Return the quotient of a dimension and of powers of others."""
    for of, power in divisors:
        if dimension is None or (of is None and power):
            return None
        if of is not None:
            dimension = tuple(a - power * b for a, b in zip(dimension, of, strict=True))
    return dimension


def dimension(expression: ca.SX, known: dict[int, Dimension]) -> Dimension:
    """Return the dimension of a scalar expression.

    Parameters
    ----------
    known : dict of int to dimension
        Those of symbols, by their hashes.
    """
    symbols = ca.symvar(expression)
    given = [known.get(symbol.element_hash()) for symbol in symbols]
    if not any(given):
        return None
    program = ca.Function("d", [ca.vertcat(*symbols)], [expression])
    count = program.n_instructions()
    if count > LONGEST:
        return None
    work: dict[int, Dimension] = {}
    numbers: dict[int, float] = {}
    result: Dimension = None
    for k in range(count):
        operation = program.instruction_id(k)
        if operation == ca.OP_OUTPUT:
            result = work[program.instruction_input(k)[0]]
            continue
        made, of = program.instruction_output(k), program.instruction_input(k)
        to = made[0]
        if operation == ca.OP_CALL:
            row = _of_row(program.instructions_sx()[k].which_function())
            work |= {place: row[i] for i, place in enumerate(made) if place >= 0}
            continue
        if operation == ca.OP_INPUT:
            work[to] = given[of[1]]
        elif operation == ca.OP_CONST:
            work[to], numbers[to] = None, program.instruction_constant(k)
            continue
        else:
            parts = [work[i] for i in of]
            work[to] = _applied(operation, parts, numbers.get(of[-1]))
        numbers.pop(to, None)
    return result


def _applied(operation: int, parts: list[Dimension], last: float | None) -> Dimension:
    """Return the dimension of an operation on parts; ``last`` is the last one where a number."""
    first, second = parts[0], parts[-1]
    if operation in _SAME:
        return first
    if operation in _SUMS:
        if first is None or second is None:
            return first or second
        return first if first == second else None
    if operation == ca.OP_IF_ELSE_ZERO:
        return second
    if first is None:
        return None
    if operation in _POWERS:
        return tuple(_POWERS[operation] * e for e in first)
    if operation in (ca.OP_POW, ca.OP_CONSTPOW) and last is not None:
        return tuple(last * e for e in first)
    if second is not None and operation in (ca.OP_MUL, ca.OP_DIV):
        sign = 1 if operation == ca.OP_MUL else -1
        return tuple(a + sign * b for a, b in zip(first, second, strict=True))
    return None


def _but_lengths(exponents: tuple[float, ...]) -> list[float]:
    metre = BASE_UNITS.index("m")
    return [exponent for i, exponent in enumerate(exponents) if i != metre]


def _dimension(unit: str) -> Dimension:
    exponents = parse(unit).exponents[:-1] if unit not in ("", "1") else ()
    return tuple(map(float, exponents)) or None


def _known(A: Assembly) -> tuple[dict[int, Dimension], set[int]]:
    """Return the dimensions of all symbols that have one, and which of them are of angles."""
    model, found = A.model, list[tuple[ca.SX, str]]()
    found += [(record.symbol, record.unit) for record in model.parameters.values()]
    found += [(record.symbol, record.unit) for record in model.inputs.values()]
    found += [(record.symbol, record.unit) for record in A.state_records()]
    found += [(record.symbol, record.unit) for record in model.discretes.values()]
    found += [(model.time, "s"), (model.kinetic_energy, "J"), (model.potential_energy, "J")]
    for node in model.nodes.values():
        for vector, by in (
            (node.coordinates, ""),
            (node.velocities, "s"),
            (node.accelerations, "s2"),
        ):
            for symbol, c in zip(scalars(vector), node.quantities, strict=True):
                found.append((symbol, f"{c.unit}/{by}" if by else c.unit))
    for q in (*A.quantities(), *model.coordinates()):
        force = FORCE_UNITS.get(q.unit, "1")
        found.append((q.dual, force))
        if isinstance(q, Deformation):
            rate = f"{q.unit}/s" if q.unit in ("m", "rad") else "1"
            found += [(q.value, q.unit), (q.rate, rate)]
            found.append((q.acceleration, f"{q.unit}/s2" if rate != "1" else "1"))
        else:
            found.append((q.rate, q.unit))
    found += [(c.reaction, FORCE_UNITS.get(c.unit, "1")) for c in model.coordinates()]
    for pull in model.reactions:
        unit = "N" if isinstance(pull.node, Point) else "N.m"
        found += [(symbol, unit) for symbol in scalars(pull.force)]
    units = {unit: _dimension(unit) for unit in {unit for _, unit in found}}
    angular = {symbol.element_hash() for symbol, unit in found if "rad" in unit or unit == "N.m"}
    return {symbol.element_hash(): units[unit] for symbol, unit in found}, angular
