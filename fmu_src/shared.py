"""Common parts of all FMUs here: whose they are, what importers get, colours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import casadi as ca
from matplotlib.axes import Axes

from mbcore import Equations, Model, Units
from mbcore.fmi.component import Component, Experiment

STATED = ("name", "description", "documentation", "symbols", "terminals", "page")
"""Fields of `Component` that a definition states as constants, ``NAME`` and so on."""


def shipped_component(
    module: str,
    equations: Equations,
    experiment: Experiment,
    picture: Callable[[Axes], None],
    icon: Callable[[Axes], None],
    **own: Any,
) -> Component:
    """Return the FMU that a module defines: by its constants, and fields of its ``own``."""
    constants = vars(sys.modules[module])
    stated = {field: constants[field.upper()] for field in STATED if field.upper() in constants}
    return Component(
        **stated | own,
        equations=equations,
        experiment=experiment,
        picture=picture,
        icon=icon,
        twins=True,
        starts=True,
        author="The mbcore authors",
        version="1.0.0",  # of the interface, by semantic versioning
        copyright="Copyright (c) 2026 The mbcore authors",
    )


def fixed_length(model: Model, name: str, value: float, description: str) -> ca.SX:
    """Add a positive length, shown in mm, that is fixed once a simulation has begun."""
    return model.parameter(
        name,
        value,
        unit=Units("m", "mm"),
        positive=True,
        tunable=False,
        description=description,
    )


METAL, RED = "#7c8694", "#c8553d"
"""Colours of shapes."""
