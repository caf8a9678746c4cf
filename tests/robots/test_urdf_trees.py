"""Trees of URDF files: their equations are those of Newton and Euler, link by link."""

from pathlib import Path

import numpy as np
import pytest

from mbcore import JointLaws, Robot, Stop, from_urdf, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError, ModelWarning
from tests.robots.newton_euler import NewtonEuler
from tests.robots.robot_files import PLAIN, TREES, joint, link, robot


def read(folder: Path, text: str, **options: object) -> Robot:
    file = folder / "small.urdf"
    file.write_text(text)
    return from_urdf(file, **options)


@pytest.mark.parametrize("name", TREES)
def test_mass_and_bias_are_those_of_newton_and_euler(name: str, tmp_path: Path) -> None:
    judge = NewtonEuler(TREES[name])
    equations = read(tmp_path, TREES[name]).equations()
    random = np.random.default_rng(1)
    states = [record.name for record in equations.states]
    values = dict(zip(states, random.uniform(-1, 1, len(states)), strict=True))
    rates = [state for state in states if state.endswith(".rate")]
    free = [state.rpartition(".")[0] for state in rates]
    assert sorted(free) == sorted(judge.free)
    place = {n: values.get(f"{n}.angle", values.get(f"{n}.displacement", 0.0)) for n in free}
    evaluation = Evaluation(equations)
    evaluation.start(values)
    mass, force = evaluation.mass()
    expected, bias = judge.equations(place, {n: values[f"{n}.rate"] for n in free})
    order = [judge.free.index(n) for n in free]
    assert mass == pytest.approx(expected[np.ix_(order, order)], rel=1e-13, abs=1e-14)
    assert -force == pytest.approx(bias[order], rel=1e-12, abs=1e-13)
    accelerations = evaluation.derivative()[: len(free)]
    residual = expected[np.ix_(order, order)] @ accelerations + bias[order]
    assert np.abs(residual).max() < 1e-12 * np.abs(bias).max()


def test_links_move_as_the_file_says(tmp_path: Path) -> None:
    """The end of a quarter turn about z, and of a slide along the turned x axis."""
    text = robot(
        link("base"), link("arm", PLAIN), link("slider", PLAIN), link("tip", ""),
        joint("hinge", "revolute", "base arm", '<origin xyz="0 0 1"/><axis xyz="0 0 1"/>'),
        joint("rail", "prismatic", "arm slider", '<origin xyz="1 0 0"/><axis xyz="1 0 0"/>'),
        joint("end", "fixed", "slider tip", '<origin xyz="0 0.5 0" rpy="0 0 1.5707963267948966"/>'),
    )  # fmt: skip
    model = read(tmp_path, text, start={"hinge": "90 deg", "rail": 0.25})
    tip = model.links["tip"]
    model.link_point("camera", "tip", (0, 0, 0.1))
    for k, label in enumerate("xyz"):
        model.output(f"tip.{label}", tip.position[k], unit="m")
        model.output(f"axis.{label}", tip.axes[k, 0], unit="1")
        model.output(f"camera.{label}", model.nodes["camera"].position[k], unit="m")
    run = simulate(model.equations(), until=1e-9)
    assert [run["tip." + c][0] for c in "xyz"] == pytest.approx([-0.5, 1.25, 1], abs=1e-15)
    assert [run["axis." + c][0] for c in "xyz"] == pytest.approx([-1, 0, 0], abs=1e-15)
    assert [run["camera." + c][0] for c in "xyz"] == pytest.approx([-0.5, 1.25, 1.1], abs=1e-15)


