"""Which FMI function may be called in which mode: the standards' tables, and what these FMUs do.

Modes are letters, in the order in which a simulation meets them:

    I  Instantiated                       S  Co-Simulation between its steps
    N  Initialization Mode                D  the same after a step that was discarded
    E  Event Mode                         T  Terminated
    C  Continuous-Time Mode               F  after a call that returned Error

Each row gives the modes that the standard allows, for Model Exchange and for Co-Simulation, and
those that these FMUs allow besides (``more``), with the reason. Elsewhere the call is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

EXCHANGE, SIMULATION = "INECTF", "INESDTF"
"""The modes of the two interfaces; Event Mode of Co-Simulation is FMI 3.0's."""


@dataclass(frozen=True)
class Row:
    """One function, with one kind of argument.

    ``variable`` says which kind of variable it is called for, ``flag`` which capability offers it
    (a function that is not offered is an error everywhere), ``untold`` that an allowed call is
    discarded because the FMU has no such value.
    """

    function: str
    exchange: str
    simulation: str
    source: str
    variable: str = ""
    more: str = ""
    why: str = ""
    flag: str = ""
    untold: bool = False

    def standard(self, interface: str) -> str:
        """Return the modes that the standard allows."""
        return self.exchange if interface == "ModelExchange" else self.simulation

    def allowed(self, interface: str) -> str:
        """Return the modes in which these FMUs allow the call."""
        return self.standard(interface) + (self.more if self.standard(interface) else "")

    def __str__(self) -> str:
        return f"{self.function} {self.variable}".strip()


_START = "start values are known before initialization, and importers show them"
_INPUT = "importers set start values of inputs with those of parameters"
_BACK = "a discarded step was taken back wholly, as FMI 3.0 demands, so it can be tried otherwise"
_TUNE = "CasADi's importer sets parameters between evaluations"
_TIME = "FMI 2.0 of 2014 allowed it; its note now keeps it for models without continuous time"
_COUNT = "the numbers never change"

_COMMON_2 = "2.0.5, 3.2.3 and 4.2.4"
_EXCHANGE_2 = "2.0.5, 3.2.3"
_STEPS_2 = "2.0.5, 4.2.4"
_STATE_2 = tuple(
    Row(name, "INECTF", "INSDTF", _COMMON_2, flag=flag)
    for name, flag in (
        ("GetFMUstate", "canGetAndSetFMUstate"),
        ("SetFMUstate", "canGetAndSetFMUstate"),
        ("FreeFMUstate", "canGetAndSetFMUstate"),
        ("SerializedFMUstateSize", "canSerializeFMUstate"),
        ("SerializeFMUstate", "canSerializeFMUstate"),
        ("DeSerializeFMUstate", "canSerializeFMUstate"),
    )
)
FMI_2 = (
    Row("SetDebugLogging", "INECTF", "INSDTF", _COMMON_2),
    Row("SetupExperiment", "I", "I", _COMMON_2),
    Row("EnterInitializationMode", "I", "I", _COMMON_2),
    Row("ExitInitializationMode", "N", "N", _COMMON_2),
    Row("Terminate", "EC", "SD", _COMMON_2),
    Row("Reset", "INECTF", "INSDTF", _COMMON_2),
    Row("GetReal", "NECTF", "NSDTF", _COMMON_2, "output"),
    *(
        Row(f"Get{kind}", "NECTF", "NSDTF", _COMMON_2, variable, more="I", why=_START)
        for kind, variable in (
            ("Real", "input"),
            ("Real", "parameter"),
            ("Real", "state"),
            ("Integer", "enumeration"),
            ("Integer", "integer"),
        )
    ),
    Row("GetBoolean", "NECTF", "NSDTF", _COMMON_2, "boolean"),
    Row("GetString", "", "", _COMMON_2 + "; no variable is a string", "input"),
    Row("SetString", "", "", _COMMON_2 + "; no variable is a string", "input"),
    Row("SetReal", "NEC", "NS", _COMMON_2, "input", more="ID", why=f"{_INPUT}; {_BACK}"),
    Row("SetReal", "INE", "INS", _COMMON_2, "tunable", more="CD", why=f"{_TUNE}; {_BACK}"),
    Row("SetReal", "IN", "IN", _COMMON_2, "parameter"),
    Row("SetReal", "INC", "IN", _COMMON_2, "state"),
    Row("SetReal", "", "", _COMMON_2, "output"),
    Row("SetInteger", "IN", "IN", _COMMON_2, "enumeration"),
    Row("SetInteger", "", "", _COMMON_2, "integer"),
    Row("SetBoolean", "", "", _COMMON_2, "boolean"),
    *_STATE_2,
    Row(
        "GetDirectionalDerivative",
        "NECTF",
        "NSDTF",
        _COMMON_2,
        flag="providesDirectionalDerivative",
    ),
    Row("EnterEventMode", "EC", "", _EXCHANGE_2),
    Row("NewDiscreteStates", "E", "", _EXCHANGE_2),
    Row("EnterContinuousTimeMode", "E", "", _EXCHANGE_2),
    Row("CompletedIntegratorStep", "C", "", _EXCHANGE_2),
    Row("SetTime", "C", "", _EXCHANGE_2, more="E", why=_TIME),
    Row("SetContinuousStates", "C", "", _EXCHANGE_2),
    Row("GetEventIndicators", "NECTF", "", _EXCHANGE_2),
    Row("GetContinuousStates", "NECTF", "", _EXCHANGE_2),
    Row("GetDerivatives", "NECTF", "", _EXCHANGE_2),
    Row("GetNominalsOfContinuousStates", "INECTF", "", _EXCHANGE_2),
    Row(
        "SetRealInputDerivatives",
        "",
        "INS",
        _STEPS_2,
        "input",
        more="D",
        why=_BACK,
        flag="canInterpolateInputs",
    ),
    Row(
        "GetRealOutputDerivatives",
        "",
        "SDTF",
        _STEPS_2,
        "output",
        flag="maxOutputDerivativeOrder",
    ),
    Row("DoStep", "", "S", _STEPS_2, more="D", why=_BACK),
    Row("CancelStep", "", "", _STEPS_2 + "; no step is asynchronous"),
    Row("GetStatus", "", "SDT", _STEPS_2, untold=True),
    Row("GetRealStatus", "", "SDT", _STEPS_2),
    Row("GetIntegerStatus", "", "SDT", _STEPS_2, untold=True),
    Row("GetBooleanStatus", "", "SDT", _STEPS_2),
    Row("GetStringStatus", "", "SDT", _STEPS_2, untold=True),
)

