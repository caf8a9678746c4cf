"""The slider-crank of [Schwab2002] 5.4 with clearance in the slider's revolute joint.

The forces between journal and sleeve by the law chosen, and the outputs; the mechanism is that of
``slider_crank``.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from matplotlib.axes import Axes

from mbcore import Bearing, Model, drawing
from mbcore.contact.clearance import Clearance, SwitchedLaw, clearance
from mbcore.contact.hertz import KelvinVoigt, LankaraniNikravesh, stiffness
from mbcore.contact.impact import Impact
from mbcore.contact.journal_bearing import BEYOND, film
from mbcore.elements.joints.bearing import journal_in_sleeve
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.description.sketch import EDGE, MOTION, arc, arrow, axes_cross
from mbcore.fmi.page_settings import Page
from mbcore.model.variables import Number

from ..shared import shipped_component
from .friction import rub
from .parameters import Bearing as Sizes
from .parameters import Parameters, add_parameters
from .slider_crank import Rod, SliderCrank, describe, outline, rigid_rod

NAME = "clearance_joint"
DESCRIPTION = "Slider-crank whose slider joint rattles: journal and sleeve with radial clearance"
IMPACT = 3
"""Number of the law whose contacts are impacts; those before it are continuous forces."""
VANISHING = 1e-100
"""Force, N, that changes no value but keeps the derivative of a magnitude finite where it is 0."""


@dataclass(frozen=True)
class Forces:
    """Forces of the joint on its sleeve, N and N.m, and where they come from."""

    x: ca.SX
    y: ca.SX
    moment: ca.SX
    """About the sleeve's centre."""
    acting: ca.SX
    """1 in contact or lubricated, else 0."""
    contact: Clearance


def model(name: str = NAME, rod: Rod = rigid_rod, friction: bool = False) -> Model:
    """Return the slider-crank with its inputs, parameters and outputs.

    Parameters
    ----------
    name : str
        Of the model.
    rod : callable
        Adds the connecting rod; the FMU's is rigid.
    friction : bool
        Whether the ideal joints may rub, which takes a rigid rod; by their parameters' start values
        they do not.
    """
    mechanism = describe(name, rod)
    crank = mechanism.crank
    data = add_parameters(crank)
    contact = touch(mechanism, data)
    forces = lubricate(mechanism, data, contact)
    show_motion(mechanism)
    show_joint(crank, forces)
    if friction:
        rub(mechanism)
    add_shapes(crank, mechanism.joint, data.bearing)
    return crank


def touch(mechanism: SliderCrank, data: Parameters) -> Clearance:
    """Let journal and sleeve touch by the law chosen; in oil there is no contact."""
    crank, bearing, material, law = mechanism.crank, data.bearing, data.material, data.law
    spheres = stiffness(
        bearing.journal_radius, -bearing.radius, material.modulus, material.poissons_ratio
    )
    hertz = LankaraniNikravesh(spheres, material.restitution)
    linear = KelvinVoigt(data.contact.stiffness, data.contact.damping)
    settling_time, impacts = data.contact.settling_time, ca.eq(law, IMPACT)

    def chosen(depth: Number, rate: Number, impact_speed: Number) -> ca.SX:
        first, second = (f(depth, rate, impact_speed) for f in (hertz, linear))
        return crank.select(law, first, second, first, first)

    return clearance(
        crank,
        mechanism.joint,
        bearing.clearance,
        SwitchedLaw(
            chosen,
            enabled=law < IMPACT,
            impact=Impact(material.restitution, settling_time, spheres, enabled=impacts),
        ),
        friction=data.contact.friction,
        journal_radius=bearing.journal_radius,
        event="contact",
    )


