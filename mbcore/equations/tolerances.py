"""The tolerances shared by evaluation in Python and the runtime in C.

They are defined here only: `mbcore.codegen.headers` writes them for C, as ``MB_`` and the name.
Sizes of Newton steps are relative to the coordinates' scales: 1 for angles, the size of the
mechanism for places.
"""

FARTHEST = 1e12
"""Longest first step of a Newton iteration; beyond it the Jacobian is practically singular."""
NEAR = 0.05
"""Longest second step of an iteration that began near its solution. The first may have any length,
because a vehicle may travel far without turning. The second measures the curvature of the
constraints along the first: 0.05 for a rotation by 0.6 rad."""
CONTRACTION = 0.5
"""Longest step, in parts of the one before it: the natural monotonicity test."""
CONVERGED = 1e-7
"""A step of this size is the last: its error is its square times a curvature, which is rounding."""
ROUNDING = 1e-13
"""Size of the last step, in parts of the largest coordinate, that is always accepted."""
GRID = 2.0**-26
"""Converged coordinates are rounded to this grid before the final step, so that the result does not
depend on the start: it is coarse compared with the error, and fine enough for one step to restore
full accuracy."""
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
"""Most rounds of closing contacts at one time, and of events, which have one more for each event:
impacts come one at a time."""
ROUNDS_ONE_BY_ONE = 8
"""Rounds for each event after that, in which the first event that is due happens alone."""
TOLERABLE_DRIFT = 1e6
"""Drift of closed contacts, in parts of `mbcore.model.quantities.unilateral.DRIFT`, above which
states are projected where that makes an importer's solver restart, which costs many small steps."""
RATE_AGREES = 0.1
"""Tolerable difference of an input's change from its rate input, in parts of the largest rate: that
of a sine sampled six times a period."""
RATE_FLOOR = 1e-9
"""Difference of an input, relative to 1 and its value, that contradicts no rate."""
RATE_FAR = 0.5
"""The same for inputs that are constant over a step, in parts of the largest rate so far: the rate
is not connected, or has another sign or unit. Inputs of coupled simulations are late by about a
step, which makes a smaller difference where the steps resolve the motion."""
RATE_FAR_STEPS = 6
"""Comparisons in a row with this difference after which there is a warning. Where a motion begins
with the cube of time, a rate that is two steps late differs as much in five."""
RATE_DOUBTS = 20
"""Comparisons in a row that differ by `RATE_AGREES` after which there is a warning. A motion that
begins with the cube of time, with a rate that is a step late, differs by less after ten of them."""
RATE_NOISE = 3e-6
"""Relative error of an input in a step if another solver computes it; FMUs and most solvers have a
tolerance of 1e-6."""
MOST_EVENTS = 1000
"""Events that may occur within ``ENDLESS`` of a simulation or a communication step."""
ENDLESS = 1e-6
START_CHANGED = 1e-6
"""Change of a state by closed contacts and held slips at the start, in parts of the nominal and the
larger value, that is told."""

