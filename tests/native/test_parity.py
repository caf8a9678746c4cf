"""Compiled equations against Python's, of many models: functions, linearizations, errors.

Random mechanisms are compiled without optimization, which changes no number: nothing is contracted
or reordered. Making all functions of the road vehicles, `car` and `iltis`, takes most of the time,
10 to 20 s each, so that all tests of a model share its equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from mbcore import Equations, Model
from mbcore.contact.impact import Impact
from mbcore.fmus import journal_bearing
from tests import singular_models
from tests.conftest import FURTHER, equations_of
from tests.contact.test_impact import ball
from tests.elements.friction.test_rolling import thrown
from tests.equations.test_switched_constraints import rink, sleigh
from tests.mechanism_survey.described import Described
from tests.mechanism_survey.drafts import varied
from tests.model.test_input_rates import tricycle
from tests.native.compared import (
    BY_NAME,
    CLOSE,
    compare,
    compare_along,
    compare_errors,
    compare_held,
    compare_linearizations,
)
from tests.native.test_native import pulled
from tests.native.test_native_models import CASES, SWITCHED
from tests.random_mechanisms import Mechanism
from tests.small_vibrations.models import skate, swivel_wheel

pytestmark = [
    pytest.mark.filterwarnings("ignore::mbcore.ModelWarning"),
    pytest.mark.usefixtures("hasty"),
]
MODELS: dict[str, Callable[[], Model]] = {
    **{name: case.make for name, case in CASES.items()},
    "journal_bearing": journal_bearing.model,
    "impacts": lambda: ball(Impact(0.5)),
    "slip held": sleigh,
    "slips held in turn": lambda: rink(Model("rink")),
    "filter of an input": tricycle,
    "singular slider-crank": lambda: singular_models.slider_crank(True),
}

MUCH = {"car": FURTHER}
"""The car takes ten seconds. It goes straight on, as the iltis does, and has its kinds of parts;
its functions are compared where it starts."""


@pytest.fixture
def spring() -> Equations:
    """Equations that nothing has evaluated yet."""
    return pulled().equations()


def test_functions_and_linearizations_of_a_small_model_are_those_of_python(
    spring: Equations,
) -> None:
    compare(spring)
    compare_linearizations(spring)


def test_errors_of_a_small_model_are_those_of_python(spring: Equations) -> None:
    said = compare_errors(spring)
    assert said["x far"].startswith("SimulationError: pulled: reach = -997 at t = 0: it has left")
    assert "x = nan" in said["x nan"] and "stiffness = -1.7" in said["stiffness negative"]
    assert "not finite" not in said.values()


@pytest.mark.parametrize("make", [swivel_wheel, pytest.param(skate, marks=pytest.mark.heavy)])
def test_held_motions_of_small_models_are_those_of_python(make: Callable[[], Model]) -> None:
    """With kinematic coordinates and inputs, outputs that are forces, and generalized speeds."""
    assert compare_held(make().equations())


@pytest.mark.heavy
@pytest.mark.parametrize("name", MODELS)
def test_functions_of_models_are_those_of_casadi(name: str) -> None:
    """All functions of a road vehicle take six to eight seconds to make, and their C as long."""
    compare(equations_of(MODELS[name]))


@pytest.mark.heavy
@pytest.mark.parametrize("name", [pytest.param(n, marks=MUCH.get(n, ())) for n in MODELS])
def test_linearizations_and_errors_of_models_are_those_of_python(name: str) -> None:
    equations = equations_of(MODELS[name])
    compare_linearizations(equations)
    assert "not finite" not in compare_errors(equations).values()


LEFT_TO_PYTHON = {
    *("clearance_joint", "vehicle", "vehicle_grip", "iltis", "car", "journal_bearing", "impacts"),
    "road_train",
}
"""Contacts, and kinks of tyres, brakes, films and hitches that fold."""


@pytest.mark.heavy
@pytest.mark.parametrize("name", [name for name in MODELS if "held" not in name])
def test_held_motions_of_models_are_those_of_python(name: str) -> None:
    assert compare_held(equations_of(MODELS[name])) == (name not in LEFT_TO_PYTHON)


MOTIONS = {
    **{name: (case.make, case.until, case.options) for name, case in CASES.items()},
    **{name: (make, until, {}) for name, (make, until) in SWITCHED.items()},
    "journal_bearing": (journal_bearing.model, 1.0, {}),
    "filter of an input": (tricycle, 1.0, {}),
    "friction that sticks": (lambda: thrown(coefficient=0.2), 1.0, {}),
}
OWN_COORDINATES = [
    pytest.param(name, marks=MUCH.get(name, ()))
    for name in MOTIONS
    if name != "pendulum in coordinates that change"
]
SWITCHING = {*SWITCHED, "clearance_joint", "friction that sticks"} - {"slip held"}
"""Motions with several combinations of modes."""


@pytest.mark.heavy
@pytest.mark.parametrize("name", OWN_COORDINATES)
def test_functions_along_motions_are_those_of_casadi(name: str) -> None:
    make, until, options = MOTIONS[name]
    assert (compare_along(equations_of(make), until, **options) > 1) == (name in SWITCHING)


def _joined(seed: int) -> Model:
    """Return a mechanism of joints with loops, wheels, and bodies that fly freely."""
    loops, wheels, floats = seed % 3 % 2, int(seed % 5 == 0), seed % 7 == 0
    return Mechanism(seed, 2 + seed % 2, loops, wheels, floats).model


def _described(seed: int) -> Model:
    """Return a mechanism with anything that is coupled, driven, rolls, meshes or bends."""
    return Described(varied(seed, 4)).model


JOINED = (0, 2, 5, 7, 10)
"""Seeds below 20 with all pairs of loop, wheel, free body and number of bodies."""
DESCRIBED = (5, 7, 15, 16, 17, 18, 27, 30, 39, 47)
"""Seeds that have all pairs of kinds of parts which the first fifty have; 18 besides tells a wrong
scale of coordinates in C."""


def _groups(make: Callable[[int], Model], chosen: tuple[int, ...]) -> list[object]:
    """Return what is drawn, and what ``--full-product`` draws besides."""
    further = [seed for seed in range(50) if seed not in chosen]
    name = make.__name__.strip("_")
    return [
        pytest.param(make, chosen, id=name),
        *(
            pytest.param(make, further[i : i + 10], id=f"{name}-{i}", marks=FURTHER)
            for i in range(0, len(further), 10)
        ),
    ]


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("make", "seeds"), [*_groups(_joined, JOINED), *_groups(_described, DESCRIBED)]
)
def test_random_mechanisms_are_evaluated_alike(
    make: Callable[[int], Model], seeds: Sequence[int]
) -> None:
    """Each mechanism takes a second or two: its C is written and compiled, with its derivatives."""
    for k, seed in enumerate(seeds):
        try:
            equations = make(seed).equations(roles="auto")
        except BY_NAME:
            continue  # that needs no evaluation
        compare(equations, exact=CLOSE)
        compare_linearizations(equations)
        compare_held(equations)
        if k % 2 == 0:  # a fifth of the time
            assert "not finite" not in compare_errors(equations).values(), seed
