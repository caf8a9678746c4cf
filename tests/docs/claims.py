"""Where the figures of the documents come from: who repeats each one.

A paragraph of ``README.md``, of ``docs/guides``, ``docs/fmu`` or ``docs/theory`` that states a
figure has an entry here: words of it, and a test, a command, a run of an example, a constant of the
code, or nothing at all, which the page of what is validated tells first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import acos, degrees, sqrt
from typing import NamedTuple

from mbcore.elements.friction.stick_slip import LOW, ONSET, TURNED
from mbcore.fmus import car, iltis
from mbcore.model.model import Model
from mbcore.model.quantities import Role


class Printed(NamedTuple):
    """A figure that an example prints; its stored run has it."""

    page: str
    words: str
    """Words of the page; the number is the first one among them."""
    example: str
    line: str
    """Pattern of what is printed, with the number as its group."""
    factor: float = 1.0
    """Stated number over the printed one."""


class Constant(NamedTuple):
    """A figure that is a constant of the code."""

    page: str
    words: str
    """The number is the first one among them."""
    place: str
    """Module and name of the constant, as in ``mbcore.native.cache:MOST_BYTES``."""
    factor: float = 1.0


class Derived(NamedTuple):
    """A figure that follows by a formula from constants, or is counted in a model."""

    page: str
    words: str
    """The number is the first one among them."""
    formula: Callable[[], float]
    said: str


class Held(NamedTuple):
    """Figures that a test asserts, or that a command prints."""

    page: str
    words: str
    judge: str
    by: str
    """File or folder of tests, ``FILE::TEST``, or a command."""


class Once(NamedTuple):
    """Figures that were measured once, and that nothing repeats."""

    page: str
    words: str
    what: str


GUIDES, FMU, THEORY = "docs/guides", "docs/fmu", "docs/theory"
CONTROL, LIMITS, CONTACT = f"{FMU}/control.md", f"{THEORY}/limits.md", f"{THEORY}/contact.md"
BUILDING = f"{FMU}/building.md"
ROLL, COURSE, YAW = "iltis_anti_roll", "iltis_lane_change", "iltis_yaw_control"
NUMBER = r"(-?[\d.]+)"

PRINTED = (
    Printed(f"{FMU}/systems.md", "1.02 there", "towing", rf"that are held +{NUMBER}"),
    Printed(f"{FMU}/systems.md", "1.99; with", "towing", rf"that are extrapolated +{NUMBER}"),
    Printed(f"{FMU}/systems.md", "1.8e-09 m", "towing", r"repeated steps \(m\) +(\S+)"),
    Printed(CONTROL, "2.39° | 0.19°", ROLL, rf"slalom, bars off +{NUMBER}"),
    Printed(CONTROL, "0.19° |", ROLL, rf"slalom, bars on +{NUMBER}"),
    Printed(CONTROL, "15.8 °/s", ROLL, rf"slalom, bars off +\S+ +\S+ +{NUMBER}"),
    Printed(CONTROL, "17.3 °/s", ROLL, rf"slalom, bars on +\S+ +\S+ +{NUMBER}"),
    Printed(CONTROL, "0.48° | 0.16°", ROLL, rf"bump, bars off +{NUMBER}"),
    Printed(CONTROL, "0.16° |", ROLL, rf"bump, bars on +{NUMBER}"),
    Printed(CONTROL, "10.5 °/s", ROLL, rf"bump, bars off +\S+ +{NUMBER}"),
    Printed(CONTROL, "3.6 °/s", ROLL, rf"bump, bars on +\S+ +{NUMBER}"),
    Printed(CONTROL, "4e-5 of its size", ROLL, r"linear roll +(\S+)"),
    Printed(CONTROL, "2.3 % by hand", ROLL, r"both: moment of the loads.* (\S+)", 100),
    Printed(CONTROL, "8.7, 5.5 and", ROLL, rf"front: understeer angle \(mrad\) +{NUMBER}"),
    Printed(CONTROL, "5.5 and 2.9", ROLL, rf"both: understeer angle \(mrad\) +{NUMBER}"),
    Printed(CONTROL, "2.9 mrad", ROLL, rf"rear: understeer angle \(mrad\) +{NUMBER}"),
    Printed(CONTROL, "8.3, 5.3", ROLL, rf"front: understeer angle \(mrad\) +\S+ +{NUMBER}"),
    Printed(CONTROL, "5.3 and 2.9", ROLL, rf"both: understeer angle \(mrad\) +\S+ +{NUMBER}"),
    Printed(CONTROL, "12.3 mrad", ROLL, rf"rolling body at 3 m/s2: {NUMBER}"),
    Printed(CONTROL, "132.9 mm/rad", COURSE, rf"angle of the wheels: {NUMBER}"),
    Printed(CONTROL, "8 mm apart", COURSE, rf"distance of the paths \(m\) +{NUMBER}", 1e3),
    Printed(CONTROL, "2.03 m", COURSE, rf"speeds to standstill \(m\) +{NUMBER}"),
    Printed(CONTROL, "9.17e-3", COURSE, rf"does not slip \(s2/m\) +{NUMBER}"),
    Printed(CONTROL, "9.12e-3", COURSE, rf"does not slip \(s2/m\) +\S+ +{NUMBER}"),
    Printed(CONTROL, "7.9 m/s²", COURSE, rf"\n +100 +\S+ +\S+ +{NUMBER}"),
    Printed(CONTROL, "8.447e-4 rad", YAW, rf"a wheel.s torque[\s\S]*m\)\) +{NUMBER}", 1e-4),
    Printed(CONTROL, "8.439e-4", YAW, rf"a wheel.s torque[\s\S]*m\)\) +\S+ +{NUMBER}", 1e-4),
    Printed(CONTROL, "78 % of its", YAW, rf"left alone +4.5 .* g +\S+ +{NUMBER}", 100),
    Printed(CONTROL, "4 % with all", YAW, rf"controlled +5.5 .* g +\S+ +{NUMBER}", 100),
    Printed(CONTROL, "2.07 m to", YAW, rf"controlled +5.5 .* g +\S+ +\S+ +\S+ +{NUMBER}"),
    Printed(CONTROL, "15 iterations a plan", "fmu_mpc", rf"plans, {NUMBER} iterations"),
)

CONSTANTS = (
    Constant(f"{GUIDES}/data.md", "200,000 points", "mbcore.model.tables.given:MOST"),
    Constant(f"{GUIDES}/data.md", "there may be 100", "mbcore.model.tables.ordinates:MOST"),
    Constant(LIMITS, "200,000 points", "mbcore.model.tables.given:MOST"),
    Constant(LIMITS, "one 40,000, all", "mbcore.model.tables.table2d:MOST"),
    Constant(LIMITS, "1,050,000", "mbcore.model.tables.table2d:MOST_LINEAR"),
    Constant(f"{GUIDES}/models.md", "1 % of", "mbcore.equations.checks.moved_starts:ROUGH", 100),
    Constant(f"{GUIDES}/native.md", "500 MB", "mbcore.native.cache:MOST_BYTES", 1e-6),
    Constant(f"{GUIDES}/native.md", "30,000 and", "mbcore.native.compiled:PATIENCE"),
    Constant(f"{GUIDES}/tyres.md", "0.02 or more", "mbcore.elements.tyres.remarks:FRICTION[0]"),
    Constant(f"{GUIDES}/tyres.md", "5 times the", "mbcore.elements.tyres.remarks:FRICTION[1]"),
    Constant(LIMITS, "1e-12 m", "mbcore.contact.clearance:SMOOTHING"),
    Constant(LIMITS, "1e-11 of the penetration", "mbcore.contact.resting:STILL"),
    Constant(CONTACT, "1e-11 of the penetration", "mbcore.contact.resting:STILL"),
    Constant(f"{FMU}/command.md", "1e-8\nat most", "mbcore.cli.run_fmu:TOLERANCE"),
    Constant(f"{FMU}/importing.md", "0.01 m/s", "mbcore.fmus.single_track.dry_friction:REST"),
    Constant(f"{FMU}/importing.md", "0.05 s", "mbcore.fmus.single_track.dry_friction:FADING"),
)

BESIDE = "tests/docs/test_documents.py"
"""Runs the blocks of code, which print these figures."""


def freedoms(model: Model) -> int:
    """Return how many degrees of freedom a model has."""
    quantities = [q for node in model.nodes.values() for q in node.quantities]
    for element in model.elements.values():
        quantities += [*element.deformations.values(), *element.slips.values()]
    return sum(q.role is Role.DOF for q in quantities)


def rounding(power: int) -> float:
    """Return what rounding leaves at a conditioning of 1e-4, one digit."""
    return float(f"{sys.float_info.epsilon / 1e-4**power:.0e}")


DERIVED = (
    Derived(BUILDING, "10 degrees of", lambda: freedoms(iltis.model()), "counted in the model"),
    Derived(BUILDING, "15 degrees of", lambda: freedoms(car.model()), "counted in the model"),
    Derived(LIMITS, "26 degrees", lambda: degrees(acos(TURNED)), "arc cosine of the bound"),
    Derived(LIMITS, "1e-6 m/s, and", lambda: ONSET, "the smoothing of the direction"),
    Derived(LIMITS, "2e-8 at 1e-4", lambda: rounding(2), "ε/σ², by hand"),
    Derived(
        CONTACT, "2.5586 s:", lambda: sqrt(2 / 9.81) * (1 + 0.7) / (1 - 0.7), "fall and (5.26)"
    ),
    Derived(CONTACT, "26 degrees", lambda: degrees(acos(TURNED)), "arc cosine of the bound"),
    Derived(CONTACT, "10 µm/s it", lambda: 1e6 * LOW * ONSET, "the largest low speed"),
    Derived(CONTACT, "1e-7 m/s in", lambda: ONSET / (11 - 1), "|s| + ε is eleven times |s|"),
    Derived(CONTACT, "1 µm/s, because", lambda: 1e6 * ONSET, "ε at low speeds"),
)

HELD = (
    Held("README.md", "weave speed", "published tables and figures", "tests/docs/test_readme.py"),
    Held(f"{GUIDES}/joint_forces.md", "11.112", "by hand in the same paragraph", BESIDE),
    Held(f"{GUIDES}/joint_forces.md", "7.848", "by hand, 0.8 · 9.81 · 1 N.m", BESIDE),
    Held(f"{GUIDES}/native.md", "half a minute for the road", "the compiler of the machine",
         "python benchmarks/simulation/native.py"),
    Held(f"{GUIDES}/native.md", "the same under load", "one run in Python beside one in C",
         "python benchmarks/simulation/native.py --models"),
    Held(f"{GUIDES}/native.md", "0.80 s", "Python beside C",
         "python benchmarks/analyses/compiled.py"),
    Held(f"{GUIDES}/native.md", "a compiler that does not end", "compilers that hang",
         "tests/native/test_bad_luck.py"),
    Held(f"{GUIDES}/contact.md", "released at 20°", "the friction angle by hand beside it",
         BESIDE),
    Held(f"{GUIDES}/contact.md", "42°, above which", "rolling of a solid cylinder, by hand",
         "tests/contact/test_sticking_contact.py"),
    Held(f"{GUIDES}/contact.md", "stiffness(0.01, -0.011, 2.06e11, 0.3)", "Hertz's theory",
         "tests/contact/test_contact_laws.py"),
    Held(f"{GUIDES}/contact.md", "* Smoothed: `friction=CoulombFriction(0.3", "a closed form",
         "tests/contact/test_sticking_contact.py"),
    Held(f"{GUIDES}/contact.md", "* Held by a spring and a damper", "loads and eigenvalues by hand",
         "tests/fmu_src/clearance/test_compliant_friction.py"),
    Held(f"{GUIDES}/contact.md", "`Impact(restitution=0.5)`", "Newton's law of restitution",
         "tests/contact/test_impact.py"),
    Held(CONTACT, "7 mm/s with the", "closed form in the same sentence",
         "tests/contact/test_sticking_contact.py"),
    Held(f"{GUIDES}/stiffness.md", "0.0002 s", "stability limit, fastest eigenvalue",
         BESIDE),
    Held(f"{GUIDES}/stiffness.md", "1e-4 and tighter", "DOP853 alone",
         "tests/integrators/test_automatic.py"),
    Held(f"{GUIDES}/stiffness.md", "0.5 to\n1.3 times", "the better of both methods",
         "python benchmarks/simulation/stiffness.py"),
    Held(f"{GUIDES}/sweep.md", "take 0.7 s of one core", "Python beside C",
         "python benchmarks/analyses/compiled.py bicycle"),
    Held(f"{GUIDES}/sweep.md", "512 instances", "one lane, and `simulate` in C",
         "python benchmarks/analyses/batch.py"),
    Held(f"{GUIDES}/sweep.md", "0.29 ms", "one lane, and `simulate` in C",
         "python benchmarks/analyses/batch.py"),
    Held(f"{GUIDES}/sweep.md", "NVRTC compiles", "NVRTC itself", "tests/native/test_cuda.py"),
    Held(f"{GUIDES}/data.md", "keeps its", "energy is constant",
         "tests/model/tables/test_knots.py"),
    Held(f"{GUIDES}/sweep.md", "An NVIDIA H100", "lanes of one core",
         "python benchmarks/analyses/graphics_processor.py"),
    Held(f"{GUIDES}/tyres.md", "VXLOW (1 m/s", "the files' own default",
         "tests/elements/tyres/test_transient.py"),
    Held(LIMITS, "90 times as many", "a chain without friction",
         "python benchmarks/simulation/friction.py"),
    Held(LIMITS, "2e-12 with a smooth table", "energy is constant",
         "tests/model/tables/test_table.py"),
    Held(LIMITS, "bodies by less than 2e-3", "integration over the angle of sliding",
         "tests/equations/unilateral/test_spatial_impact.py"),
    Held(LIMITS, "wrong by 1.8e-8", "maximal coordinates in NumPy",
         "python -m tests.mechanism_survey.rings"),
    Held(LIMITS, "stop time of 1 s", "CasADi itself",
         "tests/importers/client_casadi.py"),
    Held(CONTACT, "settling_time=1e-6", "(5.26) by hand", "tests/contact/test_impact.py"),
    Held(CONTACT, "at most one step late", "flights in closed form",
         "tests/runtime/events/flights.c"),
    Held(CONTACT, "1e-6 of their size", "places that are set and read",
         "tests/runtime/events/solver_error.c"),
    Held(CONTACT, "Randomly drawn parts", "rest by closed form", "python -m tests.exchange_survey"),
    Held(CONTACT, "Without an FMU, CVODE loses", "rest by closed form",
         "python -m tests.exchange_survey"),
    Held(CONTACT, "All impacts before the error is seen add up", "the sum in closed form, by hand",
         "python -m tests.exchange_survey"),
    Held(CONTACT, "per event of one", "the same FMU without this",
         "python -m benchmarks.fmus.solver_error"),
    Held(LIMITS, "20 random balls", "exact flights and their sensitivities",
         "tests/exchange_survey/test_shaken_euler.py"),
    Held(LIMITS, "b = 186 m/s²", "flights in closed form", "tests/contact/test_shaken_ball.py"),
    Held(CONTACT, "2.25 m", "v² m / 2 F", BESIDE),
    Held(BUILDING, "up to 2 % of a step", "steps without the check",
         "python benchmarks/fmus/virtual_power.py"),
    Held(BUILDING, "2.20 MB", "the files themselves",
         "python benchmarks/fmus/build_time.py"),
    Held(f"{FMU}/command.md", "for 87 s", "stored numbers of the disk", "mbcore doctor"),
    Held(CONTROL, "eigenvalues and speeds (1e-11)", "Meijaard et al. 2007, by hand, differences",
         "tests/examples/test_control.py"),
    Held(CONTROL, "(1e-13)", "zero by symmetry", "tests/examples/test_iltis_control.py"),
    Held(CONTROL, "stop time of 1 s", "CasADi itself",
         "tests/importers/client_casadi.py"),
    Held(f"{FMU}/importing.md", "(1e-6, relative", "the default of the parameter",
         "tests/fmi/calls/test_fmu_solver.py"),
    Held(f"{FMU}/importing.md", "step is 1 ms", "the description in the FMU",
         "tests/fmi/calls/test_fmu_contract.py"),
    Held(f"{FMU}/importing.md", "a steer angle of 0.05 rad", "the lines beside the picture",
         "python -m docs.fmu.tool_pictures"),
    Held(f"{FMU}/importing.md", "stop time of every FMU", "CasADi itself",
         "tests/importers/client_casadi.py"),
    Held(f"{FMU}/importing.md", "0.05 N.m.s", "Routh's criterion", BESIDE),
    Held(f"{FMU}/page.md", "1/120 s", "the native FMU", "tests/page/test_page.py"),
)  # fmt: skip

ONCE = (
    Once(f"{GUIDES}/native.md", "(1e-14)", "C beside Python; the tests ask for 1e-12"),
    Once(
        f"{GUIDES}/stiffness.md",
        "swings for 5 s with errors of",
        "a pendulum on a stiff damped spring by Rodas5P, against DOP853 at 1e-12",
    ),
    Once(f"{GUIDES}/stiffness.md", "takes 1,250 steps", "a cantilever of 40 elements by Rodas5P"),
    Once(LIMITS, "4,228 constructed contacts", "events in C; the tests construct fewer"),
    Once(LIMITS, "0.3 mm/s", "the creep that a master of equal steps leaves"),
    Once(LIMITS, "steps of 5 ms and more", "the FMU of a beam in two joints, from four starts"),
    Once(CONTACT, "rises above 10 µm/s", "a slip that falls and rises in a motion by hand"),
    Once(f"{FMU}/importing.md", "over 1e-6 of", "CasADi's differences of Jacobians"),
    Once(f"{GUIDES}/native.md", "2.5e-15 s", "how events of a rattling joint part, C from Python"),
    Once(f"{GUIDES}/sweep.md", "0.40 s with constants", "cost of inputs that are functions"),
    Once(f"{GUIDES}/sweep.md", "2,000 disks", "cost of a sweep by lanes"),
    Once(f"{GUIDES}/sweep.md", "400 simulations of 4 ms", "a second worker, by the clock"),
    Once(f"{GUIDES}/sweep.md", "0.02 s for a pendulum", "time of a digest"),
    Once(LIMITS, "9e-11 rad", "drift of a joint that sticks on a moving body"),
    Once(LIMITS, "17 %", "loads over a bump on a road with place and slope"),
    Once(LIMITS, "0.67 µs", "start of a slider at its dead centre"),
    Once(LIMITS, "less than 3e-7 of", "the root of the part that a slip may keep that follows"),
    Once(LIMITS, "±3e-7", "size of a double zero among eigenvalues"),
    Once(CONTACT, "Its 40 impacts add", "energy made at impacts; the tests bound that of each"),
    Once(CONTACT, "takes 7 % of the", "cost of a second step of Newton's method"),
    Once(f"{FMU}/importing.md", "17 %", "loads over a bump on a road with place and slope"),
    Once(f"{FMU}/importing.md", "y = 1.325 m", "fmusim's default solver"),
)
