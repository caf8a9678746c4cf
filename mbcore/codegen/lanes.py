"""Equations in lanes: C functions that evaluate several instances of a model at once.

They stand behind the functions for one instance, with which an instance starts, and in front of the
steps of a batch, ``mb_batch_steps.h``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import casadi as ca

from mbcore.codegen.dialects import LANES
from mbcore.codegen.model_source.lookups import declarations
from mbcore.codegen.program import program
from mbcore.codegen.statements import statements
from mbcore.equations.equations import Equations
from mbcore.equations.functions import POINT
from mbcore.host.vectors import Vectors, instructions
from mbcore.model.tables.lookup import Lookup

_FUNCTIONS = {
    "newton": (("newton", 0),),
    "rates": (("derivative", 0), ("conditioning", 0), ("indicator", 0), ("require", 0)),
    "indicate": (("indicator", 0),),
    "output": (("output", 0),),
    "power": (("virtual_power", 0), ("virtual_power", 1)),
}
"""Functions in lanes: results of which functions of the equations each of them has."""


def lane_functions(equations: Equations, without: Collection[str] = ()) -> str:
    """Write the functions of equations for numbers of the type ``mb_lane``.

    What stands in front of them defines this type, and the operations on it.

    Parameters
    ----------
    equations : Equations
        The equations.
    without : collection of str
        Functions of the equations that are left out, because nothing calls them.
    """
    wanted = {name: p for name, p in _FUNCTIONS.items() if not any(of in without for of, _ in p)}
    functions = {name: equations.functions[name] for p in wanted.values() for name, _ in p}
    some = functions["newton"]
    arguments = [ca.SX.sym(f"argument{i}", some.numel_in(i)) for i in range(len(POINT))]
    taken = list(range(len(POINT)))
    merged = program({name: (f, taken) for name, f in functions.items()}, arguments)
    names = [f"arg[{i}]" for i in taken]
    texts = [
        statements(
            merged,
            f"mb_lane_{name}",
            names,
            [merged.results[of][k] for of, k in parts],
            {},
            dialect=LANES,
        )
        for name, parts in wanted.items()
    ]
    return "\n".join(
        [
            *_lookups(merged.lookups),
            "typedef void (*mb_lane_function)(const mb_lane **, mb_lane **, mb_lane *);",
            "#undef D",
            "#define D const mb_lane",
            *(text.source for text in texts),
            f"#define MB_LANE_WORK {max(text.work for text in texts)}",
        ]
    )


def _lookups(lookups: Sequence[Lookup]) -> list[str]:
    """Return what looks up in the data of the functions for one instance; nothing without data."""
    return [declarations(lookups), '#include "mb_lane_lookup.h"'] if lookups else []


def in_lanes(equations: Equations, vectors: Vectors) -> str:
    """Write the functions of equations in lanes, and the steps of batches.

    Parameters
    ----------
    equations : Equations
        The equations.
    vectors : Vectors
        How many lanes there are, by which instructions.
    """
    begin, end = instructions(vectors.target)
    return "\n".join(
        [
            f"#define MB_LANES {vectors.lanes}",
            begin,
            '#include "mb_lane_functions.h"',
            lane_functions(equations),
            '#include "mb_batch_steps.h"',
            end,
            "",
        ]
    )