def lubricate(mechanism: SliderCrank, data: Parameters, contact: Clearance) -> Forces:
    """Let the oil film act where it is chosen; return all forces in the joint."""
    crank, joint, law = mechanism.crank, mechanism.joint, data.law
    oil = film(
        (joint.x.value, joint.y.value),
        (joint.x.rate, joint.y.rate),
        joint.rotation.rate,
        radius=data.bearing.radius,
        clearance=data.bearing.clearance,
        length=data.bearing.width,
        viscosity=data.material.viscosity,
    )
    crank.require(
        "joint.eccentricity",
        crank.select(law, 1, 1, 1, oil.margin),
        BEYOND,
        shown=contact.eccentricity,
    )
    x, y, moment = (
        crank.select(law, 0, 0, 0, part) for part in (oil.force_x, oil.force_y, oil.moment)
    )
    joint.x.law(x)
    joint.y.law(y)
    # the force, at the journal's centre, has a part in the moment about the sleeve's
    joint.rotation.law(data.drag * (moment - (joint.x.value * y - joint.y.value * x)))
    rubbing = contact.friction_moment + contact.friction_force * contact.eccentricity
    return Forces(
        contact.force_x + x,
        contact.force_y + y,
        rubbing + moment,
        crank.select(law, *3 * [contact.in_contact], 1),
        contact,
    )


def add_shapes(model: Model, joint: Bearing, sizes: Sizes) -> None:
    """Show sleeve and journal with enlarged clearance, and the journal's force on the sleeve."""
    joint.visible = False  # drawn here, over the slider
    model.show(
        *journal_in_sleeve(
            joint.sleeve,
            joint.journal,
            joint.journal_angle,
            sizes.journal_radius,
            sizes.clearance,
        )
    )
    force = joint.sleeve_angle.matrix @ ca.vertcat(joint.x.stress, joint.y.stress)
    model.show(drawing.arrow(joint.sleeve, force, name="force on the sleeve"))


def show_motion(mechanism: SliderCrank) -> None:
    """Add the crank's torque and the slider's motion."""
    crank, sleeve = mechanism.crank, mechanism.sleeve
    crank.output(
        "crank.torque",
        mechanism.crank_angle.angle.stress * -1,
        unit="N.m",
        description="that keeps the prescribed rotation, positive along it",
    )
    crank.output("slider.position", sleeve.position[0], unit="m", description="from the crank axis")
    crank.output("slider.velocity", sleeve.velocity[0], unit="m/s", description="its rate")
    crank.output(
        "slider.acceleration",
        sleeve.acceleration[0],
        unit="m/s2",
        description="its second rate",
        nominal=1e5,
    )


def show_joint(crank: Model, forces: Forces) -> None:
    """Add where the journal is in its sleeve, and the forces on this."""
    contact = forces.contact
    crank.output(
        "joint.eccentricity",
        contact.eccentricity,
        unit="m",
        description="distance of the centres, smooth at zero",
        nominal=1e-3,
    )
    crank.output(
        "joint.penetration",
        contact.penetration,
        unit="m",
        description="depth of the local deformation",
        nominal=1e-4,
    )
    crank.output(
        "joint.force",
        forces.acting * ca.sqrt(forces.x**2 + forces.y**2 + VANISHING**2),
        unit="N",
        description="magnitude",
        nominal=1e4,
    )
    for axis, force in (("x", forces.x), ("y", forces.y)):
        crank.output(
            f"joint.force_{axis}", force, unit="N", description="on the sleeve", nominal=1e4
        )
    crank.output(
        "joint.moment",
        forces.moment,
        unit="N.m",
        description="of friction or of the film's drag on the sleeve, about the sleeve's centre",
        nominal=1.0,
    )
    crank.output(
        "joint.in_contact", contact.in_contact, kind="boolean", description="in contact now"
    )
    crank.output(
        "joint.sticks",
        contact.sticks,
        kind="boolean",
        description="the journal rolls along the sleeve, with compliant friction",
    )


