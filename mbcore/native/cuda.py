"""Equations as CUDA C: many instances on a graphics processor, each in a thread of its own."""

from __future__ import annotations

import re

from mbcore.codegen.headers import tolerances_header
from mbcore.codegen.lanes import lane_functions
from mbcore.codegen.model_source.sizes import counts
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equations.functions import POWER
from mbcore.integrators.methods.classical import TABLEAU
from mbcore.model.errors import ModelError
from mbcore.native.sources import OWN

FLAGS = ("-fmad=false",)
"""For NVIDIA's compilers: without fused operations, as on a processor."""


def cuda_source(equations: Equations) -> str:
    """Return the equations as one text in CUDA C, with a kernel that steps many instances.

    The functions are those that `mbcore.simulate_many` evaluates in vectors. The kernel
    ``mb_steps`` makes equal steps of the classical Runge-Kutta method; its arguments are explained
    where it is defined, near the end of the text. NVRTC, nvcc and Clang compile it as CUDA, any C
    compiler for a processor. An instance that meets an event or a singular configuration stops
    before that step, and the kernel says so.

    Parameters
    ----------
    equations : Equations
        The equations.

    Raises
    ------
    ModelError
        If they are superposed ones, whose nominal motion is not in the functions.
    """
    checked_equations("cuda_source", equations)
    if equations.superposed:
        raise ModelError(
            f"{equations.name}: superposed equations are not written as CUDA; "
            "give those of the model"
        )
    sizes = counts(equations)
    macros = {name: sizes[name] for name in ("ns", "nd", "nu", "np", "nx", "ni", "nr", "ne", "nq")}
    macros["limits"] = len(equations.followed)
    bands = [repr(event.band) for event in equations.events]
    always = [str(int(not requirement.start)) for requirement in equations.requirements]
    stages = TABLEAU.stages
    rows = [(), *TABLEAU.a, TABLEAU.b]
    weights = [repr(float(w)) for row in rows for w in (*row, *[0] * (stages - len(row)))]
    places = [repr(float(c)) for c in (*TABLEAU.c, 1)]
    macros["step_stages"] = stages
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
            _table("double", "mb_step_weight", weights),
            _table("double", "mb_step_place", places),
            (OWN / "batch" / "mb_cuda_steps.h").read_text(),
        ]
    )


def _table(kind: str, name: str, values: list[str]) -> str:
    """Return a function that gives the values by their places."""
    cases = "".join(f" case {place}: return {value};" for place, value in enumerate(values))
    return (
        f"MB_DEVICE {kind} {name}(int place) {{ switch (place) {{{cases} default: return 0; }} }}"
    )
