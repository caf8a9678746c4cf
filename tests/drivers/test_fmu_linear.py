"""Linearizations and steady motions of FMUs by their binaries, and the commands for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbcore
from mbcore import ModelError, ModelWarning, SimulationError
from mbcore.cli.program import main
from mbcore.fmi import export
from mbcore.vibration import SteadyMotions, continuation
from tests.built import hastily
from tests.drivers.foreign import foreign
from tests.shipped import SHIPPED

A = np.array([[-1.0, 3.0], [-2.0, -0.5]])
"""Of the foreign state space, whose input acts on its second rate."""


@pytest.mark.heavy  # a process
def test_a_state_space_is_found_again_and_its_steady_states_are_those_of_linear_algebra():
    with mbcore.driver(foreign("STATESPACE", 2)) as fmu:
        with pytest.warns(ModelWarning, match="x2 changes by -2 per second"):
            about = mbcore.linearize(fmu)
        values = np.sort_complex(np.linalg.eigvals(A))
        np.testing.assert_allclose(np.sort_complex(about.eigenvalues()), values, atol=1e-11)
        rest = mbcore.steady_motion(fmu, inputs={"u": 2.0})
        assert list(rest.state.values()) == pytest.approx(np.linalg.solve(A, [0.0, -2.0]))
        # u = 2 x1 + x2/2 and x2 = x1/3
        found = mbcore.steady_motion(fmu, {"x1": 1.0}, find=["u"])
        assert found.inputs["u"] == pytest.approx(2 + 1 / 6)
        with pytest.raises(SimulationError, match="family of dimension 1"):
            mbcore.steady_motion(fmu, find=["u"])
        with pytest.raises(SimulationError, match="no steady motion near"):
            mbcore.steady_motion(fmu, {"x1": 1.0})


@pytest.mark.heavy  # an export and a process
def test_our_fmu_is_linearized_as_its_equations(tmp_path: Path):
    equations = SHIPPED["caster"].component.equations
    own = mbcore.linearize(equations, unsteady=True)
    with hastily():
        (file,) = export(equations, tmp_path, fmi="2.0")
    with mbcore.driver(file) as fmu:
        found = mbcore.linearize(fmu, unsteady=True)
        # choices take values by their numbers; there are no columns by them
        assert "solver.method" in set(fmu.settable) - set(fmu.parameters)
        same = fmu.point(parameters={"solver.method": 2})
        with pytest.raises(ModelError, match=r"solver\.method = 1\.5; give a whole number"):
            fmu.point(parameters={"solver.method": 1.5})
        rest = mbcore.steady_motion(fmu)
        branch = continuation(SteadyMotions(fmu), "swivel.damping", (0.0, 0.1), progress=False)
    np.testing.assert_allclose(found.A, own.state_matrix, atol=1e-12)
    np.testing.assert_array_equal(same.A, found.A)
    np.testing.assert_allclose(found.B, own.input_matrix, atol=1e-12)
    shown = [found.outputs.index(record.name) for record in equations.outputs]
    np.testing.assert_allclose(found.C[shown], own.output_matrix, atol=1e-12)
    np.testing.assert_allclose(found.D[shown], own.feedthrough, atol=1e-12)
    assert rest.ignorable == ("attachment.x",)
    assert rest.state["swivel.angle"] == pytest.approx(0.0, abs=1e-12)
    # it begins to shimmy where the equations say
    theirs = continuation(SteadyMotions(equations), "swivel.damping", (0.0, 0.1), progress=False)
    (begins,), (expected,) = branch.events, theirs.events
    assert begins.kind == expected.kind == "hopf"
    assert begins.value == pytest.approx(expected.value, rel=1e-8)
    last, same = (np.sort_complex(b.columns.exponents[-1]) for b in (branch, theirs))
    np.testing.assert_allclose(last, same, atol=1e-8)


@pytest.mark.heavy  # two processes
def test_the_commands_take_any_fmu(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    picture, matrices = tmp_path / "orbit.png", tmp_path / "abcd.npz"
    van_der_pol = str(foreign("VANDERPOL"))
    line = ["orbit", van_der_pol, "--period", "6.5 s", "--autonomous", "--png", str(picture)]
    assert main(line) == 0
    said = capsys.readouterr().out
    assert "period 6.6632868593" in said  # as in the literature, for mu = 1
    assert "stable: neighbours come nearer by 0.0008597 each period" in said
    assert picture.read_bytes().startswith(b"\x89PNG")
    line = ["linearize", str(foreign("STATESPACE")), "--set", "u=2", "--steady"]
    assert main([*line, "--npz", str(matrices)]) == 0
    said = capsys.readouterr().out
    assert "derivatives by differences" in said
    assert "steady motion: x1 = 0.923077, x2 = 0.307692, u = 2" in said
    np.testing.assert_allclose(np.load(matrices)["A"], A, atol=1e-11)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["orbit", "caster", "--period", "1"], "give the file of an FMU"),
        (["orbit", "none.fmu", "--period", "1"], "there is no FMU none.fmu"),
        (["orbit", "none.fmu", "--period", "-1"], "give a positive time"),
        (["linearize", "none.fmu"], "there is no FMU none.fmu"),
        (["linearize", "none.fmu", "--speed", "a=1"], "--speed: no effect for an FMU"),
    ],
)
def test_wrong_calls_are_refused(line, said, capsys: pytest.CaptureFixture[str]):
    assert main(line) == 2
    assert said in capsys.readouterr().err
