"""The C hosts beside this file: every mode, call by call, without any importer's library."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import fmpy

from .client import CS, Client, Lacks, Run, Values

HOSTS = Path(__file__).parent / "hosts"


def run(run: Run) -> Values:
    """Run the host of this version on the FMU; its exit status says whether all was right."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    if not compiler or os.name == "nt":
        raise Lacks("no compiler, or no dlopen")
    description = fmpy.read_model_description(str(run.archive))
    with tempfile.TemporaryDirectory() as base:
        host, headers = Path(base) / "host", Path(fmpy.__file__).parent / "c-code"
        source = HOSTS / f"fmi{run.fmi}_host.c"
        line = [compiler, "-O1", f"-I{headers}", str(source), "-o", str(host), "-ldl", "-lm"]
        subprocess.run(line, check=True)
        folder = Path(fmpy.extract(str(run.archive), str(Path(base) / "fmu")))
        platform = fmpy.platform if run.fmi == "2" else fmpy.platform_tuple
        library = folder / "binaries" / platform / description.modelName
        variables = 1 + max(v.valueReference for v in description.modelVariables)
        arguments = [
            str(library) + fmpy.sharedLibraryExtension, description.guid,
            str(variables), str(len(description.derivatives)),
            str(description.numberOfEventIndicators), str(run.case.step),
        ]  # fmt: skip
        done = subprocess.run([host, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr.strip()[-300:]
    return {}


CLIENT = Client("C hosts", "", (("2", CS), ("3", CS)), run)
