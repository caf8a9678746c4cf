"""The shipped FMUs, one table made from the folder ``fmu_src/``: a new FMU there is in it at once.

Every test that is about all FMUs goes over it. A test that knows more of some FMUs has that in a
table of its own, by their names, and takes for the others what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

import pytest

from mbcore import Model
from mbcore.cli.definitions import definitions
from mbcore.drawing.scene import Picture
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.page_settings import Page

LONG = ("car", "iltis", "balancing_robot", "mecanum", "road_train")
"""FMUs whose tests are heavy: road vehicles, whose equations and compiling take ten seconds each,
and robots that share their parts with `differential_drive`."""


class Course(NamedTuple):
    """A run in which something happens: start values, step, how many, and an input that moves."""

    start: Mapping[str, float]
    step: float
    steps: int
    driven: str


@dataclass(frozen=True)
class Shipped:
    """A shipped FMU: its name, and what its folder says of it."""

    name: str

    @cached_property
    def module(self) -> ModuleType:
        return import_module(f"mbcore.fmus.{self.name}")

    @property
    def model(self) -> Callable[[], Model]:
        return self.module.model

    @property
    def component(self) -> Component:
        """The definition, made once for all tests."""
        return component_of(self.module)

    @property
    def experiment(self) -> Experiment:
        return self.component.experiment

    @property
    def page(self) -> Page | None:
        return self.component.page

    @property
    def picture(self) -> Picture:
        """The model where it starts."""
        return self.model().scene().start()

    @property
    def course(self) -> Course:
        """A run of some steps; where `COURSES` has none, of the default experiment's own."""
        if self.name in COURSES:
            return COURSES[self.name]
        return Course({}, self.experiment.step, 20, self.component.equations.inputs[0].name)


@cache
def component_of(module: ModuleType) -> Component:
    """Return the FMU that a module defines, made once for all tests."""
    return module.component()


SHIPPED = {name: Shipped(name) for name in definitions()}
"""All FMUs by their names."""
COURSES = {
    "vehicle": Course({"steer.angle": 0.2, "drive.force": 900.0}, 0.02, 40, "load.force_y"),
    "vehicle_grip": Course({"steer.angle": 0.2}, 0.02, 20, "load.force_y"),
    "caster": Course({"swivel.angle": 0.4, "strut.damping": 0.1}, 0.1, 40, "swivel.torque"),
    "clearance_joint": Course({"joint.restitution": 0.8}, 2e-5, 50, "slider.force"),
    "journal_bearing": Course({"journal.x_rate": 0.01}, 0.01, 20, "journal.speed"),
    "clearance": Course({"journal.x": 0.51e-3, "law": 2}, 1e-3, 20, "journal.angle"),
    "rolling_disk": Course({"disk.lean": 0.2}, 0.1, 30, "yaw.torque"),
    "caster_flexible": Course({"wheel.roll": 0.05}, 0.02, 20, "attachment.acceleration"),
    "bicycle": Course({"bicycle.lean": 0.1}, 0.05, 30, "lean.torque"),
    "car": Course({"body.speed": 20.0}, 0.01, 20, "body.torque_z"),
    "differential_drive": Course({"base.speed": 0.5}, 0.05, 20, "left.torque"),
    "mecanum": Course({"base.side_speed": 0.5}, 0.05, 20, "front_left.torque"),
    "balancing_robot": Course({"body.pitch": 0.1}, 0.02, 20, "left.torque"),
    "road_train": Course({"trailer_1.angle": 0.3}, 0.05, 20, "drive.force"),
    "iltis": Course({"cabin.speed": 20.0}, 0.01, 20, "wind.force_y"),
}
"""Courses that stir more than the default experiment."""


def each(*cheap: str) -> list[object]:
    """Return the names as parameters: those of `LONG` are heavy, or all but some cheap ones."""
    heavy = {n for n in SHIPPED if n not in cheap} if cheap else set(LONG)
    return [pytest.param(n, marks=pytest.mark.heavy) if n in heavy else n for n in SHIPPED]
