"""A foreign FMU on the command line: its driver, and values that are set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.model import near_names
from mbcore.model.units.text_units import value_in


class ForFmu(NamedTuple):
    """Values by name, sorted by kind of variable."""

    start: dict[str, float]
    parameters: dict[str, float]
    inputs: dict[str, float]


def is_fmu(name: str) -> bool:
    """Return whether a name is that of an FMU's file."""
    return name.lower().endswith(".fmu")


def opened(name: str) -> FmuDriver:
    """Return the driver of an FMU's file.

    Raises
    ------
    WrongCallError
        There is no such file.
    """
    if not Path(name).is_file():
        raise WrongCallError(f"there is no FMU {name}; give the file, as in build/fmi3/caster.fmu")
    with refusing_calls():
        return FmuDriver(name)


@refusing_calls()
def numbers(option: str, driver: FmuDriver, given: Mapping[str, Any]) -> dict[str, float]:
    """Return values by name as numbers in the FMU's units.

    Raises
    ------
    WrongCallError
        A name is unknown, or a value is no number.
    """
    every = (*driver.states, *driver.inputs, *driver.outputs, *driver.settable)
    known = tuple(dict.fromkeys(every))
    found = {}
    for name, value in given.items():
        owner = f"{option}: {name}"
        if name not in known:
            raise WrongCallError(f"{option}: {near_names.unknown('variable', name, known)}")
        if isinstance(value, str):
            value = value_in(owner, value, driver.unit(name))
        if isinstance(value, list):
            raise WrongCallError(f"{owner}: give the elements of an array one by one")
        found[name] = float(value)
    return found


def sorted_for(driver: FmuDriver, given: Mapping[str, Any]) -> ForFmu:
    """Return values of ``--set`` by the kinds of their variables.

    Raises
    ------
    WrongCallError
        A name is unknown or that of an output, or a value is no number.
    """
    values = numbers("--set", driver, given)
    groups = (driver.states, driver.settable, driver.inputs)
    calculated = [name for name in values if not any(name in group for group in groups)]
    if calculated:
        raise WrongCallError(
            f"--set: {calculated[0]} is calculated; set states, parameters and inputs"
        )
    return ForFmu(*({n: v for n, v in values.items() if n in group} for group in groups))


def how(driver: FmuDriver) -> str:
    """Say where derivatives come from."""
    if driver.derivatives == "directional":
        return "derivatives by the FMU's directional derivatives"
    return f"derivatives by differences, for the FMU gives none (noise {driver.noise:.1g})"
