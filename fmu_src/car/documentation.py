"""The page of the car in its FMU."""

from __future__ import annotations

from .data import CORNERS

DOCUMENTATION = """
<p>A road car on four tyres: the body moves freely in space, each wheel goes up
and down on its suspension and spins, and the front wheels are steered through a compliant column.
Wheels are <tt>front_left</tt>, <tt>front_right</tt>, <tt>rear_left</tt> and
<tt>rear_right</tt>.</p>
<p><b>Tyres</b> are THE_TYRES, with camber and combined slip. <tt>mbcore build car --tyre
FILE.tir</tt> makes this FMU with another file; <tt>road_car.tir</tt>, which is shipped, was not
measured but made up with usual properties. Forces and moments (<tt>force_x</tt>, <tt>force_y</tt>,
<tt>load</tt>, <tt>moment_x</tt>, <tt>moment_y</tt>, <tt>moment_z</tt>) are those of the road on the
wheel, at the contact point and about it, in the W axes of TYDEX, which are the tyre axes of ISO
8855: forward along the line in which the wheel's plane meets the road, to the left, and up. A slip
angle <math>α</math> is positive where the contact point moves to the left (its force is negative),
the slip ratio <math>κ</math> where the wheel drives, camber <math>γ</math> where the wheel leans to
the right. The contact point lies where the wheel's plane, the road and the vertical plane through
the axle meet. Each tyre carries its load, the force normal to the road, by its radial spring and
damping, whose deflection is along the spoke; it never pulls. IF_FILE Free radius, stiffness and
effective radius are those that the file's coefficients give at the spin. END_FILE The tyres on the
right are the mirror image of those on the left.
IF_FILE THE_RANGES; <tt>in_range</tt> is false there. END_FILE <tt>road.friction</tt> times
<tt>road_friction</tt> of the wheel scales the friction of the tyre.</p>
<p>With <tt>tyres.transient</tt> = <tt>relaxation</tt> each contact has two deflections
<math>u</math>, along the wheel and across it (states <tt>deflection_x</tt> and
<tt>deflection_y</tt>), which follow the slip velocity <math>v_s</math> over the relaxation lengths
<math>σ</math> of the tyre,</p>
<math display="block">u̇ + |v_x| u/σ = -v_s</math>
<p>and the slip is <math>u/σ</math>, no more than that of the greatest force. A tyre at rest is a
spring, on which a parked car stands without creeping. <tt>steady</tt> takes the slips of the
moment, for speeds above <tt>tyre.slowest</tt>.</p>
<p><b>Degrees of freedom</b>: fifteen. Speeds of the body's mass centre forward and sideways
(<tt>body.speed</tt>, <tt>body.side_speed</tt>, along and across its heading), its height z
(<tt>body.z</tt>, 0 in the design position), yaw, pitch and roll about z, y and x in this order
(positive to the left, nose down, left side up), the travel of four wheels (positive in bump), the
spins of four wheels (the state is <tt>slip_speed</tt>: rolling radius times rate of rotation, less
the wheel's speed ahead, so that wheels roll at any <tt>body.speed</tt> of the start), and the mean
angle of the front wheels (<tt>steering.angle</tt>). <tt>body.x</tt>, <tt>body.y</tt> and the
wheels' angles are kinematic coordinates.</p>
<p><b>Suspension.</b> A wheel's carrier goes along a path that is given relative to the body: with
the travel its centre goes up, outwards by <tt>outward_by_travel</tt> and backwards by
<tt>backward_by_travel</tt>, and its toe-in and camber are polynomials of the travel of second order
(<tt>toe</tt>, <tt>toe_by_travel</tt>, <tt>toe_by_travel_squared</tt>, and the same of
<tt>camber</tt>, positive outwards), of each axle; all are zero by default. The path transmits
forces without loss, so that <tt>outward_by_travel</tt> and <tt>backward_by_travel</tt> are the
slopes that make roll centre and anti-dive. Springs and dampers are linear and act at the wheel; an
anti-roll bar has a torque in proportion to the roll angle between the axle's wheels and the body.
Springs are preloaded so that they carry a body of any mass in the design position, in which the
mass centre is <tt>body.height</tt> above the road; tyres that roll at 20 m/s carry the default
masses there. Standing, tyres are a little smaller and softer.</p>
<p><b>Steering.</b> <tt>steering_wheel.angle</tt> over <tt>steering.ratio</tt> turns the upper end
of a column with <tt>steering.compliance</tt>; its lower end is the mean angle of the front wheels,
with <tt>steering.inertia</tt> and <tt>steering.damping</tt>. The wheels turn about upright axes
through their centres, with the angles of Ackermann's geometry (<tt>steering.ackermann</tt> = 1) or
parallel (0).</p>
<p><b>Torques.</b> <tt>drive_torque</tt> acts from the body on the wheel (a half shaft);
<tt>brake_torque</tt> is the limit of a dry friction between carrier and wheel, which gives way by
<tt>brake.stiffness</tt> and <tt>brake.damping</tt> and holds at rest. Air at rest acts at the mass
centre: drag against the velocity, <tt>air.density</tt>/2 <tt>drag.area</tt> times its square, and
downforce with <tt>downforce.area</tt> by the speed ahead. <tt>body.force_x</tt>,
<tt>body.force_y</tt> and <tt>body.torque_z</tt> act along the axes of the road.</p>
<p><b>Road</b>: level in its own axes; <tt>road.slope</tt> turns gravity, so that a positive slope
climbs along x. <tt>road_height</tt> is the height under each wheel over time, without place or
slope. With <tt>road</tt> = <tt>filtered</tt> a critically damped filter of second order with
<tt>road.time_constant</tt> follows the heights; <tt>direct</tt> takes heights and rates as they are
given.</p>
<p><b>Sensor</b>: <tt>sensor.acceleration_x</tt>, <tt>_y</tt> and <tt>_z</tt> are what an inertial
sensor at <tt>sensor.x</tt>, <tt>.y</tt>, <tt>.z</tt> from the mass centre reads along the axes of
the body: at rest on the level z reads gravity upwards. <tt>body.acceleration_x</tt> and so on are
those of the motion, without gravity.</p>
<p><b>Start</b>: at rest relative to the suspension, in the design position, with rolling wheels at
<tt>body.speed</tt>, an equilibrium but for what follows. Drag and rolling resistance slow the car
down from then on, unless it is driven.</p>
<p><b>Data</b> are those of a BMW 320i: vehicle 2 of Althoff and W&uuml;rsching, <i>CommonRoad:
Vehicle Models</i>, Technical University of Munich 2020, whose yaw inertia of the whole car is
reduced by that of the wheels. Data which that list lacks (steering, brakes, air) are estimated.</p>
<p><b>Not modelled</b>: caster and scrub radius, compliance of the suspension, bump stops and dry
friction of springs, power train, the inertia of the tyre's belt, temperature and wear.</p>
<p><b>Refused by name</b>, with everything as at the start of the call: wheels that travel more than
0.25 m from the design position, a mean steering angle beyond 1 rad, a road that presses a tyre to
its rim, and a car that overturns.</p>
"""
"""Words of the page, for `with_words_of` the tyres."""


def _of_wheels(what: str) -> str:
    return ", ".join(f"{wheel}.{what}" for wheel in CORNERS)


SYMBOLS = {
    "α": _of_wheels("slip_angle"),
    "κ": _of_wheels("slip_ratio"),
    "γ": _of_wheels("camber"),
    "u": f"{_of_wheels('deflection_x')}, {_of_wheels('deflection_y')}",
    "u̇": "its rate",
    "v_x": "speed of the contact along the wheel",
    "v_s": "slip velocity of the rolling wheel's contact, along the wheel or across it",
    "σ": "relaxation length, along the wheel or across it",
}
"""Meaning of each symbol in the documentation."""
