"""Steady motions over a parameter or a condition: where shimmy, weave and capsize begin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from mbcore import Equations, ModelError, SimulationError, SteadyMotion, steady_motion
from mbcore.fmus import bicycle, caster, rolling_disk
from mbcore.vibration import Equilibria, SteadyMotions, Steps, continuation
from tests.conftest import equations_of
from tests.equilibria.test_steady import pitch_rate
from tests.equilibria.test_trim import steering_moment


@pytest.fixture(scope="module")
def gear() -> Equations:
    return equations_of(caster.model)


@pytest.fixture(scope="module")
def disk() -> Equations:
    return equations_of(rolling_disk.model)


def test_shimmy_of_the_swivel_wheel(gear: Equations) -> None:
    """[Schwab2002] (3.44) with m = l = 1, I = 0.21: the boundaries are a = 0.3 and 0.7, by hand."""
    found = continuation(
        SteadyMotions(gear, start={"swivel.angle": 0.0}),
        "wheel.to_mass_centre",
        (0.0, 1.0),
        steps=Steps(longest=0.2),
    )
    assert [(e.kind, e.value) for e in found.events] == [
        ("hopf", pytest.approx(0.3, abs=1e-9)),
        ("hopf", pytest.approx(0.7, abs=1e-9)),
    ]
    frequencies = [e.exponent for e in found.events]
    assert frequencies == pytest.approx([1j, 0.654653671j], abs=1e-8)
    place = found.data["parameter"].values
    regular = found.data["event"].values == ""
    between = (place > 0.3) & (place < 0.7)
    assert (found.data["stable"].values == between)[regular].all()
    # the distance travelled goes on, and its zero is left out
    assert found.data.sizes["exponent"] == 3
    # derived by hand, a = 0
    first = np.sort_complex(found.data["exponents"].values[0])
    assert first == pytest.approx([-0.728908, 0.364454 - 1.351685j, 0.364454 + 1.351685j], abs=1e-6)


@pytest.mark.heavy
def test_disk_in_turns_of_many_leans(disk: Equations) -> None:
    found = continuation(
        SteadyMotions(disk, conditions={"disk.yaw_rate": -1.3}, start={"disk.pitch_rate": 1.0}),
        "disk.lean",
        (0.2, 1.2),
        steps=Steps(longest=0.2),
    )
    lean = found.data["disk.lean"].values
    assert found["disk.lean"].values == pytest.approx(lean, abs=1e-12)
    exact = [pitch_rate(1, 1, 1, v, -1.3) for v in lean]
    assert found["disk.pitch_rate"].values == pytest.approx(exact, abs=1e-9)
    assert found["disk.yaw_rate"].values == pytest.approx(-1.3, abs=1e-12)
    assert found["contact.force_normal"].values == pytest.approx(1.0, abs=1e-9)
    # yaw, pitch, contact point and both dimensions of the family are left out: one pair is left
    assert found.data.sizes["exponent"] == 2
    assert found.data["parameter"].attrs == {"units": "rad", "long_name": "disk.lean"}


@pytest.mark.heavy
def test_largest_lean_of_a_disk_of_one_pitch_rate_is_a_fold_alone(disk: Equations) -> None:
    def lean_at(yaw_rate: float) -> float:  # by hand
        return float(brentq(lambda v: pitch_rate(1, 1, 1, v, yaw_rate) - 0.5, 0.25, 0.5))

    top = minimize_scalar(lambda w: -lean_at(w), bounds=(-1.1, -0.8), method="bounded")
    turning = steady_motion(
        disk, {"disk.lean": 0.3, "disk.pitch_rate": 0.5}, guess={"disk.yaw_rate": -1.0}
    )
    found = continuation(
        SteadyMotions(disk, start=turning, conditions={"disk.pitch_rate": 0.5}),
        "disk.lean",
        (0.3, 0.9),
        steps=Steps(longest=0.2),
    )
    assert [event.kind for event in found.events] == ["fold"]
    assert found.events[0].value == pytest.approx(-top.fun, abs=1e-9)


@pytest.mark.heavy
def test_weave_capsize_and_turning_without_hands() -> None:
    """Speeds of Meijaard, Papadopoulos, Ruina, Schwab (2007): 4.292382536341, 6.024262015388."""
    equations = equations_of(bicycle.model)
    upright = continuation(
        SteadyMotions(equations, start={"bicycle.lean_rate": 0.0}),
        "bicycle.speed",
        (3.0, 8.0),
        steps=Steps(longest=0.1),
    )
    assert [(e.kind, e.value) for e in upright.events] == [
        ("hopf", pytest.approx(4.292382536341, abs=1e-8)),
        ("branch", pytest.approx(6.024262015388, abs=1e-8)),
    ]
    turning = upright.switch(upright.events[1])
    assert turning["bicycle.steer"].values[[0, -1]] == pytest.approx(
        [0.424066, -0.424066], abs=1e-5
    )
    assert "steer.torque" in turning.events[0].inputs
    at = 5
    motion = SteadyMotion(
        turning.states(at),
        {str(n): float(v) for n, v in turning.data["outputs"].isel(point=at).to_series().items()},
        (),
        0.0,
        turning.events[0].inputs,
        1,
    )
    assert motion.inputs["steer.torque"] == 0.0 and abs(motion.state["bicycle.steer"]) > 0.2
    assert steering_moment(equations, motion) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameter": "speed"}, "'speed' is neither a parameter nor an input"),
        ({"conditions": {"disk.lean": 0.3}}, "it varies; leave it out"),
        ({"conditions": {"disk.leen": 0.3}}, r"no state or output 'disk\.leen'"),
        ({"find": ["yaw.torqe"]}, r"no input 'yaw\.torqe'; did"),
    ],
)
def test_mistaken_arguments(disk: Equations, arguments: dict[str, object], message: str) -> None:
    given: dict = {"parameter": "disk.lean"} | arguments
    parameter = given.pop("parameter")
    with pytest.raises(ModelError, match=message):
        continuation(SteadyMotions(disk, **given), parameter, (0.2, 0.4))


def test_states_are_no_parameters_of_equilibria(disk: Equations) -> None:
    with pytest.raises(ModelError, match=r"'disk\.lean' is neither a parameter nor an input"):
        continuation(Equilibria(disk), "disk.lean", (0.2, 0.4))


def test_conditions_that_fit_no_family(disk: Equations) -> None:
    with pytest.raises(SimulationError, match=r"no steady motion at disk\.lean = 0\.3"):
        continuation(
            SteadyMotions(disk, conditions={"disk.yaw_rate": 0.0}), "disk.lean", (0.3, 0.4)
        )
    with pytest.raises(SimulationError, match="leave 1 of these open"):
        continuation(SteadyMotions(disk, start={"disk.yaw_rate": -1.0}), "disk.lean", (0.3, 0.4))
