"""Features of the FMI profiles, each shown on an FMU itself; see `fmi_profile`.

A function takes a subject and returns what was seen, in a few words. It raises `MissingError` where
the FMU lacks the feature or has it wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conftest import OK, Instance, attempt
from tests.fmi.calls.fmi_subject import (
    STEPS,
    Subject,
    advance,
    demand,
    derivative_references,
    differences,
    directional,
    do_step,
    leave_bounds,
    state_functions,
    values,
)

DESKTOP = {
    "2.0": ({"win64"}, {"linux64"}),
    "3.0": ({"x86_64-windows"}, {"x86_64-linux"}),
}
"""Folders of the two platforms that every desktop profile means."""


class NotApplicable(Exception):  # noqa: N818, it is not an error
    """The feature has no meaning for this FMU; says why."""


def tunable_parameters(subject: Subject) -> str:
    """Set each tunable parameter between two steps and see that it is kept, and that some act."""
    tunable = subject.of("parameter", "tunable")
    demand(tunable, "no real parameter is tunable")
    acting = 0
    for parameter in tunable:
        with subject.run() as run, subject.run() as other:
            advance(run, subject, 2)
            advance(other, subject, 2)
            now = run.get(parameter.name)
            new = now * 1.01 if now else 0.01
            demand(run.set({parameter.name: new}) == OK, f"{parameter.name}: {run.said}")
            demand(run.get(parameter.name) == new, f"{parameter.name} does not keep its value")
            advance(run, subject, 2)
            advance(other, subject, 2)
            outputs = subject.of("output")
            acting += bool(np.any(values(run, outputs) != values(other, outputs)))
    demand(acting, "none of them changes any output")
    return f"{len(tunable)} parameters, {acting} change an output within two steps"


def store_and_restore(subject: Subject) -> str:
    """Go on from a restored state twice, and see the same bytes."""
    demand(subject.claims("canGetAndSetFMUState"), "canGetAndSetFMUState is not claimed")
    with subject.run() as run:
        state = state_functions(run)
        advance(run, subject, STEPS)
        kept, time = state.get(), run.time
        advance(run, subject, STEPS)
        first = run.bytes()
        state.set(kept)
        run.time = time
        advance(run, subject, STEPS)
        demand(run.bytes() == first, "a restored instance goes on with other values")
        state.free(kept)
    return f"the same bytes after {STEPS} steps"


def serialize(subject: Subject) -> str:
    """Bring a state into another instance by its bytes, and see the same bytes."""
    demand(subject.claims("canSerializeFMUState"), "canSerializeFMUState is not claimed")
    with subject.run() as run, subject.run() as other:
        advance(run, subject, STEPS)
        state = state_functions(run)
        kept = state.get()
        data = state.serialize(kept)
        state.free(kept)
        theirs = state_functions(other)
        arrived = theirs.deserialize(data)
        theirs.set(arrived)
        other.time = run.time
        advance(run, subject, STEPS)
        advance(other, subject, STEPS)
        demand(other.bytes() == run.bytes(), "another instance goes on with other values")
        theirs.free(arrived)
    return f"{len(data)} bytes bring another instance to the same values"


def variable_step(subject: Subject) -> str:
    """Make steps of different sizes."""
    demand(
        subject.claims("canHandleVariableCommunicationStepSize"),
        "canHandleVariableCommunicationStepSize is not claimed",
    )
    h = subject.step_size
    with subject.run() as even, subject.run() as uneven:
        advance(even, subject, 4)
        for part in (0.5, 1.75, 0.25, 1.5):
            advance(uneven, subject, 1, part * h)
        a, b = values(even, subject.outputs), values(uneven, subject.outputs)
    demand(abs(uneven.time - even.time) < 1e-9, "the times differ")
    off = float(np.max(np.abs(a - b) / (1e-6 + np.abs(a)), initial=0))
    return f"steps of 0.25 to 1.75 times {h:g} s; outputs agree to {off:.1g}"


def dependencies(subject: Subject) -> str:
    """See that every unknown lists what it depends on, and that nothing else moves it."""
    description = subject.description
    listed = [*description.outputs, *description.derivatives]
    missing = [u.variable.name for u in listed if u.dependencies is None]
    demand(not missing, f"no dependencies of {', '.join(missing[:3])}")
    unknowns, knowns = derivative_references(subject)
    allowed = {
        u.variable.valueReference: {d.valueReference for d in u.dependencies} for u in listed
    }
    total = sum(len(allowed.get(u, set()) & set(knowns)) for u in unknowns)
    with subject.run("ModelExchange") as run:
        leave_bounds(run, subject)
        for known in knowns:
            moved = differences(run, unknowns, known)
            for unknown, by in zip(unknowns, moved, strict=True):
                named = known in allowed.get(unknown, {known}) or known == unknown
                demand(named or by == 0, f"reference {unknown} depends on {known} and hides it")
    kinds = sum(u.dependenciesKind is not None for u in listed)
    most = len(unknowns) * len(knowns)
    return f"{total} of at most {most} pairs, none hidden; kinds for {kinds} of {len(listed)}"


def output_derivatives(subject: Subject) -> str:
    """Compare the derivatives of outputs with difference quotients between steps."""
    order = int(subject.claims("maxOutputDerivativeOrder") or 0)
    demand(order >= 1, "maxOutputDerivativeOrder is 0")
    outputs, h = subject.outputs, subject.step_size / 1000
    references = [v.valueReference for v in outputs]
    with subject.run() as run:
        advance(run, subject, STEPS)
        before = values(run, outputs)
        advance(run, subject, 1, h)
        get = (
            run.fmu.getRealOutputDerivatives
            if subject.version == "2.0"
            else run.fmu.getOutputDerivatives
        )
        given = np.array(get(references, [1] * len(outputs)))
        advance(run, subject, 1, h)
        slope = (values(run, outputs) - before) / (2 * h)
    off = np.abs(given - slope) / (1 + np.abs(slope))
    worst = int(np.argmax(off))
    demand(off[worst] < 0.05, f"{outputs[worst].name}: {given[worst]:.6g}, not {slope[worst]:.6g}")
    return f"of order {order}, within {off[worst]:.1g} of difference quotients"


def directional_derivatives(subject: Subject) -> str:
    """Compare a Jacobian, column by column, with difference quotients."""
    for kind in ("ModelExchange", "CoSimulation"):
        flag = subject.claims("providesDirectionalDerivatives", kind)
        demand(flag, f"providesDirectionalDerivatives is not claimed for {kind}")
    unknowns, knowns = derivative_references(subject)
    worst = 0.0
    with subject.run("ModelExchange") as run:
        leave_bounds(run, subject)
        names = {v.valueReference: v.name for v in run.variables.values()}
        unclear = 1e-3 * np.abs([run.get(names[unknown]) for unknown in unknowns])  # by rounding
        for known in knowns:
            exact = directional(run, unknowns, [known], [1.0])
            slope = differences(run, unknowns, known)
            size = np.maximum(max(1e-3 * float(np.max(np.abs(slope), initial=0)), 1e-5), unclear)
            worst = max(worst, float(np.max(np.abs(exact - slope) / (size + np.abs(slope)))))
    demand(worst < 1e-2, f"they differ from difference quotients by {worst:.2g}")
    return f"{len(unknowns)} x {len(knowns)}, within {worst:.1g} of difference quotients"


def adjoint_derivatives(subject: Subject) -> str:
    """Compare adjoint derivatives with the transpose of the directional ones."""
    _only_in_3(subject)
    for kind in ("ModelExchange", "CoSimulation"):
        flag = subject.claims("providesAdjointDerivatives", kind)
        demand(flag, f"providesAdjointDerivatives is not claimed for {kind}")
    unknowns, knowns = derivative_references(subject)
    with subject.run("ModelExchange") as run:
        forward = np.column_stack([directional(run, unknowns, [k], [1.0]) for k in knowns])
        backward = np.array(
            [
                run.fmu.getAdjointDerivative([u], knowns, [1.0], nSensitivity=len(knowns))
                for u in unknowns
            ]
        )
    off = float(np.max(np.abs(forward - backward) / (1e-9 + np.abs(forward).max(initial=0))))
    demand(off < 1e-9, f"they differ from the directional ones by {off:.2g}")
    return f"the transpose of the directional ones to {off:.1g}"


def intermediate_values(subject: Subject) -> str:
    """Read outputs in the middle of a step, by the importer's callback."""
    _only_in_3(subject)
    demand(
        subject.claims("providesIntermediateUpdate"), "providesIntermediateUpdate is not claimed"
    )
    outputs = subject.outputs
    demand(outputs, "no real output")
    seen: list[tuple[float, float]] = []
    runs: list[Instance] = []

    def update(_: Any, time: float, setting: bool, getting: bool, *rest: Any) -> None:
        if getting:
            seen.append((time, runs[0].get(outputs[0].name)))

    references = [v.valueReference for v in outputs]
    with subject.run_with(update, required=references) as run:
        runs.append(run)
        advance(run, subject, 2, 5 * subject.step_size)
        end = run.time
    demand(seen, "the callback is never called")
    inside = [time for time, _ in seen if 0 < time < end]
    demand(inside == sorted(inside), "the times do not rise")
    demand(np.all(np.isfinite(seen)), "a value is not finite")
    return f"{len(seen)} calls in two steps, {len(inside)} of them inside"


