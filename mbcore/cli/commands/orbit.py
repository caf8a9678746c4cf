"""The subcommand ``orbit``: a periodic motion of any FMU, with its multipliers."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np

from mbcore.cli.foreign.foreign_fmu import how, is_fmu, opened, sorted_for
from mbcore.cli.foreign.orbit_picture import write_picture
from mbcore.cli.settings import (
    add_set_option,
    checked_path,
    given_values,
    table,
    time_in_seconds,
)
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.periodic.periodic import PeriodicOptions, periodic_solution
from mbcore.results.periodic_solution import PeriodicSolution

HELP = "find a periodic motion of any FMU, its multipliers, and whether it is stable"
STEADY = 1e-7
"""Part of a nominal value below which nothing oscillates."""
TOLERANCE = 1e-10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("name", metavar="NAME.fmu", help="an FMU with Model Exchange")
    parser.add_argument(
        "--period",
        metavar="TIME",
        required=True,
        help="of what drives the FMU, or a multiple of it, as in '0.5 s'; a first guess where "
        "nothing depends on time",
    )
    parser.add_argument(
        "--autonomous",
        action="store_true",
        help="nothing depends on time, so that the period is found too",
    )
    parser.add_argument(
        "--segments",
        metavar="N",
        type=int,
        default=1,
        help="parts of the period whose starts are found together (multiple shooting), for motions "
        "that neighbours leave quickly",
    )
    add_set_option(parser)
    parser.add_argument("--png", metavar="FILE.png", help="write a picture there")


def run(options: argparse.Namespace) -> int:
    """Find the motion, print and draw it; return the exit status."""
    picture = checked_path("--png", options.png, (".png",)) if options.png is not None else None
    period = time_in_seconds("--period", options.period)
    assert period is not None
    if not is_fmu(options.name):
        raise WrongCallError(
            f"{options.name}: give the file of an FMU, NAME.fmu; for a model there is "
            "mbcore.vibration.periodic_solution(equations, period) in Python"
        )
    with opened(options.name) as driver:
        given = sorted_for(driver, given_values("--set", options.set))
        with refusing_calls():
            found = periodic_solution(
                driver,
                period,
                guess=given.start,
                parameters=given.parameters,
                inputs=dict(given.inputs),
                autonomous=options.autonomous,
                options=PeriodicOptions(rtol=TOLERANCE, atol=TOLERANCE, segments=options.segments),
            )
        print(f"{driver.name}: {how(driver)}")
        print(_summary(driver, found))
        if picture is not None:
            write_picture(Path(picture), found, driver.states)
            print(f"wrote {picture}")
    return 0


def _summary(driver: FmuDriver, found: PeriodicSolution) -> str:
    """Return the start, the multipliers and the verdict."""
    assert found.multipliers is not None
    states = [("state", "at t = 0", "half range", "unit")]
    for name in driver.states:
        unit = driver.unit(name)
        start, half = found.start[name], found.amplitude(name)
        states.append((name, f"{start:.9g}", f"{half:.6g}", "" if unit == "1" else unit))
    rows = [("multiplier", "size", "exponent [1/s]")]
    for value, exponent in zip(found.multipliers, found.exponents, strict=True):
        if value.imag < -1e-12:
            continue
        pair = value.imag > 1e-12
        said = f"{value.real:.9g} +- {value.imag:.9g}i" if pair else f"{value.real:.9g}"
        rows.append((said, f"{abs(value):.9g}", f"{exponent.real:.6g}"))
    parts = [
        f"period {found.period:.12g} s, residual {found.residual:.2g}",
        table(states, right=(1, 2)),
        table(rows, right=(0, 1, 2)),
        _verdict(found),
    ]
    if not _oscillates(driver, found):
        parts.append(
            "nothing oscillates: a steady motion, which any period fits; 'mbcore linearize "
            f"{driver.path.name} --steady' gives its eigenvalues"
        )
    return "\n\n".join(parts)


def _oscillates(driver: FmuDriver, found: PeriodicSolution) -> bool:
    """Whether a state does more than advance evenly."""
    times = np.linspace(0.0, found.period, 33)
    for name in driver.states:
        values = np.asarray(found[name](times))
        evenly = values[0] + (values[-1] - values[0]) * times / found.period
        if np.abs(values - evenly).max() > STEADY * driver.nominal(name):
            return True
    return False


def _verdict(found: PeriodicSolution) -> str:
    """Say in words whether the motion is stable, and how fast neighbours come or go."""
    assert found.multipliers is not None
    order = np.argsort(np.abs(found.multipliers - 1))
    own = np.delete(found.multipliers, order[: found.neutral])
    neutral = f"; {found.neutral} neutral by structure" if found.neutral else ""
    if not own.size:
        return f"no multiplier says anything about stability{neutral}"
    largest = float(np.abs(own).max())
    if not found.stable:
        worst = own[int(np.argmax(np.abs(own)))]
        way = "to one side" if worst.real > 0 else "from side to side, at twice the period"
        way = "in a growing beat" if abs(worst.imag) > 1e-9 else way
        return f"unstable: neighbours leave {way}, {largest:.4g} times as far each period{neutral}"
    if largest > 1 - 1e-6:
        return f"neither attracting nor repelling: the largest multiplier is {largest:.9g}{neutral}"
    if largest <= 0:
        return f"stable: neighbours join it within a period{neutral}"
    periods = math.log(2) / -math.log(largest)
    return (
        f"stable: neighbours come nearer by {largest:.4g} each period, by half in {periods:.3g} "
        f"periods{neutral}"
    )
