"""Faults, one place of the library each, and the tests that must notice them."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """A change of one place, ``old`` to ``new``, and the tests that must notice it."""

    file: str
    old: str
    new: str
    tests: str


EVENTS = "tests/runtime/test_runtime.py tests/fmu_src/test_fmu_impact.py"
FLOW = "tests/native/test_flow.py"
MANY = "tests/sweeps/test_simulate_many.py"
SINGULAR = "tests/evaluation/test_singularity_search.py"
TRANSIENT = "tests/elements/tyres/test_transient.py"

FAULTS = (
    # elements
    Fault(
        "mbcore/elements/friction/pin.py",
        "couple = (about_y * z - about_z * y) / self.span",
        "couple = (about_y * z + about_z * y) / self.span",
        "tests/elements/friction/test_friction.py tests/elements/friction/test_closed_forms.py",
    ),
    Fault(
        "mbcore/elements/friction/pin.py",
        "lever += self.collar * size_of(axial)",
        "lever += self.collar * axial",
        "tests/elements/friction",
    ),
    Fault(
        "mbcore/elements/friction/stick_slip.py",
        "friction = dry + limits.viscous * one.velocity",
        "friction = dry + 2 * limits.viscous * one.velocity",
        "tests/elements/friction/test_closed_forms.py tests/elements/friction/test_friction.py",
    ),
    Fault(
        "mbcore/elements/friction/stick_slip.py",
        "return ca.logic_and(across > LOW * ONSET, across > length(along * e) / 2)",
        "return across > LOW * ONSET",
        "tests/elements/friction/by_hand",
    ),
    Fault(
        "mbcore/elements/friction/transmission.py",
        "lead = -by_angle / by_z",
        "lead = by_angle / by_z",
        "tests/elements/friction",
    ),
    Fault(
        "mbcore/elements/tyres/relaxation.py",
        "c.PCFX2 * dfz**2 + c.PCFX3 * formulas.dpi",
        "c.PCFX2 * dfz**2",
        TRANSIENT,
    ),
    Fault(
        "mbcore/elements/tyres/relaxation.py",
        "c.PCFY2 * dfz**2 + c.PCFY3 * formulas.dpi",
        "c.PCFY2 * dfz**2",
        TRANSIENT,
    ),
    Fault(
        "mbcore/elements/joints/belt.py",
        "self.turn = carried + ca.atan2(sine, self._along)",
        "self.turn = carried - ca.atan2(sine, self._along)",
        "tests/elements/test_belt_and_gear.py",
    ),
    # contact
    Fault(
        "mbcore/contact/journal_bearing.py",
        "v_x = rate[0] + omega / 2 * y",
        "v_x = rate[0] - omega / 2 * y",
        "tests/contact/test_journal_bearing.py",
    ),
    Fault(
        "mbcore/contact/impact.py",
        "compression = contact.effective_mass * contact.approach",
        "compression = 2 * contact.effective_mass * contact.approach",
        "tests/contact/test_impact.py tests/contact/test_sticking_impact.py",
    ),
    Fault(
        "mbcore/contact/hertz.py",
        "hysteresis = self.factor(self.restitution) / approach",
        "hysteresis = self.factor(self.restitution)",
        "tests/contact/test_contact_laws.py",
    ),
    # FMUs
    Fault(
        "fmu_src/car/springs.py",
        'spring + bar / data[f"{axle}.track"] ** 2',
        'spring + 2 * bar / data[f"{axle}.track"] ** 2',
        "tests/fmu_src/car",
    ),
    Fault(
        "fmu_src/car/guide.py",
        "ca.vertcat(ca.cos(heading), ca.sin(heading), 0)",
        "ca.vertcat(1, 0, 0)",
        "tests/fmu_src/car",
    ),
    # equations and evaluation
    Fault(
        "mbcore/evaluation/singularities.py",
        "reached = limits if limits.size else reached",
        "pass",
        SINGULAR,
    ),
    Fault(
        "mbcore/evaluation/singularities.py",
        "if size > 0.5:",
        "if size > 0.05:",
        SINGULAR,
    ),
    Fault(
        "mbcore/evaluation/singularities.py",
        " or smallest < uncertainty * scale",
        "",
        SINGULAR,
    ),
    Fault(
        "mbcore/evaluation/input_table.py",
        "k = k - 1 if k and knots[k] == t else k",
        "pass",
        "tests/evaluation/test_input_table.py",
    ),
    # C: runtime
    Fault(
        "mbcore/runtime/events/mb_singularity.c",
        "(status && there > *place)",
        "(status && there < *place)",
        "tests/fmi/test_parity_singular.py tests/runtime/test_runtime.py",
    ),
    Fault(
        "mbcore/runtime/events/mb_events.c",
        "return by > threshold_width(m, event) || (armed && by > 0);",
        "return by > threshold_width(m, event) || (armed && by > 1);",
        EVENTS,
    ),
    Fault(
        "mbcore/runtime/events/mb_events.c",
        "const double indicator = (mb_active(m, event) ? -band : band)",
        "const double indicator = (mb_active(m, event) ? band : -band)",
        EVENTS,
    ),
    Fault(
        "mbcore/runtime/events/mb_events.c",
        "return indicator - error + slack_of(m, event);",
        "return indicator + error + slack_of(m, event);",
        "tests/runtime tests/fmu_src/test_fmu_impact.py",
    ),
    Fault(
        "mbcore/runtime/events/mb_locate.c",
        "    memcpy(m->now.u, m->end_input, (size_t)MB_MODEL->nu * sizeof(double));\n",
        "",
        "tests/runtime tests/fmi/calls/test_fmu_solver.py tests/fmi/calls/test_fmu_derivatives.py",
    ),
    Fault(
        "mbcore/runtime/events/mb_locate.c",
        "const double a = x * x * (3 - 2 * x),",
        "const double a = x * x,",
        "tests/runtime tests/fmi/test_parity_singular.py",
    ),
    Fault(
        "mbcore/fmi/c/mb_fmi3.c",
        "if (m && m->event_mode_used)",
        "if (m)",
        "tests/fmi/calls/test_fmi_calls.py",
    ),
    Fault(
        "mbcore/fmi/c/mb_fmi3.c",
        "    *nextEventTimeDefined = fmi3False;\n",
        "",
        "tests/fmi/calls tests/runtime",
    ),
    # C: analyses and sweeps
    Fault(
        "mbcore/native/c/mb_flow_events.c",
        "return mb_fill_samples(&search, 0, f->parts) ?",
        "return mb_fill_samples(&search, 0, 1) ?",
        FLOW,
    ),
    Fault(
        "mbcore/native/c/mb_flow_events.c",
        "slope[i] += side * f->at->u[i] / (2 * f->input_span);",
        "slope[i] += side * f->at->u[i] / f->input_span;",
        f"{FLOW} tests/periodic/test_saltation.py",
    ),
    Fault(
        "mbcore/native/c/batch/mb_batch_inside.h",
        "const double least = place == 1 ? -1 : -0.5,",
        "const double least = place == 1 ? -0.5 : -0.5,",
        f"{MANY} tests/native/test_native_models.py",
    ),
    Fault(
        "mbcore/native/c/batch/mb_batch_inside.h",
        "& ~(here[0] + 2 * added < 0)",
        "& ~(here[0] < 0)",
        f"{MANY} tests/native/test_native_models.py",
    ),
    Fault(
        "mbcore/native/batch.py",
        "any(place >= observed for place in control.columns)",
        "any(place > observed for place in control.columns)",
        "tests/sweeps tests/native/test_native_models.py",
    ),
    Fault(
        "mbcore/sweeps/instance_portion.py",
        "            self._rows[index] = np.nan  # what its lane has left\n",
        "",
        "tests/sweeps",
    ),
    Fault(
        "mbcore/sweeps/simulate_many.py",
        "behind = portion.reached if interrupted",
        "behind = portion.ended if interrupted",
        "tests/sweeps",
    ),
    Fault(
        "mbcore/sweeps/instance_portion.py",
        "self.first_warning = _first(portion.first, portion.warnings)",
        "self.first_warning = _first(0, portion.warnings)",
        "tests/sweeps",
    ),
    Fault(
        "mbcore/sweeps/instances/lanes.py",
        "JUDGED_BELOW if switches else NEAR_SINGULARITY",
        "NEAR_SINGULARITY if switches else JUDGED_BELOW",
        "tests/sweeps tests/native/test_native_models.py",
    ),
    # analyses
    Fault(
        "mbcore/linear/nominal_samples.py",
        "first = equations.dofs, 2 * equations.dofs - equations.speeds",
        "first = equations.dofs, 2 * equations.dofs",
        "tests/small_vibrations tests/native/test_backends.py",
    ),
    Fault(
        "mbcore/periodic/saltation.py",
        "missed = after - R_s @ before - R_t",
        "missed = after - R_s @ before",
        "tests/periodic/test_saltation.py",
    ),
    Fault(
        "mbcore/small_vibrations/hill.py",
        "by_real, by_imaginary = plus + minus, 1j * (plus - minus)",
        "by_real, by_imaginary = plus + minus, 1j * (minus - plus)",
        "tests/small_vibrations/test_hill.py",
    ),
    Fault(
        "mbcore/small_vibrations/transient.py",
        "turning = 1j * equations.frequency * orders\n",
        "turning = -1j * equations.frequency * orders\n",
        "tests/small_vibrations/test_transient.py",
    ),
    Fault(
        "mbcore/continuation/crossings.py",
        "h = (2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s,",
        "h = (2 * s**3 - 3 * s**2 + 1, s**3 - s**2 + s,",
        "tests/continuation",
    ),
    Fault(
        "mbcore/optimization/eigenvalue_changes.py",
        "real = real - by(left.imag, right.imag)",
        "real = real + by(left.imag, right.imag)",
        "tests/optimization",
    ),
    Fault(
        "mbcore/identification/statistics.py",
        "first, second = 1 / (1 + z), (1 - z) / (1 + z) ** 2",
        "first, second = 1 / (1 + z), (1 + z) / (1 + z) ** 2",
        "tests/identification/test_statistics.py",
    ),
    Fault(
        "mbcore/identification/statistics.py",
        "statistic = float(count * (count + 2) *",
        "statistic = float(count * count *",
        "tests/identification/test_statistics.py",
    ),
    # results, robots, controllers
    Fault(
        "mbcore/results/fourier_signal.py",
        "return float(2 * real.sum() - real[0])",
        "return float(2 * real.sum())",
        "tests/results/test_fourier_signal.py",
    ),
    Fault(
        "mbcore/robots/odometry.py",
        "if len(sizes) < 3 or sizes[2] <= RANK * sizes[0]:",
        "if len(sizes) < 3:",
        "tests/robots/test_servos.py",
    ),
    Fault(
        "mbcore/fmi/closed_loop.py",
        "late, max(0.0, delay - late * period)",
        "late, max(0.0, delay - late)",
        "tests/fmi/test_closed_loop.py",
    ),
)  # fmt: skip
