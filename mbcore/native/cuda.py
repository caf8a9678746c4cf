"""Equations as CUDA C: many instances on a graphics processor, each in a thread of its own."""

from __future__ import annotations

import re

from mbcore.codegen.headers import tolerances_header
from mbcore.codegen.lanes import lane_functions
from mbcore.codegen.model_source.sizes import counts
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equations.functions import POWER
from mbcore.integrators.table import method_named
from mbcore.integrators.tableau import Tableau
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.tables.lookup import is_lookup
from mbcore.native.sources import OWN

FLAGS = ("-fmad=false",)
"""For NVIDIA's compilers: without fused operations, as on a processor."""


@explains_arguments
def cuda_source(equations: Equations, method: str = "classical") -> str:
    """Return the equations as one text in CUDA C, with a kernel that steps many instances.

    The functions are those that `mbcore.simulate_many` evaluates in vectors. The kernel
    ``mb_steps`` makes equal steps; its arguments are explained where it is defined, near the end of
    the text. NVRTC, nvcc and Clang compile it as CUDA, any C
    compiler for a processor. An instance that meets an event or a singular configuration stops
    before that step, and the kernel says so.

    Parameters
    ----------
    equations : Equations
        The equations.
    method : str
        An explicit Runge-Kutta method of equal steps, one's own as well.

    Raises
    ------
    ModelError
        If they are superposed ones, whose nominal motion is not in the functions, they look up in
        tables, or the method is none of these.
    """
    checked_equations("cuda_source", equations)
    if equations.superposed:
        raise ModelError(
            f"{equations.name}: superposed equations are not written as CUDA; "
            "give those of the model"
        )
    used = equations.functions["derivative"], equations.functions["newton"]
    if any(map(is_lookup, (called for function in used for called in function.find_functions()))):
        raise ModelError(
            f"{equations.name}: tables are not written as CUDA; simulate_many evaluates them in "
            "vectors of this processor"
        )
    tableau = method_named(method).tableau
    if tableau is None or tableau.errors:
        raise ModelError(
            f"method {method} has no equal steps of a tableau, which cuda_source makes; give "
            '"classical" or a method of your own'
        )
    sizes = counts(equations)
    macros = {name: sizes[name] for name in ("ns", "nd", "nu", "np", "nx", "ni", "nr", "ne", "nq")}
    macros["limits"] = len(equations.followed)
    bands = [repr(event.band) for event in equations.events]
    always = [str(int(not requirement.start)) for requirement in equations.requirements]
    macros["step_stages"] = tableau.stages
    written = lane_functions(equations, POWER)
    functions = re.sub(r"^static ", "MB_DEVICE ", written, flags=re.MULTILINE)
    return "\n".join(
        [
            (OWN / "batch" / "mb_cuda.h").read_text(),
            tolerances_header(),
            functions,
            *(f"#define MB_{name.upper()} {value}" for name, value in macros.items()),
            _table("double", "mb_band", bands),
            _table("int", "mb_required_always", always),
            _steps(tableau),
            (OWN / "batch" / "mb_cuda_steps.h").read_text(),
        ]
    )


def _steps(tableau: Tableau) -> str:
    """Return the weights of all stages and of the end, and their places."""
    rows = [(), *tableau.a, tableau.b]
    weights = [float(w) for row in rows for w in (*row, *[0] * (tableau.stages - len(row)))]
    places = [float(c) for c in (*tableau.c, 1)]
    tables = {"weight": weights, "place": places}
    return "\n".join(
        _table("double", f"mb_step_{name}", [repr(value) for value in values])
        for name, values in tables.items()
    )


def _table(kind: str, name: str, values: list[str]) -> str:
    """Return a function that gives the values by their places."""
    cases = "".join(f" case {place}: return {value};" for place, value in enumerate(values))
    return (
        f"MB_DEVICE {kind} {name}(int place) {{ switch (place) {{{cases} default: return 0; }} }}"
    )
