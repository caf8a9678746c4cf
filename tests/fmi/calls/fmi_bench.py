"""An instance in any mode, and arguments for any FMI function: for the matrix of calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from ctypes import (
    POINTER,
    byref,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int8,
    c_int16,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint16,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from fmpy import fmi2

from tests.conftest import DISCARD, ERROR, OK, Archive, Instance, Interface, attempt, doubles
from tests.fmi.calls.fmi_calls import EXCHANGE, SIMULATION, Row

FLAT = math.pi / 2
"""A steering angle that is refused, so that a step is discarded."""


class Bench:
    """One instance that is brought into each mode in turn, and arguments for every function."""

    def __init__(self, archive: Archive, interface: Interface) -> None:
        self.archive, self.interface = archive, interface
        self.fmu = Instance(archive, interface)
        if archive.version == "3.0" and interface == "CoSimulation":
            self.fmu.function("FreeInstance")(self.fmu.fmu.component)
            self.fmu.fmu.instantiate(
                loggingOn=True,
                eventModeUsed=True,
                logMessage=lambda _, *message: self.fmu._log(*message),
            )
        # of the file itself, for FMPy does not know all attributes
        root = ElementTree.parse(Path(archive.folder) / "modelDescription.xml").getroot()
        [element] = root.iter(interface)
        self.flags = dict(element.attrib)
        self.library = None
        if archive.version == "2.0":  # for functions of the other interface
            other = fmi2.FMU2Slave if interface == "ModelExchange" else fmi2.FMU2Model
            self.library = other(
                guid="",
                unzipDirectory=archive.folder,
                modelIdentifier=archive.description.modelName,
                instanceName="",
            )
        self.state = c_void_p()
        self.size = c_size_t()
        self.byte = c_char if archive.version == "2.0" else c_uint8
        self.bytes: Any = (self.byte * 1)()

    @property
    def modes(self) -> str:
        """Return the modes that the instance can be in."""
        modes = EXCHANGE if self.interface == "ModelExchange" else SIMULATION
        if self.archive.description.modelName != "vehicle":
            modes = modes.replace("D", "")
        if self.archive.version == "2.0" and self.interface == "CoSimulation":
            modes = modes.replace("E", "")
        return modes

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function of either interface; return its status."""
        if self.library and not hasattr(self.fmu.fmu, f"fmi2{name}"):
            function = getattr(self.library, f"fmi2{name}")
            return attempt(function, self.fmu.fmu.component, *arguments)
        return self.fmu.call(name, *arguments)

    def offers(self, row: Row) -> bool:
        """Return whether the model description offers a function."""
        return not row.flag or self.flags.get(row.flag, "false") not in ("false", "0")

    def keep_state(self) -> None:
        """Save and serialize a state of an instance that has just been reset."""
        name = "FMUstate" if self.archive.version == "2.0" else "FMUState"
        if self.state.value or self.flags.get(f"canGetAndSet{name}") != "true":
            return
        assert self.fmu.call(f"Get{name}", byref(self.state)) == OK
        assert self.fmu.call(f"Serialized{name}Size", self.state, byref(self.size)) == OK
        self.bytes = (self.byte * self.size.value)()
        serialize = f"Serialize{name}"
        assert self.fmu.call(serialize, self.state, self.bytes, self.size.value) == OK

    def drop_state(self) -> None:
        """Free the saved state."""
        name = "FreeFMUstate" if self.archive.version == "2.0" else "FreeFMUState"
        if self.state.value:
            assert self.fmu.call(name, byref(self.state)) == OK

    def enter(self, mode: str) -> None:
        """Bring the instance into a mode, from a reset."""
        fmu = self.fmu
        assert fmu.reset() == OK
        self.keep_state()
        if mode == "I":
            return
        if mode == "F":
            assert fmu.call("ExitInitializationMode") == ERROR
            return
        fmu.enter_initialization({"steering": 2, "steer.angle": 0.0} if mode == "D" else {})
        if mode == "N":
            return
        assert fmu.call("ExitInitializationMode") == OK
        if mode == "E":
            return
        if self.interface == "ModelExchange":
            assert fmu.leave_event_mode() == OK
        elif self.archive.version == "3.0":
            assert fmu.update_discrete_states() == fmu.call("EnterStepMode") == OK
        if mode == "T":
            assert fmu.call("Terminate") == OK
        elif mode == "D":
            assert fmu.set({"steer.angle": FLAT}) == OK
            assert fmu.step(1e-3) == DISCARD
            assert fmu.set({"steer.angle": 0.0}) == OK

    def variable(self, kind: str) -> Any:
        """Return the first variable of a kind, None where there is none."""
        states = set(self.archive.states)
        for v in self.archive.description.modelVariables:
            real = v.type in ("Real", "Float64")
            state = v.name in states and v.initial == "exact"
            found = {
                "input": v.causality == "input" and real,
                "tunable": v.causality == "parameter" and v.variability == "tunable" and real,
                "parameter": v.causality == "parameter" and v.variability == "fixed" and real,
                "state": state and not v.reinit,
                "state with reinit": state and v.reinit,
                "output": v.causality == "output"
                and real
                and v.variability == "continuous"
                and v.initial == "calculated",
                "enumeration": v.type == "Enumeration" and v.causality == "parameter",
                "integer": v.type in ("Integer", "Int32") and v.causality == "output",
                # What events set has a start value, as integers here have.
                "boolean": v.type == "Boolean"
                and v.causality == "output"
                and not v.name.endswith(".sticks"),
            }
            if found[kind]:
                return v
        return None

    def arguments(self, row: Row) -> tuple:
        """Return what a function is called with behind the instance."""
        if row.variable:
            return self._access(row)
        return (_arguments_2 if self.archive.version == "2.0" else _arguments_3)(self)[
            row.function
        ]()

    def _access(self, row: Row) -> tuple:
        """Arguments of getters and setters, of derivatives with respect to time too."""
        variable = self.variable(row.variable)
        reference = (c_uint * 1)(variable.valueReference)
        start = float(variable.start or 0)
        if row.function in ("SetRealInputDerivatives", "GetRealOutputDerivatives"):
            return reference, 1, (c_int * 1)(1), doubles([0.0])
        if row.function == "GetOutputDerivatives":
            return reference, 1, (c_int * 1)(1), doubles([0.0]), 1
        kind = row.function[3:]
        if kind == "Clock":
            return reference, 1, (c_bool * 1)()
        if kind == "Binary":
            return reference, 1, (c_size_t * 1)(), (POINTER(c_uint8) * 1)(), 1
        types = {"Real": c_double, "Float64": c_double, "Int64": c_int64, "String": c_char_p}
        types |= {"Integer": c_int, "Int32": c_int, "Float32": c_float}
        types |= {"Int8": c_int8, "UInt8": c_uint8, "Int16": c_int16, "UInt16": c_uint16}
        types |= {"UInt32": c_uint, "UInt64": c_uint64}
        types["Boolean"] = c_int if self.archive.version == "2.0" else c_bool
        chosen = types[kind]
        given = (
            (b"",)
            if chosen is c_char_p
            else (start if chosen in (c_double, c_float) else int(start),)
        )
        values = (chosen * 1)(*given)
        return (
            (reference, 1, values) if self.archive.version == "2.0" else (reference, 1, values, 1)
        )


