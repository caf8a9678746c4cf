"""Build the fuzzer of a model: runtime, generated C and drawn calls as one executable."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fmpy

from mbcore.codegen.c_model import generate
from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS, runtime_files
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing.compiler import FACES, Compiler

HERE = Path(__file__).parent
MODELS = (
    "vehicle",
    "vehicle_grip",
    "bicycle",
    "caster",
    "clearance_joint",
    "journal_bearing",
    "rolling_disk",
    "caster_flexible",
    "iltis",
    "car",
)
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
THREADS = ("-O1", "-fsanitize=thread", "-g")
FLAGS = ("-std=gnu99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")


def build(
    compiler: Compiler,
    models: Iterable[str],
    folder: Path,
    sanitized: bool = True,
    threads: bool = False,
) -> dict[str, Path]:
    """Compile the fuzzer of each model; return the programs by the models' names.

    ``sanitized`` for faults of memory and of arithmetic, or of ``threads``.
    """
    write_headers(folder)
    flags = [*FLAGS, *_includes(folder)]
    own = [*runtime_files("*.c"), *sorted([*FACES.glob("*.c"), *HERE.glob("*.c")])]
    checked = ("-O1", *SANITIZERS) if sanitized else ("-O2", "-g")
    checked = THREADS if threads else checked

    def compile_one(source: Path) -> Path:
        target = folder / f"{source.stem}.o"
        compiler.run(*flags, *checked, "-c", source, "-o", target)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        shared = list(pool.map(compile_one, own))
    return {name: _link(compiler, name, folder, flags, checked, shared) for name in models}


def _link(
    compiler: Compiler,
    name: str,
    folder: Path,
    flags: Sequence[str],
    checked: Sequence[str],
    shared: Sequence[Path],
) -> Path:
    """Compile a model and link it; a long one without checks of its arithmetic."""
    component = importlib.import_module(f"mbcore.fmus.{name}").component()
    rows = variables(component)
    source = folder / f"{name}.model.c"
    source.write_text(generate(component.equations, rows).source)
    target, program = source.with_suffix(".o"), folder / name
    options = ("-O1", "-fsanitize=address") if SANITIZERS[0] in checked else checked
    compiler.run(*flags, *options, "-c", source, "-o", target)
    compiler.run(*checked, *shared, target, "-o", program, "-lm", "-pthread")
    return program


def _includes(folder: Path) -> list[str]:
    places = (*ROOMS, folder, Path(fmpy.__file__).parent / "c-code")
    return [f"-I{place}" for place in places]
