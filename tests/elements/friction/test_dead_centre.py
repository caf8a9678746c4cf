"""A slide whose rate vanishes as the crank passes a dead centre does not stop the crank."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Friction,
    Model,
    PlanarHinge,
    RigidLink,
    Slide,
    simulate,
)
from mbcore.fmi import export
from tests.built import Tools

CRANK, ROD, ANGLE = 0.15, 0.5, 1.0


def slider_crank() -> Equations:
    """A slider-crank without gravity, with friction in its slide alone."""
    model = Model("slider-crank", gravity=(0, 0))
    lean = -np.arcsin(CRANK / ROD * np.sin(ANGLE))
    ground = model.angle("bed", fixed=True)
    centre = model.point("centre", (0, 0), fixed=True)
    pin = model.point("pin", (CRANK * np.cos(ANGLE), CRANK * np.sin(ANGLE)))
    slider = model.point("slider", (CRANK * np.cos(ANGLE) + ROD * np.cos(lean), 0))
    turning, leaning = model.angle("turning", ANGLE), model.angle("leaning", lean)
    model.add(RigidLink("crank", centre, turning, pin, offset=(CRANK, 0)))
    model.add(RigidLink("rod", pin, leaning, slider, offset=(ROD, 0)))
    model.add(Body("flywheel", centre, turning, mass=1, inertia=0.1))
    model.add(Body("piston", slider, ground, mass=0.5))
    hinge = model.add(PlanarHinge("hinge", ground, turning))
    slide = model.add(Slide("slide", centre, ground, slider, axis=(1, 0), offset=(0, 0)))
    friction = model.add(Friction("friction", slide, coefficient=0.2, static=0.25))
    hinge.angle.dof("angle", "speed", start=ANGLE)
    model.state("work", friction.power, unit="J", visibility="output")
    model.output("energy", model.kinetic_energy, unit="J")
    return model.equations()


@pytest.mark.parametrize(
    ("speed", "rtol"),
    [(5.0, 1e-11), (0.05, 1e-11), (5.0, 1e-5)],
)
def test_dead_centre_takes_no_energy(speed: float, rtol: float) -> None:
    """The energy changes by friction's work alone, of which a dead centre has none."""
    until = 3.0 / speed
    run = simulate(
        slider_crank(), until, start={"speed": speed}, samples=61, rtol=rtol, max_step=until / 61
    )
    lost = run["energy"] - run["energy"][0] - run["work"]
    assert np.abs(lost).max() <= max(1e-9, 10 * rtol) * run["energy"][0]
    assert run.final("speed") > 0.9 * speed


@pytest.mark.heavy
def test_dead_centre_takes_no_energy_in_c() -> None:
    run = simulate(slider_crank(), 0.6, start={"speed": 5.0}, samples=61, rtol=1e-10, backend="c")
    lost = run["energy"] - run["energy"][0] - run["work"]
    assert np.abs(lost).max() <= 1e-9 * run["energy"][0]


@pytest.mark.heavy
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_dead_centre_takes_no_energy_in_model_exchange(
    fmi: str, tmp_path: Path, tools: Tools
) -> None:
    """An importer's solver finds one event; those that this one brings about come with it.

    Else the slide that holds nothing would rub again from the next communication point on.
    """
    [unit] = export(slider_crank(), tmp_path, fmi=fmi, tools=tools)
    run = fmpy.simulate_fmu(
        str(unit),
        start_values={"speed": 5.0},
        stop_time=0.9,
        output_interval=0.06,
        output=["energy", "work", "speed"],
        fmi_type="ModelExchange",
        solver="CVode",
        relative_tolerance=1e-9,
    )
    lost = run["energy"] - run["energy"][0] - run["work"]
    expected = simulate(slider_crank(), 0.9, start={"speed": 5.0}, samples=61, rtol=1e-10)
    assert np.abs(lost).max() <= 1e-6 * run["energy"][0]
    assert run["work"][-1] == pytest.approx(expected.final("work"), rel=1e-5)
