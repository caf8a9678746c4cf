"""Springs and dampers suggested for rolling contacts, against closed forms and simulations."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, ModelError, PlanarKnifeEdge, simulate
from mbcore.contact.regularized import Regularization, regularize
from mbcore.examples.rolling import rolling_disk
from tests.conftest import equations_of

MASS, INERTIA, AHEAD, PULL = 2.0, 0.5, 0.4, 3.0


def sleigh(contact: Regularization | None = None) -> Model:
    """A body on a knife edge, with its mass centre ahead, that a spring turns to and fro."""
    model = Model("sleigh")
    edge, heading = model.point("edge", (0, 0)), model.angle("heading")
    blade = model.add(PlanarKnifeEdge("blade", edge, heading))
    model.add(Body("sleigh", edge, heading, mass=MASS, inertia=INERTIA, offset=(AHEAD, 0)))
    heading.angle.dof("heading", "turning", rate_start=1.0)
    heading.angle.spring(PULL)
    if contact is None:
        along = ca.dot(
            ca.vertcat(ca.cos(heading.angle.value), ca.sin(heading.angle.value)), edge.velocity
        )
        model.speed("speed", along)
        edge.x.kinematic("x")
        edge.y.kinematic("y")
    else:
        regularize(model, blade.lateral, contact)
        edge.x.dof("x", "x_rate")
        edge.y.dof("y", "y_rate")
    for i, axis in enumerate("xy"):
        model.output(f"v_{axis}", edge.velocity[i], unit="m/s")
    return model


def test_sleigh_has_its_closed_form() -> None:
    """Along the blade's normal at the edge: w = 1/m + a²/I, about the mass centre."""
    found = Regularization.suggest(sleigh().equations(), {}, 1e-3)
    w = 1 / MASS + AHEAD**2 / INERTIA
    assert found.eigenvalues == pytest.approx([w], rel=1e-12)
    # J ω' = -k θ - m a u ω, u' = a ω², with J = m a² + I, about ω = 1 and u = θ = 0
    Ω = np.sqrt((PULL + 2 * MASS * AHEAD**2) / (MASS * AHEAD**2 + INERTIA))
    assert found.rate == pytest.approx(Ω, rel=1e-9)
    assert found.stiffness == pytest.approx(Ω**2 / w, rel=1e-9)
    assert found.damping == pytest.approx(2 * np.sqrt(found.stiffness / w), rel=1e-9)
    fastest, slowest = found.contact_rates()
    assert fastest == pytest.approx(slowest, rel=1e-6) == pytest.approx(Ω / 1e-3**0.5, rel=1e-6)
    assert found.slip_share() == pytest.approx(1e-3, rel=2e-3)


def test_disk_has_its_closed_forms() -> None:
    """Thin disk upright, m = r = 1: 1/m + r²/(1/2) along, 1/m + r²/(1/4) across."""
    found = Regularization.suggest(
        equations_of(rolling_disk.model), {"disk.lean": 0.0}, 1e-4, rate=2.0
    )
    assert found.eigenvalues == pytest.approx([3.0, 5.0], rel=1e-12)
    assert (found.stiffness, found.compliance) == pytest.approx((4.0 / 3.0, 1e-4))
    assert found.damping == pytest.approx(2 * np.sqrt(4.0 / 15.0))


def test_accuracy_asked_for_is_reached() -> None:
    times = np.linspace(0, 6, 301)
    exact = simulate(sleigh().equations(), 6.0, samples=times, rtol=1e-10, atol=1e-12)
    errors = []
    for accuracy in (1e-2, 1e-3):
        contact = Regularization.suggest(sleigh().equations(), {}, accuracy)
        soft = simulate(sleigh(contact).equations(), 6.0, samples=times, rtol=1e-8, atol=1e-10)
        late = times > 2.0
        errors.append(
            max(np.abs(soft[n] - exact[n])[late].max() for n in ("v_x", "v_y", "turning"))
        )
    assert errors[0] < 1e-2 * 5 and errors[1] < 1e-3 * 5
    assert np.log10(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.2)


def test_curves_are_drawn() -> None:
    pytest.importorskip("matplotlib", reason="the package matplotlib is not installed")
    found = Regularization.suggest(sleigh().equations(), {}, 1e-3)
    left, right = found.draw().axes
    error, steps, settling = (np.asarray(line.get_ydata()) for line in left.lines[:3])
    κ = np.asarray(left.lines[0].get_xdata())
    assert κ[np.argmin(steps * settling)] == pytest.approx(0.5, abs=0.02)
    assert error[40] == pytest.approx(found.slip_share(float(κ[40])))
    assert len(right.lines) == 6


def test_impossible_questions_are_refused_by_name() -> None:
    equations = sleigh().equations()
    with pytest.raises(ModelError, match="accuracy = 2; give a part of one"):
        Regularization.suggest(equations, {}, 2.0)
    with pytest.raises(ModelError, match=r"no zero slip 'blade.latera'.*blade.lateral"):
        Regularization.suggest(equations, {}, 1e-3, slips=["blade.latera"])
    with pytest.raises(ModelError, match="0 rad/s: give a positive number"):
        Regularization.suggest(equations, {}, 1e-3, rate=0.0)
    released = sleigh(Regularization(1.0, 1.0, 1e-3)).equations()
    with pytest.raises(ModelError, match="has no zero slips"):
        Regularization.suggest(released, {}, 1e-3)
