"""Faults of clients, by name: what is wrong there, and the fewest calls that show it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One client's fault.

    Attributes
    ----------
    key : str
        Short name in the matrix.
    client : str
        Whose.
    what : str
        What its run says it worked around, or a pattern of the message with which it ends.
    text : str
        What is wrong, and what to do instead.
    reproduction : str
        Lines of Python.
    """

    key: str
    client: str
    what: str
    text: str
    reproduction: str = ""


FAULTS = (
    Fault(
        "F1",
        "fmpy",
        r"Can only assign sequence of same size",
        "`simulate_fmu(..., set_input_derivatives=True)` keeps nine derivatives, however many "
        "inputs there are, and stops with `ValueError: Can only assign sequence of same size`. "
        "`fmi2SetRealInputDerivatives` of its class `FMU2Slave` does what is wanted.",
        """\
simulate_fmu("vehicle.fmu", fmi_type="CoSimulation", stop_time=1, set_input_derivatives=True,
             input=np.array([(0, 0), (1, 0.1)], [("time", float), ("steer.angle", float)]))
""",
    ),
    Fault(
        "F2",
        "fmpy",
        r"CVode error \(code -1\)",
        "CVODE may take 500 steps between two outputs in Model Exchange, and `simulate_fmu` cannot "
        "ask for more: with a long `output_interval` a stiff contact ends with `CVode error (code "
        "-1)`. Give a shorter one.",
        """\
simulate_fmu("clearance_joint.fmu", fmi_type="ModelExchange", output_interval=6e-3)
simulate_fmu("clearance_joint.fmu", fmi_type="ModelExchange", output_interval=1e-4)  # works
""",
    ),
    Fault(
        "F3",
        "fmpy",
        "holds inputs over an output interval",
        "In Model Exchange CVODE's right-hand side sets the time and not the inputs: inputs that "
        "move are held from one output to the next, and with tight tolerances CVODE may end in "
        "`mxstep`. A mass of 2 kg under a ramp of 10 N/s is after 3.5 s at 33.472 m with an "
        "`output_interval` of 0.1 s and at 35.493 m with one of 0.01 s, for 35.729 m. Give a "
        "short one, take Co-Simulation, or `mbcore run NAME.fmu --interface model-exchange "
        "--inputs FILE`, which sets inputs at each evaluation.",
        """\
simulate_fmu("cart.fmu", fmi_type="ModelExchange", stop_time=3.5, output_interval=0.1,
             input=np.array([(0, 0), (3.5, 35)], [("time", float), ("push", float)]))
""",
    ),
    Fault(
        "F4",
        "fmpy",
        r"all input arrays must have the same shape",
        "`simulate_fmu` stacks the inputs of a table, and stops with `ValueError: all input arrays "
        "must have the same shape` where an array of FMI 3.0 is among numbers, or among arrays of "
        "other shapes. A table of arrays of one shape works; give constants as `start_values`, or "
        "take `mbcore run NAME.fmu --inputs FILE`, whose columns are elements.",
        """\
types = [("time", float), ("rack.displacement", float), ("wheel.brake_torque", float, 4)]
simulate_fmu("iltis.fmu", input=np.zeros(2, types))  # of mbcore build iltis --arrays
""",
    ),
    Fault(
        "C1",
        "casadi",
        "reads every output as a real number",
        "Functions with the output `y` fail where an output is an Integer or a Boolean "
        "(`Evaluation failed`). Choose the real ones first, as in the second line; outputs of "
        "other types have twins of type real.",
        """\
dae.create("f", ["x", "u", "p"], ["ode", "y"])(x, u, p)  # RuntimeError
dae.set_y([name for name in dae.y() if dae.type(name) in ("Real", "Float64")])
""",
    ),
    Fault(
        "C2",
        "casadi",
        "sets no enumeration of FMI 3.0",
        "In FMI 3.0 enumerations are set with `fmi3SetInt32`, which an FMU must refuse (they are "
        "64 bits wide). The integer `joint.law_number` says the same.",
        """\
dae.set("joint.law", 2)
dae.create("f", ["x", "u", "p"], ["ode"])  # RuntimeError: FmuInternal::set_values failed
dae.set("joint.law_number", 2)
""",
    ),
    Fault(
        "C3",
        "casadi",
        "gives directions without seeds the sensitivities of others",
        "In forward mode a direction without seeds gets the result of the direction before it "
        "instead of zeros. The Jacobian of a graph that has other variables besides an FMU's "
        "function, as in collocation, then has wrong entries. Any FMU shows it, whether it has "
        "directional derivatives or not. Ipopt ends with `Restoration_Failed`, or with "
        "`Solve_Succeeded` at a plan that is not the best. With the option `enable_forward` "
        "switched off CasADi takes the FMU's whole Jacobian, which is right and no slower.",
        """\
f = dae.create("f", ["x", "u"], ["ode"])
x, u = (ca.DM(dae.start(names)) for names in (dae.x(), dae.u()))
seeds = ca.horzcat(ca.DM.ones(x.size()), ca.DM.zeros(x.size()))
f.forward(2)(x, u, f(x, u), seeds, ca.DM.zeros(u.numel(), 2))  # the first column, twice
f = dae.create("f", ["x", "u"], ["ode"], {"enable_forward": False})  # first column, then zeros
""",
    ),
    Fault(
        "D1",
        "dompc",
        "gives directions without seeds the sensitivities of others",
        "Its plans are wrong, or not found, by CasADi's fault C3: `create` the function with "
        '`{"enable_forward": False}`. The plan of the lines above then takes 6 iterations, as '
        "with the vehicle's equations written by hand; without it 99, and it is another one.",
        """\
f = dae.create("f", ["x", "u"], ["ode"])  # steers 0.098 rad at first, after 99 iterations
f = dae.create("f", ["x", "u"], ["ode"], {"enable_forward": False})  # 0.063 rad, after 6
""",
    ),
    Fault(
        "P1",
        "pathsim",
        "reads every output as a real number",
        "Every output is read as a real number, which an FMU must refuse for Integer and Boolean "
        "ones. Outputs of other types have twins of type real, `joint.in_contact_real`; the lines "
        "in `RealOutputs` of `tests/importers/client_pathsim.py` leave the others out.",
        """\
CoSimulationFMU("clearance_joint.fmu", dt=1e-5)  # FMICallException: fmi3GetFloat64 failed
""",
    ),
    Fault(
        "P2",
        "pathsim",
        "sets no enumeration",
        "`start_values` takes no enumeration: `ValueError: Unsupported variable type`. The integer "
        "`joint.law_number` says the same.",
        """\
CoSimulationFMU("clearance_joint.fmu", dt=1e-5, start_values={"joint.law": 2})
""",
    ),
    Fault(
        "P3",
        "pathsim",
        "is one communication step ahead",
        "A `CoSimulationFMU` does the step from t to t + dt at time t and shows its outputs at "
        "once: they are one step early, and connected blocks see the future. Our comparison reads "
        "one step earlier. A `ModelExchangeFMU` is right.",
        """\
fmu = CoSimulationFMU("bicycle.fmu", dt=0.1)  # at 5 m/s
Simulation([fmu], [], dt=0.01, log=False).run(0.05)
dict(zip(fmu.fmu_wrapper.output_refs, fmu.outputs.to_array()))["bicycle.x"]  # 0.5 m
""",
    ),
    Fault(
        "P4",
        "pathsim",
        r"can't multiply sequence by non-int of type 'float'",
        "Model Exchange of an FMU without states stops, for its derivatives are an empty list "
        "and no array. Such an FMU works in Co-Simulation.",
        """\
Simulation([ModelExchangeFMU("journal_bearing.fmu")], []).run(0.1)  # TypeError
""",
    ),
    Fault(
        "P5",
        "pathsim",
        r"fmi3SetInt64 failed",
        "In FMI 3.0 integers of every size are set with `fmi3SetInt64`, which an FMU must refuse "
        "for an Int32, such as `joint.law_number`. In FMI 2.0 it works.",
        """\
CoSimulationFMU("clearance_joint.fmu", dt=1e-5, start_values={"joint.law_number": 2})
""",
    ),
    Fault(
        "E1",
        "ecos",
        "sets no enumeration",
        "Enumerations are skipped with a warning, and the parameter set is accepted all the same. "
        "The integer `joint.law_number` says the same.",
        """\
structure.add_parameter_set("start", {"fmu::joint.law": 2})
simulation.init(parameter_set="start")  # True; "No variable named 'joint.law' of type int"
""",
    ),
    Fault(
        "L1",
        "cosim",
        "sets no enumeration",
        "Enumerations are left out (`Enumeration variable type not supported`). The integer "
        "`joint.law_number` says the same.",
        """\
{v.name for v in execution.slave_variables(slave)}  # without joint.law
""",
    ),
    Fault(
        "L2",
        "cosim",
        r"SIGSEGV",
        "FMI 3.0 is not supported, which `CosimLocalSlave` does not say: the process crashes when "
        "the slave is added.",
        """\
execution.add_local_slave(CosimLocalSlave("fmi3/vehicle.fmu", "car"))  # crashes
""",
    ),
    Fault(
        "L3",
        "cosim",
        r"Start attribute is required",
        "Its FMI Library logs the error `Start attribute is required for this causality, "
        "variability and initial combination` for the independent variable, for which FMI 2.0 "
        "forbids one, and goes on. Newer FMI Libraries do not.",
        """\
CosimLocalSlave("fmi2/vehicle.fmu", "car")
""",
    ),
)

BUILT_ON = {"dompc": "casadi"}
"""Clients whose FMUs another one runs."""


def worked_around(client: str, what: str) -> Fault | None:
    """Return the fault that a run named: the client's own, or that of what it is built on."""
    owners = (client, BUILT_ON.get(client))
    return next((f for o in owners for f in FAULTS if f.client == o and f.what == what), None)


def behind(client: str, message: str) -> Fault | None:
    """Return the fault with which a run ended."""
    return next((f for f in FAULTS if f.client == client and re.search(f.what, message)), None)
