"""Compiled equations against Python's, of any model: functions, linearizations, errors."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from mbcore import (
    Equations,
    Linearization,
    Linearizer,
    ModelWarning,
    compile_equations,
    evaluate_by,
    linearize,
    simulate,
)
from mbcore.equations.functions import FUNCTIONS
from mbcore.evaluation.evaluation import Evaluation
from mbcore.host.backend import Backend, evaluating
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.linear.nominal_samples import NominalSamples
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.native.generated import HELD

FUNCTIONS_OF_ANALYSES = [n for n in FUNCTIONS if n not in ("adjoint_change", *HELD)]
EXACT = 1e-12
"""Relative difference that another order of the same operations may make."""
CLOSE = 1e-10
"""Relative difference of what follows from solved equations, by two ways."""
MOST = 8
"""States, parameters and inputs that are given bad values, at most."""
BY_NAME = (ModelError, ConfigurationError, SimulationError)


def compare(equations: Equations, points: int = 3, exact: float = EXACT) -> None:
    """Compare all functions at the start and at random states near it, with random variations."""
    evaluate_by(equations, "python")
    reference = Evaluation(equations)
    reference.start()
    compile_equations(equations)
    other = Evaluation(equations)
    assert (reference.backend, other.backend) == ("python", "c")
    other.start()
    random, start = np.random.default_rng(1), reference.s.copy()
    for k in range(points):
        for point in (reference, other):
            point.s[:] = start
        size = 1e-3 * k * np.array([state.nominal for state in equations.states])
        reference.s += size * random.uniform(-1, 1, start.size)
        reference.configure()
        reference.whole_variation[:] = random.uniform(-1, 1, reference.whole_variation.size)
        reference.direction[:] = random.uniform(-1, 1, reference.direction.size)
        reference.fired[:] = random.integers(-1, 2, reference.fired.size)
        for name in ("t", "s", "d", "u", "p", "whole_variation", "direction", "fired"):
            getattr(other, name)[:] = getattr(reference, name)
        other.configure()
        assert other.x == pytest.approx(reference.x, rel=exact, abs=exact)
        _compare_functions(reference, other, exact)


ROWS = 4
"""Rows of a motion at which functions are compared, besides a row of each combination of modes."""


def compare_along(equations: Equations, until: float, **options: Any) -> int:
    """Compare all functions along a motion, in all combinations of modes that it meets.

    Returns
    -------
    int
        The number of these.
    """
    motion = simulate(equations, until, backend="python", samples=101, **options).motion
    assert motion is not None
    reference, other = (_evaluation(equations, backend) for backend in ("python", "c"))
    modes = np.unique(motion.discretes[:, : len(equations.events)], axis=0, return_index=True)[1]
    spread = np.linspace(0, len(motion.time) - 1, ROWS, dtype=int)
    random = np.random.default_rng(4)
    for row in sorted({*map(int, modes), *map(int, spread)}):
        variation = random.uniform(-1, 1, reference.whole_variation.size)
        direction = random.uniform(-1, 1, reference.direction.size)
        for point in (reference, other):
            point.t[0], point.s[:], point.u[:] = (
                motion.time[row],
                motion.states[row],
                motion.inputs[row],
            )
            point.d[:], point.x[:] = motion.discretes[row], motion.configuration[row]
            point.whole_variation[:], point.direction[:] = variation, direction
        _compare_functions(reference, other, CLOSE)
        for point in (reference, other):
            point.accept()
            point.s += 1e-4 * np.array([state.nominal for state in equations.states])
            point.configure()
        assert other.x == pytest.approx(reference.x, rel=CLOSE, abs=CLOSE)
    return len(modes)


def _evaluation(equations: Equations, backend: Backend) -> Evaluation:
    """Return a point that a backend evaluates, at the start."""
    with evaluating(backend):
        point = Evaluation(equations)
        point.start()
    assert point.backend == backend
    return point


def _compare_functions(reference: Evaluation, other: Evaluation, exact: float) -> None:
    """Compare all functions at the same point."""
    for name in FUNCTIONS_OF_ANALYSES:
        pairs = zip(reference.call(name).results, other.call(name).results, strict=True)
        for there, here in pairs:
            assert here.shape == there.shape, name
            scale = np.abs(there[np.isfinite(there)]).max(initial=1.0)
            np.testing.assert_allclose(here, there, exact, exact * scale, err_msg=name)


MATRICES = (
    *("M", "C", "K_d", "K_k", "A", "B_d", "B_k", "f_d", "state_matrix", "input_matrix"),
    *("output_matrix", "feedthrough", "rates"),
)


def compare_linearizations(equations: Equations, points: int = 3) -> None:
    """Compare linearizations at the start and at random states near it."""
    random, start = np.random.default_rng(2), equations.start_state
    nominal = np.array([state.nominal for state in equations.states])
    evaluate_by(equations, "python")
    reference = Linearizer(equations)
    states = [start + 1e-3 * k * nominal * random.uniform(-1, 1, start.size) for k in range(points)]
    there = [reference.at(state, unsteady=True) for state in states]
    compile_equations(equations)
    linearizer = Linearizer(equations)
    for state, expected in zip(states, there, strict=True):
        found = linearizer.at(state, unsteady=True)
        forces = max(1.0, *(np.abs(m).max(initial=0) for m in (expected.C, expected.K_d)))
        for name in MATRICES:
            one, other = getattr(expected, name), getattr(found, name)
            assert one.shape == other.shape, name
            size = forces if name in ("C", "K_d", "K_k") else np.abs(one).max(initial=1)
            assert np.abs(one - other).max(initial=0) <= CLOSE * size, name
        change = np.abs(expected.state_matrix) * nominal
        clear = change > 1e-10 * change.max(1, keepdims=True, initial=0) + 1e-15 * change.max(
            initial=1
        )
        assert np.array_equal(found.depends[clear], expected.depends[clear])
        if not np.array_equal(found.depends, expected.depends):
            continue  # another entry is taken for a rounding error, and so is an eigenvalue
        _compare_eigenvalues(_eigenvalues(found), _eigenvalues(expected))


def _compare_eigenvalues(here: np.ndarray | str, there: np.ndarray | str) -> None:
    """Compare eigenvalues in any order.

    Double ones, as the zeros of a body that nothing holds, are as uncertain as the root of
    rounding.
    """
    if isinstance(here, str) or isinstance(there, str):
        assert here == there
        return
    distance = np.abs(here[:, None] - there)
    assert distance.shape == (here.size, here.size)
    pairs = linear_sum_assignment(distance)
    assert (distance[pairs] <= 3e-7 + 1e-8 * np.abs(here[pairs[0]])).all()


def _eigenvalues(linearization: Linearization) -> np.ndarray | str:
    """Return eigenvalues, or why there are none, as where an orientation turns unsteadily."""
    try:
        return linearization.eigenvalues()
    except ModelError as error:
        return str(error)


def compare_held(equations: Equations, points: int = 3) -> bool:
    """Compare matrices of held motions at the start and at random states near it.

    Returns
    -------
    bool
        Whether there is something to compare: no contact closed or slip held, and nothing that the
        compiled functions leave to Python.
    """
    if equations.held_motion is None:
        return False
    evaluate_by(equations, "python")
    point, start = Evaluation(equations), equations.start_state
    nominal = np.array([state.nominal for state in equations.states])
    found: list[NominalMatrices] = []
    for backend in ("python", "c"):
        random = np.random.default_rng(3)
        evaluate_by(equations, backend)  # type: ignore[arg-type]
        samples = NominalSamples(equations)
        for k in range(points):
            point.renew()
            point.start()
            point.s[:] = start + 1e-2 * k * nominal * random.uniform(-1, 1, start.size)
            point.configure()
            samples.add(point)
        found.append(samples.matrices())
    there, here = found
    floor = dict.fromkeys(("f", "forces"), np.abs(there.forces).max(initial=0.0))
    # rates of kinematic coordinates are as outputs are; they are zero where nothing turns
    floor |= dict.fromkeys(("A", "B", "rates"), np.abs(there.output_by_state).max(initial=0.0))
    for name in NominalMatrices.__dataclass_fields__:
        one, other = getattr(there, name), getattr(here, name)
        assert one.shape == other.shape, name
        size = max(np.abs(one).max(initial=0.0), floor.get(name, 0.0))
        assert np.abs(one - other).max(initial=0.0) <= CLOSE * size + 1e-13, name
    return True


def compare_errors(equations: Equations) -> dict[str, str]:
    """Compare what is said at points that are not numbers, out of range, out of reach or far off.

    Returns
    -------
    dict
        What is said, by what is wrong.
    """
    said: list[dict[str, str]] = []
    for backend in ("python", "c"):
        evaluate_by(equations, backend)  # type: ignore[arg-type]
        equations.__dict__.pop("_linearizer", None)
        said.append({name: _said(call) for name, call in _bad_points(equations).items()})
    there, here = said
    assert {n: (there[n], here[n]) for n in there if there[n] != here[n]} == {}
    return there


VALUES = {"nan": np.nan, "infinite": np.inf, "huge": 1e6, "far": 1e3, "near": 1.7}


def _bad_points(equations: Equations) -> Mapping[str, Callable[[], np.ndarray]]:
    """Return calls at bad points by name: of each state, input and parameter alone."""
    calls: dict[str, Callable[[], np.ndarray]] = {}
    kinds = {
        "state": equations.states, "parameters": equations.parameters, "inputs": equations.inputs
    }  # fmt: skip
    for kind, records in kinds.items():
        for record in records[:: 1 + len(records) // MOST]:
            for name, value in {**VALUES, "zero": 0.0, "negative": -1.7}.items():
                given = {kind: {record.name: value}}
                calls[f"{record.name} {name}"] = lambda given=given: (
                    linearize(equations, unsteady=True, **given).state_matrix
                )
    for i, record in list(enumerate(equations.states))[:: 1 + len(equations.states) // MOST]:
        for name, value in VALUES.items():
            calls[f"{record.name} {name} on the way"] = lambda i=i, v=value: _moved(equations, i, v)
    return calls


def _moved(equations: Equations, i: int, value: float) -> np.ndarray:
    """Evaluate where one state has been set to a value on the way."""
    point = Evaluation(equations)
    point.start()
    point.s[i] = value
    point.configure()
    point.check()
    return point.derivative()


def _said(call: Callable[[], np.ndarray]) -> str:
    """Return the error and the warnings of a call, with numbers to four digits."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelWarning)
        try:
            found = call()
            text = "fine" if np.isfinite(found).all() else "not finite"
        except BY_NAME as error:
            text = f"{type(error).__name__}: {error}"
    texts = [text, *(str(warning.message) for warning in warned)]
    return re.sub(r"\d+\.\d+(e[-+]\d+)?", lambda m: f"{float(m[0]):.4g}", "; ".join(texts))
