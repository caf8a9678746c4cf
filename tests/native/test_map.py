"""Maps in C of models with free rotations against linearizations one by one."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, ModelError, compile_equations, linearize
from mbcore.linear.linear_map import LinearMap
from mbcore.linear.linearizer import linearizer_of
from tests.equations.test_free_rotations import free_body, heavy_top, rolling_disk

SPINS = np.array([3.0, 8.0, 20.0, 60.0])
"""Angular velocities of a top about its upright axis, rad/s."""


def mapped(equations: Equations, **swept: np.ndarray) -> LinearMap:
    """Return a map over values of states, whose names have ``_`` in place of the last dot."""
    compile_equations(equations)
    names = {name.replace(".", "_"): name for name in (s.name for s in equations.states)}
    values = {names[name]: np.asarray(value) for name, value in swept.items()}
    found = linearizer_of(equations).at_many(values)
    assert found is not None
    return found


@pytest.mark.parametrize("axes", ["body", "space"])
def test_sleeping_tops_have_the_eigenvalues_of_the_closed_form(axes: str) -> None:
    equations = heavy_top(0.0, 0.0, 1.0, axes=axes).equations()
    found = mapped(equations, top_omega_z=SPINS)
    assert found.done.all()
    for spin, values in zip(SPINS, found.eigenvalues(), strict=True):
        own = linearize(equations, {"top.omega_z": spin}, backend="python").eigenvalues()
        assert values == pytest.approx(own, abs=1e-10 * spin)


@pytest.mark.heavy
def test_a_disk_that_rolls_straight_has_the_eigenvalues_of_the_text() -> None:
    speeds = np.array([0.2, 0.5, 0.8])
    equations = rolling_disk().equations()
    found = mapped(equations, disk_omega_x=0 * speeds, disk_omega_y=speeds)
    assert found.done.all()
    for speed, values in zip(speeds, found.eigenvalues(), strict=True):
        fast = np.emath.sqrt(0.8 * (1 - 3 * speed**2))
        assert np.sort_complex(values) == pytest.approx(
            np.sort_complex([0, fast, -fast]), abs=1e-11
        )


def test_tumbling_is_left_to_be_refused_by_name() -> None:
    rates = np.array([0.0, 0.3])
    equations = free_body().equations()
    found = mapped(equations, ball_omega_x=rates, ball_omega_z=0 * rates)
    assert found.done.tolist() == [True, False]
    about = linearize(equations, {"ball.omega_x": 0.3, "ball.omega_z": 0.0})
    with pytest.raises(ModelError, match=r"motion of ball change along it"):
        about.eigenvalues()
