"""All stages of an explicit step in one call, where nothing is compiled.

Python takes longer to call functions than these take, and a stage calls several: Newton's steps,
the measures of conditioning, the derivative. Here a step is one function of CasADi. It tells in one
result what is examined call by call elsewhere: whether all configurations are found, on their
branch.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.tolerances import CALM, CONTRACTION, FARTHEST, GRID, NEAR, ROUNDING
from mbcore.evaluation.bound_point import CALL, Bound
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.integrators.tableau import Tableau, floats

NEWTON_STEPS = 6
"""Most of them in a stage; where they do not do, the step is made stage by stage."""
CLOSE = 0.1
"""Least measure, of its largest: below, a stage that is not found shortens a step in time, while a
line that leads to it leaves the interpolant to fail."""
USUAL = {"newton": 3, "conditioning": 1, "derivative": 1}
"""Calls that a stage takes mostly, for the count of operations."""
_KNOWN: weakref.WeakKeyDictionary[Equations, dict[Tableau, ca.Function]] = (
    weakref.WeakKeyDictionary()
)


class WholeStep:
    """The stages of steps of an explicit method.

    Parameters
    ----------
    run : MovingPoint
        Point that is moved.
    tableau : Tableau
        The method.
    """

    def __init__(self, run: MovingPoint, tableau: Tableau) -> None:
        e, functions = run.evaluation, run.evaluation.equations.functions
        known = _KNOWN.setdefault(e.equations, {})
        if tableau not in known:
            known[tableau] = whole_step(functions, e.equations.iterated, tableau)
        self._run, self._evaluation = run, e
        self._places = np.append(floats(tableau.c)[1:], 1.0)
        self._t, self._end, self._s, self._rate = np.zeros(1), np.zeros(1), e.s.copy(), e.s.copy()
        self._u = np.zeros((self._places.size, e.u.size))
        self._x, self._scale = e.x.copy(), e.x.copy()
        self._branch = np.zeros(len(e.equations.conditioning_names))
        self._tested = bool(tableau.errors)
        self._examined, self._size, self._trend = np.ones(1), self._branch + np.nan, np.nan
        point = self._t, self._end, self._s, e.d, self._u, e.p
        sought = self._x, self._scale, self._branch, self._examined
        self._bound = Bound(known[tableau], [*point, *sought, self._rate])
        each = sum(calls * functions[name].n_instructions() for name, calls in USUAL.items())
        self._work = CALL + self._places.size * each

    def __call__(
        self, t: float, end: float, s: np.ndarray, rate: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Make a step from the accepted point, and go to its end.

        Parameters
        ----------
        t, end : float
            Times between which it is, s.
        s, rate : ndarray, shape (ns,)
            State and rate at its begin.

        Returns
        -------
        state : ndarray, shape (ns,)
            The state at its end.
        rates : ndarray, shape (stages, ns)
            Rates of the second stage, the third one, ..., and at the end.

        None where it is to be made stage by stage, which is quicker, or tells why it fails.
        """
        e, run = self._evaluation, self._run
        if e.compiled is not None or run.predict is not None:
            return None
        search = e.search()
        self._follow(t, search.size)
        # as mb_measures_steady: else none can vanish in the step and recover by its end; a stage on
        # another branch has other rates, which the test of the step's error finds
        steady = self._tested and np.all((end - t) * self._trend <= CALM * self._size)
        self._examined[0] = not steady
        self._t[0], self._end[0], self._s[:], self._rate[:] = t, end, s, rate
        self._x[:], self._scale[:] = search.accepted[-1], search.scale
        self._branch[:], self._u[:] = search.branch, e.u
        if run.signals:
            for place, u in zip(self._places, self._u, strict=True):
                run.give_inputs(end if place == 1 else t + place * (end - t), u)
        self._bound()
        rates, state, x, measures, lowest, highest, fits = (r.T for r in self._bound.results)
        if not fits[0, 0] or np.any(lowest[0] < CLOSE * e.conditioning.scale):
            return None
        run.calls += self._places.size
        e.count(self._work)
        e.t[0], e.s[:], e.u[:] = end, state[0], self._u[-1]
        e.arrive(x[0], (lowest[0], highest[0]), derivative=rates[-1], conditioning=measures[0])
        return e.s.copy(), rates

    def _follow(self, t: float, size: np.ndarray) -> None:
        """Note how fast the sizes of measures change from one accepted point to the next."""
        if t != self._t[0]:
            self._trend = np.abs((size - self._size) / (t - self._t[0]))
            self._size = size


