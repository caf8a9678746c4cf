"""Bode, step response and poles of linearizations against transfer functions by hand."""

from __future__ import annotations

import builtins
import sys
from functools import cache
from typing import Any

import control
import numpy as np
import pytest

from mbcore import Body, Linearization, Model, ModelError, linearize

m, c, k = 2.0, 3.0, 50.0
OMEGA = np.geomspace(0.1, 100, 61)


@cache
def driven(rate: bool = False) -> Linearization:
    """Return m ẍ + c (ẋ - u̇) + k (x - u) = F, with the support's rate an input or without u."""
    model = Model("driven")
    force = model.input("push.force", unit="N")
    place = speed = 0.0
    if rate:
        speed = model.input("support.speed", unit="m/s")
        place = model.input("support.place", unit="m", rate=speed)
    mass = model.point("mass", (0.0, 0.0))
    mass.y.fix()
    mass.x.dof("mass.place", "mass.speed")
    model.add(Body("body", mass, mass=m))
    spring = k * (place - mass.position[0])
    damper = c * (speed - mass.velocity[0])
    model.force(mass, (force + spring + damper, 0.0))
    model.output("spring.force", spring, unit="N")
    model.output("support.force", spring + damper, unit="N")
    model.output("place", mass.position[0], unit="m")
    return linearize(model.equations())


def by_hand(s: np.ndarray) -> np.ndarray:
    return 1 / (m * s**2 + c * s + k)


def lines(axes: Any) -> dict[str, np.ndarray]:
    return {line.get_label(): np.asarray(line.get_ydata()) for line in axes.lines}


def test_bode_is_the_transfer_function_by_hand_and_python_controls() -> None:
    about = driven()
    figure = about.bode("push.force", "place", frequencies=OMEGA)
    gain, phase = figure.axes
    expected = by_hand(1j * OMEGA)
    assert lines(gain)["place"] == pytest.approx(np.abs(expected), rel=1e-12)
    (shift,) = phase.lines
    assert shift.get_ydata() == pytest.approx(np.degrees(np.angle(expected)), abs=1e-9)
    theirs = control.frequency_response(about.to_control()["place", "push_force"], OMEGA)
    assert lines(gain)["place"] == pytest.approx(np.asarray(theirs.magnitude).ravel(), rel=1e-12)
    assert list(gain.lines[0].get_xdata()) == list(OMEGA)


def test_axes_have_names_and_units() -> None:
    gains_m, gains_n, phase = driven().bode("push.force").axes
    assert (gains_m.get_ylabel(), gains_n.get_ylabel()) == ("gain (N/N)", "gain (m/N)")
    assert sorted(lines(gains_m)) == ["spring.force", "support.force"]
    assert (phase.get_ylabel(), phase.get_xlabel()) == ("phase (°)", "frequency (rad/s)")
    assert gains_m.get_title() == "from push.force"
    above, below = driven().step_response("push.force", ["place", "spring.force"]).axes
    assert (above.get_ylabel(), below.get_ylabel()) == ("change (m)", "change (N)")
    assert below.get_xlabel() == "time (s)"
    assert above.get_title() == "push.force steps by 1 N"


def test_the_rate_of_an_input_follows_it() -> None:
    # X/U = (c s + k) / (m s² + c s + k)
    figure = driven(True).bode("support.place", "mass.place", frequencies=OMEGA)
    s = 1j * OMEGA
    expected = np.abs((c * s + k) * by_hand(s))
    assert lines(figure.axes[0])["mass.place"] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ModelError, match=r"let model\.filtered follow"):
        driven(True).step_response("support.place", "place")
    # rates are not inputs of their own unless they are asked for
    assert [a.get_title() for a in driven(True).bode(outputs="place").axes[:2]] == [
        "from push.force",
        "from support.place",
    ]


def test_step_response_by_hand_and_python_control() -> None:
    about = driven()
    (axes,) = about.step_response("push.force", "place", until=4.0).axes
    time, found = axes.lines[0].get_xdata(), lines(axes)["place"]
    decay = c / (2 * m)
    omega = np.sqrt(k / m - decay**2)
    wave = np.cos(omega * time) + decay / omega * np.sin(omega * time)
    assert found == pytest.approx((1 - np.exp(-decay * time) * wave) / k, abs=1e-9)
    assert time[-1] == pytest.approx(4.0)
    theirs = control.step_response(about.to_control()["place", "push_force"], 4.0)
    assert found == pytest.approx(np.interp(time, theirs.time, theirs.outputs), abs=1e-12)


def test_poles_and_zeros() -> None:
    about = driven()
    roots = np.roots([m, c, k])
    axes = about.poles().axes[0]
    crosses = {line.get_label(): line for line in axes.lines}["poles"]
    drawn = np.asarray(crosses.get_xdata()) + 1j * np.asarray(crosses.get_ydata())
    assert np.sort_complex(drawn) == pytest.approx(np.sort_complex(roots), abs=1e-12)
    assert axes.get_xlabel() == "Re λ (1/s)"
    # from the force to the support's one: -(k + c s) X has its zero at -k/c
    (circle,) = [
        line
        for line in about.poles("push.force", "support.force").axes[0].lines
        if line.get_label() == "zeros"
    ]
    assert circle.get_xdata() == pytest.approx([-k / c], abs=1e-9)
    with pytest.raises(ModelError, match="or neither"):
        about.poles("push.force")


def test_names_that_are_unknown_or_too_many() -> None:
    about = driven()
    with pytest.raises(ModelError, match=r"no input 'push\.fource'; did you mean 'push\.force'\?"):
        about.bode("push.fource")
    with pytest.raises(ModelError, match=r"no output or state 'plac'; did you mean 'place'\?"):
        about.step_response("push.force", "plac")
    many = Model("many")
    inputs = [many.input(f"u{i}") for i in range(5)]
    mass = many.point("mass", (0.0, 0.0))
    mass.y.fix()
    mass.x.dof("x", "v")
    many.add(Body("body", mass, mass=1.0))
    many.force(mass, (sum(inputs), 0.0))
    for i in range(5):
        many.output(f"y{i}", mass.position[0], unit="m")
    with pytest.raises(ModelError, match="5 inputs and 5 outputs are too many"):
        linearize(many.equations()).bode()
    for wrong in ([0.0, 1.0], [2.0, 1.0], [1.0, float("nan")], [], ["1 Hz"]):
        with pytest.raises(ModelError, match="frequencies"):
            about.bode("push.force", "place", frequencies=wrong)
    with pytest.raises(ModelError, match="until"):
        about.step_response("push.force", "place", until=-1.0)


def test_without_python_control_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = builtins.__import__

    def without(name: str, *others: Any) -> Any:
        if name == "control":
            raise ImportError(name)
        return usual(name, *others)

    monkeypatch.delitem(sys.modules, "control")
    monkeypatch.setattr(builtins, "__import__", without)
    for ask in ("bode", "step_response"):
        with pytest.raises(ModelError, match=f"{ask} needs .* pip install control$"):
            getattr(driven(), ask)("push.force", "place")
    assert driven().poles().axes
