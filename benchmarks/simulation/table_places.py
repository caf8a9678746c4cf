"""Outputs of a model at many values of its input: in lanes, in FMUs and in a page's WebAssembly.

Used by `benchmarks.simulation.tables` alone; it stands apart because it knows how each is run. The
page's module runs in node, by the page's own calls.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mbcore import simulate_many
from mbcore.codegen.c_model import generate
from mbcore.equations.equations import Equations
from mbcore.fmi import export
from mbcore.fmi.component import as_component
from mbcore.fmi.description.variables import variables
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.page.webassembly import compile_page, scene_source
from mbcore.page.write import ASSETS

_MOMENT = 1e-3
"""End of the runs in lanes, s; their first row is read."""
_HOST = """
import { readFileSync, writeFileSync } from "node:fs";
import { Fmu } from "./fmu.mjs";
const { at, input, outputs } = JSON.parse(readFileSync("asked.json"));
const fmu = new Fmu(new WebAssembly.Module(readFileSync("model.wasm")), () => {});
const real = (reference) => ({ reference, type: "real" });
if (!fmu.initialize(0)) throw new Error("not initialized");
const found = at.map((value) => {
  if (!fmu.set(real(input), value)) throw new Error(`${value} is refused`);
  return outputs.map((reference) => fmu.get(real(reference)));
});
writeFileSync("found.json", JSON.stringify(found));
"""


def everywhere(
    equations: Equations, given: str, at: np.ndarray, wanted: Sequence[str], folder: Path
) -> dict[str, np.ndarray]:
    """Return outputs, a row for each value of an input, by what evaluates them."""
    run = simulate_many(
        equations, _MOMENT, inputs={given: at}, outputs=list(wanted), samples=[0.0, _MOMENT]
    )
    found = {"lanes": np.column_stack([run[name].values[:, 0] for name in wanted])}
    for path in export(equations, folder, sources=False):
        found[path.parent.name] = _in_fmu(path, given, at, wanted)
    return found | {"page": _in_page(equations, given, at, wanted, folder)}


def _in_fmu(path: Path, given: str, at: np.ndarray, wanted: Sequence[str]) -> np.ndarray:
    rows = []
    with CoSimulation(path) as fmu:
        for value in at:
            fmu.set({given: float(value)})
            rows.append(fmu.get(wanted))
    return np.array(rows)


def _in_page(
    equations: Equations, given: str, at: np.ndarray, wanted: Sequence[str], folder: Path
) -> np.ndarray:
    rows = variables(as_component(equations))
    source = generate(equations, rows).source
    (folder / "model.wasm").write_bytes(compile_page("places", source, scene_source(None)))
    (folder / "fmu.mjs").write_text((ASSETS / "fmu.js").read_text("utf-8"), "utf-8")
    (folder / "host.mjs").write_text(_HOST)
    input_, *outputs = (rows.named(name).reference for name in (given, *wanted))
    asked = {"at": at.tolist(), "input": input_, "outputs": outputs}
    (folder / "asked.json").write_text(json.dumps(asked))
    subprocess.run(["node", "host.mjs"], cwd=folder, check=True)
    return np.array(json.loads((folder / "found.json").read_text()))
