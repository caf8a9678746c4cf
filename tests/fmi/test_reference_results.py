"""Reference results inside FMUs, and whose they are."""

from __future__ import annotations

import zipfile
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import ModelError, ModelWarning
from mbcore.fmi import Component
from mbcore.fmi.component import Experiment
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing.related import FOLDER
from mbcore.fmi.running.reference import reference_results
from mbcore.fmus import caster
from tests.conftest import Archives, equations_of
from tests.shipped import component_of

SPACE = "{http://fmi-standard.org/fmi-ls-manifest}"


def test_the_layered_standard_s_manifest_names_the_files(archives: Archives, version: str) -> None:
    with zipfile.ZipFile(archives["caster", version].path) as archive:
        manifest = ElementTree.fromstring(archive.read(f"{FOLDER}/fmi-ls-manifest.xml"))
        names = archive.namelist()
    assert manifest.tag == "fmiReferences"
    assert manifest.get(f"{SPACE}fmi-ls-name") == "org.fmi-standard.fmi-ls-ref"
    assert {f"{SPACE}fmi-ls-version", f"{SPACE}fmi-ls-description"} < set(manifest.attrib)
    roles = {related.get("role"): related.get("source") for related in manifest}
    assert roles == {"result": "caster_out.csv", "testcase": "caster_in.csv"}
    assert {f"{FOLDER}/{source}" for source in roles.values()} < set(names)


def test_results_are_those_of_another_integrator(
    archives: Archives, version: str, cvode: None
) -> None:
    """Model Exchange with CVODE gives them within the tolerances."""
    fmu = archives["caster", version]
    with zipfile.ZipFile(fmu.path) as archive:
        table = np.genfromtxt(
            BytesIO(archive.read(f"{FOLDER}/caster_out.csv")), delimiter=",", names=True,
            deletechars="",
        )  # fmt: skip
        inputs = archive.read(f"{FOLDER}/caster_in.csv").decode().splitlines()
    experiment = fmu.description.defaultExperiment
    stop = float(experiment.stopTime)
    np.testing.assert_allclose(table["time"], np.linspace(0, stop, 201), rtol=1e-9)
    assert inputs[0].split(",")[1:] == [
        v.name for v in fmu.variables.values() if v.causality == "input"
    ]
    outputs = list(table.dtype.names[1:])
    assert outputs == [v.name for v in fmu.variables.values() if v.causality == "output"]
    run = simulate_fmu(
        str(fmu.path), fmi_type="ModelExchange", output=outputs, relative_tolerance=1e-9,
        output_interval=stop / 200, record_events=False,
    )  # fmt: skip
    for name in outputs:
        scale = np.abs(run[name]).max()
        np.testing.assert_allclose(table[name], run[name], rtol=0, atol=1e-3 * scale, err_msg=name)


def test_a_default_experiment_that_fails_is_told() -> None:
    component = component_of(caster)
    with pytest.warns(ModelWarning, match="caster has no reference results, .* failed: "):
        assert reference_results("caster", {}, Experiment(), variables(component)) == []


def test_model_descriptions_tell_whose_they_are(archives: Archives, version: str) -> None:
    described = archives["vehicle", version].description
    assert described.author == "The mbcore authors"
    assert described.version == "1.0.0"
    assert described.copyright == "Copyright (c) 2026 The mbcore authors"
    assert described.license == "MIT"
    equations = equations_of(caster.model)
    with pytest.raises(ModelError, match="author = 3; give a text"):
        Component("caster", "", equations, author=3)  # type: ignore[arg-type]
