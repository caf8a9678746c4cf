"""mbcore's model of a mechanism with friction, with what is measured."""

from __future__ import annotations

import casadi as ca

from mbcore import DryFriction, Friction, Model, RollingResistance
from mbcore.elements.joints.hinge import PlanarHinge
from mbcore.elements.joints.joint_records import Prismatic
from mbcore.elements.joints.slide import Slide
from mbcore.model.element import Element
from tests.friction_survey.contacts import Mesh, Pressed, Roll, Skidding
from tests.friction_survey.drafts import Rubbed
from tests.friction_survey.rubbing import Rubbing, Thread
from tests.mechanism_survey.described import Described
from tests.mechanism_survey.forces import Spring
from tests.mechanism_survey.joints import Drive, Journal, Shift, Turn


class Sliding(Described):
    """A model whose contacts may slide."""

    def _add(self, what: object) -> None:
        super()._add(what.contact if isinstance(what, Pressed) else what)


def modelled(made: Rubbed) -> Model:
    """Return the model with outputs of each friction, and the work of all that does any.

    States ``friction i.work`` are the work of friction, ``driven i`` that of dampers and drives.
    The discrete variables ``friction i.sticks`` are mbcore's own.
    """
    described = Sliding(made.mechanism)
    model = described.model
    for rubbing in made.rubbings:
        friction = model.add(_friction(described, rubbing))
        forces = friction.moment if isinstance(friction, RollingResistance) else friction.force
        if isinstance(rubbing, Skidding) and rubbing.patch:
            forces = ca.vertcat(forces, friction.moment)
        for k, force in enumerate(ca.vertsplit(forces)):
            model.output(f"{rubbing.name}.force{k}", force, unit="1")
        model.output(f"{rubbing.name}.load", friction.load, unit="N")
        model.output(f"{rubbing.name}.power", friction.power, unit="W")
        model.state(f"{rubbing.name}.work", friction.power, unit="J", visibility="output")
    for i, part in enumerate([*made.mechanism.forces, *made.mechanism.joints]):
        if isinstance(part, Spring) and part.damping:
            rate = described._handle(part.measure).rate
            model.state(f"driven {i}", -part.damping * rate**2, unit="J", visibility="output")
        elif isinstance(part, Drive) and part.motion.amplitude:
            handle = described._handle(part.measure)
            # A stress is positive where it resists.
            power = -handle.stress * handle.rate
            model.state(f"driven {i}", power, unit="J", visibility="output")
    return model


def _friction(described: Described, rubbing: Rubbing | Skidding) -> DryFriction | RollingResistance:
    if isinstance(rubbing, Skidding):
        return _under(described.parts[rubbing.slides.contact], rubbing)
    numbers = {
        "coefficient": rubbing.coefficient,
        "static": rubbing.static,
        "viscous": rubbing.viscous,
    }
    if isinstance(rubbing.slides, Mesh):
        teeth = described.parts[rubbing.tie]
        return Friction(rubbing.name, teeth, radius=rubbing.radius, **numbers)  # type: ignore[arg-type]
    if isinstance(rubbing.slides, Thread):
        screw = described.parts[rubbing.tie]
        return Friction(rubbing.name, screw, radius=rubbing.radius, **numbers)  # type: ignore[arg-type]
    if isinstance(rubbing.slides, Shift):
        slide = described.parts[rubbing.tie]
        assert isinstance(slide, Slide)
        if rubbing.guard is None:
            return Friction(rubbing.name, slide, **numbers)  # type: ignore[arg-type]
        assert isinstance(rubbing.guard, Drive) and isinstance(rubbing.guard.measure, Turn)
        hinge = described.parts[rubbing.guard.measure.axle]
        assert isinstance(hinge, PlanarHinge)
        guide = Prismatic(slide, hinge)
        return Friction(rubbing.name, guide, span=rubbing.span, **numbers)  # type: ignore[arg-type]
    pin = {"radius": rubbing.radius, "fit": "loose" if rubbing.loose else "snug", **numbers}
    if isinstance(rubbing.tie, Journal):
        return Friction(rubbing.name, described.parts[rubbing.tie], **pin)  # type: ignore[arg-type]
    hinge = described.parts[rubbing.slides.axle]
    pin["at"] = described.places[rubbing.tie]
    if rubbing.span:
        pin["span"] = rubbing.span
    if rubbing.collar:
        pin["collar"] = rubbing.collar
    return Friction(rubbing.name, hinge, **pin)  # type: ignore[arg-type]


def _under(element: Element, rubbing: Skidding) -> DryFriction | RollingResistance:
    """Return the friction under what rolls."""
    given = {"load": rubbing.given} if rubbing.given else {}
    if isinstance(rubbing.slides, Roll):
        contour = rubbing.slides.contour
        return RollingResistance(
            rubbing.name,
            element,  # type: ignore[arg-type]
            arm=rubbing.coefficient,
            contour=contour,
            **given,
        )
    if rubbing.patch:
        given["patch"] = rubbing.patch
    return Friction(
        rubbing.name,
        element,  # type: ignore[arg-type]
        coefficient=rubbing.coefficient,
        static=rubbing.static,
        viscous=rubbing.viscous,
        **given,
    )
