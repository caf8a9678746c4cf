"""Systems of FMUs: orders of their couplings, flows through terminals, packages of SSP."""

import math
import zipfile

import casadi as ca
import fmpy
import numpy as np
import pytest
from fmpy.ssp.ssd import read_ssd
from lxml import etree

from mbcore import Body, Model, ModelError, SimulationError, simulate
from mbcore.examples.controllers import towing as trailers
from mbcore.fmi import Component, System, Terminal, export
from mbcore.fmi.systems.connections import Place
from tests.built import hastily

pytestmark = pytest.mark.heavy  # FMUs are compiled
END = 0.5
LOOP_OUTPUTS = ("y", "count", "x", "v", "z[1]", "z[2]")
STEPS = {"held": (1 / 2000, 1 / 4000), "extrapolated": (1 / 250, 1 / 500), "iterated": (1 / 500,)}
INPUTS = {
    "steer.angle": lambda t: 0.05 * math.sin(1.5 * t),
    "drive.force": lambda t: 500.0 * math.sin(t),
}


@pytest.fixture(scope="module")
def fmus(tools, tmp_path_factory):
    """FMUs of both versions by name."""
    out, found = tmp_path_factory.mktemp("systems"), {}
    with hastily():
        for component in (trailers.tractor(), trailers.trailer(), loop()):
            made = export(component, out, ("3.0", "2.0"), tools=tools)
            found |= dict(zip(((component.name, v) for v in ("3", "2")), made, strict=True))
    return found


def loop():
    """A block whose output follows its input at once, by a gain and an offset."""
    model = Model("loop")
    p = model.point("p", (0.0, 0.0))
    p.y.fix()
    p.x.dof("x", "v").law(-100.0 * model.input("pull", unit="m"))
    model.add(Body("body", p, mass=1.0))
    model.output("y", model.parameter("gain", 0.5) * model.input("u") + 1.0)
    model.output("count", ca.floor(p.x.value), kind="integer")
    w = model.input("w", [0.0, 0.0], unit="m/s")
    model.state("z", [-w[1], w[0]], [1.0, 0.0], unit="m/s", visibility="output")
    return Component("loop", "A gain", model.equations())


def towed(fmus, version="3", start=None):
    names = ("tractor", "trailer")
    system = System("towing", {name: fmus[name, version] for name in names}, start)
    system.connect("tractor.hitch", "trailer.hitch")
    return system


@pytest.fixture(scope="module")
def exact():
    run = simulate(
        trailers.towing().equations(), END, inputs=INPUTS, rtol=1e-12, atol=1e-13, samples=[0, END]
    )
    return {name: run[name][-1] for name in ("chassis.x", "chassis.y", "trailer.y", "trailer.yaw")}


def error(fmus, exact, coupling, step, version="3"):
    """Largest error at the end, m and rad."""
    inputs = {f"tractor.{name}": given for name, given in INPUTS.items()}
    system = towed(fmus, version)
    system.show(
        "tractor.chassis.x", "tractor.chassis.y", "trailer.trailer.y", "trailer.trailer.yaw"
    )
    run = system.simulate(END, step, coupling, inputs=inputs, tolerance=1e-12)
    assert run.time[-1] == END and len(run.time) == round(END / step) + 1
    return max(abs(run[name][-1] - exact[name.partition(".")[2]]) for name in run)


@pytest.mark.parametrize(("coupling", "order"), [("held", 1.0), ("extrapolated", 2.0)])
@pytest.mark.parametrize("version", ["2", "3"])
def test_couplings_have_their_orders(fmus, exact, coupling, order, version):
    coarse, fine = (error(fmus, exact, coupling, step, version) for step in STEPS[coupling])
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.05)


@pytest.mark.parametrize("version", ["2", "3"])
def test_repeated_steps_meet_one_model(fmus, exact, version):
    assert error(fmus, exact, "iterated", STEPS["iterated"][0], version) < 1e-8


