"""The page of the ILTIS in its FMU."""

from __future__ import annotations

from ..tyre_words import with_words_of
from .tyres import FileTyres, Tyres

DOCUMENTATION = """
<p>The Bombardier ILTIS, the road vehicle of the benchmark of the IAVSD workshop of 1990 in
Herbertov, on which multibody programs were compared (Kort&uuml;m and Sharp, <i>Multibody Computer
Codes in Vehicle System Dynamics</i>, Vehicle System Dynamics 22, supplement, 1993), and the largest
model of Schwab's thesis, 3.6.2.</p>
<p>A cabin, four suspensions of one design (the rear ones mirrored), a steering rack and four
wheels. Each suspension has an arm hinged to the cabin, a wheel carrier on the arm's ball joint, a
leaf spring whose end guides the carrier like a rigid link in the plane of the axle and carries the
spring force, a tie rod (to the rack in front, to the cabin behind) and a shock absorber between arm
and cabin. Leaf springs, tie rods, rack and carriers have no mass of their own.</p>
<p><b>Degrees of freedom</b>: ten, as in the benchmark: speeds of the cabin's mass centre forward
and sideways (<math>v_x</math> and <math>v_y</math>, along and across its heading), its height
<math>z</math> (0 in the design position, in which the mass centre is 0.570 m above the ground), yaw
<math>ψ</math>, pitch <math>θ</math> and roll <math>φ</math> about z, y and x in this order, and the
angles of the four arms. Positions x and y and the rotations of the wheels are kinematic
coordinates: the wheels roll. Yaw is positive to the left, pitch with the nose down, roll with the
left side up. The vehicle starts in the static equilibrium of its default parameters, at
<tt>cabin.speed</tt>. <tt>cabin.acceleration_x</tt>, <tt>_y</tt> and <tt>_z</tt> are those of the
motion, without gravity.</p>
<p><b>Dimensions</b> in the design position: front axle 0.970 m before the cabin's mass centre, rear
axle 1.047 m behind it (wheelbase 2.017 m), track 1.230 m, mass 1513.4 kg, 14846 N in all. 132.9 mm
of rack displacement for each radian of the front wheels, about the middle. Data are those of the
benchmark; nothing is known of its validity beyond 30 m/s.</p>
TYRES
<tt>tyres</tt> = <tt>simplified</tt> leaves out camber force and
aligning torque; <tt>no_lateral_slip</tt> holds the mean lateral slip of each axle's wheels at zero,
by a constraint force at the wheels' own points which both share; it refuses that a wheel leaves the
road, and a start that turns or is steered gets the velocities which that impulse gives that changes
kinetic energy least. (The slip of each wheel alone cannot be held: in bump front wheels turn
outwards and are put outwards, so that they would roll apart, faster and faster.)</p>
<p><b>Wheels</b> roll without longitudinal slip (<tt>rolling</tt>); <tt>longitudinal_force</tt> is
the constraint force. One that has left the road keeps this condition, so that nothing jumps when it
lands. <tt>prescribed</tt> lets them turn with the constant speed of the start over
<math>r_0</math>, without longitudinal force, as the published results of the benchmark have it;
drives and brakes then act against the shaft that turns the wheels, and have no effect on the
vehicle. Since longitudinal slip is left out, friction limits side forces only: brakes hold on ice
(<tt>tyre.SN</tt> small), and braking takes nothing from the side force. <tt>drive_torque</tt> acts
from the cabin on the wheel (a half shaft); <tt>brake_torque</tt> is the limit of a dry friction
between carrier and wheel, which gives way by <tt>brake.stiffness</tt> and <tt>brake.damping</tt>
and holds at rest.</p>
<p><b>Springs.</b> A leaf spring's end presses down with <tt>leaf.stiffness</tt> times its height
above <tt>leaf.free_travel</tt>; beyond <tt>leaf.stop_travel</tt> the rate is
<tt>leaf.stop_stiffness</tt>. Heights count from the design position. A shock absorber of the length
<math>Z</math> (0.44056 m by design) has, in N, the elastic force <math>-4.0092e6 + 2.8397e7 Z -
6.7061e7 Z² + 5.2796e7 Z³</math> and, with <math>v = Ż</math>, the damping force <math>9945.627 v +
33955.72 v² - 59832.25 v³ - 395651 v⁴</math>, outside of &minus;0.2 to 0.21 m/s <math>-416.42 +
1844.3 v</math> and <math>1919.1638 + 1634.727 v</math>. <tt>shock.rubber_scale</tt> and
<tt>shock.damping_scale</tt> are factors of both; <tt>damper_force</tt> is their sum, positive in
extension. <tt>front.anti_roll_torque</tt> and <tt>rear.anti_roll_torque</tt> act on the arms, as an
active bar would: positive ones press the left wheel down and lift the right one.</p>
<p><b>Steering and road.</b> A motion needs its exact rates. With <tt>steering</tt> =
<tt>filtered</tt> the rack follows <tt>rack.displacement</tt> with a critically damped filter of
second order and <tt>steering.time_constant</tt>, <tt>direct</tt> takes displacement, rate and
acceleration as they are given; so does <tt>road</tt> with the heights under the wheels and their
rates. A road is a height over time under each wheel, without place or slope: what is under a wheel
is level, slopes neither brake nor drive, and kerbs do not push back. Over a bump the loads differ
by up to 17 % from those on a road that has place and slope.</p>
<p>A rack displacement to the left, positive, turns the vehicle to the right: the tie rods are
behind the front axle.</p>
<p><b>Refused by name</b>, with everything as at the start of the call: a rack more than 70 mm from
its middle (the inner tie rod locks at 77 mm), wheels that travel beyond &minus;0.22 and 0.30 m
(they turn back at &minus;0.28 and 0.38 m), a road that presses a tyre to its rim, 0.203 m from the
wheel's centre, and a vehicle that overturns. Without longitudinal slip, brakes and drives are as
strong as their torques: four wheels braked with 3 kN.m at 20 m/s overturn it.</p>
"""
"""Words of the page, where TYRES stands for those of the tyres."""
CALSPAN = """
<p><b>Tyres</b> are thin disks, radially compliant: the load along the spoke is <math>F = k (r_0 -
r)</math>, never negative; <math>r_0</math> is 0.364325 m in front and 0.363812 m behind. On the
level the vertical force is <math>(F + F_y sin γ)/cos γ</math>. With the slip angle <math>α</math>
(arctan of the wheel centre's velocity to the left over the amount of that forward), the camber
<math>γ</math> (positive where the wheel leans to the right) and the constants <math>A_0</math> and
so on, the parameters <tt>tyre.A0</tt> and so on, the Calspan tyre has</p>
<math display="block">
μ = (B_1 F + B_3 + B_4 F²) S_N,    C_α = A_0 + A_1 F (1 - F/A_2),    C_γ = A_3 F (1 - F/A_4)
a = -(C_α α + C_γ γ)/(μ F),    F_y = μ F (a - a |a|/3 + a³/27),    M_z = (A_F1 F + A_F2 |F_y|) F_y
</math>
<p>with <math>F_y = ±μ F</math> where <math>|a| > 3</math>; driving backwards, the aligning torque
<math>M_z</math> has the other sign. The side force <math>F_y</math> acts to the left,
<math>M_z</math> about z, both of the road on the wheel. Above the load <math>A_2</math> both
stiffnesses stay what they are there. Below <tt>tyre.slowest</tt> slips are related to that speed,
and camber forces fade, so that the vehicle may stand and drive backwards; standing, it gives way to
a side wind of 2 kN with 13 mm/s.
"""
FILE = """
<p><b>Tyres</b> are THE_TYRES, mirrored on the right, with radial spring and damping, which give the
force <math>N</math> normal to the road, never negative; the loads shown are <math>N cos γ - F_y sin
γ</math>, along the spoke. Slip angle <math>α</math> (arctan of the contact point's velocity to the
left over the amount of that forward), camber <math>γ</math> (positive where the wheel leans to the
right) and <math>N</math> give side force <math>F_y</math>, aligning torque, overturning moment and
rolling resistance; the side force acts to the left, torques on the wheel. Wheels roll without
longitudinal slip, about their loaded radius, so that the law has none either. IF_FILE THE_RANGES.
END_FILE
<tt>tyre.friction</tt> is a factor of the friction of the tyre. The road is so high that
the front wheels have their place of the design at the front axle's load and 20 m/s. Slips are those
of the moment, without relaxation; below <tt>tyre.slowest</tt> they are related to that speed, and
camber forces fade, so that the vehicle may stand and drive backwards.
"""


