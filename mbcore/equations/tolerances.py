"""The tolerances that evaluation in Python and the runtime in C have in common.

This is the only place where they stand: `mbcore.codegen.headers` writes them for C, as
``MB_`` and the name. Sizes of Newton steps are relative to the coordinates' scales: 1 for angles,
the size of the mechanism for places.
"""

FARTHEST = 1e12
"""Longest first step of a Newton iteration; beyond, the Jacobian is as good as singular."""
NEAR = 0.05
"""Longest second step of an iteration that began near its solution. The first may have any length,
for a vehicle travels far without turning; the second is how much the constraints bend on the
way, 0.05 for a rotation by 0.6 rad."""
CONTRACTION = 0.5
"""Longest step, in parts of the one before it: the natural monotonicity test."""
CONVERGED = 1e-7
"""A step of this size is the last: its error is its square times a curvature, which is rounding."""
ROUNDING = 1e-13
"""Part of the largest coordinate that the last step may always have."""
GRID = 2.0**-26
"""Converged coordinates are rounded to this grid before the final step, so that the start is
forgotten: coarse against the error, and fine enough for one step to restore full accuracy."""
SMALLEST_SUBSTEP = 1.0 / 1024
"""Part of the way to a far configuration below which it counts as out of reach."""
SINGULAR = 1e-9
"""A block of a Jacobian whose conditioning measure, from -1 to 1, is below this is singular."""

ASSEMBLED = 1e-6
"""A damped Newton step of this size, relative to the coordinates, ends the assembly."""
SMALLEST_PART = 1e-3
"""Part of a Newton step below which damping ends."""
ASSEMBLY_ITERATIONS = 50

EVENT_ROUNDS = 50
"""Rounds in which events, or the closing of contacts, must come to an end at one time."""
TOLERABLE_DRIFT = 1e6
"""Drift of closed contacts, in parts of `mbcore.model.quantities.unilateral.DRIFT`, from which on
it is mended where a solver must begin anew after that, which costs it many small steps."""
RATE_AGREES = 0.1
"""Part of the largest rate by which an input's change may differ from what its rate input says: a
sine that is sampled six times a period differs by this."""
RATE_FLOOR = 1e-9
"""Difference of an input, relative to 1 and its value, that contradicts no rate."""
RATE_FAR = 0.5
"""Part of the largest rate so far by which inputs that are held over a step differ from their rates
where these are not connected, or of another sign or unit. Coupled steps are late by about a step,
which is less where they resolve the motion."""
RATE_FAR_STEPS = 6
"""Comparisons in a row, each as far apart as this, that tell it of held inputs. Where a motion
begins as the cube of time, a rate that is two steps late is as far off for five."""
RATE_DOUBTS = 20
"""Comparisons in a row, each apart by `RATE_AGREES`, that tell the same. A motion that begins as
the cube of time, with a rate that is a step late, is off by less than that after ten of them."""
RATE_NOISE = 3e-6
"""Part of its value by which an input that another solver gives may be off in a step; FMUs and most
solvers have a tolerance of 1e-6."""
MOST_EVENTS = 1000
"""Events that may occur within ``ENDLESS`` of a simulation or a communication step."""
ENDLESS = 1e-6

NEARLY_SINGULAR = 1e-5
"""A conditioning measure that is below this part of its largest is as good as zero: states would
be known to a hundred thousandth of their tolerance only."""
STEADY = 0.6
"""A measure that stays above this part of its largest value within a step, at all points where it
was evaluated, has no zero in it; else it is looked at more closely."""
CALM = 0.1
"""Where measures go on as in the last step and change by less than this part, stages in C are not
looked at: for one to vanish inside the next step it would have to change ten times as fast."""
HEADING = 1.5
"""Methods of equal steps have no error test: where a measure that goes on decreasing so many times
as fast as in the last step would vanish in the next, its stages do not follow the motion there."""
DEEP = 0.25
"""A minimum of a measure inside a step is a zero where it is below this part of its larger end: a
motion that misses the singular configuration so narrowly is resolved by several steps."""
DIP = 3.0
"""It is one, too, where it is below so many roots of the relative tolerance, in parts of the
measure's largest: states that turn back where a measure vanishes leave it uncertain by that."""
MANY_STEPS = 10.0
"""Factor of `DIP` for methods of many steps, whose error is larger than their tolerance."""
MOST_UNCERTAIN = 0.1
"""Part of its largest below which alone a measure counts as a zero for loose tolerances."""
TURNS = 0.98
"""A minimum inside a step is below this part of the smaller of the measures at its ends."""
PARTS_OF_STEP = 8
"""Parts of a step at whose ends a measure is looked at, before a minimum is sought between them."""
LIMIT_BISECTIONS = 30
"""Halvings of a step by which the time of a limit is found."""
PROBE = 1e-3
"""Part of a step after which measures are looked at where no step before tells their rates."""
BLAMED = 0.05
"""Where no step can be made, a block whose measure is below this part of its largest is named."""
PREDICTED = 0.2
"""Part of the way by which an extrapolated configuration may be off."""
PASSED_FROM = 0.02
"""Part of its largest that a measure has where a step across a singular configuration begins."""
PASSED_TO = 2e-11
"""Tolerance of that step, absolute and relative; it is one of order 8 and very short."""
CREEP_EVALUATIONS = 10_000
"""Evaluations after which progress in time is looked at, in Python."""
CREEP_STEPS = 10_000
"""Steps after which it is looked at in C, where they cost less."""
CREEP = 1e-5
"""Part of what is left of a run that so many evaluations must advance at least: below it the run
would take more than 1e9 of them."""
CREEP_NEAR = 1e-2
"""The same where a measure stays below ``STAYS_NEAR`` all the while: what would take more than 1e6
evaluations is lost there, for the motion trembles ever faster the nearer it is."""
SLOWER, SLOWED = 2 / 3, 3
"""A motion is lost in the same way, in Python, where so many times in a row such evaluations
advance it by less than that part of what those before did: all to come would add twice the last."""
STAYS_NEAR = 2e-3
"""Part of its largest below which a measure is so near to zero; who whirls nearly flat is above."""