NEARLY_SINGULAR = 1e-5
"""A conditioning measure σ below this part of its largest value counts as zero: what is divided by
it has nothing left. Positions and velocities lose ε/σ, 2e-11 here, and so do accelerations where
one coordinate ceases to determine the motion. Where several degrees of freedom become dependent, or
all of them pass through the block, the columns of H are nearly parallel: their differences lose
ε/σ², and M̄, of condition 1/σ², amplifies that. Accelerations then lose from ε/σ² to ε/σ³, 1e-8 at
σ from 1e-4 to 3e-3, and all digits here. No threshold tells these apart."""
LOST = 5e-9
"""Accelerations are lost if one step of refinement changes them by more than this part of the
largest one, all in natural units. It is half of what is promised: in other units another one is the
largest, and measures fall by a tenth between two checks."""
REFINED_FROM = 1e-9
"""That step is calculated where more than this is left of their virtual power, in parts of its
terms' sizes, times the amplification by the block that is nearest to singular. Several errors may
cancel in what is left, or add up: the product was 1e-3 to 40 times the error near dead points of
linkages with several degrees of freedom, and a fifth of it at least where digits had been lost."""
WATCHED = 0.9
"""Accelerations are checked after a step where a measure has fallen below this part of what it was
when they were last checked. They lose digits only as measures vanish, by the third power of their
inverse at most: 1.4 times as many here."""
CHECKED_STEPS = 8
"""They are checked after so many steps at the latest, for what no measure tells."""
STEADY = 0.6
"""A measure that stays above this part of its largest value within a step, at all points where it
was evaluated, has no zero in it; otherwise it is examined more closely."""
CALM = 0.1
"""If measures, extrapolated from the last step, change by less than this part, stages in C are not
examined: to vanish inside the next step a measure would have to change ten times as fast."""
HEADING = 1.5
"""Methods of equal steps have no error test. If a measure would vanish in the next step when it
decreases so many times as fast as in the last one, stages there do not follow the motion."""
DEEP = 0.25
"""A minimum of a measure inside a step is a zero where it is below this part of its larger end: a
motion that misses the singular configuration so narrowly is resolved by several steps."""
DIP = 3.0
"""A minimum is also a zero where it is below so many square roots of the relative tolerance, in
parts of the measure's largest value: it is that uncertain where states turn back at the zero."""
MANY_STEPS = 10.0
"""Factor of `DIP` for methods of many steps, whose error is larger than their tolerance."""
MOST_UNCERTAIN = 0.1
"""Part of its largest below which alone a measure counts as a zero for loose tolerances."""
TURNS = 0.98
"""A minimum inside a step is below this part of the smaller of the measures at its ends."""
PARTS_OF_STEP = 8
"""Parts of a step at whose ends a measure is evaluated, before a minimum is sought between them."""
LIMIT_BISECTIONS = 30
"""Halvings of a step by which the time of a limit is found."""
PROBE = 1e-3
"""Part of a step after which measures are evaluated if there is no earlier step for their rates."""
BLAMED = 0.05
"""If no step is possible, the error names a block with a measure below this part of its largest."""
PREDICTED = 0.2
"""Tolerable error of an extrapolated configuration, in parts of the distance."""
PASSED_FROM = 0.02
"""Part of its largest value that a measure has at the start of a step across its zero."""
PASSED_TO = 2e-11
"""Tolerance of that step, absolute and relative; it is of order 8 and very short."""
CREEP_STEPS = 1000
"""Steps without an event after which progress in time is checked. Steps are counted, for the
evaluations of one depend on the method and on what is sought in it."""
HOPELESS_STEPS = 1e9
"""A run creeps that would take more steps than so many to its end, at its pace since the last
check: hours in C, days in Python."""
LOST_STEPS = 1e5
"""The same while a measure stays below ``STAYS_NEAR``, because the motion oscillates ever faster
near the zero, and of a run of explicit steps that slows down."""
SLOWER = 2 / 3
"""A run slows down where its pace is below this part of that before, ``SLOWED`` times in a row: all
steps that are to come would add twice the last progress at most."""
SLOWED = 6
"""See ``SLOWER``. A jump of a relaxation oscillation takes fewer: van der Pol's slows down five
times in a row at most, for 100 and 1000 and tolerances down to 1e-12."""
WANTED_SHORT = 0.01
"""Steps longer than this part of the longest allowed one are not creeping: they were asked for."""
STAYS_NEAR = 2e-3
"""Part of its largest value below which a measure is that near zero; a disk that whirls nearly flat
is above it."""

DOUBTFUL = 1.5
"""Length of an explicit step times the spectral radius above which stability may be its bound."""
STABLE = 4.0
"""The same product up to which explicit methods are stable, about."""
GAIN = 1.3
"""Factor by which the other method must be quicker for an automatic choice to change to it."""
PACE_KEPT = 0.75
"""Part that steps before the last one have in the pace, time over work, of an automatic choice."""
CONFIRMED = 4
"""Trials in succession by which the implicit method must be quicker, a period of the fastest
motion: so many steps of `DOUBTFUL` over its rate are about 2 pi. At loose tolerances a method of
low order is quicker in parts of the period of a motion that is not stiff."""
LEAST_WAIT = 20
"""Steps between trials of the other method at least; the number doubles with each that fails."""
MOST_WAIT = 1280
"""And at most."""
PRODUCTS = 16
"""Products with the Jacobian for its spectral radius: it is their growth over the second half."""
SHARE_OF_VALUE = 0.01
"""In implicit steps the absolute tolerance of a rate is at least this share of that of its value,
over the step's length. Errors of rates that do not decay add up: in a hundred steps to the
value's."""
