"""Derivatives of the FMUs where slopes jump, against differences of their own values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from ctypes import c_uint

import numpy as np
import pytest

from tests.conftest import OK, Archive, Archives, Instance, OpenFmu, doubles
from tests.one_sided import PRECISION, STEP, is_one_sided, magnitudes, one_sided
from tests.shipped import SHIPPED

LINKED = 1e-12
MODES: dict[str, list[dict[str, float]]] = {
    "vehicle": [{"chassis.speed": -5.0}, {"chassis.speed": 30.0, "steer.actuator_angle": 0.2}],
    "vehicle_grip": [{"chassis.speed": -5.0}, {"rear.slip_velocity": 0.5}],
    "clearance_joint": [
        {"joint.x": 4.9e-4},
        {"joint.x": 6e-4},
        {"joint.x": 6e-4, "joint.x_rate": 0.05},
    ],
}
"""Start values with which events have other modes than at the start and at rest."""
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
AMOUNTS = {"car": {"body.roll", "body.speed", *(f"{wheel}.slip_speed" for wheel in WHEELS)}}
"""By what amounts vanish in one term of several: the camber's straight on, those of the speed and
the spin at rest. As |x| has the slope 0 there, the sum has the mean of its slopes on both sides."""


def starts(name: str, archive: Archive) -> Iterator[dict[str, float]]:
    """Start values: the own ones, at rest, all zero, inputs at their limits, and in all modes."""
    model = SHIPPED[name].model()
    rates = [s for s in archive.states if archive.variables[s].unit in ("m/s", "rad/s")]
    given = [s for s in archive.states if archive.variables[s].initial != "calculated"]
    rest = dict.fromkeys((s for s in rates if s in given), 0.0)
    yield {}
    yield rest
    yield dict.fromkeys(given, 0.0)
    yield from MODES.get(name, ())
    for record in model.inputs.values():
        for end in (record.minimum, record.maximum):
            if end is not None:
                yield {record.name: end}
                yield {**rest, record.name: end}
    for parameter in model.parameters.values():
        for item in range(1, len(parameter.items) + 1):
            yield {parameter.name: item}
            yield {**rest, parameter.name: item}


class Slopes:
    """Rates and real outputs of an instance in Continuous-Time Mode by states and inputs."""

    def __init__(self, fmu: Instance) -> None:
        self.fmu = fmu
        real = ("Real", "Float64")
        variables = fmu.variables.values()
        self.inputs = [v.name for v in variables if v.causality == "input" and v.type in real]
        outputs = [v.name for v in variables if v.causality == "output" and v.type in real]
        rates = [u.variable.name for u in fmu.archive.description.derivatives]
        self.rows = [*rates, *(o for o in outputs if o not in (*rates, *fmu.states))]
        self.columns = [*fmu.states, *self.inputs]
        self.at = fmu.values(self.columns)
        nominal = [fmu.variables[name].nominal for name in self.columns]
        self.sizes = np.array([float(n) if n else 1.0 for n in nominal])

    def values(self, at: np.ndarray) -> np.ndarray:
        """Return rates and outputs."""
        n = len(self.fmu.states)
        assert self.fmu.move(0.0, at[:n]) == OK, self.fmu.said
        for name, value in zip(self.inputs, at[n:], strict=True):
            assert self.fmu.set({name: value}) == OK, self.fmu.said
        return self.fmu.values(self.rows)

    def column(self, k: int) -> Callable[[float], np.ndarray]:
        """Return the values as a function of one of the columns' variables."""

        def along(by: float) -> np.ndarray:
            at = self.at.copy()
            at[k] += by
            return self.values(at)

        return along

    def exact(self, adjoint: bool = False) -> np.ndarray:
        """Return the derivatives by columns, or by rows."""
        self.values(self.at)
        names = self.rows if adjoint else self.columns
        parts = [self._derivative(name, adjoint) for name in names]
        return np.vstack(parts) if adjoint else np.column_stack(parts)

    def _derivative(self, name: str, adjoint: bool) -> np.ndarray:
        fmu = self.fmu
        unknown, known = ([name], self.columns) if adjoint else (self.rows, [name])
        pairs = []
        for names in (unknown, known):
            pairs += [(c_uint * len(names))(*map(fmu.reference, names)), len(names)]
        result = doubles([np.nan] * len(known if adjoint else unknown))
        if fmu.archive.version == "2.0":
            status = fmu.call("GetDirectionalDerivative", *pairs, doubles([1.0]), result)
        else:
            kind = "Adjoint" if adjoint else "Directional"
            sized = [doubles([1.0]), 1, result, len(result)]
            status = fmu.call(f"Get{kind}Derivative", *pairs, *sized)
        assert status == OK, fmu.said
        return np.array(result)


def wrong(fmu: Instance, amounts: Collection[str] = ()) -> list[str]:
    """Return by what the derivatives are on neither side, or no transpose of each other.

    By ``amounts`` they may be the means of both sides.
    """
    slopes = Slopes(fmu)
    exact = slopes.exact() * slopes.sizes
    largest = np.abs(exact).max(initial=0.0)
    loose = magnitudes(slopes.rows)
    found = []
    for k, name in enumerate(slopes.columns):
        size, along = slopes.sizes[k], slopes.column(k)
        right, left = (one_sided(along, side * size * STEP) * size for side in (1, -1))
        from_mean = np.abs(exact[:, k] - (right + left) / 2).max(initial=0.0)
        if name in amounts and from_mean <= PRECISION * largest:
            continue
        if not is_one_sided(exact[:, k], right, left, PRECISION * largest, loose):
            found.append(name)
    if fmu.archive.version == "3.0":
        back = slopes.exact(adjoint=True) * slopes.sizes
        if not np.abs(back - exact).max(initial=0.0) <= LINKED * largest:
            found.append("adjoint")
    return found


def test_vehicle_at_rest(open_fmu: OpenFmu) -> None:
    """Mass 1200 kg: a drive moves it by F/m; a brake alone, or the speed alone, does nothing."""
    fmu = open_fmu("vehicle", "ModelExchange")
    assert fmu.initialize({"chassis.speed": 0.0}) == OK
    slopes = Slopes(fmu)
    rate = dict(zip(slopes.columns, slopes.exact()[0], strict=True))
    assert rate.pop("drive.force") == pytest.approx(1 / 1200, rel=1e-12)
    assert rate.pop("load.force_x") == pytest.approx(1 / 1200, rel=1e-12)
    assert all(abs(value) < 1e-15 for value in rate.values())


@pytest.mark.heavy
@pytest.mark.apart
@pytest.mark.parametrize("name", SHIPPED)
def test_slopes_are_right_or_left(name: str, version: str, archives: Archives) -> None:
    """In every column, at the start, at rest, at zero, at all limits of inputs, in all modes."""
    archive = archives[name, version]
    found: dict[str, object] = {}
    for values in starts(name, archive):
        with Instance(archive, "ModelExchange") as fmu:
            assert fmu.initialize(values) == OK, (values, fmu.said)
            if by := wrong(fmu, AMOUNTS.get(name, ())):
                found[", ".join(f"{known} {value:g}" for known, value in values.items())] = by
    assert not found
