"""Robots' files in the command: what wheels are given, what is refused, and the component."""

from pathlib import Path

import pytest
from fmpy import simulate_fmu
from fmpy.fmi1 import FMICallException

from mbcore import simulate
from mbcore.cli.commands.build import main
from mbcore.cli.loading import load
from mbcore.cli.program import main as program
from mbcore.cli.robot_options import SUFFIX
from mbcore.fmi import export
from mbcore.model.errors import ModelError
from mbcore.robots.rolling import Caster, Mecanum, Rolling
from tests.conftest import RUNGE_KUTTA, Tools
from tests.robots.carts import AXLE, CART
from tests.robots.robot_files import joint, link, robot

pytestmark = pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
WHEELS = {"left_wheel": Rolling(0.1), "right_wheel": Rolling(), "corner": Caster(0.05, 0.04)}


@pytest.fixture
def cart(tmp_path: Path) -> Path:
    file = tmp_path / f"my-cart{SUFFIX}"
    file.write_text(CART)
    return file


def test_inputs_are_torques_and_outputs_pose_twist_and_forces(cart: Path) -> None:
    component = load(cart, {"rolling": WHEELS})
    assert component.name == "my_cart"
    assert component.parameters == {"solver.method": "automatic"}
    equations = component.equations
    assert [record.name for record in equations.inputs] == ["left.torque", "right.torque"]
    names = {record.name for record in (*equations.states, *equations.outputs)}
    assert names >= {
        "base.x", "base.y", "base.yaw", "base.speed", "base.side_speed", "base.yaw_rate",
        "left.angle", "left.rate", "corner.swivel.angle",
        "left_wheel.force_x", "left_wheel.force_y", "right_wheel.force_x",
    }  # fmt: skip