def _arguments_2(bench: Bench) -> dict[str, Callable[[], tuple]]:
    states, indicators = _sizes(bench)
    known, unknown = _derivative_references(bench)
    now = bench.fmu.time
    return {
        "SetDebugLogging": lambda: (1, 0, None),
        "SetupExperiment": lambda: (0, 0.0, 0.0, 0, 0.0),
        "GetFMUstate": lambda: (byref(c_void_p()),),
        "SetFMUstate": lambda: (bench.state,),
        "FreeFMUstate": lambda: (byref(c_void_p()),),
        "SerializedFMUstateSize": lambda: (bench.state, byref(c_size_t())),
        "SerializeFMUstate": lambda: (bench.state, bench.bytes, bench.size.value),
        "DeSerializeFMUstate": lambda: (bench.bytes, bench.size.value, byref(c_void_p())),
        "GetDirectionalDerivative": lambda: (
            *(unknown, 1, known, 1),
            *(doubles([1.0]), doubles([0.0])),
        ),
        "NewDiscreteStates": lambda: (byref(fmi2.fmi2EventInfo()),),
        "CompletedIntegratorStep": lambda: (1, byref(c_int()), byref(c_int())),
        "SetTime": lambda: (now,),
        "SetContinuousStates": lambda: (doubles(_start_states(bench)), states),
        "GetEventIndicators": lambda: (doubles([0.0] * indicators), indicators),
        "GetContinuousStates": lambda: (doubles([0.0] * states), states),
        "GetDerivatives": lambda: (doubles([0.0] * states), states),
        "GetNominalsOfContinuousStates": lambda: (doubles([0.0] * states), states),
        "DoStep": lambda: (now, 1e-4, 1),
        "GetStatus": lambda: (0, byref(c_int())),
        "GetRealStatus": lambda: (2, byref(c_double())),
        "GetIntegerStatus": lambda: (0, byref(c_int())),
        "GetBooleanStatus": lambda: (3, byref(c_int())),
        "GetStringStatus": lambda: (1, byref(c_char_p())),
        **{name: lambda: () for name in _PLAIN},
    }


