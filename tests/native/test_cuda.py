"""Equations as CUDA C: compiled for a processor and compared, and compiled by NVRTC where it is."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docs.site.gallery_examples import ROOT
from mbcore import Model, ModelError, cuda_source, simulate_many, superpose
from mbcore.codegen.compiler import find_compiler
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle, clearance_joint, rolling_disk
from mbcore.integrators import Method, Tableau, added_method
from mbcore.native.cuda import FLAGS
from tests.sweeps.test_simulate_many import ball

LOOP = """
void run(long long count, long long steps, double h, double *s, const double *d, const double *u,
         const double *p, double *x, const double *scale, long long *made, unsigned char *outcome)
{
    for (mb_number = 0; mb_number < count; mb_number++)
        mb_steps(count, steps, 0, h, s, d, u, p, x, scale, made, outcome);
}
"""
COUNT = 5


def stepped(
    equations: Equations,
    folder: Path,
    starts: dict[str, np.ndarray],
    steps: int,
    h: float,
    method: str = "classical",
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states, steps made and outcomes of the kernel, compiled for this processor."""
    text, library = folder / "kernel.c", folder / "kernel.so"
    text.write_text(cuda_source(equations, method) + LOOP)
    flags = ["-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", library]
    find_compiler().run(*flags, text, "-lm")
    start = Evaluation(equations)
    start.start()
    arrays = {n: np.tile(getattr(start, n)[:, None], (1, COUNT)).astype(float) for n in "sdupx"}
    names = [record.name for record in equations.states]
    for name, values in starts.items():
        arrays["s"][names.index(name)] = values
    made, outcome = np.zeros(COUNT, np.int64), np.zeros(COUNT, np.uint8)
    given = [*arrays.values(), np.array(start.scale, float), made, outcome]
    number = ctypes.c_longlong
    ctypes.CDLL(str(library)).run(
        number(COUNT),
        number(steps),
        ctypes.c_double(h),
        *(array.ctypes.data_as(ctypes.c_void_p) for array in given),
    )
    return arrays["s"], made, outcome


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("make", "state"), [(rolling_disk.model, "disk.yaw_rate"), (bicycle.model, "bicycle.lean_rate")]
)
def test_the_kernel_makes_the_steps_of_lanes(
    make: Callable[[], Model], state: str, tmp_path: Path
) -> None:
    equations = make().equations()
    spread = 1e-3 * np.linspace(-1, 1, COUNT)
    starts = {state: next(s.start for s in equations.states if s.name == state) + spread}
    values, made, outcome = stepped(equations, tmp_path, starts, 1000, 1e-3)
    assert set(made) == {1000} and set(outcome) == {1}
    lanes = simulate_many(
        equations, 1.0, start=starts, method="classical", max_step=1e-3, backend="c"
    )
    for record, row in zip(equations.states, values, strict=True):
        np.testing.assert_allclose(row, lanes[record.name].values[:, -1], rtol=1e-12, atol=1e-12)