_ALWAYS_3 = "3.0.2, 2.3.1"
_NUMBERS_3 = ("Float32", "Int8", "UInt8", "Int16", "UInt16", "UInt32", "UInt64")
_CLOCKS_3 = "3.0.2, 2.3.3 and 2.3.5; there are no clocks"
FMI_3 = (
    Row("SetDebugLogging", "INECTF", "INESDTF", _ALWAYS_3),
    Row("Reset", "INECTF", "INESDTF", _ALWAYS_3),
    *(
        Row(name, "INECTF", "INESDTF", _ALWAYS_3, flag=flag)
        for name, flag in (
            ("GetFMUState", "canGetAndSetFMUState"),
            ("SetFMUState", "canGetAndSetFMUState"),
            ("FreeFMUState", "canGetAndSetFMUState"),
            ("SerializedFMUStateSize", "canSerializeFMUState"),
            ("SerializeFMUState", "canSerializeFMUState"),
            ("DeserializeFMUState", "canSerializeFMUState"),
        )
    ),
    Row("EnterInitializationMode", "I", "I", "3.0.2, 2.3.2"),
    Row("ExitInitializationMode", "N", "N", "3.0.2, 2.3.3"),
    Row("EnterConfigurationMode", "", "", "3.0.2, 2.3.2; there are no structural parameters"),
    Row("ExitConfigurationMode", "", "", "3.0.2, 2.3.6; there are no structural parameters"),
    Row("Terminate", "EC", "ESD", "3.0.2, 2.3.4"),
    *(
        Row(f"Get{kind}", "INECTF", "INESDTF", "3.0.2, 2.3.2 to 2.3.8, 3.2.1, 4.2.1", variable)
        for kind, variable in (
            ("Float64", "output"),
            ("Float64", "input"),
            ("Float64", "parameter"),
            ("Float64", "state"),
            ("Int64", "enumeration"),
            ("Int32", "integer"),
            ("Boolean", "boolean"),
        )
    ),
    *(Row(f"Get{kind}", "", "", "no variable is of the type", "input") for kind in _NUMBERS_3),
    *(Row(f"Set{kind}", "", "", "no variable is of the type", "input") for kind in _NUMBERS_3),
    *(
        Row(f"{verb}{kind}", "", "", "no variable is of the type", "input")
        for verb in ("Get", "Set")
        for kind in ("String", "Binary", "Clock")
    ),
    Row("SetFloat64", "INEC", "INESD", "3.0.2, 2.3, 3.2.1, 4.2.1", "input"),
    Row("SetFloat64", "INE", "INESD", "3.0.2, 2.3, 4.2.1", "tunable", more="C", why=_TUNE),
    Row("SetFloat64", "IN", "IN", "3.0.2, 2.3.2, 2.3.3", "parameter"),
    Row("SetFloat64", "INEC", "INE", "3.0.2, 2.3.2, 2.3.3, 2.3.5, 3.2.1", "state"),
    Row("SetFloat64", "INC", "IN", "3.0.2, 2.3.5: not if reinit", "state with reinit"),
    Row("SetFloat64", "", "", "3.0.2, 2.3", "output"),
    Row("SetInt64", "IN", "IN", "3.0.2, 2.3.2, 2.3.3", "enumeration"),
    Row("SetInt32", "", "", "3.0.2, 2.3", "integer"),
    Row("SetBoolean", "", "", "3.0.2, 2.3", "boolean"),
    Row("GetNumberOfVariableDependencies", "", "", "providesPerElementDependencies is false"),
    Row("GetVariableDependencies", "", "", "providesPerElementDependencies is false"),
    *(
        Row(name, "NECTF", "NESDTF", "3.0.2, 2.3.3, 2.3.5, 2.3.8, 3.2.1, 4.2.1", flag=flag)
        for name, flag in (
            ("GetDirectionalDerivative", "providesDirectionalDerivatives"),
            ("GetAdjointDerivative", "providesAdjointDerivatives"),
        )
    ),
    Row(
        "GetOutputDerivatives",
        "",
        "SDTF",
        "3.0.2, 4.2.1, 2.3.8",
        "output",
        flag="maxOutputDerivativeOrder",
    ),
    *(
        Row(name, "", "", _CLOCKS_3)
        for name in (
            "GetIntervalDecimal",
            "GetIntervalFraction",
            "GetShiftDecimal",
            "GetShiftFraction",
            "SetIntervalDecimal",
            "SetIntervalFraction",
            "SetShiftDecimal",
            "SetShiftFraction",
        )
    ),
    Row("EvaluateDiscreteStates", "", "", "providesEvaluateDiscreteStates is false"),
    Row("ActivateModelPartition", "", "", "3.0.2, 5.2; there is no Scheduled Execution"),
    Row("EnterEventMode", "C", "SD", "3.0.2, 3.2.1, 4.2.1"),
    Row("UpdateDiscreteStates", "E", "E", "3.0.2, 2.3.5"),
    Row("EnterContinuousTimeMode", "E", "", "3.0.2, 2.3.5"),
    Row("EnterStepMode", "", "E", "3.0.2, 2.3.5"),
    Row("CompletedIntegratorStep", "C", "", "3.0.2, 3.2.1"),
    Row("SetTime", "C", "", "3.0.2, 3.2.1"),
    Row("SetContinuousStates", "C", "", "3.0.2, 3.2.1"),
    Row("GetContinuousStateDerivatives", "NECTF", "", "3.0.2, 2.3.3, 2.3.5, 2.3.8, 3.2.1"),
    Row("GetContinuousStates", "NECTF", "", "3.0.2, 2.3.3, 2.3.5, 2.3.8, 3.2.1"),
    Row("GetEventIndicators", "NECTF", "", "3.0.2, 2.3.3, 2.3.5, 2.3.8, 3.2.1"),
    Row("GetNominalsOfContinuousStates", "NECTF", "", "3.0.2, 2.3.3, 2.3.4, 2.3.8"),
    Row("GetNumberOfContinuousStates", "IE", "", "3.0.2, 2.3.2, 2.3.5", more="NCTF", why=_COUNT),
    Row("GetNumberOfEventIndicators", "IE", "", "3.0.2, 2.3.2, 2.3.5", more="NCTF", why=_COUNT),
    Row("DoStep", "", "SD", "3.0.2, 4.2.1"),
)
ROWS = {"2.0": FMI_2, "3.0": FMI_3}
