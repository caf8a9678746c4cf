"""Results that behave: short descriptions, tables for notebooks, a mapping, other libraries."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import casadi as ca
import matplotlib.image
import numpy as np
import pytest

import mbcore
from mbcore import Body, Model, ModelError, Result, linearize, root_locus, simulate, vibration
from mbcore.contact import Impact, unilateral_contact
from mbcore.fmi import Component
from mbcore.fmus import rolling_disk
from mbcore.model import near_names
from mbcore.vibration import (
    Equilibria,
    Steps,
    continuation,
    nominal_motion,
    nominal_range,
    periodic_solution,
)

MOST_LINES, MOST_LETTERS = 12, 1000
MOST_ROWS = 15
NASTY = "a<b>&\"c'"
CROWD = 15
"""Degrees of freedom of a large model, whose description must not grow with them."""


@cache
def oscillator() -> mbcore.Equations:
    """Return m ẍ + c ẋ + k x = F, driven by a support that moves by A sin(ω t)."""
    model = Model("oscillator")
    stiffness = model.parameter("stiffness", 400.0, unit="N/m", positive=True)
    omega = model.parameter("omega", 5.0, unit="rad/s", positive=True)
    force = model.input("force", unit="N", description="pushes to the right")
    mass = model.point("mass", (0.0, 0.0))
    mass.y.fix()
    mass.x.dof("place", "speed")
    model.add(Body("body", mass, mass=4.0))
    support = 0.1 * ca.sin(omega * model.time)
    push = force - stiffness * (mass.position[0] - support) - 8.0 * mass.velocity[0]
    model.force(mass, (push, 0.0))
    model.output("squared", mass.position[0] ** 2, unit="m2", description=NASTY)
    return model.equations()


@cache
def crowd() -> mbcore.Equations:
    """Return many masses on springs."""
    model = Model("crowd")
    for i in range(CROWD):
        mass = model.point(f"a mass with a name as long as names may be, number {i}", (0.0, 0.0))
        mass.y.fix()
        mass.x.dof(f"a place with a name as long as names may be, number {i}").spring(100.0 + i)
        model.add(Body(f"body {i}", mass, mass=1.0))
        model.output(f"output {i}", mass.position[0], unit="m", description="long " * 40)
        model.input(f"input {i}", unit="N")
    return model.equations()


@cache
def ball() -> Result:
    """Return a ball that falls, bounces and rests."""
    model = Model("ball", gravity=(0, -9.81))
    point = model.point("ball", (0, 1))
    point.x.fix()
    point.y.dof("height", "speed")
    model.add(Body("mass", point, mass=0.3))
    unilateral_contact(model, "floor", point.y.value, Impact(restitution=0.5))
    return simulate(model.equations(), until=1.0)


@cache
def hanging() -> mbcore.Equations:
    """Return a mass that hangs on a spring."""
    model = Model("hanging", gravity=(0, -9.81))
    stiffness = model.parameter("stiffness", 10.0, unit="N/m", positive=True)
    mass = model.point("mass", (0.0, 0.0))
    mass.x.fix()
    mass.y.dof("height").spring(stiffness, 1.0)
    model.add(Body("body", mass, mass=1.0))
    return model.equations()


@cache
def everything() -> dict[str, object]:
    """Return an object of each public class of results, small and large ones."""
    disk = rolling_disk.model()
    disk_equations = disk.equations()
    about = linearize(disk_equations, {"disk.pitch_rate": 0.4116, "disk.lean_rate": 0.0})
    turning = mbcore.steady_motion(
        disk_equations, {"disk.lean": 0.3, "disk.pitch_rate": 0.5}, guess={"disk.yaw_rate": -1.0}
    )
    equations = oscillator()
    large = linearize(crowd(), unsteady=True)
    small = linearize(equations, unsteady=True)
    nominal = nominal_motion(equations, 2 * np.pi / 5, samples=16)
    periodic = periodic_solution(equations, 2 * np.pi / 5)
    point = vibration.Shooting(equations, 2 * np.pi / 5)
    guess = point.at(point.unknowns)
    rest = mbcore.equilibrium(crowd(), progress=False)
    branch = continuation(
        Equilibria(hanging()), "stiffness", (10.0, 11.0), progress=False, steps=Steps(points=3)
    )
    return {
        "model": disk,
        "equations": disk_equations,
        "crowd": crowd(),
        "result": simulate(equations, until=1.0),
        "large result": simulate(crowd(), until=0.1, samples=3),
        "ball": ball(),
        "linearization": about,
        "large linearization": large,
        "mode": about.modes()[0],
        "large mode": large.modes()[0],
        "steady motion": turning,
        "assembly": mbcore.assemble(crowd()),
        "equilibrium": rest,
        "root locus": root_locus(small, "stiffness", np.linspace(1, 500, 13)),
        "nominal motion": nominal,
        "periodic solution": periodic,
        "signal": next(iter(periodic.signals.values())),
        "small motion": nominal.periodic(3)["place"],
        "nominal range": nominal_range(equations, "omega", (4.0, 6.0), samples=16),
        "matrices": nominal.matrices,
        "small motions": nominal.small_motions,
        "shooting point": guess,
        "trajectory": guess.trajectory,
        "branch": branch,
        "component": Component("disk", NASTY, disk_equations, documentation="<p>" * 5000),
        "records": crowd().outputs[0],
    }


NAMES = [
    *("model", "equations", "crowd", "result", "large result", "ball", "linearization"),
    *("large linearization", "mode", "large mode", "steady motion", "assembly", "equilibrium"),
    *("root locus", "nominal motion", "periodic solution", "signal", "small motion"),
    *("nominal range", "matrices", "small motions", "shooting point", "trajectory", "branch"),
    *("component", "records"),
]


def test_every_object_is_tried() -> None:
    assert sorted(NAMES) == sorted(everything())


@pytest.mark.parametrize("name", NAMES)
def test_nothing_prints_pages(name: str) -> None:
    text = repr(everything()[name])
    assert len(text) <= MOST_LETTERS
    assert text.count("\n") < MOST_LINES
    assert " at 0x" not in text


@pytest.mark.parametrize("name", [name for name in NAMES if name != "records"])
def test_notebooks_get_small_tables_that_are_well_formed(name: str) -> None:
    root = ElementTree.fromstring(everything()[name]._repr_html_())  # type: ignore[attr-defined]
    assert root.tag == "div"
    for table in root.iter("table"):
        rows = list(table.iter("tr"))
        assert 2 <= len(rows) <= MOST_ROWS
        assert len({len(list(row)) for row in rows}) == 1
        assert all(len("".join(cell.itertext())) <= 80 for row in rows for cell in row)


def cells(shown_object: object, title: str) -> list[list[str]]:
    """Return the texts of a table in a notebook, its head first."""
    root = ElementTree.fromstring(shown_object._repr_html_())  # type: ignore[attr-defined]
    (table,) = [t for t in root.iter("table") if t.findtext("caption") == title]
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_a_model_brings_its_picture() -> None:
    root = ElementTree.fromstring(everything()["model"]._repr_html_())  # type: ignore[attr-defined]
    (picture,) = root.iter("img")
    assert picture.attrib["alt"] == "rolling_disk where its nodes start"
    head, _, data = picture.attrib["src"].partition(",")
    assert head == "data:image/png;base64" and len(data) < 60_000
    image = matplotlib.image.imread(io.BytesIO(base64.b64decode(data)))
    assert len(np.unique(image.reshape(-1, image.shape[-1]), axis=0)) > 20  # not a blank one
    assert "<img" not in Model("nothing yet")._repr_html_()
    clash = Model("<script>alert(1)</script>")
    assert "<script>" not in clash._repr_html_()


def test_names_units_and_values_are_in_the_tables() -> None:
    about = linearize(oscillator(), {"place": 0.25}, unsteady=True)
    assert cells(about, "states")[1:] == [["speed", "m/s", "0"], ["place", "m", "0.25"]]
    assert cells(about, "inputs")[1] == ["force", "N", "0"]
    assert cells(about, "outputs")[1] == ["squared", "m2", NASTY]
    # λ = -1 ± sqrt(1 - 100) i by hand, with the frequency sqrt(99) and the damping ratio 0.1
    assert cells(about, "eigenvalues")[1][:3] == ["-1+9.95i", "9.94987", "0.1"]
    assert "eigenvalues -1 ± 9.95i 1/s" in repr(about)
    head, speed, *_ = cells(simulate(oscillator(), until=1.0), "columns")
    assert head[:4] == ["name", "unit", "first", "last"] and speed[:3] == ["speed", "m/s", "0"]
    floor = cells(ball(), "events")
    assert float(floor[1][0]) == pytest.approx(np.sqrt(2 / 9.81), rel=1e-5)


def test_a_result_is_a_mapping_that_cannot_be_written() -> None:
    run = simulate(oscillator(), until=1.0, samples=11)
    assert isinstance(run, Mapping)
    assert list(run) == ["speed", "place", "force", "squared"]
    assert len(run) == 4 and "place" in run and "places" not in run
    assert run.get("places") is None
    assert list(run.keys()) == list(run)
    assert all(value is run[name] for name, value in run.items())
    assert [*run.values()][1] is run["place"]
    assert list(run.time) == pytest.approx(np.linspace(0, 1, 11))
    assert run == run and run != replace(run) and {run: 1}[run] == 1
    with pytest.raises(TypeError):
        run["place"] = 0.0  # type: ignore[index]


def test_unknown_names_come_with_those_that_are_near() -> None:
    run = simulate(oscillator(), until=1.0, samples=3)
    with pytest.raises(KeyError, match=r"no result 'plaec'; did you mean 'place'\?"):
        run["plaec"]
    with pytest.raises(KeyError, match=r"the time is run\.time"):
        run["time"]
    assert near_names.near("x", ["chassis.x", "front.x", "y"]) == ["chassis.x", "front.x"]
    assert near_names.near("Speed", ["speed"]) == ["speed"]
    many = near_names.unknown("input", "q", [f"p{i}" for i in range(100)])
    assert many.endswith("p7 and 92 more")


def test_pandas_gets_time_as_index_and_units() -> None:
    run = simulate(oscillator(), until=1.0, samples=5)
    frame = run.to_pandas()
    assert frame.index.name == "time" and list(frame.columns) == list(run)
    assert np.array_equal(frame.index, run.time)
    assert np.array_equal(frame["place"], run["place"])
    assert frame.attrs["units"]["speed"] == "m/s" and frame.attrs["time_unit"] == "s"
    assert frame.attrs["name"] == "oscillator"
    assert frame.attrs["descriptions"]["squared"] == NASTY
    assert len(ball().to_pandas()) == len(ball().time)


def test_csv_has_the_digits_that_identify_each_number(tmp_path: Path) -> None:
    mantissas, exponents = np.random.default_rng(1).uniform(-1, 1, (2, 5000))
    values = mantissas * 10 ** (300 * exponents)
    awkward = 0.1, -0.0, 5e-324, 1e16, 100.0, np.nan
    values[:6], values[4096:4101] = awkward, awkward[:5]  # beyond the first block all are finite
    columns = {"a": values, "n": np.ones(5000, int)}
    run = Result("all", np.arange(5000.0), columns, {"a": "m", "n": "1"})
    written = run.to_csv(tmp_path / "all.csv").read_bytes()
    head, *rows = written.split(b"\r\n")
    assert head == b"time [s],a [m],n [1]"
    numbers = b"0.1", b"-0.0", b"5e-324", b"1e+16", b"100.0", b"nan"
    assert rows[:6] == [b"%d.0,%b,1.0" % (k, number) for k, number in enumerate(numbers)]
    assert rows[4096:4101] == [b"%d.0,%b,1.0" % (4096 + k, numbers[k]) for k in range(5)]
    read = np.genfromtxt(io.BytesIO(written), delimiter=",", skip_header=1)
    assert np.array_equal(read, np.column_stack([run.time, *run.values()]), equal_nan=True)


def test_xarray_gets_units_and_descriptions() -> None:
    run = simulate(oscillator(), until=1.0, samples=5)
    data = run.to_xarray()
    assert data.sizes == {"time": 5} and data["time"].attrs["units"] == "s"
    assert data["place"].attrs == {"units": "m", "long_name": "place"}
    assert data["squared"].attrs == {"units": "m2", "long_name": NASTY}
    assert float(data["place"].isel(time=-1)) == run.final("place")
    clash = replace(run, columns={"time": run.time}, units={"time": "s"})
    with pytest.raises(ModelError, match="'time'"):
        clash.to_xarray()


def test_values_between_rows_and_parts_of_a_run() -> None:
    run = ball()
    impact = np.sqrt(2 / 9.81)
    after = run.at(run.events[0][0])
    # e v with v = sqrt(2 g h), e = 0.5: what is after the impact
    assert after["speed"] == pytest.approx(0.5 * np.sqrt(2 * 9.81), rel=1e-6)
    middle = 0.5 * (run.time[3] + run.time[4])
    assert run.at(middle)["speed"] == pytest.approx(-9.81 * middle, rel=1e-9)
    fall = run.between(0.0, 0.9 * impact)
    assert fall.events == () and fall.time[-1] <= 0.9 * impact
    assert len(fall["height"]) == len(fall.time) < len(run.time)
    assert [e for e in run.between(0.4, 0.5).events] == [run.events[0]]
    for wrong in (-0.1, 1.1, float("nan"), "now"):
        with pytest.raises(ModelError):
            run.at(wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no row"):
        run.between(2.0, 3.0)


def test_names_that_are_near_are_told_by_analyses_as_well() -> None:
    with pytest.raises(ModelError, match=r"no state 'plase'; did you mean 'place'\? There is"):
        simulate(oscillator(), until=1.0, start={"plase": 1.0})
    with pytest.raises(ModelError, match=r"no input 'forse'; did you mean 'force'\?"):
        simulate(oscillator(), until=1.0, inputs={"forse": lambda t: 0.0})
    with pytest.raises(ModelError, match=r"no parameter 'stifness'; did you mean 'stiffness'\?"):
        linearize(oscillator(), parameters={"stifness": 1.0})
