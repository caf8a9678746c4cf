"""Dependencies of each calculated variable, from the sparsity of the functions.

The configuration x is a fixed point of a Newton step of the position problem, so what depends on x
depends on all that the step contains. Every pattern is structural: it may name too much, never too
little. How a known enters is told by `mbcore.codegen.dependency_kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.codegen.dependency_kinds import Kind, factor_kinds
from mbcore.codegen.rows import Row, RowKind, RowType, Table
from mbcore.equations.equations import Equations

_TIME, _STATES, _DISCRETES, _INPUTS, _PARAMETERS, _CONFIGURATION = range(6)
_KNOWN = (_STATES, _TIME, _INPUTS, _PARAMETERS)
_GIVEN: tuple[RowKind, ...] = ("state", "time", "input")
"""Arguments that are known, and the table's rows of the first of them."""
_ANYHOW: Kind = "dependent"
_CALCULATED: dict[RowKind, str] = {
    "derivative": "derivative",
    "output": "output",
    "indicator": "indicator",
}


@dataclass(frozen=True)
class Dependencies:
    """Value references that each calculated variable depends on, with how they enter.

    Attributes
    ----------
    running : dict of int to dict of int to Kind
        Time, states, inputs and parameters, at events, in continuous time and at communication
        points, where modes stay as they are. A state depends on itself.
    initial : dict of int to dict of int to Kind
        The same while initializing, where modes follow from all that events' indicators depend on,
        and states that start at an input's value from that.
    """

    running: dict[int, dict[int, Kind]]
    initial: dict[int, dict[int, Kind]]


def dependencies(equations: Equations, table: Table) -> Dependencies:
    """Find the dependencies of states, derivatives, outputs, indicators and discrete variables."""
    patterns = _Patterns(equations)
    parameters = _in_order(table, "parameter", len(equations.parameters))
    known_rows = [row for kind in _GIVEN for row in _in_order(table, kind)] + parameters
    knowns = [row.reference for row in known_rows]
    kinds = factor_kinds(equations, [row.tunable for row in parameters])
    modes = _modes(patterns, knowns)
    running: dict[int, dict[int, Kind]] = {}
    initial: dict[int, dict[int, Kind]] = {}
    for kind, name in _CALCULATED.items():
        known, by_modes = patterns.of(name)
        for row in table.of(kind):
            found = {
                knowns[j]: kinds[name].kind(row.index, int(j))
                for j in np.flatnonzero(known[row.index])
            }
            running[row.reference] = _structured(found, row, table)
            initial[row.reference] = _at_start(running[row.reference]) | (
                modes if by_modes[row.index] else {}
            )
    changed, _ = patterns.of("update")
    for row in table.of("discrete"):
        # Between events discrete variables are constant.
        running[row.reference] = {}
        own = {knowns[j]: _ANYHOW for j in np.flatnonzero(changed[row.index])}
        initial[row.reference] = own | modes
    for row in table.of("state"):
        running[row.reference] = {row.reference: "constant"}
        initial[row.reference] = {row.reference: "constant"}
    enumerations = _deciding(table, "enumeration")
    starts = {row: _with_deciding(known, _deciding(table)) for row, known in initial.items()}
    return Dependencies(
        {row: _with_deciding(known, enumerations) for row, known in running.items()},
        _from_inputs(starts, table),
    )


def _deciding(table: Table, of_type: RowType | None = None) -> dict[int, int]:
    """Return the variables that decide start values and enumerations as well, by these."""
    pairs = (
        (table.named(row.stands_for), row.reference)
        for row in table.of("parameter")
        if row.stands_for is not None
    )
    return {of.reference: row for of, row in pairs if of_type in (None, of.type)}


def _with_deciding(known: dict[int, Kind], deciding: dict[int, int]) -> dict[int, Kind]:
    return known | {deciding[i]: _ANYHOW for i in known if i in deciding}


class _Patterns:
    """Which results depend on (s, t, u, p), the configuration following, and on modes."""

    def __init__(self, equations: Equations) -> None:
        self._functions = equations.functions
        newton = self._functions["newton"]
        following = _closure(_pattern(newton, 0, _CONFIGURATION))
        self._configuration = {
            argument: _product(following, _pattern(newton, 0, argument))
            for argument in (*_KNOWN, _DISCRETES)
        }

    def of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the pattern of a function's first result over (s, t, u, p), and over modes."""
        function = self._functions[name]
        through = _pattern(function, 0, _CONFIGURATION)
        total = {
            argument: _pattern(function, 0, argument) | _product(through, pattern)
            for argument, pattern in self._configuration.items()
        }
        return np.hstack([total[a] for a in _KNOWN]), total[_DISCRETES].any(axis=1)


def _in_order(table: Table, kind: RowKind, count: int | None = None) -> list[Row]:
    """Return the first rows of a kind in the order of the functions' arguments."""
    return sorted(table.of(kind), key=lambda row: row.index)[:count]


def _modes(patterns: _Patterns, knowns: list[int]) -> dict[int, Kind]:
    """Variables that determine the modes while initializing: all that their events depend on."""
    pattern, _ = patterns.of("indicator")
    return {knowns[j]: _ANYHOW for j in np.flatnonzero(pattern.any(axis=0))}


def _structured(found: dict[int, Kind], row: Row, table: Table) -> dict[int, Kind]:
    """Factors that FMI allows: only real variables have one."""
    if row.type != "real":
        return dict.fromkeys(found, _ANYHOW)
    real = {known for known in found if table.rows[known].type == "real"}
    return {known: kind if known in real else _ANYHOW for known, kind in found.items()}


def _at_start(found: dict[int, Kind]) -> dict[int, Kind]:
    """While initializing no parameter is fixed yet."""
    return {known: kind if kind == "constant" else _ANYHOW for known, kind in found.items()}


def _from_inputs(initial: dict[int, dict[int, Kind]], table: Table) -> dict[int, dict[int, Kind]]:
    """Make states that start at the value of an input depend on it, with all that follows."""
    source = {
        row.reference: table.named(row.start_input)
        for row in table.of("state")
        if row.start_input is not None
    }
    deciding = _deciding(table)
    found: dict[int, dict[int, Kind]] = {}
    for row, known in initial.items():
        found[row] = {}
        for i, kind in known.items():
            given = source.get(i)
            to = i if given is None else given.reference
            # Limits and choices of start values break proportionality.
            if given is not None and (i in deciding or given.has_limits):
                kind = _ANYHOW
            found[row][to] = kind if found[row].get(to, kind) == kind else _ANYHOW
    return {row: dict(sorted(known.items())) for row, known in found.items()}


def _pattern(function: ca.Function, result: int, argument: int) -> np.ndarray:
    """Return which entries of a result contain which of an argument, boolean."""
    sparsity = function.jac_sparsity(result, argument)
    pattern = np.zeros(sparsity.shape, dtype=bool)
    rows, columns = sparsity.get_triplet()
    pattern[rows, columns] = True
    return pattern


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return (left.astype(float) @ right.astype(float)) > 0


def _closure(pattern: np.ndarray) -> np.ndarray:
    """Return the transitive closure of a pattern of dependence among coordinates."""
    closure = pattern | np.eye(len(pattern), dtype=bool)
    while True:
        wider = _product(closure, closure)
        if np.array_equal(wider, closure):
            return closure
        closure = wider
