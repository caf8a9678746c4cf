"""The driver of what a user has: a model, its equations, a component, or an FMU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mbcore.drivers.driver import Driver
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.equations.equations import Equations
from mbcore.fmi.component import Component
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.model import Model


@explains_arguments
def driver(system: object, **options: Any) -> Driver:
    """Return what evaluates and simulates a system, with derivatives.

    Analyses ask it, not the system, so that they are the same for equations and FMUs.

    Parameters
    ----------
    system : Model, Equations, Component or path
        A model or its equations, the definition of an FMU of ours, or the file of any FMU of FMI
        2.0 or 3.0, which then runs in a process of its own.
    options
        Of equations ``backend``; of FMUs ``patience``, the time without a sign of life, s, after
        which one is given up, and ``step``, the longest step in Co-Simulation, s.

    Returns
    -------
    Driver
        To be used in a ``with`` statement.

    Raises
    ------
    ModelError
        It is none of these, or an option does not belong to it.
    FmuError
        The FMU crashes, hangs or fails while it is loaded.
    """
    if isinstance(system, Equations | Model | Component):
        _refuse_others(options, ("backend",), "equations")
        if isinstance(system, Model):
            return EquationsDriver(system.equations(), **options)
        own = system.equations if isinstance(system, Component) else system
        return EquationsDriver(own, **options)
    if isinstance(system, str | Path):
        _refuse_others(options, ("patience", "step"), "an FMU")
        return FmuDriver(system, **options)
    if isinstance(system, EquationsDriver | FmuDriver):
        return system
    raise ModelError(
        f"driver: {system!r}; give a model, its equations, a component or the file of an FMU"
    )


def _refuse_others(options: dict[str, Any], own: tuple[str, ...], what: str) -> None:
    for name in options:
        if name not in own:
            told = " or ".join(f"{one}=" for one in own)
            raise ModelError(
                f"driver: {name}= is not an option of {what}; give {told} or leave it out"
            )


@contextmanager
def opened(source: Any) -> Iterator[Driver]:
    """Give the driver of a source, which is closed at the end unless it was one before."""
    made = driver(source)
    try:
        yield made
    finally:
        if made is not source:
            made.close()