def early_return(subject: Subject) -> str:
    """Ask for an early return in the callback, and go on from there to the same end."""
    _only_in_3(subject)
    flag = "canReturnEarlyAfterIntermediateUpdate"
    demand(subject.claims(flag), f"{flag} is not claimed")
    h = 10 * subject.step_size
    asked: list[float] = []

    def update(_: Any, time: float, *rest: Any) -> None:
        can_return, early, at = rest[3], rest[4], rest[5]
        if can_return and not asked and time > 0:
            asked.append(time)
            early[0], at[0] = True, time

    with subject.run_with(update, early_return=True) as run:
        status, _, early, reached = do_step(run, 0.0, h)
        demand(status == OK, f"doStep gives {status}: {run.said}")
        demand(asked, "the callback never offers an early return")
        demand(early and reached < h, "the step goes on to its end")
        status, *_, reached = do_step(run, reached, h - reached)
        demand(status == OK and abs(reached - h) < 1e-9, f"it does not go on: {run.said}")
    return f"at {asked[0]:.4g} s of a step of {h:.4g} s, and on to its end"


def event_mode(subject: Subject) -> str:
    """Enter Event Mode between two steps, update, and go on."""
    _only_in_3(subject)
    demand(subject.claims("hasEventMode"), "hasEventMode is not claimed")
    with subject.run_with(event_mode=True, early_return=True) as run:
        fmu = run.fmu
        statuses = []
        for _ in range(2):
            statuses += [attempt(fmu.updateDiscreteStates), attempt(fmu.enterStepMode)]
            statuses += [do_step(run, run.time, subject.step_size)[0]]
            run.time += subject.step_size
            statuses += [attempt(fmu.enterEventMode)]
        demand(not any(statuses), f"statuses {statuses}: {run.said}")
    return "between two steps"