TERMINALS = (
    Terminal(
        "crank",
        {
            "speed": "crank.speed",
            "acceleration": "crank.acceleration",
            "angle": "crank.angle",
            "torque": "crank.torque",
        },
        "crankshaft, whose rotation is prescribed",
    ),
    Terminal(
        "slider",
        {
            "force": "slider.force",
            "position": "slider.position",
            "velocity": "slider.velocity",
            "acceleration": "slider.acceleration",
        },
        "slider along its guide",
    ),
)

PAGE = Page(
    keys={"up": {"slider.force": 3000}, "down": {"slider.force": -3000}},
    plots=(("joint.x", "joint.y"), "joint.force", "joint.penetration", "slider.acceleration"),
    ranges={
        "slider.force": (-10000, 10000),
        "crank.speed": (0, 1000),
        "crank.acceleration": (-1e5, 1e5),
    },
    time_scale=0.002,
)

DOCUMENTATION = """
<p>Slider-crank with radial clearance <math>c</math> in the joint between rod and slider, Schwab's
thesis, section 5.4. The crank turns as prescribed, is massless; the rod is uniform; there is no
gravity. Degrees of freedom are the journal centre's displacements <math>x</math>, <math>y</math> in
the sleeve.</p>
<p><tt>hertz</tt>:</p>
<math display="block">
F = max(0, K δ^(3/2) (1 + 3 (1 - e²) δ̇ / (4 δ̇⁻))),    δ = √(x² + y²) - c,
</math>
<p>with <math>K</math> of (5.3) for two spheres of radii <math>R</math> and <math>-(R + c)</math>.
The approach speed <math>δ̇⁻</math> is stored at the beginning of each contact, by a state event; in
this law it is never taken below 1 mm/s. A simulation that starts in contact takes the present
approach speed.</p>
<p><tt>linear</tt>: <math>F = k δ + d δ̇</math> while <math>δ > 0</math>, not clipped.</p>
<p><b>Friction</b> of both, <tt>smoothed</tt>:</p>
<math display="block">
F_t = μ max(F, 0) v/√(v² + v_f²),    v = (x ẏ - y ẋ)/r + R φ̇,    r = √(x² + y²),
</math>
<p>along the sliding <math>v</math> of the journal's surface past the sleeve's, counter-clockwise
positive: Coulomb's law made smooth, so that what would stick creeps. The sleeve feels it in the
force and as <tt>joint.moment</tt>, <math>F_t (R + r)</math> about its own centre, the rod as
<math>-F_t R</math> about the journal's; it takes the power <math>F_t v</math>. A small
<math>v_f</math> is stiff. <tt>compliant</tt>: a spring and a damper hold the places that met,</p>
<math display="block">
F_t = k_t s + d_t v,    |F_t| ≤ μ_s F,    s = s_0 + r α + R φ,
</math>
<p>with the angles <math>α</math> and <math>φ</math> by which the journal has rolled along the
sleeve and turned in it since then, as in the FMU <tt>clearance</tt>. It slides with
<math>μ F</math> where the limit is reached, and sticks again where <math>v</math> changes its
sign.</p>
<p>The ideal joints may rub, too, except in the impulses of <tt>impact</tt>: crank pin and crank
bearing with a torque, the coefficient times the radius times the force that each transmits, the
guide with a force, the coefficient times what it transmits, by <tt>crank_pin.friction</tt>,
<tt>crank_bearing.friction</tt> and <tt>guide.friction</tt>. Where one comes to rest it sticks while
that suffices. The crank's rotation is prescribed, so that its bearing adds to <tt>crank.torque</tt>
only.</p>
<p><tt>lubricated</tt>: the force of an oil film of the sleeve's radius, of the given width and
viscosity, Appendix C, with the rate of the rod's angle as the journal's speed. The film's drag on
the sleeve is shown as <tt>joint.moment</tt>, <math>M + C/2</math> with the shear <math>M</math> and
the force's couple <math>C = x F_y - y F_x</math> (see the FMU <tt>journal_bearing</tt>). It does
not change the motion, as there, unless <tt>joint.drag</tt> is 1: then the rod feels <math>C/2 -
M</math> about the journal's centre, and the film never gives power. It is stiff near the sleeve:
choose <tt>solver.method = rosenbrock</tt>. There is no contact, so nothing is counted, and an
eccentricity beyond 0.9999 of the clearance is refused.</p>
<p><tt>impact</tt>: the parts are rigid. Where they meet, the rates of <math>x</math> and
<math>y</math> jump by an impulse with Poisson's coefficient of restitution, which without friction
is Newton's, and with Coulomb's friction (sticking, sliding, reversal). Impacts that follow each
other ever faster count as over where they would be within <tt>joint.settling_time</tt> (5.26): then
the parts stay in contact, and <tt>joint.force</tt> is the force of the constraint, with the
friction above, until it vanishes. Impulse, energy lost and the largest force that Hertz's stiffness
would give (5.33) are those of the latest impact. In Model Exchange impacts are state events that
change the continuous states, and <tt>completedIntegratorStep</tt> asks for Event Mode where
permanent contact has drifted. The parts must not overlap at the start.</p>
<p>Pictures enlarge the clearance to 0.35 of the journal's radius, for it could not be seen in
scale.</p>
<p>The eccentricity is smoothed within 1e-12 m of the centre. The motion is chaotic after the first
contacts: compare statistics, not trajectories.</p>
"""