def test_a_planar_joint_is_two_slides_and_a_hinge(tmp_path: Path) -> None:
    plane = robot(
        link("base"), link("puck"), joint("plane", "planar", "base puck", '<axis xyz="0 0 1"/>')
    )
    apart = robot(
        link("base"), link("a", ""), link("b", ""), link("puck"),
        joint("x", "prismatic", "base a", '<axis xyz="1 0 0"/>'),
        joint("y", "prismatic", "a b", '<axis xyz="0 1 0"/>'),
        joint("z", "continuous", "b puck", '<axis xyz="0 0 1"/>'),
    )  # fmt: skip
    found = []
    for text, names in (
        (plane, ("plane.first_rate", "plane.second_rate", "plane.rate")),
        (apart, ("x.rate", "y.rate", "z.rate")),
    ):
        run = simulate(
            read(tmp_path, text).equations(), until=0.5, rtol=1e-11, atol=1e-11,
            start=dict(zip(names, (1, -0.5, 3), strict=True)),
        )  # fmt: skip
        found.append([run.final(name) for name in names])
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_a_floating_base_falls_and_keeps_its_angular_momentum(tmp_path: Path) -> None:
    model = read(tmp_path, robot(link("body")), floating=True)
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    begin = {"body.omega_x": 2.0, "body.omega_y": -1.0, "body.omega_z": 0.5}
    run = simulate(model.equations(), until=1, start=begin, rtol=1e-11, atol=1e-11)
    assert run["energy"][-1] == pytest.approx(run["energy"][0], abs=1e-9)
    joined = robot(link("base"), link("body"), joint("free", "floating", "base body"))
    other = simulate(
        read(tmp_path, joined).equations(), until=1, rtol=1e-11, atol=1e-11,
        start={name.replace("body", "free"): value for name, value in begin.items()},
    )  # fmt: skip
    for part in ("x", "z", "omega_x", "e2"):
        assert run.final(f"body.{part}") == pytest.approx(other.final(f"free.{part}"), abs=1e-12)


def test_a_joint_that_moves_nothing_is_held_and_told(tmp_path: Path) -> None:
    text = robot(
        link("base"), link("arm", PLAIN), link("knob", ""), link("cap", ""),
        joint("hinge", "revolute", "base arm", '<axis xyz="1 0 0"/>'),
        joint("loose", "continuous", "arm knob", '<axis xyz="0 0 1"/>'),
        joint("looser", "continuous", "knob cap", '<axis xyz="0 0 1"/>'),
    )  # fmt: skip
    with pytest.warns(ModelWarning, match="joint looser is held"):
        model = read(tmp_path, text)
    assert [s.name for s in model.equations().states] == ["hinge.rate", "hinge.angle"]
    assert len(model.notes) == 2
    assert model.joints["loose"].coordinates == ()
    assert "small.urdf, line 10: joint loose" in model.notes[1]


LIMITED = robot(
    link("base"), link("arm", PLAIN),
    joint("hinge", "revolute", "base arm", '<axis xyz="1 0 0"/><limit lower="-0.5" upper="2"/>'
          '<dynamics damping="0.2" friction="0.05"/>'),
)  # fmt: skip


@pytest.mark.heavy
def test_friction_and_damping_of_the_file_resist(tmp_path: Path) -> None:
    """At rest friction carries up to 0.05 N.m; moving, it and the damping take the energy."""
    model = read(tmp_path, LIMITED, joints=JointLaws(friction="stick"), gravity=None)
    held = simulate(model.equations(), until=1, inputs={"hinge.torque": 0.049})
    assert held.final("hinge.angle") == 0.0
    # I φ'' = T - 0.05 - 0.2 φ', with I = 0.02 + 0.8 · 0.3² = 0.092 kg.m2
    pushed = simulate(
        model.equations(), until=0.3, inputs={"hinge.torque": 0.25}, rtol=1e-11, atol=1e-12
    )
    assert pushed.final("hinge.rate") == pytest.approx(1 - np.exp(-0.06 / 0.092), rel=1e-8)


def test_limits_are_events_or_stops(tmp_path: Path) -> None:
    model = read(tmp_path, LIMITED, gravity=None, joints=JointLaws(friction="none"))
    run = simulate(model.equations(), until=1.5, inputs={"hinge.torque": 1.0})
    assert [name for _, name in run.events] == ["hinge.beyond_upper"]
    stopped = read(
        tmp_path,
        LIMITED,
        gravity=None,
        joints=JointLaws(limits=Stop(10, damping=1), friction="none"),
    )
    at_rest = simulate(stopped.equations(), until=25, inputs={"hinge.torque": 1.0})
    assert at_rest.final("hinge.angle") == pytest.approx(2.1, abs=1e-6)  # 1 N.m by 10 N.m/rad


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": {"hing": 1}}, "no joint 'hing'; did you mean 'hinge'"),
        ({"joints": {"torques": ["elbow"]}}, "no joint with one freedom 'elbow'"),
        ({"joints": {"friction": "dry"}}, "friction"),
        ({"joints": {"limits": "stops"}}, "limits"),
    ],
)
def test_wrong_options_are_refused(options: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        laws = JointLaws(**options.pop("joints", {}))
        read(tmp_path, LIMITED, joints=laws, **options)
