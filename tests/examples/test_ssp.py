"""A package of vehicle and driver: what is in the archive, and two importers beside equations."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from fmpy.ssp.ssd import read_ssd, read_ssv

from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.controllers import fmu_ssp, path_driver
from tests.conftest import Tools


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> tuple[Path, Path]:
    return fmu_ssp.packages(tmp_path_factory.mktemp("packages"), tools)


@pytest.fixture(scope="module")
def record(packages: tuple[Path, Path]) -> fmu_ssp.Record:
    return fmu_ssp.run(packages)


def test_driver_obeys_the_law_differentiated_by_hand() -> None:
    place = {"chassis.x": 31.0, "chassis.y": 0.7, "chassis.yaw": 0.2, "chassis.speed": 13.0}
    point = Evaluation(path_driver.model().equations(), inputs=place)
    point.start({"distance.behind": 0.4})
    outputs = dict(zip((o.name for o in point.equations.outputs), point.output(), strict=True))
    steer, force, error = fmu_ssp.law(31.0, 0.7, 0.2, 13.0, 0.4)
    assert outputs["steer.angle"] == pytest.approx(steer, rel=1e-12)
    assert outputs["drive.force"] == pytest.approx(force, rel=1e-12)
    assert outputs["path.error"] == pytest.approx(error, rel=1e-12)


@pytest.mark.heavy
def test_packages_meet_the_system_solved_as_one(record: fmu_ssp.Record) -> None:
    for name, size in (("chassis.x", 0.02), ("chassis.y", 0.04), ("chassis.speed", 0.02)):
        coarse, fine, extrapolated = (
            np.abs(record.error(name, which)).max() for which in ("coarse", "fine", "extrapolated")
        )
        assert coarse < size
        # first order: half the step, half the error, and what is left of it of second order
        assert coarse / fine == pytest.approx(2.0, abs=0.06)
        assert extrapolated < coarse / 15
    # it is the drive that was meant
    assert record.coarse["chassis.y"].max() > 3.3
    assert np.abs(record.coarse["path.error"][-1]) < 2e-3
    assert record.coarse["chassis.speed"][-1] == pytest.approx(15.0, abs=0.02)


@pytest.mark.heavy
def test_fmpys_importer_forgets_its_first_step(record: fmu_ssp.Record) -> None:
    ours, theirs = record.fine, record.fmpy
    np.testing.assert_allclose(theirs["time"], ours["time"][1:], rtol=1e-9)
    apart = theirs["chassis.speed"] - ours["chassis.speed"][1:]
    # it believes to stand still for a step: 2 (15 - 0) h instead of 2 (15 - 14) h, one step late
    assert apart.max() == pytest.approx((30 - 2 * 2) * 0.005, rel=0.02)
    assert abs(theirs["chassis.y"][-1] - ours["chassis.y"][-1]) < 1e-4
    assert abs(apart[-1]) < 1e-3


@pytest.mark.heavy
def test_components_of_fmi_2_go_the_same_way(packages: tuple[Path, Path]) -> None:
    new, old = (fmu_ssp.drive(package, 2.0, 0.01) for package in packages)
    assert old.keys() == new.keys() and np.abs(new["chassis.y"]).max() > 0.1
    for name in new:
        np.testing.assert_allclose(old[name], new[name], rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.heavy
def test_package_says_what_the_standard_asks(packages: tuple[Path, Path]) -> None:
    _, old = packages
    described = read_ssd(str(old))  # checks it against the schema
    assert [part.name for part in described.system.elements] == ["vehicle", "driver"]
    with zipfile.ZipFile(old) as archive:
        assert {"resources/vehicle.fmu", "resources/driver.fmu"} <= set(archive.namelist())
        root = Xml.fromstring(archive.read("SystemStructure.ssd"))
    space = "{http://ssp-standard.org/SSP1/SystemStructure"
    units = {unit.get("name") for unit in root.iter(f"{space}Common}}Unit")}
    used = {real.get("unit") for real in root.iter(f"{space}Common}}Real")} - {None}
    assert used == {"m", "rad", "m/s", "N", "1"}
    assert used <= units
    kinds = {
        (part.name, connector.name): connector.kind
        for part in described.system.elements
        for connector in part.connectors
    }
    for wire in described.system.connections:
        if wire.endElement is not None:
            assert kinds[wire.startElement, wire.startConnector] == "output"
            assert kinds[wire.endElement, wire.endConnector] == "input"
    values = read_ssv(str(old), fmu_ssp.PARAMETERS).parameters
    start_values = {p.name: float(p.value) for p in values}
    assert start_values["vehicle.chassis.speed"] == 14.0