class Processor:
    """What the guide's program takes from CuPy, on this processor."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def RawModule(self, code: str, options: tuple[str, ...]) -> Processor:
        """Compile a text as C."""
        assert options == FLAGS
        text, library = self._folder / "kernel.c", self._folder / "kernel.so"
        text.write_text(code + LOOP)
        flags = ["-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", library]
        find_compiler().run(*flags, text, "-lm")
        self._run = ctypes.CDLL(str(library)).run
        return self

    def get_function(self, name: str) -> Callable[..., None]:
        """Return what makes the steps of all instances, one after the other."""
        assert name == "mb_steps"

        def kernel(grid: tuple[int], block: tuple[int], given: tuple[Any, ...]) -> None:
            count, steps, _, h, *arrays = given
            assert (grid[0] - 1) * block[0] < count <= grid[0] * block[0]
            number = ctypes.c_longlong
            pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
            self._run(number(count), number(steps), ctypes.c_double(h), *pointers)

        return kernel


@pytest.mark.heavy
def test_the_guide_s_program_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It steps as `simulate_many` does: the spread of the yaw rates at the end is equal."""
    guide = (ROOT / "docs" / "guides" / "sweep.md").read_text(encoding="utf-8")
    program = guide.partition("```text\nimport cupy")[2].partition("```")[0]
    with monkeypatch.context() as patch:  # xarray asks for CuPy, too
        patch.setitem(sys.modules, "cupy", Processor(tmp_path))
        exec("import cupy" + program.replace("65_536, 2_000,", "5, 200,"), {})
    at_end, spread = capsys.readouterr().out.split(" disks are at the end; ")
    equations = rolling_disk.model().equations()
    start = next(s.start for s in equations.states if s.name == "disk.yaw_rate")
    lanes = simulate_many(
        equations, 0.2, start={"disk.yaw_rate": start + np.linspace(-1e-3, 1e-3, 5)},
        method="classical", max_step=1e-3, backend="c",
    )  # fmt: skip
    assert at_end == "5"
    expected = float(lanes["disk.yaw_rate"].values[:, -1].std())
    assert float(spread) == pytest.approx(expected, rel=1e-9)


@pytest.mark.heavy
def test_a_method_of_ones_own_has_its_order(tmp_path: Path) -> None:
    """Heun's method on ẋ = -x: a step multiplies by 1 - h + h²/2."""
    model = Model("decay")
    x = model.state("x", start=1)
    model.derivative("x", -x)
    heun = Method("heun", "a test", order=2, stability="explicit",
                  tableau=Tableau(a=((1,),), b=("1/2", "1/2")))  # fmt: skip
    starts = {"x": np.linspace(1, 2, COUNT)}
    with added_method(heun):
        values, made, _ = stepped(model.equations(), tmp_path, starts, 10, 0.1, "heun")
    assert set(made) == {10}
    np.testing.assert_allclose(values[0], starts["x"] * 0.905**10, rtol=1e-14)


@pytest.mark.heavy
def test_an_instance_stops_before_its_event(tmp_path: Path) -> None:
    heights = np.array([0.1, 0.2, 0.5, 1.0, 2.0])
    equations = ball().equations()
    values, made, outcome = stepped(equations, tmp_path, {"height": heights}, 500, 1e-3)
    height = values[[record.name for record in equations.states].index("height")]
    falls = np.sqrt(2 * heights / 9.81)
    assert list(outcome) == [2, 2, 2, 2, 1]
    assert list(made[:-1]) == list(np.floor(falls[:-1] / 1e-3))
    np.testing.assert_allclose(height, heights - 0.5 * 9.81 * (made * 1e-3) ** 2, atol=1e-12)


@pytest.mark.heavy
@pytest.mark.parametrize("make", [rolling_disk.model, clearance_joint.model])
def test_nvrtc_compiles_it(make: Callable[[], Model]) -> None:
    found = importlib.util.find_spec("nvidia")
    folders = list(found.submodule_search_locations or []) if found else []
    libraries = [path for folder in folders for path in Path(folder).rglob("libnvrtc.so.*")]
    if not libraries:
        pytest.skip("NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
    nvrtc, made = ctypes.CDLL(str(libraries[0])), ctypes.c_void_p()
    text = cuda_source(make().equations()).encode()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(made), text, b"model.cu", 0, None, None) == 0
    options = [b"--gpu-architecture=compute_80", *(flag.encode() for flag in FLAGS)]
    given = (ctypes.c_char_p * len(options))(*options)
    assert nvrtc.nvrtcCompileProgram(made, len(options), given) == 0


def test_what_is_not_written_is_refused() -> None:
    with pytest.raises(ModelError, match="cuda_source takes equations"):
        cuda_source(ball())  # type: ignore[arg-type]
    for method in ("RK45", "Radau"):
        with pytest.raises(ModelError, match=f"method {method} has no equal steps"):
            cuda_source(ball().equations(), method)
    with pytest.raises(ModelError, match=r"superposed equations .* give those of the model"):
        cuda_source(superpose(ball()))
