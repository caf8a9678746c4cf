"""The sources inside FMUs: importers compile them, also several models into one program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.build import build_platform_binary
from fmpy.model_description import ModelDescription, ScalarVariable

from mbcore.fmi import export
from mbcore.fmi.packing.compiler import find_compiler, fmi_headers
from mbcore.fmi.packing.sources import FMI_HEADERS
from mbcore.fmi.packing.toolchains import toolchains
from tests.conftest import VERSIONS, Archives
from tests.objects import keeping
from tests.shipped import SHIPPED

EXPERIMENT = Path(__file__).parents[1] / "importers" / "hosts" / "experiment.c"


def extracted(archives: Archives, name: str, version: str, folder: Path) -> Path:
    """Extract an FMU without its binaries."""
    with zipfile.ZipFile(archives[name, version].path) as archive:
        archive.extractall(folder, [n for n in archive.namelist() if "binaries" not in n])
    return folder


def listed(folder: Path) -> list[str]:
    """Return the sources that the FMU tells importers to compile."""
    described = fmpy.read_model_description(folder)
    return described.buildConfigurations[0].sourceFileSets[0].sourceFiles


@pytest.mark.parametrize("version", VERSIONS)
def test_all_files_are_listed_and_include_nothing_from_elsewhere(
    archives: Archives, version: str, tmp_path: Path
) -> None:
    sources = extracted(archives, "vehicle", version, tmp_path) / "sources"
    files = {str(file.relative_to(sources)) for file in sources.rglob("*.[ch]")}
    assert {file for file in files if file.endswith(".c")} == set(listed(tmp_path))
    other = "3" if version == "2.0" else "2"
    assert not any(f"fmi{other}" in file for file in files)
    for file in files:
        for name in re.findall(r'^#include "(.*)"', (sources / file).read_text(), re.M):
            assert {name, f"{FMI_HEADERS}/{name}"} & files, f"{file} includes {name}"
    folded = [file.lower() for file in files]
    assert len(set(folded)) == len(folded)  # some file systems take no notice of case


@pytest.mark.heavy
@pytest.mark.parametrize("version", VERSIONS)
def test_fmpy_compiles_and_runs_them(archives: Archives, version: str, tmp_path: Path) -> None:
    if not shutil.which("cmake"):
        pytest.skip("FMPy compiles with cmake, which is not installed")
    folder = extracted(archives, "caster", version, tmp_path / "caster")
    build_platform_binary(folder, cmake_options={"CMAKE_C_FLAGS:STRING": "-Wall -Werror"})
    outputs = [v.name for v in archives["caster", version].variables.values()]
    runs = [
        fmpy.simulate_fmu(str(run), stop_time=10.0, output_interval=0.1, output=outputs)
        for run in (folder, archives["caster", version].path)
    ]
    for name in outputs:
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=1e-9, atol=1e-12)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["vehicle", "caster", "clearance_joint"])
def test_runtime_with_the_tables_of_its_model_gives_the_same_bytes(
    archives: Archives, name: str, tmp_path: Path
) -> None:
    # the other FMUs of these tests share a runtime that knows no model; one's own takes 2 to 5 s
    with toolchains() as tools:
        assert not any(tool.has_runtime for tool in tools)
        [own] = export(SHIPPED[name].component, tmp_path, "3.0", tools=tools)
    shared = archives[name, "3.0"]
    experiment = shared.description.defaultExperiment
    stop = float(experiment.stopTime) / 10
    outputs = [v.name for v in real_outputs(shared.description)]
    for method in (1, 2, 3):
        settings = {"solver.method": method}
        runs = [
            fmpy.simulate_fmu(str(path), stop_time=stop, start_values=settings, output=outputs)
            for path in (own, shared.path)
        ]
        assert runs[0].tobytes() == runs[1].tobytes(), method


def real_outputs(described: ModelDescription) -> list[ScalarVariable]:
    return [v for v in described.modelVariables if v.causality == "output" and v.type == "Float64"]


def run_command(*words: object, **variables: str) -> str:
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False,
        env=os.environ | variables,
    )  # fmt: skip
    assert done.returncode == 0, f"{words[0]}: {done.stderr[-3000:]}"
    return done.stdout


def numbers(printed: str) -> np.ndarray:
    return np.array([[float(word) for word in line.split()] for line in printed.splitlines()])


def build_one_program(folders: Mapping[str, Path], program: Path, *options: str) -> None:
    """Link the sources of several FMUs and the experiments on them into one program."""
    objects: list[Path] = []
    compiler = keeping(find_compiler())
    for name, folder in folders.items():
        sources = folder / "sources"
        prefix = f"-DFMI3_FUNCTION_PREFIX={name}_"
        files = [sources / file for file in listed(folder)]
        for file in [*files, EXPERIMENT]:
            target = folder / f"{file.stem}.o"
            own = ("-DLINKED", f"-DMAIN=run_{name}") if file == EXPERIMENT else ()
            compiler.run(
                "-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", *options, prefix,
                *own, f"-I{sources}", f"-I{sources / FMI_HEADERS}", "-c", file, "-o", target,
            )  # fmt: skip
            objects.append(target)
    declared = "".join(f"int run_{name}(int count, char **words);\n" for name in folders)
    chosen = "".join(
        f'    if (!strcmp(words[1], "{n}")) return run_{n}(n, words);\n' for n in folders
    )
    main = program.with_suffix(".c")
    main.write_text(
        f"#include <string.h>\n{declared}"
        f"int main(int n, char **words)\n{{\n{chosen}    return 2;\n}}\n"
    )
    compiler.run(*options, main, *objects, "-o", program, "-lm")


@pytest.mark.heavy
def test_two_models_are_linked_into_one_program(archives: Archives, tmp_path: Path) -> None:
    """Two runtimes, each with the tables of its model, take ten seconds under sanitizers."""
    names = ("vehicle", "clearance_joint")
    folders = {name: extracted(archives, name, "3.0", tmp_path / name) for name in names}
    program = tmp_path / "program"
    build_one_program(folders, program, "-fsanitize=address,undefined", "-fno-sanitize-recover")
    for name, (stop, step) in zip(names, ((0.5, 0.05), (1e-3, 1e-4)), strict=True):
        described = archives[name, "3.0"].description
        outputs = real_outputs(described)
        references = ",".join(str(v.valueReference) for v in outputs)
        token = described.instantiationToken
        own = numbers(run_command(program, name, token, references, stop, step))
        expected = fmpy.simulate_fmu(
            str(archives[name, "3.0"].path), stop_time=stop, output_interval=step,
            output=[v.name for v in outputs],
        )  # fmt: skip
        assert own.shape == (11, 1 + len(outputs))
        for column, output in zip(own.T[1:], outputs, strict=True):
            np.testing.assert_allclose(
                column, expected[output.name], rtol=1e-9, atol=1e-9, err_msg=output.name
            )


@pytest.mark.heavy
def test_nothing_that_an_fmu_shares_has_another_models_name(
    archives: Archives, tmp_path: Path
) -> None:
    if not shutil.which("nm"):
        pytest.skip("nm is not installed to list the symbols")
    folder = extracted(archives, "vehicle", "2.0", tmp_path)
    sources = folder / "sources"
    compiler = keeping(find_compiler())
    for file in listed(folder):
        target = tmp_path / f"{Path(file).stem}.o"
        compiler.run(f"-I{sources}", f"-I{fmi_headers()}", "-c", sources / file, "-o", target)
    symbols = run_command("nm", "-g", "--defined-only", "-P", *tmp_path.glob("*.o"))
    names = [line.split()[0] for line in symbols.splitlines() if not line.endswith(":")]
    assert "vehicle_mb_generated_model" in names
    # FMPy's header of FMI 2.0 builds shared libraries only: its functions keep their names
    assert [n for n in names if not n.startswith(("vehicle_mb_", "fmi2"))] == []
