"""Tyres, contact laws, impacts, clearances, regularized slips, films; FMUs and rotations."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from mbcore import (
    Bearing,
    BrushTyre,
    CalspanTyre,
    LinearTyre,
    Model,
    Tyre,
    Wheel,
)
from mbcore.contact import (
    CoulombFriction,
    HuntCrossley,
    Impact,
    KelvinVoigt,
    LankaraniNikravesh,
    Regularization,
    SwitchedLaw,
    film,
    regularize,
    unilateral_contact,
)
from mbcore.contact.clearance import clearance
from mbcore.contact.hertz import stiffness
from mbcore.fmi import Component, Experiment, export
from mbcore.model.nodes.rotations import about

from .arguments import swing
from .case import INF, NAN, wrong


def wheel(m):
    made = m.space.add(Wheel("w", m.P, m.R, m.K, radius=1.0))
    made.lateral.release()
    return made


def tyre(**arguments):
    given = {"radial_stiffness": 1e5, **arguments}
    law = given.pop("law", LinearTyre(1e4))
    return lambda m: Tyre(wheel(m), law, **given)


def gap(m):
    m.plane.contacts.clear()
    return m.p.y.value


def contact(name="floor", law=None, **arguments):
    def made(m):
        given = {"gap": gap(m), "law": Impact(0.5) if law is None else law, **arguments}
        return unilateral_contact(m.plane, name, given.pop("gap"), given.pop("law"), **given)

    return made


def bearing(m):
    made = m.plane.add(Bearing("j", m.p, m.a, m.q, m.b))
    made.x.dof("x")
    made.y.dof("y")
    return made


def loose(radius_gap=1e-3, law=None, **arguments):
    return lambda m: clearance(
        m.plane, bearing(m), radius_gap, KelvinVoigt(1e6) if law is None else law, **arguments
    )


def regular(**arguments):
    def made(m):
        given = {"stiffness": 1.0, "damping": 1.0, "compliance": 0.1, **arguments}
        limit = given.pop("limit", None)
        return regularize(m.space, wheel(m).longitudinal, Regularization(**given), limit=limit)

    return made


def oil(displacement=(0, 0), speed=1.0, **arguments):
    given = {"radius": 1.0, "clearance": 0.1, "length": 1.0, "viscosity": 0.1, **arguments}
    return lambda m: film(displacement, (0, 0), speed, **given)


def outdated():
    """Export equations whose model was given an output since."""
    model = Model("late")
    model.output("early", 1.0)
    equations = model.equations()
    model.output("late", 1.0)
    return export(equations, "out", tools=())


def another(m):
    """Export a model where one of almost the same name has been exported."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "fmi2" / "my_arm.fmu"
        place.parent.mkdir()
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("modelDescription.xml", '<fmiModelDescription description="my arm"/>')
        model = Model("my-arm")
        model.output("one", 1.0)
        return export(model.equations(), folder, tools=())


