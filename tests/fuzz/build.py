"""Build the fuzzer of a model: runtime, generated C and drawn calls as one executable."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fmpy

from mbcore.cli.definitions import definitions
from mbcore.codegen.c_model import generate
from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS, WHOLE
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing.compiler import FACES, Compiler
from mbcore.fmi.packing.sources import compiled, parts_of

HERE = Path(__file__).parent
MODELS = tuple(definitions())
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
    own = sorted([*FACES.glob("*.c"), *HERE.glob("*.c")])
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
    """Compile a model with its runtime, as in FMUs; its functions with fewer checks."""
    component = importlib.import_module(f"mbcore.fmus.{name}").component()
    model = generate(component.equations, variables(component))
    own = folder / f"{name}.files"
    own.mkdir(exist_ok=True)
    files = parts_of(model)
    for file, text in files.items():
        (own / file).write_text(text)
    objects = []
    for file in compiled(files):
        objects.append(own / f"{file}.o")
        plain = file != WHOLE and SANITIZERS[0] in checked
        options = ("-O1", "-fsanitize=address") if plain else checked
        compiler.run(*flags, *options, "-c", own / file, "-o", objects[-1])
    program = folder / name
    compiler.run(*checked, *shared, *objects, "-o", program, "-lm", "-pthread")
    return program


def _includes(folder: Path) -> list[str]:
    places = (*ROOMS, folder, Path(fmpy.__file__).parent / "c-code")
    return [f"-I{place}" for place in places]