def desktop_binaries(subject: Subject) -> str:
    """See which platforms the archive has libraries for."""
    has = set(subject.binaries)
    lacking = [sorted(names)[0] for names in DESKTOP[subject.version] if not names & has]
    demand(not lacking, f"no binary for {', '.join(lacking)}; there is {', '.join(sorted(has))}")
    return ", ".join(sorted(has))


def variables_of(*types: str) -> Any:
    """Return a row that is not applicable where no variable has one of the types."""

    def row(subject: Subject) -> str:
        found = [v.name for v in subject.description.modelVariables if v.type in types]
        if not found:
            raise NotApplicable("no variable is of such a type")
        return f"{len(found)} variables, {found[0]} one of them"

    return row


def arrays(resizable: bool, *causalities: str) -> Any:
    """Return a row that is not applicable where no variable of some causalities is an array."""

    def row(subject: Subject) -> str:
        found = [
            v.name
            for v in subject.description.modelVariables
            if v.causality in causalities
            and v.dimensions
            and any((d.valueReference is not None) == resizable for d in v.dimensions)
        ]
        if not found:
            raise NotApplicable("no such variable is an array")
        return f"{len(found)} arrays, {found[0]} one of them"

    return row


def clocks(subject: Subject) -> str:
    """See whether there are clocks."""
    found = [v.name for v in subject.description.modelVariables if v.type == "Clock"]
    if not found:
        raise NotApplicable("the model has no clock")
    return f"{len(found)} clocks"


def _only_in_3(subject: Subject) -> None:
    if subject.version == "2.0":
        raise NotApplicable("FMI 2.0 does not have it")
