"""Every FMI function in every mode: what the standards allow is done, all else is an error."""

from __future__ import annotations

import re
from ctypes import byref, c_bool, c_double
from pathlib import Path

import fmpy
import pytest

from tests.conftest import DISCARD, ERROR, OK, Archives, Instance, Interface
from tests.fmi.calls.fmi_bench import Bench
from tests.fmi.calls.fmi_calls import ROWS, Row

ANYWHERE = {"GetTypesPlatform", "GetVersion", "FreeInstance"}
"""Functions that need no instance, or leave none."""


def check(bench: Bench, row: Row, mode: str) -> None:
    """Make a call in a mode; what is refused changes no value and leaves getters alone."""
    fmu = bench.fmu
    bench.enter(mode)
    allowed = mode in row.allowed(bench.interface) and bench.offers(row)
    expected = (DISCARD if row.untold else OK) if allowed else ERROR
    before = b"" if mode == "I" or allowed else fmu.bytes()
    arguments = bench.arguments(row)
    fmu.messages.clear()
    status = bench.call(row.function, *arguments)
    assert status == expected, (str(row), mode, bench.interface, fmu.said)
    if status == ERROR:
        assert fmu.said.startswith(f"fmi{bench.archive.version[0]}{row.function}: "), fmu.said
        if before:
            assert fmu.bytes() == before, (str(row), mode)
        assert fmu.set({"solver.tolerance": 1e-6}) == ERROR
        assert "after an error" in fmu.said


@pytest.mark.parametrize("interface", ["ModelExchange", "CoSimulation"])
@pytest.mark.parametrize("name", ["vehicle", "clearance_joint"])
def test_calls_against_modes(
    archives: Archives, name: str, version: str, interface: Interface
) -> None:
    bench = Bench(archives[name, version], interface)
    for row in ROWS[version]:
        if row.variable and bench.variable(row.variable) is None:
            continue
        if row.variable == "state" and name != "vehicle":
            continue  # events may set it; those that no event sets are the vehicle's
        for mode in bench.modes:
            check(bench, row, mode)
    bench.fmu.reset()
    bench.drop_state()
    bench.fmu.fmu.freeInstance()


def test_every_function_is_in_the_matrix(version: str) -> None:
    number = version[0]
    header = Path(fmpy.__file__).parent / "c-code" / f"fmi{number}Functions.h"
    names = set(re.findall(rf"fmi{number}(\w+)TYPE\s", header.read_text("utf-8")))
    needed = {name for name in names - ANYWHERE if not name.startswith("Instantiate")}
    assert len(needed) > 35
    assert {row.function for row in ROWS[version]} == needed


def test_event_mode_of_co_simulation_is_for_those_who_asked_for_it(archives: Archives) -> None:
    """Without eventModeUsed, Step Mode has no way into Event Mode: FMI 3.0.2, 4.1."""
    fmu = Instance(archives["vehicle", "3.0"], "CoSimulation")
    assert fmu.initialize() == OK
    assert fmu.call("EnterEventMode") == ERROR
    assert fmu.said.startswith("fmi3EnterEventMode: "), fmu.said


def test_co_simulation_has_no_time_events_whatever_the_arguments_held(archives: Archives) -> None:
    bench = Bench(archives["vehicle", "3.0"], "CoSimulation")
    bench.enter("E")
    flags, time = [c_bool(True) for _ in range(5)], c_double(7.0)
    assert bench.fmu.call("UpdateDiscreteStates", *map(byref, flags), byref(time)) == OK
    update, terminate, nominals, _, defined = (flag.value for flag in flags)
    assert not (update or terminate or nominals or defined)
    bench.fmu.reset()
    bench.drop_state()
    bench.fmu.fmu.freeInstance()