TABLE = {
    "tyre of a name": wrong(
        lambda m: Tyre("w", LinearTyre(1)), "tyre: wheel is 'w'", "give a Wheel"
    ),
    "tyre with a word as law": wrong(
        tyre(law="linear"), "tyre of wheel w: law is 'linear'", "give"
    ),
    "tyre with a class as law": wrong(
        tyre(law=LinearTyre), "tyre of wheel w: law is", "LinearTyre("
    ),
    "tyre of negative stiffness": wrong(
        tyre(radial_stiffness=-1), "tyre of wheel w: radial_stiffness = -1 N/m", "greater than 0"
    ),
    "tyre stiffness as text": wrong(
        tyre(radial_stiffness="1e5"), "radial_stiffness = '1e5'", "give"
    ),
    "tyre of negative damping": wrong(tyre(radial_damping=-1), "radial_damping = -1", "negative"),
    "tyre without slowest speed": wrong(tyre(slowest=0), "slowest = 0 m/s", "greater than 0"),
    "tyre under negative load": wrong(
        tyre(radial_stiffness=None, load=-5), "load = -5 N", "not be negative"
    ),
    "tyre's slip point": wrong(tyre(slip_point="hub"), "slip_point", "'hub'"),
    "linear tyre of NaN": wrong(
        lambda m: LinearTyre(NAN), "linear tyre: cornering_stiffness = nan"
    ),
    "negative cornering stiffness": wrong(
        lambda m: LinearTyre(-1), "cornering_stiffness = -1", "not be negative"
    ),
    "cornering stiffness as text": wrong(lambda m: LinearTyre("1"), "cornering_stiffness = '1'"),
    "brush tyre of negative friction": wrong(
        lambda m: BrushTyre(-0.1, 1e4), "brush tyre: friction = -0.1", "at least 0"
    ),
    "Calspan tyre of NaN": wrong(lambda m: CalspanTyre(A0=NAN), "Calspan tyre: A0 = nan"),
    "Calspan tyre without A2": wrong(lambda m: CalspanTyre(A2=0), "A2 = 0", "greater than 0"),
    "stiffness of no radius": wrong(
        lambda m: stiffness(0, 1, 1e9, 0.3), "radii 0 and 1", "positive"
    ),
    "radius as text": wrong(lambda m: stiffness("1", 1, 1e9, 0.3), "radii 1 and 1", "'1'", "give"),
    "infinite modulus": wrong(
        lambda m: stiffness(1, 1, INF, 0.3), "Young's modulus = inf", "finite"
    ),
    "impossible Poisson's ratio": wrong(
        lambda m: stiffness(1, 1, 1e9, 0.6), "ratio = 0.6", "at most"
    ),
    "restitution above one": wrong(lambda m: HuntCrossley(1e9, 2), "restitution = 2", "at most 1"),
    "infinite contact stiffness": wrong(
        lambda m: LankaraniNikravesh(INF, 0.5), "contact stiffness = inf", "finite"
    ),
    "exponent as text": wrong(lambda m: LankaraniNikravesh(1e9, 0.5, "1.5"), "exponent", "'1.5'"),
    "damping of NaN": wrong(lambda m: KelvinVoigt(1e6, NAN), "contact damping = nan", "number"),
    "impact restitution": wrong(lambda m: Impact(1.5), "restitution = 1.5", "at most 1"),
    "impact without restitution": wrong(lambda m: Impact(None), "restitution = None", "number"),
    "impact enabled by a word": wrong(
        lambda m: Impact(0.5, enabled="yes"), "enabled = 'yes'", "give"
    ),
    "infinite settling time": wrong(
        lambda m: Impact(0.5, settling_time=INF), "settling time = inf"
    ),
    "contact without name": wrong(contact(name=""), "contact needs a name", "''"),
    "contact by a number": wrong(contact(law=0.5), "contact floor: its law is 0.5", "Impact("),
    "gap as number": wrong(contact(gap=1.0), "contact floor: its gap is 1.0", "expression"),
    "contact of no size": wrong(contact(size=0), "size of floor = 0", "greater than 0"),
    "contact of infinite size": wrong(contact(size=INF), "size of floor = inf", "finite"),
    "sliding of a vector": wrong(
        lambda m: contact(friction=0.1, sliding=m.p.velocity)(m),
        "floor: sliding = ",
        "has 2 components",
    ),
    "NaN clearance": wrong(loose(NAN), "clearance of j: radius gap = nan"),
    "infinite clearance": wrong(loose(INF), "clearance of j: radius gap = inf"),
    "clearance as text": wrong(loose("1e-3"), "clearance of j: radius gap = '1e-3'", "give"),
    "clearance with a number as law": wrong(
        loose(law=5), "clearance of j: law is 5", "KelvinVoigt"
    ),
    "clearance with a class as law": wrong(
        loose(law=KelvinVoigt), "clearance of j: law is", "give"
    ),
    "clearance, impact as number": wrong(
        lambda m: SwitchedLaw(KelvinVoigt(1e6), impact=0.5),
        "switched law: impact is 0.5",
        "give an Impact",
    ),
    "switched law of a number": wrong(lambda m: SwitchedLaw(5), "law is 5", "KelvinVoigt"),
    "switch of NaN": wrong(
        lambda m: SwitchedLaw(KelvinVoigt(1e6), enabled=NAN), "switched law: enabled = nan"
    ),
    "friction speed of zero": wrong(
        lambda m: CoulombFriction(0.1, speed=0.0), "friction: speed = 0 m/s", "greater than 0"
    ),
    "clearance of a name": wrong(
        lambda m: clearance(m.plane, "j", 1e-3, KelvinVoigt(1)), "bearing is 'j'", "give a Bearing"
    ),
    "regularized with a text": wrong(regular(stiffness="1"), "regularized slip: stiffness", "'1'"),
    "regularized, infinite damping": wrong(regular(damping=INF), "damping", "positive", "inf"),
    "regularized, compliance zero": wrong(regular(compliance=0), "compliance", "positive", "0"),
    "regularized, unknown exponent": wrong(regular(exponent="weak"), "'weak'", "principal"),
    "regularized, negative limit": wrong(regular(limit=-1), "limit", "not negative", "-1"),
    "regularized deformation": wrong(
        lambda m: regularize(m.space, wheel(m).radial, Regularization(1, 1, 1)),
        "w.radial",
        "is not a slip",
        "wheel.lateral",
    ),
    "film of negative radius": wrong(oil(radius=-1), "film: radius = -1", "greater than 0"),
    "film without clearance": wrong(oil(clearance=0), "film: clearance = 0", "greater than 0"),
    "film in space": wrong(oil((0, 0, 0)), "film: displacement", "2 components", "got 3"),
    "film at NaN speed": wrong(oil(speed=NAN), "film: speed = nan", "not a number"),
    "rotation about nothing": wrong(
        lambda m: about((0, 0, 0), 1.0), "rotation: the axis", "(0, 0, 1)"
    ),
    "rotation about a letter": wrong(lambda m: about("z", 1.0), "rotation: axis = 'z'", "3"),
    "rotation by NaN": wrong(lambda m: about((0, 0, 1), NAN), "rotation: angle = nan rad"),
    "experiment as text": wrong(lambda m: Experiment(stop="1"), "experiment: stop = '1'", "number"),
    "endless experiment": wrong(lambda m: Experiment(stop=INF), "experiment: stop = inf", "finite"),
    "experiment without tolerance": wrong(
        lambda m: Experiment(tolerance=5), "tolerance = 5", "below"
    ),
    "component of a model": wrong(
        lambda m: Component("a", "", m.plane), "not a set of equations", "equations()"
    ),
    "component with a space": wrong(
        lambda m: Component("my arm", "", swing()), "'my arm'", "letters"
    ),
    "export of a model": wrong(lambda m: export(m.plane, "out"), "neither", "model.equations()"),
    "export to nowhere": wrong(lambda m: export(swing(), None), "directory = None", "give a path"),
    "export of FMI 1.0": wrong(lambda m: export(swing(), "out", fmi="1.0"), "1.0", "2.0, 3.0"),
    "export to an unknown platform": wrong(
        lambda m: export(swing(), "out", platforms=["amiga"]), "'amiga'", "x86_64-linux"
    ),
    "export after a change": wrong(
        lambda m: outdated(), "changed after", "late", "make them again"
    ),
    "another model's FMU": wrong(lambda m: another(m), "my arm", "my-arm", "rename"),
}
