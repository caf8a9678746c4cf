"""Transients of linear periodic equations: averaging, integration, closed forms."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import mathieu_a, mathieu_cem

from mbcore import Body, Model, ModelError, ModelWarning
from mbcore.vibration import nominal_motion
from tests.small_vibrations.models import (
    DAMPING,
    ECCENTRICITY,
    NATURAL,
    RADIUS,
    excited_pendulum,
    mathieu,
)


def test_integration_follows_the_equation_of_the_pendulum() -> None:
    """[Schwab2002] (4.19) from rest, integrated by SciPy; the outputs are those of the states."""
    speed = 0.5 * NATURAL
    nominal = nominal_motion(
        excited_pendulum().equations(), 2 * np.pi / speed, 32, {"omega": speed}
    )
    found = nominal.transient(10.0, {"phi": 0.02}, method="integration", harmonics=12, samples=40)

    def rate(t: float, y: np.ndarray) -> list[float]:
        stiffness = NATURAL**2 + (1 + ECCENTRICITY) * RADIUS * speed**2 * np.cos(speed * t)
        push = (1 - ECCENTRICITY) * RADIUS * speed**2 * np.sin(speed * t)
        damped = 2 * DAMPING * NATURAL * (y[1] + speed)
        return [y[1], push - damped - stiffness * y[0]]

    exact = solve_ivp(
        rate, (0, 10), [0.02, 0.0], "DOP853", t_eval=found.time, rtol=1e-12, atol=1e-12
    ).y
    assert found.time[-1] == pytest.approx(10.0, abs=nominal.period / 40)
    assert found["phi"] == pytest.approx(exact[0], abs=1e-8)
    assert found["phi_rate"] == pytest.approx(exact[1], abs=1e-8)
    accelerations = [rate(t, y)[1] for t, y in zip(found.time, exact.T, strict=True)]
    assert found["angular_acceleration"] == pytest.approx(np.array(accelerations), abs=1e-6)


def test_integration_of_a_mathieu_function() -> None:
    """At its characteristic value, ce_1 is the solution; it has twice the period."""
    # [Schwab2002] (4.8)
    q = 0.8
    a = float(mathieu_a(1, q))
    nominal = nominal_motion(mathieu().equations(), np.pi, 24, {"a": a, "q": q})
    start = float(mathieu_cem(1, q, 0.0)[0])
    found = nominal.transient(2 * np.pi, {"y": start}, method="integration", harmonics=4)
    values, rates = mathieu_cem(1, q, np.degrees(found.time))
    assert found["y"] == pytest.approx(values, abs=1e-9)
    assert found["y_rate"] == pytest.approx(rates, abs=1e-9)


def oscillators(speed: float, depth: float) -> Model:
    """Return masses on springs, of 20 and 47 rad/s, with dampers that change with time."""
    model = Model("oscillators")
    wave = 1 + depth * np.cos(0.7)
    for name, stiffness in (("slow", 400.0), ("fast", 2209.0)):
        mass = model.point(name, (0, 0))
        mass.y.fix()
        x = mass.x.dof(name, f"{name}_rate")
        x.law(stiffness * x.value + 0.6 * (wave + depth * ca.sin(speed * model.time)) * x.rate)
        model.add(Body(name, mass, mass=1.0))
    return model


def test_averaging_is_exact_where_modes_only_change_their_decay_slowly() -> None:
    """With a damping c(t) small against the frequency: amplitude exp(-∫c/2), to first order."""
    # [Schwab2002] (4.9), (4.10), (4.11), (4.13)
    depth, speed = 0.5, 1.0
    nominal = nominal_motion(oscillators(speed, depth).equations(), 2 * np.pi / speed, 512)
    start = {"slow": 1.0, "fast": 1.0}
    averaged = nominal.transient(6.0, start, harmonics=2)
    exact = nominal.transient(6.0, start, method="integration", harmonics=2)
    for name in ("slow", "fast"):
        assert averaged[name] == pytest.approx(exact[name], abs=0.01)
    wave = 1 + depth * np.cos(0.7)
    t = averaged.time
    decay = np.exp(-0.3 * (wave * t + depth * (1 - np.cos(speed * t)) / speed))
    size = np.hypot(averaged["slow"], averaged["slow_rate"] / 20.0)
    assert size == pytest.approx(decay, abs=0.02)


def test_constant_coefficients_need_no_averaging() -> None:
    nominal = nominal_motion(oscillators(1.0, 0.0).equations(), 2 * np.pi, 128)
    averaged = nominal.transient(4.0, {"slow": 1.0, "fast_rate": 2.0})
    turned = np.sqrt(400 - 0.09)
    exact = np.exp(-0.3 * averaged.time) * (
        np.cos(turned * averaged.time) + 0.3 / turned * np.sin(turned * averaged.time)
    )
    assert averaged["slow"] == pytest.approx(exact, abs=1e-10)


def test_averaging_warns_where_modes_are_not_separated() -> None:
    """Near the principal parametric resonance, 2 Ω = ω, a mode is coupled with its conjugate."""
    equations = mathieu().equations()
    resonant = nominal_motion(equations, np.pi, 24, {"a": 1.02, "q": 0.1, "c": 0.02})
    with pytest.warns(ModelWarning, match=r"harmonic 1 of the coefficients couples them .*integra"):
        resonant.transient(3.0, {"y": 1.0})
    far = nominal_motion(equations, np.pi, 24, {"a": 60.0, "q": 0.1, "c": 0.02})
    averaged = far.transient(6.0, {"y": 1.0})
    exact = far.transient(6.0, {"y": 1.0}, method="integration")
    assert averaged["y"] == pytest.approx(exact["y"], abs=2e-3)


def test_coinciding_eigenvalues_are_refused() -> None:
    """A free mass has a double zero, whose motion grows with time."""
    model = Model("free")
    mass = model.point("mass", (0, 0))
    mass.y.fix()
    mass.x.dof("x", "v")
    model.add(Body("mass", mass, mass=1.0))
    nominal = nominal_motion(model.equations(), 1.0, 8)
    with pytest.raises(ModelError, match="averaging does not apply; use method="):
        nominal.transient(2.0, {"v": 1.0}, harmonics=2)
    found = nominal.transient(2.0, {"v": 1.0}, harmonics=2, method="integration")
    assert found["x"] == pytest.approx(found.time, abs=1e-12)


def test_wrong_arguments_are_refused() -> None:
    nominal = nominal_motion(mathieu().equations(), np.pi, 24)
    for arguments, told in (
        ({"until": -1.0}, "until = -1"),
        ({"until": 1.0, "method": "guess"}, "method = 'guess' is unknown"),
        (
            {"until": 1.0, "samples": 8},
            "samples = 8; give at least those of the nominal motion",
        ),
        ({"until": 1.0, "start": {"z": 1.0}}, "no state 'z'; there is y_rate, y"),
    ):
        with pytest.raises(ModelError, match=told):
            nominal.transient(**arguments)  # type: ignore[arg-type]