def test_options_become_wheels(cart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list = []
    monkeypatch.setattr("mbcore.cli.commands.build.build_all", lambda t, _: tasks.extend(t) or 0)
    arguments = ["--rolling", "left_wheel=0.1", "--rolling", "right_wheel"]
    assert main([str(cart), *arguments, "--caster", "corner=0.05,0.04"]) == 0
    assert tasks[0].options == {"rolling": WHEELS}
    assert main([str(cart), "--mecanum", "left_wheel=0.1,-45"]) == 0
    assert tasks.pop().options == {"rolling": {"left_wheel": Mecanum(0.1, "-45.0 deg")}}
    assert main([str(cart), "--floating"]) == 0
    assert tasks.pop().options == {"floating": True}
    more = ["--speed", "left", "--odometry", "--meshes", "here", "--support", "a,b,c"]
    assert main([str(cart), "--rolling", "left_wheel", *more]) == 0
    assert tasks.pop().options == {
        "rolling": {"left_wheel": Rolling()}, "support": ["a", "b", "c"], "speeds": ("left",),
        "odometry": True, "meshes": ("here",),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rolling", "left_wheel=big"], "give LINK=RADIUS in m"),
        (["--rolling", "left_wheel=0.1,0.2"], "give LINK=RADIUS in m"),
        (["--mecanum", "left_wheel=0.1,left"], "give LINK=RADIUS,DEGREES"),
        (["--mecanum", "left_wheel=0.1,90"], "is along the wheel's own axle"),
        (["--rolling", "=0.1"], "give LINK or LINK=RADIUS"),
        (["--rolling", "a=1", "--caster", "a=1"], "link a is given twice"),
        (["--python"], "a robot's file is not"),
        (["--support", "compliant"], "is for robots on wheels"),
        (["--rolling=left_wheel", "--support=foo"], "--support foo: give planar, compliant, or"),
        (["--rolling=left_wheel", "--support=a,b"], "--support a,b: give planar, compliant, or"),
        (["--rolling=left_wheel", "--support=a,b,a"], "or the three links that carry"),
        (["--rolling", "left_wheel=-0.1"], "--rolling left_wheel: radius = -0.1 m"),
        (["--rolling", "left_wheel=100kg"], "--rolling left_wheel: radius"),
        (["--caster", "corner=0.1,0"], "--caster corner: trail = 0 m"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], message: str, cart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(cart), *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rolling", "left_whel=0.1"], "--rolling: no link 'left_whel'; did you mean 'left_w"),
        (["--rolling", "left_wheel", "--speed", "lef"], "--speed: no joint with one freedom 'lef'"),
        (["--rolling", "left_wheel", "--support=a,b,c"], "--support: no wheel 'a'"),
    ],
)
def test_names_that_the_file_lacks_are_wrong_use(
    arguments: list[str], message: str, cart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program(["run", str(cart), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_sizes_have_units(cart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list = []
    monkeypatch.setattr("mbcore.cli.commands.build.build_all", lambda t, _: tasks.extend(t) or 0)
    given = ["--rolling=left_wheel=100mm", "--rolling=right_wheel", "--caster=corner=5cm,40 mm"]
    assert main([str(cart), *given]) == 0
    assert tasks[0].options == {"rolling": WHEELS}


def test_a_robot_has_one_name(cart: Path) -> None:
    component = load(cart, {"rolling": WHEELS})
    assert component.name == component.equations.name == "my_cart"


@pytest.mark.parametrize("speeds", [(), ("left", "right")])
def test_arrows_drive_a_cart(speeds: tuple[str, ...], cart: Path) -> None:
    """Up drives forward, at 0.5 m/s or m/s2 without the wheels' inertia; left turns to the left."""
    cart.write_text(CART.replace(AXLE, '<axis xyz="0 -1 0"/>', 1))  # turns the other way round
    component = load(cart, {"rolling": WHEELS, "speeds": speeds})
    page = component.page
    assert page.keys is not None
    assert page.time_scale == 1.0
    assert list(page.plots or ())[:2] == ["base.speed", "base.yaw_rate"]
    ends = {
        key: simulate(component.equations, until=1, inputs=page.keys[key]) for key in ("up", "left")
    }
    inertia = 1.0 if speeds else 9 / (9 + 2 * 0.002 / 0.01)
    assert ends["up"].final("base.speed") == pytest.approx(0.5 * inertia, rel=0.01)
    assert ends["left"].final("base.yaw") > 0.1


def test_wheels_of_what_is_no_robot_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vehicle", "--rolling", "wheel=0.1"]) == 2
    assert "are for robots' files" in capsys.readouterr().err
    assert main(["carts.urdf"]) == 2
    assert "there is no file carts.urdf" in capsys.readouterr().err


def test_a_robot_runs_by_speeds_and_shows_its_odometry(
    cart: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both wheels at 3 rad/s drive 0.1 * 3 m in a second."""
    wheels = [f"--rolling={side}_wheel" for side in ("left", "right")]
    given = [f"--{what}={side}{more}" for side in ("left", "right") for what, more in
             (("speed", ""), ("set", ".speed=3"))]  # fmt: skip
    assert program(["run", str(cart), *wheels, *given, "--odometry", "--until=1s"]) == 0
    ends = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:])
    assert float(ends["base.x"]) == float(ends["odometry.x"]) == pytest.approx(0.3, rel=1e-6)
    assert program(["run", "car.fmu", "--odometry"]) == 2
    assert "are for robots' files" in capsys.readouterr().err
    assert program(["linearize", "vehicle", *wheels]) == 2


def test_a_robot_has_no_tyres(cart: Path) -> None:
    with pytest.raises(ModelError, match="has no --tyre"):
        load(cart, {"tyre": cart})


def test_names_that_no_variable_can_have_are_refused(cart: Path, tmp_path: Path) -> None:
    cart.write_text(CART.replace('name="left"', 'name="left/wheel-joint"'))
    with pytest.raises(ModelError, match=r"left/wheel-joint"):
        export(load(cart, {"rolling": WHEELS}), tmp_path, "3.0")


BAR = """<inertial><origin xyz="0.4 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.05" izz="0.06"/></inertial>"""
UPRIGHT = '<axis xyz="0 0 1"/>'
STIFF = robot(
    link("base", ""), link("arm", BAR), link("hand", BAR),
    joint("shoulder", "continuous", "base arm", UPRIGHT),
    joint("wrist", "continuous", "arm hand",
          f'<origin xyz="0.8 0 0"/>{UPRIGHT}<dynamics damping="1e9"/>'),
)  # fmt: skip
"""Two bars that turn about vertical axes, with a wrist that comes to rest in some 1e-10 s."""
INERTIA = 2 * 0.06 + 2 * (0.4**2 + 1.2**2)
"""Of both bars in line about the shoulder, kg.m2."""


@pytest.mark.heavy
def test_a_stiff_robot_runs_without_options(tmp_path: Path, tools: Tools) -> None:
    """Under a torque of 1 N.m the bars turn by t²/2I; explicit steps alone are given up."""
    file = tmp_path / "stiff.urdf"
    file.write_text(STIFF)
    made = str(export(load(file), tmp_path, "3.0", tools=tools)[0])
    names, torque = ["shoulder.angle"], {"shoulder.torque": 1.0}
    rows = simulate_fmu(
        made, stop_time=2.0, output_interval=1.0, output=names, start_values=torque,
        fmi_type="CoSimulation",
    )  # fmt: skip
    assert rows["shoulder.angle"][-1] == pytest.approx(2 / INERTIA, rel=1e-6)
    torque["solver.method"] = RUNGE_KUTTA
    with pytest.raises(FMICallException, match="discard"):
        simulate_fmu(made, stop_time=2.0, output_interval=1.0, start_values=torque,
                     fmi_type="CoSimulation")  # fmt: skip
