"""Build the fuzzer of a model: runtime, generated C and drawn calls as one executable."""

from __future__ import annotations

import importlib
import os
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fmpy

from mbcore.cli.definitions import definitions
from mbcore.codegen.c_model import generate
from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS, TABLES, WHOLE, runtime_files
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing.compiler import FACES, Compiler
from mbcore.fmi.packing.sources import DERIVATIVES, MODEL, compiled, parts_of

HERE = Path(__file__).parent
MODELS = tuple(definitions())
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
THREADS = ("-O1", "-fsanitize=thread", "-g")
PARTS = (MODEL, DERIVATIVES, WHOLE, TABLES)
RENAMED = '#include "mb_names.h"\n'
"""What C files in an FMU begin with."""
FLAGS = ("-std=gnu99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")


def written(name: str) -> dict[str, str]:
    """Return the C files that a model of the library is compiled of, by their names."""
    component = importlib.import_module(f"mbcore.fmus.{name}").component()
    return parts_of(generate(component.equations, variables(component)))


def packed(fmu: Path) -> dict[str, str]:
    """Return the same from the sources of an FMU, under the names they have where it is alone."""
    with zipfile.ZipFile(fmu) as archive:
        texts = {name: archive.read(f"sources/{name}").decode() for name in PARTS}
    return {name: text.removeprefix(RENAMED) for name, text in texts.items()}


def build(
    compiler: Compiler,
    models: Iterable[str],
    folder: Path,
    sanitized: bool = True,
    threads: bool = False,
    whole: Collection[str] = MODELS,
    parts: Callable[[str], Mapping[str, str]] = written,
) -> dict[str, Path]:
    """Compile the fuzzer of each model; return the programs by the models' names.

    ``sanitized`` for faults of memory and of arithmetic, or of ``threads``. The runtime is compiled
    with the tables of each model that is in ``whole``, as in FMUs, and once for all others: that
    takes two thirds of the time. ``parts`` gives the C files of a model.
    """
    models = tuple(models)
    write_headers(folder)
    flags = [*FLAGS, *_includes(folder)]
    own = sorted([*FACES.glob("*.c"), *HERE.glob("*.c")])
    alone = [] if set(models) <= set(whole) else runtime_files("*.c")
    checked = ("-O1", *SANITIZERS) if sanitized else ("-O2", "-g")
    checked = THREADS if threads else checked

    def compile_one(source: Path) -> Path:
        target = folder / f"{source.stem}.o"
        compiler.run(*flags, *checked, "-c", source, "-o", target)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        shared, runtime = (list(pool.map(compile_one, files)) for files in (own, alone))

    def link(name: str) -> Path:
        files = dict(parts(name))
        if name not in whole:
            files[WHOLE] = f'#include "{TABLES}"\n'
        folder_of = folder / f"{name}.files"
        objects = _compile_model(compiler, files, folder_of, flags, checked)
        others = [*shared, *(() if name in whole else runtime)]
        program = folder / name
        compiler.run(*checked, *others, *objects, "-o", program, "-lm", "-pthread")
        return program

    return {name: link(name) for name in models}


def _compile_model(
    compiler: Compiler,
    files: dict[str, str],
    folder: Path,
    flags: Sequence[str],
    checked: Sequence[str],
) -> list[Path]:
    """Compile the files of a model, its functions with fewer checks; return the objects."""
    folder.mkdir(exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text)
    objects = []
    for file in compiled(files):
        objects.append(folder / f"{file}.o")
        plain = file != WHOLE and SANITIZERS[0] in checked
        options = ("-O1", "-fsanitize=address") if plain else checked
        compiler.run(*flags, *options, "-c", folder / file, "-o", objects[-1])
    return objects


def _includes(folder: Path) -> list[str]:
    places = (*ROOMS, folder, Path(fmpy.__file__).parent / "c-code")
    return [f"-I{place}" for place in places]
