"""The page of the ILTIS in its FMU."""

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
and sideways (v<sub>x</sub> = <tt>cabin.speed</tt>, v<sub>y</sub> = <tt>cabin.side_speed</tt>, along
and across its heading), its height z (<tt>cabin.z</tt>, 0 in the design position, in which the mass
centre is 0.570 m above the ground), yaw &psi;, pitch &theta; and roll &phi; about z, y and x in
this order, and the angles of the four arms. Positions x and y and the rotations of the wheels are
kinematic coordinates: the wheels roll. Yaw is positive to the left, pitch with the nose down, roll
with the left side up. The vehicle starts in the static equilibrium of its default parameters, at
<tt>cabin.speed</tt>. <tt>cabin.acceleration_x</tt>, <tt>_y</tt> and <tt>_z</tt> are those of the
motion, without gravity.</p>
<p><b>Dimensions</b> in the design position: front axle 0.970 m before the cabin's mass centre, rear
axle 1.047 m behind it (wheelbase 2.017 m), track 1.230 m, mass 1513.4 kg, 14846 N in all. 132.9 mm
of rack displacement for each radian of the front wheels, about the middle. Data are those of the
benchmark; nothing is known of its validity beyond 30 m/s.</p>
<p><b>Tyres</b> are thin disks, radially compliant: the load along the spoke is F =
<tt>tyre.stiffness</tt> (r<sub>0</sub> &minus; r), never negative (<tt>load</tt>); r<sub>0</sub> is
0.364325 m in front and 0.363812 m behind. On the level the vertical force is (F + F<sub>y</sub> sin
&gamma;)/cos &gamma;. With the slip angle &alpha; (arctan of the wheel centre's velocity to the left
over the amount of that forward, <tt>slip_angle</tt>), the camber &gamma; (<tt>camber</tt>, positive
where the wheel leans to the right) and the constants A<sub>0</sub> = <tt>tyre.A0</tt> and so on the
Calspan tyre has</p>
<p>&mu; = (B<sub>1</sub> F + B<sub>3</sub> + B<sub>4</sub> F&sup2;) S<sub>N</sub>, &nbsp;
C<sub>&alpha;</sub> = A<sub>0</sub> + A<sub>1</sub> F (1 &minus; F/A<sub>2</sub>), &nbsp;
C<sub>&gamma;</sub> = A<sub>3</sub> F (1 &minus; F/A<sub>4</sub>), &nbsp; a =
&minus;(C<sub>&alpha;</sub> &alpha; + C<sub>&gamma;</sub> &gamma;)/(&mu; F)</p>
<p>F<sub>y</sub> = &mu; F (a &minus; a |a|/3 + a&sup3;/27), or &plusmn;&mu; F where |a| &gt; 3, and
the aligning torque M<sub>z</sub> = (A<sub>F1</sub> F + A<sub>F2</sub> |F<sub>y</sub>|)
F<sub>y</sub> (backwards, with the other sign); F<sub>y</sub> is <tt>side_force</tt>, to the left,
and M<sub>z</sub> <tt>aligning_torque</tt>, about z, both of the road on the wheel. Above the load
A<sub>2</sub> both stiffnesses stay what they are there. Below <tt>tyre.slowest</tt> slips are
related to that speed, and camber forces fade, so that the vehicle may stand and drive backwards;
standing, it gives way to a side wind of 2 kN with 13 mm/s. <tt>tyres</tt> = <tt>simplified</tt>
leaves out camber force and aligning torque; <tt>no_lateral_slip</tt> holds the mean lateral slip of
each axle's wheels at zero, by a constraint force at the wheels' own points which both share; it
refuses that a wheel leaves the road, and a start that turns or is steered gets the velocities which
that impulse gives that changes kinetic energy least. (The slip of each wheel alone cannot be held:
in bump front wheels turn outwards and are put outwards, so that they would roll apart, faster and
faster.)</p>
<p><b>Wheels</b> roll without longitudinal slip (<tt>rolling</tt>); <tt>longitudinal_force</tt> is
the constraint force. One that has left the road keeps this condition, so that nothing jumps when it
lands. <tt>prescribed</tt> lets them turn with the constant speed of the start over r<sub>0</sub>,
without longitudinal force, as the published results of the benchmark have it; drives and brakes
then act against the shaft that turns the wheels, and have no effect on the vehicle. Since
longitudinal slip is left out, friction limits side forces only: brakes hold on ice
(<tt>tyre.SN</tt> small), and braking takes nothing from the side force. <tt>drive_torque</tt> acts
from the cabin on the wheel (a half shaft); <tt>brake_torque</tt> is the limit of a dry friction
between carrier and wheel, which gives way by <tt>brake.stiffness</tt> and <tt>brake.damping</tt>
and holds at rest.</p>
<p><b>Springs.</b> A leaf spring's end presses down with <tt>leaf.stiffness</tt> times its height
above <tt>leaf.free_travel</tt>; beyond <tt>leaf.stop_travel</tt> the rate is
<tt>leaf.stop_stiffness</tt>. Heights count from the design position. A shock absorber of the length
Z (0.44056 m by design) has the elastic force &minus;4.0092e6 + 2.8397e7 Z &minus; 6.7061e7 Z&sup2;
+ 5.2796e7 Z&sup3; N and the damping force, with v = dZ/dt, 9945.627 v + 33955.72 v&sup2; &minus;
59832.25 v&sup3; &minus; 395651 v&#8308; N, outside of &minus;0.2 to 0.21 m/s &minus;416.42 + 1844.3
v and 1919.1638 + 1634.727 v. <tt>shock.rubber_scale</tt> and <tt>shock.damping_scale</tt> are
factors of both; <tt>damper_force</tt> is their sum, positive in extension.
<tt>front.anti_roll_torque</tt> and <tt>rear.anti_roll_torque</tt> act on the arms, as an active bar
would: positive ones press the left wheel down and lift the right one.</p>
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