def whole_step(
    functions: Mapping[str, ca.Function], iterated: int, tableau: Tableau
) -> ca.Function:
    """Return the function of a step.

    Parameters
    ----------
    functions : mapping of str to Function
        Those of the equations.
    iterated : int
        Coordinates that Newton's iteration is for; the others follow.
    tableau : Tableau
        The method.

    Returns
    -------
    Function
        Of both times, s, d, u at all stages but the first, p, x, its scale, the branch's signs,
        whether stages are examined, and the rate at the begin: rates of these stages and at the
        end; state, configuration and measures there; the smallest and largest measures; whether
        all is well.
    """
    sizes = [functions["newton"].size_in(i) for i in range(6)]
    t, s, d, u, p, x = (ca.MX.sym(name, *of) for name, of in zip("tsdupx", sizes, strict=True))
    scale, end = ca.MX.sym("scale", x.size1()), ca.MX.sym("end")
    signs = ca.MX.sym("branch", functions["conditioning"].numel_out(0))
    inputs, first = ca.MX.sym("u", u.size1(), tableau.stages), ca.MX.sym("rate", s.size1())
    settle, examine = _settle(functions["newton"], iterated), _examine(functions["conditioning"])
    passed = ca.Function.if_else("passed", examine, _pass_by(examine))
    examined = ca.MX.sym("examined")
    lowest, highest, fits = ca.DM.inf(signs.size1()), ca.DM.zeros(signs.size1()), ca.MX(1)
    h, rates, known = end - t, [first], {0.0: x}
    weights = [*(floats(row) for row in tableau.a), floats(tableau.b)]
    places = [*floats(tableau.c)[1:], 1.0]
    for row, place, given in zip(weights, places, ca.horzsplit(inputs), strict=True):
        used = np.flatnonzero(row)
        state = s + h * ca.mtimes(ca.horzcat(*(rates[j] for j in used)), ca.DM(row[used]))
        at = end if place == 1 else t + place * h, state, d, given, p
        foreseen = _foreseen(functions["place"], at, place, known)
        near, arrived = settle(*at, foreseen, scale) if x.size1() else (x, 1)
        last = len(rates) == tableau.stages
        known[place] = near = _on_grid(functions, iterated, at, near, scale) if last else near
        met = *at, near, signs, lowest, highest, ca.logic_and(fits, arrived)
        measures, lowest, highest, fits = examine(*met) if last else passed(examined, *met)
        rates.append(functions["derivative"](*at, near))
    given = [t, end, s, d, inputs, p, x, scale, signs, examined, first]
    found = [ca.horzcat(*rates[1:]), state, near, measures, lowest, highest, fits]
    return ca.Function("step", given, found)


def _foreseen(
    put: ca.Function, at: tuple[ca.MX, ...], place: float, known: dict[float, ca.MX]
) -> ca.MX:
    """Return a configuration by a line through those at the two nearest places.

    Nodes that follow are put in their places: along a line their Euler parameters leave the sphere,
    and a Newton step, which turns them, does not lead back.
    """
    nearest, *others = sorted(known, key=lambda there: abs(there - place))
    if nearest == place or not others:
        return known[nearest]
    slope = (known[others[0]] - known[nearest]) / (others[0] - nearest)
    return put(*at, known[nearest] + (place - nearest) * slope)


