"""A generated model, the runtime and FMI 3.0's functions -> WebAssembly, with ziglang.

Used by `mbcore.page.write` alone; it stands apart because it compiles, and writes no page.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import casadi as ca

from mbcore.codegen.compiler import LONGEST, find_cross_compiler
from mbcore.codegen.headers import write_headers
from mbcore.codegen.libraries import IN_PIECES, compile_files, compile_model
from mbcore.codegen.platforms import Platform
from mbcore.codegen.program import program
from mbcore.codegen.runtime import ROOMS, runtime_files
from mbcore.codegen.statements import statements
from mbcore.equations.functions import POINT
from mbcore.fmi.packing.compiler import FACES, fmi_headers
from mbcore.host.workspace import workspace

WEBASSEMBLY = Platform("wasm32-wasi", "wasm32-wasi", ".wasm", "wasm32-wasi")
OWN = Path(__file__).parent / "c"
"""Folder of the page's own C."""
EXPORTED = (
    "malloc",
    "mb_page_instantiate",
    "mb_page_move",
    "mb_page_scene",
    "mb_page_scene_size",
    "fmi3DoStep",
    "fmi3EnterInitializationMode",
    "fmi3ExitInitializationMode",
    "fmi3FreeInstance",
    "fmi3GetBoolean",
    "fmi3GetFloat64",
    "fmi3GetInt32",
    "fmi3GetInt64",
    "fmi3Reset",
    "fmi3SetBoolean",
    "fmi3SetFloat64",
    "fmi3SetInt32",
    "fmi3SetInt64",
)
"""Functions that the page calls."""


def compile_page(name: str, model: str, scene: str, timeout: float = LONGEST) -> bytes:
    """Compile a model with its runtime for a page; return the WebAssembly module.

    Parameters
    ----------
    name : str
        Of the model, for the compiler's messages.
    model : str
        The generated model.
    scene : str
        From `scene_source`.
    timeout : float
        Seconds that one call of the compiler may take.

    Raises
    ------
    CompilerError
        ziglang is missing, or it fails.
    """
    compiler = find_cross_compiler(WEBASSEMBLY, timeout)
    in_pieces = replace(compiler, command=(*compiler.command, IN_PIECES))
    with workspace() as written:
        folder = Path(written)
        places = (*ROOMS, write_headers(folder), fmi_headers())
        faces = sorted([*FACES.glob("mb_fmi3*.c"), *OWN.glob("*.c")])
        objects = [
            *compile_files(compiler, [*runtime_files("*.c"), *faces], places, folder),
            compile_model(in_pieces, model, name, places, folder),
            compile_model(in_pieces, scene, f"{name}_scene", places, folder),
        ]
        module = folder / f"{name}.wasm"
        exported = [f"-Wl,--export={function}" for function in EXPORTED]
        compiler.run("-mexec-model=reactor", "-s", *exported, *objects, "-o", module, "-lm")
        return module.read_bytes()


def scene_source(function: ca.Function | None) -> str:
    """Return C that evaluates a scene.

    Parameters
    ----------
    function : casadi.Function, optional
        The scene's numbers by (t, s, d, u, p, x), shape (n, 1), as `Scene.function`; a scene of
        no numbers where absent.
    """
    head = ["#include <math.h>", "#define D const double"]
    size, work, pieces = 0, 0, []
    call = "(void)arg, (void)numbers;"
    if function is not None:
        arguments = [ca.SX.sym(name, function.numel_in(i)) for i, name in enumerate(POINT)]
        merged = program({"scene": (function, range(len(POINT)))}, arguments)
        names = [f"arg[{i}]" for i in range(len(POINT))]
        text = statements(merged, "mb_scene_numbers", names, merged.results["scene"], {})
        size, work, pieces = int(function.numel_out(0)), text.work, [text.source]
        call = f"static double w[{max(1, work)}]; mb_scene_numbers(arg, &numbers, w);"
    return "\n".join(
        [
            *head,
            *pieces,
            f"const int mb_scene_size = {size};",
            "void mb_scene(const double **arg, double *numbers);",
            f"void mb_scene(const double **arg, double *numbers) {{ {call} }}",
            "",
        ]
    )
