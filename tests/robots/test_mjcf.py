"""MJCF files, against MuJoCo's own mass matrix, bias and accelerations."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from mbcore import JointLaws, ModelError, Robot, from_mjcf, simulate
from mbcore.cli.program import main as program
from mbcore.evaluation.evaluation import Evaluation
from mbcore.robots.mjcf.refusals import REMEDIES
from tests.robots.random_mjcf import random_mjcf

PENDULUM = """<mujoco><compiler angle="radian"/><worldbody>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" {joint}/>
<inertial pos="0 0 -0.5" mass="2" diaginertia="0.01 0.01 0.001"/>{body}</body></worldbody>
{more}</mujoco>"""

TOUCHING = """<worldbody><body name="b"><freejoint name="f"/><geom name="ball" size="0.1"/></body>
<geom name="floor" type="plane" size="1 1 1"/></worldbody>"""
TENDON = '<tendon><fixed name="t"><joint joint="hinge" coef="1"/></fixed></tendon>'
BALL = '<body><joint name="b" type="ball"/><geom size="1"/></body>'


def test_a_missing_mujoco_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError, match=r"pip install 'mbcore-multibody\[mjcf\]'"):
        from_mjcf(tmp_path / "arm.xml")


mujoco = pytest.importorskip("mujoco", reason="the extra mjcf is not installed")

from tests.robots.mujoco_judge import Judge  # noqa: E402


def write(folder: Path, joint: str = "", body: str = "", more: str = "") -> Path:
    file = folder / "arm.xml"
    file.write_text(PENDULUM.format(joint=joint, body=body, more=more))
    return file


def compare(file: Path, robot: Robot) -> None:
    """Assert that both have the same equations, relative to the terms that they are sums of."""
    equations, judge = robot.equations(), Judge(file)
    names, random = [state.name for state in equations.states], np.random.default_rng(3)
    rates = judge.rates(names)
    assert len(rates) == judge.model.nv
    evaluation = Evaluation(equations)
    for _ in range(2):
        values = dict(zip(names, random.uniform(-1, 1, len(names)).tolist(), strict=True))
        evaluation.start(values)
        mass, force = evaluation.mass()
        accelerations = evaluation.derivative()[: len(rates)]
        expected, forces, its = judge.equations(values, rates)
        largest = np.abs(expected).max()
        terms = max(np.abs(forces).max(), 0.1 * 9.81 * judge.model.body_mass.sum())
        assert np.abs(mass - expected).max() < 1e-12 * largest
        assert np.abs(force - forces).max() < 1e-12 * terms
        size = np.abs(expected) @ np.abs(its) + terms
        assert np.all(np.abs(expected @ accelerations - forces) < 1e-12 * size)
        condition = np.linalg.cond(expected)
        assert np.abs(accelerations - its).max() < 1e-14 * condition * np.abs(its).max() + 1e-12


@pytest.mark.parametrize(("seed", "bodies"), [(1, 1), (2, 2), (7, 2)])
def test_random_trees_have_the_equations_of_mujoco(seed: int, bodies: int, tmp_path: Path) -> None:
    file = tmp_path / "random.xml"
    file.write_text(random_mjcf(seed, bodies))
    compare(file, from_mjcf(file))


@pytest.mark.heavy
def test_a_larger_random_tree_has_the_equations_of_mujoco(tmp_path: Path) -> None:
    file = tmp_path / "random.xml"
    file.write_text(random_mjcf(5, 8))
    compare(file, from_mjcf(file))


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["inverted_double_pendulum", "half_cheetah", "ant"])
def test_public_models_have_the_equations_of_mujoco(name: str) -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="the extra gym is not installed")
    file = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / f"{name}.xml"
    robot = from_mjcf(file, ignore=["contact", "limit"])
    assert any("motors: not used" in line for line in robot.unsupported)
    compare(file, robot)


def test_a_spring_with_armature_swings_as_the_formula_says(tmp_path: Path) -> None:
    """Without gravity: ω² = k / (I + m l² + a), about the free angle 0.2 rad."""
    file = write(
        tmp_path,
        'stiffness="3" springref="0.2" armature="0.04" ref="0.5"',
        more='<option gravity="0 0 0"/>',
    )
    robot = from_mjcf(file)
    frequency = np.sqrt(3 / (0.01 + 2 * 0.25 + 0.04))
    run = simulate(robot.equations(), until=np.pi / frequency, samples=3)
    assert run["hinge.angle"] == pytest.approx([0.5, 0.2, -0.1], abs=1e-8)


@pytest.mark.parametrize(
    ("part", "given"),
    [
        ("limit", {"joint": 'limited="true" range="-1 1"'}),
        ("friction", {"joint": 'frictionloss="0.1"'}),
        ("contact", {"more": TOUCHING}),
        ("tendon", {"more": TENDON}),
        ("equality", {"more": '<equality><joint joint1="hinge"/></equality>'}),
        ("actuator", {"more": '<actuator><position joint="hinge" kp="3"/></actuator>'}),
        ("actuator", {"more": '<actuator><motor joint="hinge" ctrlrange="1 2"/></actuator>'}),
        ("actuator", {"more": '<actuator><motor joint="hinge" forcerange="1 2"/></actuator>'}),
    ],
)  # fmt: skip
def test_what_is_more_than_a_tree_is_refused_or_ignored(
    part: str, given: dict[str, str], tmp_path: Path
) -> None:
    file = write(tmp_path, **given)
    with pytest.raises(ModelError, match=rf"arm\.xml: .* ignore=\['{part}'\]") as caught:
        from_mjcf(file)
    assert REMEDIES[part] in str(caught.value)
    robot = from_mjcf(file, ignore=[part])
    assert any("ignored as asked" in line for line in robot.unsupported)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"body": BALL}, "'b' is a ball joint"),
        ({"more": '<option viscosity="1"/>'}, "has a fluid"),
        ({"body": '<body name="g" gravcomp="1"><geom size="1"/></body>'}, "body 'g' has gravcomp"),
        ({"more": "<nonsense/>"}, "MuJoCo cannot read it: .*nonsense"),
        ({"joint": 'damping="1" axes="1"'}, "unrecognized attribute"),
    ],
)  # fmt: skip
def test_what_never_fits_is_refused(given: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        from_mjcf(write(tmp_path, **given))


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path)
    with pytest.raises(ModelError, match=r"give the path of an MJCF"):
        from_mjcf(tmp_path / "none.xml")
    with pytest.raises(ModelError, match="ignore: no part 'limits'; did you mean 'limit'"):
        from_mjcf(file, ignore=["limits"])
    with pytest.raises(ModelError, match="from_mjcf: start: no joint 'hing'"):
        from_mjcf(file, start={"hing": 1})
    with pytest.raises(ModelError, match="JointLaws: speeds: no joint"):
        from_mjcf(file, joints=JointLaws(speeds=["arm"]))
    file.write_text("<mujoco/>")
    with pytest.raises(ModelError, match="no body"):
        from_mjcf(file)


def test_flags_of_the_file_are_obeyed(tmp_path: Path) -> None:
    flags = '<option><flag limit="disable" spring="disable" gravity="disable"/></option>'
    file = write(tmp_path, 'limited="true" range="-1 1" stiffness="9" ref="1"', more=flags)
    run = simulate(from_mjcf(file).equations(), until=1.0)
    assert run.final("hinge.angle") == 1.0


def test_the_command_takes_such_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A quarter turn of the pendulum at a servo's speed."""
    file = str(write(tmp_path, 'limited="true" range="-1 1"'))
    given = ["--speed", "hinge", "--set", "hinge.speed=0.5", "--until", "2"]
    assert program(["run", file, *given]) == 1
    assert "(--ignore limit)" in capsys.readouterr().err
    assert program(["run", file, "--ignore", "limit", *given]) == 0
    ends = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:])
    assert float(ends["hinge.angle"]) == pytest.approx(1.0, rel=1e-6)
    assert program(["run", file, "--rolling", "arm=0.1"]) == 2
    assert "--rolling is for URDF files" in capsys.readouterr().err