def _on_grid(
    functions: Mapping[str, ca.Function],
    iterated: int,
    at: tuple[ca.MX, ...],
    x: ca.MX,
    scale: ca.MX,
) -> ca.MX:
    """Return a configuration that does not depend on where it was sought from."""
    if not iterated:
        return x
    grid = GRID * scale[:iterated]
    rounded = ca.vertcat(ca.floor(x[:iterated] / grid + 0.5) * grid, x[iterated:, 0])
    return functions["newton"](*at, functions["place"](*at, rounded))[0]


def _settle(newton: ca.Function, iterated: int) -> ca.Function:
    """Return Newton's iteration: of t, s, d, u, p, x, scale the configuration, if it is found."""
    step = _judged(newton, iterated)
    given = [step.mx_in(i) for i in range(step.n_in())]
    *at, x, scale, _ = given
    failed = ca.Function("failed", given, [x, ca.MX(0)])
    last = ca.Function("last", given, [x, ca.MX(1)])
    steps = failed
    for _ in range(NEWTON_STEPS):
        following, verdict, closer = step(*given)
        further = ca.Function.conditional("further", [failed, last], steps)
        steps = ca.Function("steps", given, further(verdict, *at, following, scale, closer))
    return ca.Function("settle", given[:-1], steps(*given[:-1], FARTHEST))


def _judged(newton: ca.Function, iterated: int) -> ca.Function:
    """Return a Newton step with what becomes of it.

    It is of t, s, d, u, p, x, the scale of x and the longest step; it gives x after it, 0 where it
    leads astray, 1 where it is the last, 2 where others follow, and the longest of these.
    """
    at = [ca.SX.sym(newton.name_in(i), *newton.size_in(i)) for i in range(6)]
    x, limit = at[-1], ca.SX.sym("limit")
    scale = ca.SX.sym("scale", x.size1())
    following = newton(*at)[0]  # [Schwab2002] (A.98)
    change = ca.fabs((following - x) / scale)
    longest, largest = ca.mmax(change), ca.mmax(ca.fabs(following / scale))
    fits = ca.logic_all(change <= limit)  # not where one is NaN, which the maximum passes over
    # as long as a step from the grid, which is the last one where all is done call by call
    last = longest <= GRID + ca.if_else(longest <= NEAR, ROUNDING * largest, 0)
    verdict = ca.if_else(fits, ca.if_else(last, 1, 2) if iterated else 1, 0)
    closer = ca.fmin(CONTRACTION * longest, NEAR)
    return ca.Function("judged", [*at, scale, limit], [following, verdict, closer])


def _examine(conditioning: ca.Function) -> ca.Function:
    """Return what notes measures at a point.

    It is of the point, the branch's signs, the extremes before and whether all fits so far, and
    gives the measures and the last three anew.
    """
    at = [ca.MX.sym(conditioning.name_in(i), *conditioning.size_in(i)) for i in range(6)]
    names = "measures", "signs", "lowest", "highest"
    given = [ca.SX.sym(name, conditioning.numel_out(0)) for name in names]
    (measures, signs, lowest, highest), fits = given, ca.SX.sym("fits")
    size, well = ca.fabs(measures), ca.logic_and(fits, ca.logic_all(measures * signs > 0))
    noted = [measures, ca.fmin(lowest, size), ca.fmax(highest, size), well]
    note = ca.Function("note", [*given, fits], noted)
    of = [note.mx_in(i) for i in range(1, 5)]
    return ca.Function("examine", [*at, *of], note(ca.vec(conditioning(*at)), *of))


def _pass_by(examine: ca.Function) -> ca.Function:
    """Return what is called in its place where nothing is examined."""
    given = [examine.mx_in(i) for i in range(examine.n_in())]
    _, lowest, highest, fits = given[-4:]
    return ca.Function("pass_by", given, [ca.MX(lowest.size1(), 1), lowest, highest, fits])
