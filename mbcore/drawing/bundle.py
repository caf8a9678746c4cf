"""Bundle the scripts of motion pages into one that needs no server and no network.

A page that is opened from a file may not load modules from other files, so the modules of
three.js, as they were published, and our own are put one after the other into one plain script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from mbcore.model.errors import ModelError

ASSETS = files("mbcore.drawing") / "assets"
ORDER = (
    "three/three.core.min.js",
    "three/three.module.min.js",
    "three/OrbitControls.js",
    "three/LineMaterial.js",
    "three/LineSegmentsGeometry.js",
    "three/LineSegments2.js",
    "solids.js",
    "strokes.js",
    "ground.js",
    "extents.js",
    "camera.js",
    "scene.js",
)
"""Modules in an order in which each follows its imports."""

_IMPORT = re.compile(r'import\s*\{([^{}]*)\}\s*from\s*["\']([^"\']+)["\'];?')
_FORWARD = re.compile(r'export\s*\{([^{}]*)\}\s*from\s*["\']([^"\']+)["\'];?')
_EXPORT = re.compile(r"export\s*\{([^{}]*)\};?")
_DECLARED = re.compile(r"^export (?=(?:const|(?:async )?function|class) (\w+))", re.MULTILINE)


@cache
def asset(name: str) -> str:
    """Return the text of a file among the assets."""
    return (ASSETS / name).read_text("utf-8")


def in_script(value: Any) -> str:
    """Return JSON that is safe inside a script element: nothing ends the script or opens a comment.

    After ``<!--`` and ``<script`` a browser takes the closing tag for part of the script.
    """
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


@cache
def scene_script(*further: str) -> str:
    """Return a script that sets ``mbcore.makeScene``, to be written between script tags.

    Parameters
    ----------
    further : str
        Names of modules among the assets that come after the scene's; what they export is set as
        well.
    """
    return joined({name: asset(name) for name in further})


def joined(further: Mapping[str, str]) -> str:
    """Return the same script with further modules, given as texts by name."""
    parts = ['"use strict";', "var mbcore = (() => {", "const modules = {};"]
    for name, text in ({name: asset(name) for name in ORDER} | dict(further)).items():
        parts.append(wrapped(name, text))
    exports = ", ".join(f'...modules["{_key(name)}"]' for name in ("scene.js", *further))
    parts.append(f"return {{ {exports} }};\n}})();")
    script = "\n".join(parts)
    return script.replace("</script", "<\\/script")


def wrapped(name: str, text: str) -> str:
    """Return a module as a function that is called once and returns what the module exports.

    Raises
    ------
    ModelError
        If the module imports or exports in a way that is not known here.
    """
    given: list[str] = []

    def bring(match: re.Match[str]) -> str:
        return f"const {{{_pairs(match[1], ': ')}}} = {_module(match[2])};"

    def forward(match: re.Match[str]) -> str:
        given.append(_pairs(match[1], ": ", f"{_module(match[2])}.", turned=True))
        return ""

    def hand(match: re.Match[str]) -> str:
        given.append(_pairs(match[1], ": ", turned=True))
        return ""

    def declare(match: re.Match[str]) -> str:
        given.append(match[1])
        return ""

    code = _FORWARD.sub(forward, _IMPORT.sub(bring, text))
    code = _DECLARED.sub(declare, _EXPORT.sub(hand, code))
    # Better an error here than a page that stays blank.
    if left := re.search(r"^\s*(?:import|export)\b.*", code, re.MULTILINE):
        raise ModelError(
            f"{name}: the statement {left[0][:60]!r} cannot be put into one script; "
            "name what is imported or exported in braces"
        )
    exported = ", ".join(part for part in given if part)
    return f'modules["{_key(name)}"] = (() => {{\n{code}\nreturn {{ {exported} }};\n}})();'


def _key(name: str) -> str:
    return name.rpartition("/")[2]


def _module(path: str) -> str:
    return f'modules["{"three.module.min.js" if path == "three" else _key(path)}"]'


def _pairs(names: str, sign: str, prefix: str = "", *, turned: bool = False) -> str:
    """Return ``a as b`` as ``a: b``, or turned as ``b: a``."""
    found = []
    for part in filter(None, (name.strip() for name in names.split(","))):
        inner, _, outer = (word.strip() for word in part.partition(" as "))
        outer = outer or inner
        found.append(f"{outer}{sign}{prefix}{inner}" if turned else f"{inner}{sign}{outer}")
    return ", ".join(found)
