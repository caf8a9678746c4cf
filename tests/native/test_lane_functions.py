"""Elementary functions in vector lanes, against those of NumPy in extended precision."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from mbcore.codegen.compiler import FLAGS, find_compiler
from mbcore.host.vectors import widest
from mbcore.native.sources import OWN

pytestmark = pytest.mark.heavy

ONE = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "exp": np.exp,
    "log": np.log,
    "expm1": np.expm1,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
}
SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 5e-324, 1e-310, 1.0, -1.0, 710.0, -746.0]
)
COUNT = 20_000
CALL = """
void each_{0}(const double *a, const double *b, double *r, int n)
{{
    for (int i = 0; i < n; i += MB_LANES) {{
        mb_lane x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        x = mb_lane_{0}({1});
        memcpy(r + i, &x, sizeof x);
    }}
}}
"""


class Compiled:
    """Functions in so many lanes."""

    def __init__(self, lanes: int, folder: Path) -> None:
        text = [f"#define MB_LANES {lanes}", '#include "mb_lane_functions.h"']
        text += [CALL.format(name, "x") for name in ONE] + [
            CALL.format(of, "x, y") for of in ("atan2", "pow")
        ]
        source, target = folder / f"lanes{lanes}.c", folder / f"lanes{lanes}.so"
        source.write_text("\n".join(text))
        compiler = find_compiler()
        flags = [flag for flag in FLAGS if "visibility" not in flag]
        flags += ["-O2", "-shared", *compiler.position_flags, f"-I{OWN / 'batch'}"]
        flags += [f"-m{widest().target}"] if lanes == widest().lanes and widest().target else []
        compiler.run(*flags, source, "-o", target, "-lm")
        self._library = ctypes.CDLL(str(target))

    def __call__(self, name: str, a: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:
        """Return the values at points, whose number is a multiple of eight."""
        b = np.zeros_like(a) if b is None else b
        found, kind = np.empty_like(a), ctypes.POINTER(ctypes.c_double)
        places = (x.ctypes.data_as(kind) for x in (a, b, found))
        getattr(self._library, f"each_{name}")(*places, len(a))
        return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> list[Compiled]:
    folder = tmp_path_factory.mktemp("lanes")
    return [Compiled(lanes, folder) for lanes in {1, 2, 8, widest().lanes}]


def points(name: str) -> np.ndarray:
    """Return points over the whole range of a function, and where it is delicate."""
    draw, n = np.random.default_rng(3), COUNT // 4
    sign = draw.choice([-1.0, 1.0], n)
    small = 10.0 ** draw.uniform(-20, 0, n)
    if name in ("sin", "cos", "tan"):
        near = np.round(draw.uniform(-1e6, 1e6, n)) * np.pi / 2  # next to zeros
        parts = [draw.uniform(-10, 10, n), draw.uniform(-1.6e6, 1.6e6, n), small * sign, near]
    elif name in ("asin", "acos"):
        parts = [draw.uniform(-1, 1, n), draw.uniform(-0.6, 0.6, n), small * sign, 1 - small]
    elif name in ("expm1", "sinh", "cosh", "tanh"):
        parts = [draw.uniform(-30, 30, n), draw.uniform(-1, 1, n), small * sign, 3 * small * sign]
    elif name == "exp":
        parts = [draw.uniform(-708, 709, n), draw.uniform(-1, 1, n), small * sign, small]
    else:
        wide = 10.0 ** draw.uniform(-290, 290, n)
        parts = [wide, draw.uniform(0.5, 2, n), 1 + small, 10.0 ** draw.uniform(-9, 9, n)]
    return np.concatenate(parts)


def units(found: np.ndarray, exact: np.ndarray) -> float:
    """Return the largest error in units of the last place."""
    return float(np.max(np.abs((found - exact) / np.spacing(np.abs(exact).astype(float)))))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision")
@pytest.mark.parametrize("name", ONE)
def test_two_units_in_the_last_place_everywhere(compiled: list[Compiled], name: str) -> None:
    x = points(name)
    exact = ONE[name](x.astype(np.longdouble))
    assert units(compiled[-1](name, x), exact) <= 2.0


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision")
def test_two_units_in_the_last_place_in_all_quadrants(compiled: list[Compiled]) -> None:
    draw = np.random.default_rng(4)
    y, x = 10.0 ** draw.uniform(-12, 12, (2, COUNT)) * draw.choice([-1.0, 1.0], (2, COUNT))
    exact = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    assert units(compiled[-1]("atan2", y, x), exact) <= 2.0


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision")
def test_powers(compiled: list[Compiled]) -> None:
    draw = np.random.default_rng(5)
    n = COUNT // 4
    x = [10.0 ** draw.uniform(-30, 30, n), draw.uniform(0.5, 2, n), 10.0 ** draw.uniform(-9, 3, n)]
    x += [1 + draw.choice([-1, 1], n) * 10.0 ** draw.uniform(-15, -3, n)]
    y = [draw.uniform(-9, 9, n), draw.uniform(-900, 900, n)]
    y += [draw.choice([1.5, 2.5, 2 / 3, 10 / 9, -0.5, 3.0], n), 10.0 ** draw.uniform(0, 3, n)]
    base, exponent = np.concatenate(x), np.concatenate(y)
    exact = base.astype(np.longdouble) ** exponent.astype(np.longdouble)
    assert units(compiled[-1]("pow", base, exponent), exact) <= 2.0
    first, *others = (of("pow", base, exponent) for of in compiled)
    assert all(np.array_equal(first, other) for other in others)
    left, right = (
        v.ravel() for v in np.meshgrid(SPECIAL[:10], [0.0, -0.0, 0.5, 2.0, -3.0, np.inf])
    )
    left, right = np.resize(left, 64), np.resize(right, 64)
    with np.errstate(all="ignore"):
        expected = left**right
    np.testing.assert_allclose(compiled[-1]("pow", left, right), expected, rtol=1e-15)


@pytest.mark.parametrize("name", ONE)
def test_the_number_of_lanes_changes_no_bit(compiled: list[Compiled], name: str) -> None:
    x = np.resize(np.concatenate([points(name), SPECIAL]), COUNT)
    first, *others = (of(name, x).view(np.int64) for of in compiled)
    for other in others:
        assert np.array_equal(first, other)


@pytest.mark.parametrize(
    "name", ["sin", "cos", "tan", "atan", "exp", "log", "expm1", "sinh", "cosh", "tanh"]
)
def test_zeros_infinities_and_what_is_no_number(compiled: list[Compiled], name: str) -> None:
    x = np.resize(SPECIAL, 16)
    with np.errstate(all="ignore"):
        expected = ONE[name](x)
    found = compiled[-1](name, x)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    there = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[there]), np.signbit(expected[there]))
    finite = np.isfinite(expected)
    assert np.array_equal(found[there & ~finite], expected[there & ~finite])
    np.testing.assert_array_max_ulp(found[finite], expected[finite], 2)


def test_all_signs_of_the_arc_tangent_of_two(compiled: list[Compiled]) -> None:
    y, x = (v.ravel() for v in np.meshgrid(SPECIAL[:8], SPECIAL[:8]))
    expected, found = np.arctan2(y, x), compiled[-1]("atan2", y.copy(), x.copy())
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    there = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[there]), np.signbit(expected[there]))
    np.testing.assert_array_max_ulp(found[there], expected[there], 2)
