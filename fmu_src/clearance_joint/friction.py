"""Friction of the ideal joints of the slider-crank, by the forces that they transmit."""

from __future__ import annotations

import casadi as ca

from mbcore import Friction, Model, PlanarHinge, Slide, Units

from .slider_crank import SliderCrank


def rub(mechanism: SliderCrank) -> None:
    """Add the friction of crank bearing, crank pin and guide."""
    crank = mechanism.crank
    pins = (
        ("crank_pin", "crank pin", "the rod's", mechanism.pin, mechanism.rod_angle),
        ("crank_bearing", "crank bearing", "the crank's", mechanism.axis, mechanism.frame),
    )
    for name, title, whose, point, side in pins:
        coefficient = _coefficient(crank, name, title)
        radius = crank.parameter(
            f"{name}.radius",
            10e-3,
            unit=Units("m", "mm"),
            positive=True,
            description=f"radius of the {title}",
        )
        ends = (mechanism.crank_angle, side)
        hinge = crank.add(PlanarHinge(name, *(ends if name == "crank_pin" else ends[::-1])))
        pin = crank.add(
            Friction(f"{name}.friction", hinge, radius=radius, coefficient=coefficient, at=point)
        )
        crank.output(
            f"{name}.torque",
            pin.torque,
            unit="N.m",
            description=f"of friction in the {title}, against {whose} rotation in it",
        )
    mechanism.sleeve.y.release()
    guide = crank.add(
        Slide("guide", mechanism.axis, mechanism.frame, mechanism.sleeve, axis=(1, 0))
    )
    rubbing = crank.add(
        Friction(
            "guide.friction", guide, coefficient=_coefficient(crank, "guide", "slider's guide")
        )
    )
    crank.output(
        "guide.force",
        rubbing.force,
        unit="N",
        description="of friction on the slider, positive against a positive velocity",
    )


def _coefficient(crank: Model, name: str, title: str) -> ca.SX:
    return crank.parameter(
        f"{name}.friction", 0.0, minimum=0.0, description=f"friction coefficient of the {title}"
    )