def test_what_acts_on_one_acts_back_on_the_other(fmus):
    system = towed(fmus)
    factors = {(str(c.source), str(c.target)): c.factor for c in system.connections}
    assert factors["tractor.hitch.x", "trailer.hitch.x"] == 1.0
    assert factors["trailer.hitch.force_y", "tractor.hitch.force_y"] == -1.0
    assert len(factors) == 6
    # straight ahead: (m + M) Δv = F t, and the trailer's share of the force in the end
    system.show("tractor.chassis.speed", "trailer.trailer.speed", "trailer.hitch.force_x")
    run = system.simulate(2.0, 1 / 50, "iterated", inputs={"tractor.drive.force": 1800.0})
    speed, other = (run[name][-1] for name in ("tractor.chassis.speed", "trailer.trailer.speed"))
    assert (1200 * speed + 600 * other) / 1800 == pytest.approx(10 + 2.0, abs=2e-3)
    assert run["trailer.hitch.force_x"][-1] == pytest.approx(600.0, abs=1.0)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_packages_are_written_and_read(fmus, version, tmp_path):
    fmi = {"1.0": "2", "2.0": "3"}[version]
    system = towed(fmus, fmi, {"tractor.chassis.speed": "54 km/h", "trailer.trailer.speed": 15.0})
    system.show("tractor.chassis.x", "trailer.hitch.force_x")
    path = system.write(tmp_path / "towing.ssp", version, stop=2.0)
    if version == "1.0":
        read_ssd(str(path))  # checks it against the schema
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) == {
            "SystemStructure.ssd", "resources/start.ssv",
            "resources/tractor.fmu", "resources/trailer.fmu",
        }  # fmt: skip
        root = etree.fromstring(archive.read("SystemStructure.ssd"))
    assert root.get("version") == version
    kinds = {e.tag.rpartition("}")[2] for c in root.iter("{*}Connector") for e in c}
    assert kinds == {{"1.0": "Real", "2.0": "Float64"}[version]}
    again = System.read(path)
    assert again.connections == system.connections and again.shown == system.shown
    one, other = (s.simulate(0.1, 0.01) for s in (system, again))
    assert one["tractor.chassis.x"][-1] > 1.4
    for name in one:
        assert np.array_equal(one[name], other[name])


def test_a_circle_at_the_start_settles_or_is_told(fmus):
    def ring(gain):
        start = {"a.gain": gain, "b.gain": gain}
        system = System("ring", dict.fromkeys("ab", fmus["loop", "3"]), start)
        system.connect("a.y", "b.u")
        system.connect("b.y", "a.u")
        return system

    run = ring(0.5).simulate(0.1, 0.1)
    assert run["a.y"][0] == pytest.approx(2.0, rel=1e-11)  # y = y/2 + 1
    assert {f"{part}.{name}" for part in "ab" for name in LOOP_OUTPUTS} == set(run)
    with pytest.raises(ModelError, match="does not settle at the start"):
        ring(2.0).simulate(0.1, 0.1)


def test_arrays_are_connected_as_a_whole_or_by_element(fmus):
    """Of z' = J w both ways, from equal starts: z turns by t."""
    runs = []
    for ends in ([("z", "w")], [(f"z[{k}]", f"w[{k}]") for k in (1, 2)]):
        start = {f"{part}.z": [0.0, "-1 m/s"] for part in "ab"}
        system = System("turns", dict.fromkeys("ab", fmus["loop", "3"]), start)
        for source, target in ends:
            system.connect(f"a.{source}", f"b.{target}")
            system.connect(f"b.{source}", f"a.{target}")
        runs.append(system.simulate(1.0, 0.01, "iterated", tolerance=1e-10))
    assert runs[0]["b.z"] == pytest.approx(
        np.transpose([np.sin(runs[0].time), -np.cos(runs[0].time)]), abs=1e-7
    )
    assert np.array_equal(runs[0]["a.z"], runs[1]["a.z"])
    moved = System("moved", {"a": fmus["loop", "3"]})
    run = moved.simulate(1.0, 0.1, inputs={"a.w": lambda t: [t, -2 * t]}, tolerance=1e-10)
    assert run["a.z"][-1] == pytest.approx([1 + 1.0, 0.5], abs=1e-9)
    given = moved.simulate(1.0, 0.5, inputs={"a.w": [1.0, 0.0], "a.u": 1.0}, tolerance=1e-10)
    assert given["a.z"][-1] == pytest.approx([1.0, 1.0], abs=1e-9)
    with pytest.raises(ModelError, match=r"input a\.w = 1\.0; w has 2 values"):
        moved.simulate(1.0, 0.5, inputs={"a.w": 1.0})
    with pytest.raises(ModelError, match=r"input a\.w\[2\] is given twice"):
        moved.simulate(1.0, 0.5, inputs={"a.w": [1.0, 0.0], "a.w[2]": 1.0})


def test_a_step_that_is_too_long_is_told(fmus):
    system = System("pulled", dict.fromkeys("ab", fmus["loop", "3"]), {"a.x": 1.0})
    system.connect("a.x", "b.pull")
    system.connect("b.x", "a.pull")
    # x'' = 100 y, y'' = 100 x: with x = cosh, from rest x + y grows as cosh 10 t
    run = system.simulate(0.2, 0.01, "iterated")
    assert run["a.x"][-1] + run["b.x"][-1] == pytest.approx(math.cosh(2.0), rel=1e-4)
    # a repetition multiplies what is missing by up to (100 h²/6)²
    with pytest.raises(SimulationError, match=r"of their size after 100 repetitions of the step"):
        system.simulate(2.0, 1.0, "iterated")