_PLAIN = (
    "EnterInitializationMode",
    "ExitInitializationMode",
    "Terminate",
    "Reset",
    "EnterEventMode",
    "EnterContinuousTimeMode",
    "EnterStepMode",
    "CancelStep",
    "EnterConfigurationMode",
    "ExitConfigurationMode",
    "EvaluateDiscreteStates",
)


def _arguments_3(bench: Bench) -> dict[str, Callable[[], tuple]]:
    states, indicators = _sizes(bench)
    known, unknown = _derivative_references(bench)
    now = bench.fmu.time
    one, four = (c_uint * 1)(1), [c_bool() for _ in range(5)]
    seeds = (unknown, 1, known, 1, doubles([1.0]), 1, doubles([0.0]), 1)
    decimal = (one, 1, doubles([0.0]))
    fraction = (one, 1, (c_uint64 * 1)(), (c_uint64 * 1)())
    qualifier = (c_int * 1)()
    sizes = (c_size_t * 1)()
    return {
        "SetDebugLogging": lambda: (True, 0, None),
        "GetFMUState": lambda: (byref(c_void_p()),),
        "SetFMUState": lambda: (bench.state,),
        "FreeFMUState": lambda: (byref(c_void_p()),),
        "SerializedFMUStateSize": lambda: (bench.state, byref(c_size_t())),
        "SerializeFMUState": lambda: (bench.state, bench.bytes, bench.size.value),
        "DeserializeFMUState": lambda: (bench.bytes, bench.size.value, byref(c_void_p())),
        "EnterInitializationMode": lambda: (False, 0.0, 0.0, False, 0.0),
        "GetNumberOfVariableDependencies": lambda: (1, byref(c_size_t())),
        "GetVariableDependencies": lambda: (1, sizes, one, sizes, qualifier, 1),
        "GetDirectionalDerivative": lambda: seeds,
        "GetAdjointDerivative": lambda: seeds,
        "GetIntervalDecimal": lambda: (*decimal, qualifier),
        "GetIntervalFraction": lambda: (*fraction, qualifier),
        "GetShiftDecimal": lambda: decimal,
        "GetShiftFraction": lambda: fraction,
        "SetIntervalDecimal": lambda: decimal,
        "SetIntervalFraction": lambda: fraction,
        "SetShiftDecimal": lambda: decimal,
        "SetShiftFraction": lambda: fraction,
        "ActivateModelPartition": lambda: (1, 0.0),
        "UpdateDiscreteStates": lambda: (*(byref(flag) for flag in four), byref(c_double())),
        "CompletedIntegratorStep": lambda: (True, byref(four[0]), byref(four[1])),
        "SetTime": lambda: (now,),
        "SetContinuousStates": lambda: (doubles(_start_states(bench)), states),
        "GetContinuousStateDerivatives": lambda: (doubles([0.0] * states), states),
        "GetContinuousStates": lambda: (doubles([0.0] * states), states),
        "GetEventIndicators": lambda: (doubles([0.0] * indicators), indicators),
        "GetNominalsOfContinuousStates": lambda: (doubles([0.0] * states), states),
        "GetNumberOfContinuousStates": lambda: (byref(c_size_t()),),
        "GetNumberOfEventIndicators": lambda: (byref(c_size_t()),),
        "DoStep": lambda: (now, 1e-4, True, *(byref(f) for f in four[:3]), byref(c_double())),
    } | {name: lambda: () for name in _PLAIN if name != "EnterInitializationMode"}


def _sizes(bench: Bench) -> tuple[int, int]:
    return len(bench.fmu.states), bench.archive.description.numberOfEventIndicators


def _start_states(bench: Bench) -> list[float]:
    return [bench.fmu.get(name) for name in bench.fmu.states]


def _derivative_references(bench: Bench) -> tuple[Any, Any]:
    """An input and an output, whose derivative each mode but Instantiated can give."""
    return tuple((c_uint * 1)(bench.variable(kind).valueReference) for kind in ("input", "output"))