SYMBOLS = {
    "x": "joint.x",
    "y": "joint.y",
    "F": "joint.force",
    "F_x": "joint.force_x",
    "F_y": "joint.force_y",
    "δ": "joint.penetration",
    "δ̇⁻": "joint.impact_speed",
    "R": "joint.journal_radius",
    "c": "radius of the sleeve less that of the journal",
    "r": "joint.eccentricity",
    "K": "stiffness of Hertz's contact",
    "e": "joint.restitution",
    "k": "joint.stiffness",
    "d": "joint.damping",
    "μ": "joint.friction",
    "v_f": "joint.friction_speed",
    "v": "sliding speed of the journal's surface past the sleeve's",
    "F_t": "friction force on the sleeve",
    "μ_s": "joint.static_friction",
    "k_t, d_t": "joint.friction_stiffness, joint.friction_damping",
    "s, s_0": "elongation of the tangential spring, and where stick began",
    "α": "angle by which the journal has rolled along the sleeve since then",
    "φ": "angle of the rod",
    "M": "shear of the oil film",
    "C": "couple of the film's force",
}
"""Meaning of each symbol in the documentation."""


def icon(axes: Axes) -> None:
    """Draw the mechanism."""
    outline(axes, 1.0)
    axes.set_xlim(-0.4, 3.6)
    axes.set_ylim(-2, 2)


def picture(axes: Axes) -> None:
    """Draw the mechanism with its axes and signs."""
    places = outline(axes, 1.0)

    sleeve = places["sleeve"]
    arrow(axes, sleeve, sleeve + [0.9, 0], "joint.x, slider.force", MOTION)
    arrow(axes, sleeve, sleeve + [0, 0.8], "joint.y", MOTION)
    axes.plot([0, 0.9], [0, 0], color="#888888", linewidth=0.8, linestyle="--")
    arc(axes, (0, 0), 0.6, (0, 1.0), "crank.angle", offset=(8, 0))
    axes_cross(axes, (0.0, -0.9), 0.5)
    axes.annotate("sleeve (slider)", tuple(sleeve + [-0.5, -0.75]), color=EDGE)
    axes.annotate("journal (rod)", tuple(places["journal"] + [-1.5, 0.75]), color=EDGE)
    axes.set_xlim(-0.4, 4.9)
    axes.set_ylim(-1.1, 1.5)


def component() -> Component:
    """Return the FMU's definition; two revolutions with rattling by default."""
    return shipped_component(
        __name__,
        model(friction=True).equations(),
        Experiment(stop=0.024, step=1e-5, tolerance=1e-6),
        picture,
        icon,
    )