def test_start_values_have_units_and_items(fmus):
    system = towed(
        fmus, start={"tractor.chassis.speed": "36 km/h", "tractor.solver.method": "rosenbrock"}
    )
    assert system._start[Place("tractor", "chassis.speed")] == pytest.approx(10.0, rel=1e-15)
    assert system._start[Place("tractor", "solver.method")] == 2


WRONG = {
    "no component 'tracter'; did you mean 'tractor'": lambda s: s.connect("tracter.x", "trailer.x"),
    "no variable 'hitch.z'": lambda s: s.connect("tractor.hitch.z", "trailer.hitch.y"),
    "'tractor'; write component.variable": lambda s: s.connect("tractor", "trailer"),
    "connect an output with": lambda s: s.connect("tractor.drive.force", "trailer.hitch.y"),
    "units m and N differ": lambda s: s.connect("tractor.hitch.x", "tractor.drive.force"),
    "is connected with tractor.hitch.x already": lambda s: s.connect(
        "tractor.hitch.y", "trailer.hitch.x"
    ),
    "is not a terminal; trailer has hitch": lambda s: s.connect("tractor.hitch", "trailer.hitch.x"),
    "path = 'x.zip'; a package ends in .ssp": lambda s: s.write("x.zip"),
    "version = '3.0'; give the text '1.0' or '2.0'": lambda s: s.write("x.ssp", "3.0"),
    "input trailer.hitch.x is connected": lambda s: s.simulate(
        1, 0.1, inputs={"trailer.hitch.x": 1}
    ),
    "tractor.chassis.x is not an input": lambda s: s.simulate(
        1, 0.1, inputs={"tractor.chassis.x": 1}
    ),
    "coupling": lambda s: s.simulate(1, 0.1, "jacobi"),
    "step = 0": lambda s: s.simulate(1, 0),
    "until = nan": lambda s: s.simulate(math.nan, 0.1),
}  # fmt: skip


@pytest.mark.parametrize("said", WRONG)
def test_wrong_calls_are_refused(fmus, said):
    with pytest.raises(ModelError, match=f".*{said}"):
        WRONG[said](towed(fmus))


def test_wrong_packages_are_refused(fmus, tmp_path):
    path = towed(fmus).write(tmp_path / "towing.ssp")
    with zipfile.ZipFile(path) as archive:
        text = archive.read("SystemStructure.ssd").decode()
        others = {n: archive.read(n) for n in archive.namelist() if not n.endswith("ssd")}
    bomb = '<!DOCTYPE a [<!ENTITY a "x">]>'
    for said, changed in {
        "a document type, which may declare entities": text.replace("<ssd:System", bomb, 1),
        "is not inside the package": text.replace("resources/tractor.fmu", "../tractor.fmu"),
        "holds ParameterMapping": text.replace("ssd:DefaultExperiment", "ssd:ParameterMapping"),
        "has an offset": text.replace('factor="-1.0"', 'factor="-1.0" offset="2"'),
        "cannot be read as an SSP package": "<a>",
        "no variable 'hitch.w'": text.replace('Connector="hitch.x"', 'Connector="hitch.w"'),
    }.items():  # fmt: skip
        wrong = tmp_path / "wrong.ssp"
        with zipfile.ZipFile(wrong, "w") as archive:
            archive.writestr("SystemStructure.ssd", changed)
            for name, content in others.items():
                archive.writestr(name, content)
        with pytest.raises(ModelError, match=said):
            System.read(wrong)
    with pytest.raises(ModelError, match="there is no package"):
        System.read(tmp_path / "nothing.ssp")


def test_terminals_with_other_members_do_not_fit(fmus, tools, tmp_path):
    model = trailers.tractor()
    fewer = Terminal("hitch", {"x": "hitch.x", "force_x": "hitch.force_x"})
    odd = Component("odd", "Odd", model.equations, terminals=(fewer,))
    [path] = export(odd, tmp_path, "3.0", tools=tools)
    system = System("odd", {"odd": path, "trailer": fmus["trailer", "3"]})
    with pytest.raises(ModelError, match="do not fit: one has x, force_x, the other x, y"):
        system.connect("odd.hitch", "trailer.hitch")
    assert fmpy.read_model_description(path).fmiVersion.startswith("3")
