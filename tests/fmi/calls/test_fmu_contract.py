"""What the FMUs promise to those who build on them: names, units, starts, kinds, capabilities."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from lxml import etree

from tests.conftest import OK, Archive, Instance, OpenFmu

# Name, unit, kind, start. Kinds: input; tunable, fixed and (where the contract leaves that open)
# parameter; state of causality output or local; output: real, boolean, integer or discrete.
VARIABLES = {
    "vehicle": """
        steer.angle              rad     input         0
        steer.rate               rad/s   input         0
        drive.force              N       input         0
        brake.force              N       input         0
        load.force_x             N       input         0
        load.force_y             N       input         0
        steer.time_constant      s       tunable       0.05
        steer.reference_speed    m/s     parameter     10
        chassis.mass             kg      tunable       1200
        chassis.inertia          kg.m2   tunable       675
        wheelbase                m       fixed         2.5
        rear_to_mass_centre      m       fixed         1.25
        gravity                  m/s2    tunable       9.81
        friction.limit           1       parameter     0.9
        chassis.x                m       state         0
        chassis.y                m       state         0
        chassis.yaw              rad     state         0
        chassis.speed            m/s     state         10
        steer.actuator_angle     rad     local_state   0
        front.steer_angle        rad     output
        chassis.yaw_rate         rad/s   output
        chassis.acceleration_x   m/s2    output
        chassis.acceleration_y   m/s2    output
        front.lateral_force      N       output
        rear.lateral_force       N       output
        front.friction_ratio     1       output
        rear.friction_ratio      1       output
        energy.kinetic           J       output
        drive.power              W       output
        valid                    -       boolean
        """,
    "caster": """
        attachment.speed         m/s     input         1
        attachment.acceleration  m/s2    input         0
        swivel.torque            N.m     input         0
        wheel.mass               kg      tunable       1
        wheel.gyration_radius    m       fixed         0.458257569495584
        wheel.to_mass_centre     m       fixed         0.2
        wheel.to_swivel          m       fixed         1
        strut.stiffness          N/m     tunable       0.3
        strut.damping            N.s/m   tunable       0
        swivel.damping           N.m.s/rad  tunable    0
        swivel.stiffness         N.m/rad tunable       0
        swivel.angle             rad     state         0.1
        strut.deflection         m       state         0
        strut.deflection_rate    m/s     state         0
        attachment.x             m       state         0
        swivel.rate              rad/s   output
        wheel.x                  m       output
        wheel.y                  m       output
        wheel.lateral_force      N       output
        attachment.force_x       N       output
        attachment.force_y       N       output
        attachment.torque        N.m     output
        """,
    "clearance_joint": """
        crank.speed              rad/s   input         523.6
        crank.acceleration       rad/s2  input         0
        slider.force             N       input         0
        crank.length             m       fixed         0.05
        rod.length               m       fixed         0.12
        rod.mass                 kg      tunable       0.145
        slider.mass              kg      tunable       0.145
        joint.journal_radius     m       fixed         9.5e-3
        joint.bearing_radius     m       fixed         10e-3
        joint.width              m       fixed         20e-3
        joint.youngs_modulus     Pa      parameter     2.06e11
        joint.poissons_ratio     1       parameter     0.3
        joint.restitution        1       parameter     0.95
        joint.viscosity          Pa.s    parameter     0.1
        joint.stiffness          N/m     tunable
        joint.damping            N.s/m   tunable
        joint.friction           1       tunable       0
        joint.friction_speed     m/s     tunable       1e-2
        joint.drag               1       tunable       0
        crank.angle              rad     state         0
        joint.x                  m       state         0
        joint.y                  m       state         0
        joint.x_rate             m/s     state         0
        joint.y_rate             m/s     state         0
        crank.torque             N.m     output
        slider.position          m       output
        slider.velocity          m/s     output
        slider.acceleration      m/s2    output
        joint.eccentricity       m       output
        joint.penetration        m       output
        joint.force              N       output
        joint.force_x            N       output
        joint.force_y            N       output
        joint.moment             N.m     output
        joint.in_contact         -       boolean
        joint.impacts            -       integer
        joint.impact_time        s       discrete
        joint.impact_speed       m/s     discrete
        """,
    "rolling_disk": """
        axle.torque                  N.m    input    0
        yaw.torque                   N.m    input    0
        disk.mass                    kg     tunable  1
        disk.radius                  m      fixed    1
        gravity                      m/s2   tunable  1
        disk.yaw                     rad    state    0
        disk.lean                    rad    state    0
        disk.pitch                   rad    state    0
        disk.yaw_rate                rad/s  state    0
        disk.lean_rate               rad/s  state    -0.01
        disk.pitch_rate              rad/s  state    0.4116
        contact.x                    m      state    0
        contact.y                    m      state    0
        contact.force_longitudinal   N      output
        contact.force_lateral        N      output
        contact.force_normal         N      output
        contact.friction_ratio       1      output
        energy.total                 J      output
        """,
    "caster_flexible": """
        attachment.speed             m/s    input    1
        attachment.acceleration      m/s2   input    0
        wheel.mass                   kg     tunable  1
        wheel.radius                 m      fixed    1
        yoke.length                  m      fixed    1
        yoke.bending_stiffness       N.m2   tunable  10
        yoke.damping                 s      tunable  1.336306e-3
        wheel.yaw                    rad    state    0.1
        wheel.roll                   rad    state    0
        wheel.pitch                  rad    state    0
        yoke.deflection              m      state    0
        yoke.deflection_rate         m/s    state    0
        attachment.x                 m      state    0
        contact.x                    m      output
        contact.y                    m      output
        contact.force_longitudinal   N      output
        contact.force_lateral        N      output
        contact.spin_moment          N.m    output
        """,
    "bicycle": """
        steer.torque                 N.m    input    0
        lean.torque                  N.m    input    0
        drive.torque                 N.m    input    0
        geometry.wheelbase           m      fixed    1.02
        geometry.trail               m      fixed    0.08
        geometry.tilt                rad    fixed    0.314159265358979
        rear_wheel.radius            m      fixed    0.3
        rear_wheel.mass              kg     tunable  2
        rear_wheel.inertia_xx        kg.m2  tunable  0.0603
        rear_wheel.inertia_yy        kg.m2  tunable  0.12
        front_wheel.radius           m      fixed    0.35
        front_wheel.mass             kg     tunable  3
        front_wheel.inertia_xx       kg.m2  tunable  0.1405
        front_wheel.inertia_yy       kg.m2  tunable  0.28
        rear_frame.x                 m      fixed    0.3
        rear_frame.z                 m      fixed    0.9
        rear_frame.mass              kg     tunable  85
        rear_frame.inertia_xx        kg.m2  tunable  9.2
        rear_frame.inertia_xz        kg.m2  tunable  -2.4
        rear_frame.inertia_yy        kg.m2  tunable  11
        rear_frame.inertia_zz        kg.m2  tunable  2.8
        front_frame.x                m      fixed    0.9
        front_frame.z                m      fixed    0.7
        front_frame.mass             kg     tunable  4
        front_frame.inertia_xx       kg.m2  tunable  0.05892
        front_frame.inertia_xz       kg.m2  tunable  0.00756
        front_frame.inertia_yy       kg.m2  tunable  0.06
        front_frame.inertia_zz       kg.m2  tunable  0.00708
        gravity                      m/s2   tunable  9.81
        bicycle.lean                 rad    state    0
        bicycle.steer                rad    state    0
        bicycle.lean_rate            rad/s  state    0.2
        bicycle.steer_rate           rad/s  state    0
        bicycle.speed                m/s    state    5
        bicycle.distance             m      local_state  0
        bicycle.yaw                  rad    state    0
        bicycle.x                    m      state    0
        bicycle.y                    m      state    0
        bicycle.yaw_rate             rad/s  output
        bicycle.pitch                rad    output
        rear.normal_force            N      output
        rear.lateral_force           N      output
        rear.longitudinal_force      N      output
        rear.friction_ratio          1      output
        front.normal_force           N      output
        front.lateral_force          N      output
        front.longitudinal_force     N      output
        front.friction_ratio         1      output
        energy.total                 J      output
        """,
}
SOLVER = """
        solver.tolerance         1       fixed         1e-6
        solver.step              s       fixed
        solver.most_evaluations  1       fixed
        """
ENUMERATIONS = {
    "vehicle": {"steering": ["lag", "direct", "speed_law"]},
    "clearance_joint": {"joint.law": ["hertz", "linear", "impact", "lubricated"]},
}
SOLVER_METHODS = {"solver.method": ["runge_kutta", "rosenbrock", "fixed_step", "automatic"]}
UNAVAILABLE: set[tuple[str, str]] = set()
CHARACTERISTICS = {
    "input": ("input", {"continuous"}, "exact"),
    "tunable": ("parameter", {"tunable"}, "exact"),
    "fixed": ("parameter", {"fixed"}, "exact"),
    "parameter": ("parameter", {"tunable", "fixed"}, "exact"),
    "state": ("output", {"continuous"}, "exact"),
    "local_state": ("local", {"continuous"}, "exact"),
    "output": ("output", {"continuous"}, "calculated"),
    "boolean": ("output", {"discrete"}, "calculated"),
    "integer": ("output", {"discrete"}, "calculated"),
    "discrete": ("output", {"discrete"}, "calculated"),
}
"""Kind: causality, possible variabilities, initial (of inputs as FMPy fills it in)."""
TYPES = {"boolean": {"Boolean"}, "integer": {"Integer", "Int32"}}

EXPONENTS = {
    "1": {},
    "s": {"s": 1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "kg": {"kg": 1},
    "kg.m2": {"kg": 1, "m": 2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N/m": {"kg": 1, "s": -2},
    "N.s/m": {"kg": 1, "s": -1},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "N.m/rad": {"kg": 1, "m": 2, "s": -2, "rad": -1},
    "N.m.s/rad": {"kg": 1, "m": 2, "s": -1, "rad": -1},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Pa.s": {"kg": 1, "m": -1, "s": -1},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
}
DISPLAY_FACTORS = {
    ("rad", "deg"): 57.2957795130823,
    ("rad/s", "rpm"): 9.54929658551372,
    ("m/s", "km/h"): 3.6,
    ("m", "mm"): 1000.0,
}


def rows(text: str) -> Iterator[tuple[str, str, str, float | None]]:
    for line in filter(str.strip, text.splitlines()):
        name, unit, kind, *start = line.split()
        yield name, unit, kind, float(start[0]) if start else None


def document(archive: Archive) -> etree._Element:
    with zipfile.ZipFile(archive.path) as opened:
        return etree.fromstring(opened.read("modelDescription.xml"))


def test_every_variable_of_the_contract_is_there(archive: Archive) -> None:
    variables = archive.variables
    for name, unit, kind, start in rows(VARIABLES.get(archive.description.modelName, "") + SOLVER):
        variable = variables[name]
        causality, variabilities, initial = CHARACTERISTICS[kind]
        assert (variable.causality, variable.initial) == (causality, initial), name
        assert variable.variability in variabilities, name
        assert variable.type in TYPES.get(kind, {"Real", "Float64"}), name
        if unit != "-":
            assert variable.unit == unit, name
        if start is not None:
            assert float(variable.start) == pytest.approx(start, rel=1e-14), name
        elif kind in ("output", "boolean", "integer", "discrete"):
            assert variable.start is None, name
        assert (name in archive.states) == (kind in ("state", "local_state")), name


def test_each_states_derivative_is_a_variable_of_its_own(archive: Archive) -> None:
    """Of its own value reference too: CasADi takes no output that is the rate of a state."""
    references = [v.valueReference for v in archive.variables.values()]
    for unknown in archive.description.derivatives:
        rate = unknown.variable
        assert rate.name == f"der({rate.derivative.name})"
        assert (rate.causality, rate.initial) == ("local", "calculated"), rate.name
        assert references.count(rate.valueReference) == 1, rate.name


def test_enumerations_have_their_items_in_order(archive: Archive) -> None:
    name = archive.description.modelName
    for variable_name, expected in (ENUMERATIONS.get(name, {}) | SOLVER_METHODS).items():
        variable = archive.variables[variable_name]
        items = variable.declaredType.items
        assert [(item.name, int(item.value)) for item in items] == [
            (item, value) for value, item in enumerate(expected, 1)
        ]
        assert (variable.type, variable.causality) == ("Enumeration", "parameter")
        assert (variable.variability, int(variable.start)) == ("fixed", 1)
        for item in items:
            refused = "not yet available" in (item.description or "")
            assert refused == ((variable_name, item.name) in UNAVAILABLE)


def test_the_fixed_steps_default_is_the_default_experiment_s(archive: Archive) -> None:
    experiment = archive.description.defaultExperiment
    assert float(archive.variables["solver.step"].start) == float(experiment.stepSize)


def test_default_values_are_those_of_the_description(archive: Archive) -> None:
    with Instance(archive) as fmu:
        assert fmu.initialize() == OK
        for name, variable in archive.variables.items():
            if variable.start is not None:
                assert fmu.get(name) == float(variable.start), name


def test_names_are_structured(archive: Archive) -> None:
    assert archive.description.variableNamingConvention == "structured"
    name = r"[A-Za-z_]\w*(\[\d+\])?"
    structured = re.compile(rf"{name}(\.{name})*|der\({name}(\.{name})*\)", re.ASCII)
    for variable in archive.variables:
        assert structured.fullmatch(variable), variable


def test_capability_flags(archive: Archive) -> None:
    root = document(archive)
    exchange, simulation = root.find("ModelExchange"), root.find("CoSimulation")
    for interface in (exchange, simulation):
        assert interface.get("needsExecutionTool", "false") == "false"
        assert interface.get("canBeInstantiatedOnlyOncePerProcess", "false") == "false"
    assert simulation.get("canHandleVariableCommunicationStepSize") == "true"
    assert simulation.get("fixedInternalStepSize") is None
    if archive.version == "3.0":  # its default is false, so it must be written out
        assert exchange.get("needsCompletedIntegratorStep") == "true"
    else:
        assert exchange.get("completedIntegratorStepNotNeeded", "false") == "false"


def test_nominals_are_positive_and_of_the_states_own_size(archive: Archive) -> None:
    with Instance(archive, "ModelExchange") as fmu:
        assert fmu.initialize() == OK
        given = np.frombuffer(fmu.vector("NominalsOfContinuousStates", len(fmu.states)))
    assert (given > 0).all()
    written = [float(archive.variables[name].nominal) for name in archive.states]
    assert list(given) == written
    natural = {"joint.x": 1e-5, "joint.y": 1e-5, "chassis.x": 10.0, "chassis.y": 10.0}
    for name in natural.keys() & set(archive.states):
        assert float(archive.variables[name].nominal) == natural[name]


def test_initial_unknowns_are_complete_and_in_order(archive: Archive) -> None:
    derivatives = {unknown.variable.name for unknown in archive.description.derivatives}
    expected = [
        variable.name
        for variable in archive.description.modelVariables
        if variable.name in derivatives
        or (
            variable.initial == "calculated"
            and (variable.causality == "output" or variable.name in archive.states)
        )
    ]
    given = [unknown.variable.name for unknown in archive.description.initialUnknowns]
    assert given == expected
    outputs = [unknown.variable.name for unknown in archive.description.outputs]
    assert outputs == [n for n, v in archive.variables.items() if v.causality == "output"]


def test_generation_time_is_utc(archive: Archive) -> None:
    text = archive.description.generationDateAndTime
    assert text.endswith("Z")
    made = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if "SOURCE_DATE_EPOCH" not in os.environ:
        written = datetime.fromtimestamp(archive.path.stat().st_mtime, timezone.utc)
        assert abs(written - made) < timedelta(hours=2)


def test_units_have_their_base_exponents(archive: Archive) -> None:
    definitions = {unit.name: unit for unit in archive.description.unitDefinitions}
    used = {v.unit for v in archive.variables.values() if v.type in ("Real", "Float64")}
    assert None not in used
    for name in used & EXPONENTS.keys():
        base = definitions[name].baseUnit
        exponents = {b: getattr(base, b) for b in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")}
        assert {b: e for b, e in exponents.items() if e} == EXPONENTS[name], name
        assert (base.factor, base.offset) == (1.0, 0.0), name
    assert all(name.isascii() for name in definitions)
    one = document(archive).find("UnitDefinitions/Unit[@name='1']/BaseUnit")
    assert one is not None
    assert dict(one.attrib) == {}


def test_display_units_have_their_factors(archive: Archive) -> None:
    factors = {
        (unit.name, display.name): display.factor
        for unit in archive.description.unitDefinitions
        for display in unit.displayUnits
    }
    for key, factor in DISPLAY_FACTORS.items():
        if key[0] in {unit.name for unit in archive.description.unitDefinitions}:
            assert factors[key] == pytest.approx(factor, rel=1e-14)
    for name, variable in archive.variables.items():
        if variable.unit == "rad":
            assert variable.displayUnit == "deg", name


def test_fmpy_finds_no_problem(archive: Archive) -> None:
    assert validate_fmu(str(archive.path)) == []


def test_sets_of_states_and_indicators_do_not_depend_on_parameters(open_fmu: OpenFmu) -> None:
    for name, choice in (("vehicle", {"steering": 3}), ("clearance_joint", {"joint.law": 2})):
        fmu = open_fmu(name, "ModelExchange")
        assert fmu.initialize(choice) == OK
        indicators = fmu.archive.description.numberOfEventIndicators
        assert len(fmu.rates()) == 8 * len(fmu.states)
        assert len(fmu.vector("EventIndicators", indicators)) == 8 * indicators


def test_before_the_first_contact_there_is_no_impact(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize() == OK
    assert fmu.get("joint.impact_time") == -1
    assert fmu.get("joint.impact_speed") == 0
    assert fmu.get("joint.impacts") == 0
    assert not fmu.get("joint.in_contact")
    assert fmu.get("slider.position") == pytest.approx(0.05 + 0.12, abs=1e-12)