def documentation(on: Tyres) -> str:
    """Return the words of the page for the tyres on which the vehicle stands."""
    tyres = CALSPAN
    if isinstance(on, FileTyres):
        tyres = with_words_of(FILE, on.data)
    said = DOCUMENTATION.replace("TYRES", tyres.strip(), 1)
    return said if on.calspan else _without_calspan(said, on)


def _without_calspan(said: str, on: Tyres) -> str:
    """Return the words with what is the benchmark's tyres' alone replaced."""
    for old, new in (
        ("aligning torque; <tt>no_lateral_slip</tt>", "moments; <tt>no_lateral_slip</tt>"),
        ("over\n<math>r_0</math>, without", "over\nthe unloaded radius, without"),
        ("<tt>tyre.SN</tt> small", "<tt>tyre.friction</tt> small"),
        ("0.203 m from the\nwheel's centre", f"{on.rim:g} m from the wheel's centre"),
    ):
        assert old in said, old
        said = said.replace(old, new)
    return said


def symbols(on: Tyres) -> dict[str, str]:
    """Return the meaning of the documentation's symbols."""
    return {name: text for name, text in SYMBOLS.items() if on.calspan or name not in OF_CALSPAN}


SYMBOLS = {
    "v_x": "cabin.speed",
    "v_y": "cabin.side_speed",
    "z": "cabin.z",
    "ψ": "cabin.yaw",
    "θ": "cabin.pitch",
    "φ": "cabin.roll",
    "F": "front_left.load, front_right.load, rear_left.load, rear_right.load",
    "F_y": (
        "front_left.side_force, front_right.side_force, rear_left.side_force, rear_right.side_force"
    ),
    "M_z": (
        "front_left.aligning_torque, front_right.aligning_torque, "
        "rear_left.aligning_torque, rear_right.aligning_torque"
    ),
    "α": (
        "front_left.slip_angle, front_right.slip_angle, rear_left.slip_angle, rear_right.slip_angle"
    ),
    "γ": "front_left.camber, front_right.camber, rear_left.camber, rear_right.camber",
    "k": "tyre.stiffness",
    "A_0": "tyre.A0",
    "A_1": "tyre.A1",
    "A_2": "tyre.A2",
    "A_3": "tyre.A3",
    "A_4": "tyre.A4",
    "B_1": "tyre.B1",
    "B_3": "tyre.B3",
    "B_4": "tyre.B4",
    "S_N": "tyre.SN",
    "A_F1": "tyre.AF1",
    "A_F2": "tyre.AF2",
    "r_0, r": "radius of a tyre without load, and loaded",
    "μ": "friction coefficient at the load",
    "C_α": "cornering stiffness",
    "C_γ": "camber stiffness",
    "a": "slip over what friction allows",
    "Z": "length of a shock absorber",
    "v": "its rate",
}
"""Meaning of each symbol in the documentation."""
OF_CALSPAN = (
    *("F", "F_y", "M_z", "k", "A_0", "A_1", "A_2", "A_3", "A_4", "B_1", "B_3", "B_4", "S_N"),
    *("A_F1", "A_F2", "r_0, r", "μ", "C_α", "C_γ", "a"),
)
"""Those of the benchmark's tyre alone."""
