"""What all FMUs here have in common: whose they are, what importers get, colours."""

from functools import partial

from mbcore.fmi.component import Component

shipped_component = partial(
    Component,
    twins=True,
    starts=True,
    author="The mbcore authors",
    version="1.0.0",  # of the interface, by semantic versioning
    copyright="Copyright (c) 2026 The mbcore authors",
)
"""Makes a definition out of what is the FMU's own: the fields of `Component` by name."""

METAL, RED = "#7c8694", "#c8553d"
"""Colours of shapes."""
