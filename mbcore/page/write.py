"""The page of a component, in a single file."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from mbcore.codegen.c_model import generate
from mbcore.codegen.compiler import LONGEST, CompilerTimeoutError
from mbcore.codegen.rows import Table
from mbcore.drawing.bundle import in_script, joined
from mbcore.drawing.scene import Scene
from mbcore.equations.equations import Equations
from mbcore.fmi.component import Component, as_component, left_out
from mbcore.fmi.description import documentation
from mbcore.fmi.description.variables import variables
from mbcore.fmi.export import MOST_STATEMENTS
from mbcore.fmi.packing import prechecks
from mbcore.fmi.page_settings import Page
from mbcore.formulas import style
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.page import arrays, table
from mbcore.page.opening import opening
from mbcore.page.spins import spins
from mbcore.page.trial import tried_sizes
from mbcore.page.used_with import used_with
from mbcore.page.webassembly import compile_page, scene_source

ASSETS = files("mbcore.page") / "assets"
MODULES = (
    "fmu.js",
    "simulation.js",
    "link.js",
    "drive.js",
    "spins.js",
    "curve.js",
    "controls.js",
    "flags.js",
    "plots.js",
    "main.js",
)
"""Modules, each after its imports."""
MOST_MARKS = 12
"""Marks of hinges and centres of mass in space above which a page leaves all of them out."""
_IN_SPACE = {"planar": False, "up": [0.0, 0.0, 1.0]}
"""Description of a scene that is seen in space, with its ground below."""


@explains_arguments
def write_page(
    source: Component | Equations,
    target: str | Path | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    most_statements: int = MOST_STATEMENTS,
    compiler_timeout: float = LONGEST,
) -> Path:
    """Write one HTML file in which a model is simulated, seen and driven.

    It needs no server and no network. It contains the C of the model's FMU and the runtime as
    WebAssembly, so it runs the FMU itself, with its solver.

    Parameters
    ----------
    source : Component or Equations
        ``write_page(model.equations())`` is enough; a component adds experiment, documentation
        and wishes for the page, `mbcore.fmi.page_settings.Page`.
    target : path, optional
        The file; ``NAME.html`` in the current folder where absent.
    progress : callable, optional
        Called with a line for each part of the work.
    most_statements : int
        A model whose C is longer is refused before it is compiled.
    compiler_timeout : float
        Seconds after which a compiler that has not ended is taken to hang.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        The model cannot be exported, the component's wishes name something missing, or the file
        cannot be written.
    CompilerError
        ziglang is missing, or fails.
    """
    component = as_component(source)
    if target is not None and not isinstance(target, str | Path):
        raise ModelError(f"write_page: target = {target!r}; give a path, as in 'vehicle.html'")
    path = Path(target or f"{component.name}.html")
    if path.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"write_page: target = {str(path)!r}; it is a page, let it end in .html")
    prechecks.refuse_unwritable(path)
    component.equations.refuse_stale()
    report = progress or (lambda line: None)
    report(f"{component.name}: generating C")
    rows = variables(component)
    generated = generate(component.equations, rows, left_out(component))
    generated.refuse_too_large(most_statements)
    scene = _scene(component.equations)
    model = _description(component, rows, scene, lambda line: report(f"{component.name}: {line}"))
    report(
        f"{component.name}: compiling {len(generated.source) // 1000} kB to WebAssembly (the first "
        "time half a minute or more, for ziglang's own libraries)"
    )
    seen = scene_source(scene.function if scene else None)
    try:
        module = compile_page(component.name, generated.source, seen, compiler_timeout)
    except CompilerTimeoutError as error:
        raise error.allowing_more() from error
    report(f"{component.name}: writing {path}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_page(component, rows, model, module), "utf-8")
    return path


def _scene(equations: Equations) -> Scene | None:
    """Return the scene of a model; None where it has no shapes."""
    try:
        scene = equations.scene()
    except ModelError as error:
        if "none of its elements has a shape" in str(error):
            return None
        raise
    return scene if scene.shapes else None


def _description(
    component: Component, rows: Table, scene: Scene | None, report: Callable[[str], None]
) -> dict[str, Any]:
    """Return the model's description for the script."""
    wishes, experiment = component.page, component.experiment
    equations, scale = component.equations, table.time_scale(component, component.page)
    estimated = table.input_sizes(equations, rows)
    size = scene.size if scene else 1.0
    sizes = tried_sizes(equations, rows, estimated, wishes, scale, size, report)
    rates = {r.name: r.rate.name for r in equations.inputs if r.rate is not None}
    found = table.described(rows, wishes, sizes, equations.unused, rates)
    arrays.add_arrays(found, rows, equations)
    names = [s["name"] for s in scene.description["shapes"]] if scene else []
    if isinstance(wishes.follow, str) and wishes.follow not in names:
        known = ", ".join(sorted({name for name in names if name})) or "none with a name"
        raise ModelError(f"page: follow = {wishes.follow!r} is not one of its shapes, {known}")
    return {
        "name": component.name,
        "start": experiment.start,
        "stop": experiment.stop,
        "timeScale": scale,
        "variables": found,
        "keys": table.keys(wishes, found, rates.values()),
        "captions": dict(wishes.captions),
        "usedWith": used_with(wishes.used_with, rows, equations.unused),
        "opening": opening(wishes.opening, rows, equations.unused),
        "spins": spins(wishes.spins, rows, scene, equations.unused),
        "ramp": wishes.ramp,
        "remarks": {name: asdict(remark) for name, remark in wishes.remarks.items()},
        "plots": table.plots(wishes, found),
        "follow": wishes.follow,
        "scene": _seen(scene.description, wishes) if scene else None,
    }


def _seen(description: dict[str, Any], wishes: Page) -> dict[str, Any]:
    """Return what a page shows of a scene, whose numbers stay as they are."""
    seen = description | (_IN_SPACE if wishes.spatial else {})
    if seen["planar"]:
        return seen
    marks = [s for s in seen["shapes"] if s.get("mark") in ("hinge", "centre")]
    if len(marks) > MOST_MARKS:
        left = [s for s in seen["shapes"] if s not in marks or s["name"] == wishes.follow]
        seen["shapes"] = left
    return seen


def _page(component: Component, rows: Table, model: dict[str, Any], module: bytes) -> str:
    picture = documentation.picture(component)
    image = f"data:image/png;base64,{_letters(picture)}" if picture else ""
    words = documentation.body(component, rows, image)
    formula_style = style() if "<math" in words else ""
    parts = {
        "name": escape(component.name),
        "description": escape(component.description),
        "style": _asset("uplot/uPlot.min.css") + _asset("page.css") + formula_style,
        "model": in_script(model),
        "words": in_script(words),
        "module": _letters(gzip.compress(module, 9, mtime=0)),
        "script": _script(),
    }
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], _asset("page.html"))


@cache
def _script() -> str:
    own = joined({name: _asset(name) for name in MODULES})
    return f"{_asset('uplot/uPlot.iife.min.js')}\n{own}".replace("</script", "<\\/script")


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")


def _letters(data: bytes) -> str:
    return base64.b64encode(data).decode()
