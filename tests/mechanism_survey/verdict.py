"""What becomes of one mechanism: mbcore's motion of it, compared with the judge's equations."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import process_time

import numpy as np

from mbcore import simulate
from mbcore.equations.equations import Equations
from mbcore.host.backend import Backend
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.results.result import Result
from tests.mechanism_survey.described import Described, measured
from tests.mechanism_survey.drafts import varied
from tests.mechanism_survey.joints import Axle, Turn
from tests.mechanism_survey.maximal import (
    ContradictionError,
    Mechanism,
    State,
    UndecidedError,
    accelerations,
    constraints,
    least_singular,
    prospects,
    skew,
    values,
)

TOLERABLE = 1e-8
"""Error of positions, velocities and accelerations, of the largest one or of 1."""
UNTIL, ROWS, JUDGED = 0.5, 201, 10
"""Length of a motion, s; its rows; at how many, drawn at random beside both ends, it is judged."""
PLACES = 3e-11
"""Error of places that is explained."""
REGULAR = 3e-3
"""Least singular value of the constraints above which accelerations have to be right."""
FOLLOWED = 1.5
"""Turn of a body between two rows, rad, up to which its angle is followed."""
BEFORE = (1e-7, 1e-5, 1e-3, 0.02, 0.1)
"""How long before a stop a motion ends, in parts of its time: the first with which it arrives."""
DENSER, REFINED = 16, 3
"""Times as many rows where these are too coarse to follow places, and how often."""
DRIFT = 1e-6
"""What places may differ from the integrals of their velocities over two of ``ROWS``."""
BY_NAME = (ModelError, ConfigurationError, SimulationError)
GOOD = ("equal", "refused", "stopped", "undecided")
KINDS = (*GOOD, "wrong", "raw", "slow")


@dataclass(frozen=True)
class Outcome:
    """What became of the mechanism of one seed.

    Attributes
    ----------
    kind : str
        ``"equal"``; ``"refused"`` by name before it moved; ``"stopped"`` by name on the way, and
        equal until then; ``"undecided"``, if the judge knows no accelerations; and what must not
        be: ``"wrong"``, ``"raw"`` (another exception) and ``"slow"``.
    error : float
        The largest found, relative.
    facts : mapping
        What it is made of, and where it is wrong.
    """

    seed: int
    kind: str
    error: float = 0.0
    seconds: float = 0.0
    message: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """The message without names and numbers, to be counted."""
        text = re.sub(r"mechanism \d+: |model '[^']*'[:,] ?", "", self.message)
        names = r"(body|turned|cross|spin|spot|joint|link|slide|hinge|coupling|rolling|bar|contact"
        text = re.sub(names + r"|wheel|ball|blade|gears|beam) [\w. ]*\d+[\w.]*", r"\1", text)
        return re.sub(r"[-+]?\d[\d.e+-]*", "#", text)[:110]


class WrongError(Exception):
    """The motion is not that of the description."""


class CoarseRowsError(WrongError):
    """Places do not follow from velocities between the rows ``first`` and the second after each."""

    def __init__(self, message: str, first: np.ndarray) -> None:
        super().__init__(message)
        self.first = first


def judged(seed: int, most_bodies: int = 10, backends: Sequence[Backend] = ("auto",)) -> Outcome:
    """Make the mechanism of a seed, move it, and compare; whatever happens is an outcome.

    ``backends`` are those of `mbcore.simulate`, each of which is judged, by the same equations.
    """
    begin, drawn = process_time(), varied(seed, most_bodies)
    facts: dict[str, object] = {
        "planar": drawn.planar,
        "bodies": len(drawn.bodies) - 1,
        "parts": " ".join(type(part).__name__ for part in (*drawn.joints, *drawn.forces)),
    }
    kind, error, message = "refused", 0.0, ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            equations = Described(drawn).model.equations(roles="auto")
            facts["chosen"] = equations.chosen_roles
            kind = "stopped"
            messages = []
            for backend in backends:
                facts["backend"] = backend
                found, said = moved(drawn, equations, seed, UNTIL, backend)
                error = max(error, found)
                messages += [said] * bool(said)
            message = messages[0] if messages else ""
            facts["stopped"] = f"{len(messages)} of {len(backends)}"
            kind = "stopped" if message else "equal"
    except BY_NAME as problem:
        message = str(problem)
        if kind == "refused":
            message = f"({prospects(drawn)}) {message}"
    except UndecidedError as problem:
        kind, message = "undecided", str(problem)
    except (WrongError, ContradictionError) as problem:
        kind, message = "wrong", str(problem)
    except Exception as problem:  # a survey goes on, whatever happens
        kind, message = "raw", f"{type(problem).__name__}: {problem}"
        facts["trace"] = traceback.format_exc()
    if len(backends) > 1 and kind not in GOOD:
        message = f"({facts.get('backend', 'equations')}) {message}"
    return Outcome(seed, kind, error, process_time() - begin, message, facts)


def moved(
    drawn: Mechanism, equations: Equations, seed: int, until: float, backend: Backend = "auto"
) -> tuple[float, str]:
    """Simulate and judge; return the largest error, and the message of what stopped it if any.

    What was stopped is run again to shortly before, so that this part is judged as well, to its
    end. So is what comes just before each change of coordinates.
    """
    random = np.random.default_rng([seed, 1])
    rates = random.standard_normal(equations.dofs)
    start = {state.name: float(v) for state, v in zip(equations.states, rates, strict=False)}

    def run(end: float, samples: int | np.ndarray = ROWS) -> Result:
        return simulate(
            equations, end, start=start, samples=samples, progress=False, backend=backend
        )

    found, end, message = ended(run, until)
    changes = np.array([t for t, _ in found.switches if 0 < t < end])
    rows = np.random.default_rng([seed, 2]).permutation(ROWS)[:JUDGED]
    judge = np.unique([0.0, *found.time[rows], *(1 - BEFORE[0]) * changes, end])
    course, drift = found.time, DRIFT
    if changes.size:
        found = run(end, np.union1d(course, judge))
    for _ in range(REFINED):
        try:
            return compared(drawn, found.columns, found.time, drift, judge, course), message
        except CoarseRowsError as coarse:  # a peak within a row is followed by more, or is wrong
            course, drift = denser(course, coarse.first), DRIFT / DENSER
            found = run(end, np.union1d(course, judge))
    return compared(drawn, found.columns, found.time, drift, judge, course), message


def denser(course: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return times with `DENSER` as many in the pairs of steps from ``first`` on."""
    steps = np.ravel([first, first + 1])
    parts = np.arange(DENSER)[:, None] / DENSER
    return np.union1d(course, course[steps] + parts * (course[steps + 1] - course[steps]))


def ended(run: Callable[[float], Result], until: float) -> tuple[Result, float, str]:
    """Return a motion to a time, or to just before it stops by name, its end, and what stops it.

    Raises
    ------
    ConfigurationError, SimulationError
        What stops it, if there is no motion before that.
    """
    try:
        return run(until), until, ""
    except (ConfigurationError, SimulationError) as problem:
        stopped = problem
    found = re.search(r"\bt = ([\d.e+-]+\d)", str(stopped))
    if found is None or not float(found[1]) > 1e-3:
        raise stopped
    for before in BEFORE:
        end = (1 - before) * min(until, float(found[1]))
        try:
            return run(end), end, str(stopped)
        except (ConfigurationError, SimulationError):
            continue
    raise stopped


def compared(
    drawn: Mechanism,
    columns: Mapping[str, np.ndarray],
    time: np.ndarray,
    drift: float = DRIFT,
    judge: np.ndarray | None = None,
    course: np.ndarray | None = None,
) -> float:
    """Return the largest error at the rows nearest to times to ``judge``; of four if not given.

    Places are followed over the rows at the times ``course``, over all if not given.

    Raises
    ------
    WrongError
        If one is too large, or places do not follow from velocities.
    """
    rows = [measured(drawn, columns, row, float(t)) for row, t in enumerate(time)]
    chosen = np.linspace(0, len(rows) - 1, 4).round().astype(int)
    if judge is not None:
        chosen = np.abs(time[:, None] - judge).argmin(axis=0)
    judged_rows = set(chosen.tolist())
    followed = np.flatnonzero(np.isin(time, time if course is None else course))
    near: dict[object, float] = {}
    worst, undecided = 0.0, 0
    for i, (state, twist, change) in enumerate(rows):  # each, for bodies turn fast
        here = replace(state, near=near)
        near = {
            axle: float(np.real(Turn(axle).value(here)))
            for axle in drawn.joints
            if isinstance(axle, Axle)
        }
        if i in judged_rows:
            try:
                worst = max(worst, compared_at(drawn, here, twist, change))
            except UndecidedError:  # as where a motion stops because the mechanism is singular
                undecided += 1
            except WrongError as wrong:
                fast = turning(rows, time, followed)
                raise CoarseRowsError(str(wrong), fast) if fast.size else wrong from None
    if undecided and undecided == len(judged_rows):
        raise UndecidedError(f"at none of {undecided} times")
    check_course([rows[i] for i in followed], time[followed], drift)
    return worst


def turning(rows: list, time: np.ndarray, followed: np.ndarray) -> np.ndarray:
    """Return the first of pairs of steps in which a body turns too far to be followed.

    The gears' judge follows angles from row to row, and loses turns there.
    """
    rate = np.array([np.abs(rows[i][1][:, 3:]).max() for i in followed])
    turned = np.maximum(rate[1:], rate[:-1]) * np.diff(time[followed])
    pairs = np.unique(np.flatnonzero(turned > FOLLOWED) // 2 * 2)
    return pairs[pairs + 2 < len(followed)]


def compared_at(drawn: Mechanism, state: State, twist: np.ndarray, change: np.ndarray) -> float:
    """Return the largest error of positions, velocities and accelerations at a time."""
    where = f"at t = {np.real(state.time):.6g} s"
    apart = np.abs(values(drawn.joints, state)).max(initial=0.0)
    if not apart <= TOLERABLE * max(1.0, np.abs(state.place).max()):
        raise WrongError(f"{where} joints are apart by {apart:.3g}")
    missed = np.abs(constraints(drawn, state, twist)[1]).max(initial=0.0)
    if not missed <= TOLERABLE * max(1.0, np.abs(twist).max()):
        raise WrongError(f"{where} velocities miss the constraints by {missed:.3g}")
    expected = accelerations(drawn, state, twist)
    error = np.abs(change - expected)
    size = max(1.0, np.abs(expected).max())
    worst = float(error.max() / size)
    if not worst <= allowed(drawn, state, twist, expected, worst):
        body = int(error.max(axis=1).argmax())
        raise WrongError(
            f"{where} accelerations are wrong by {worst:.3g}, most of {drawn.bodies[body].name}: "
            f"{np.array2string(change[body], precision=5)} is "
            f"{np.array2string(expected[body], precision=5)}"
        )
    return max(worst, float(apart), float(missed))


def allowed(
    drawn: Mechanism, state: State, twist: np.ndarray, expected: np.ndarray, found: float
) -> float:
    """Return the error that accelerations may have where one of ``found`` was found.

    Where the least singular value σ of the constraints is small, velocities are wrong by ε/σ. The
    velocities' products are then missed by as much, and accelerations, which are these over σ, by
    ε/σ².
    """
    if found <= TOLERABLE:
        return TOLERABLE
    near = max(1.0, REGULAR / least_singular(drawn, state))
    return max(sensitivity(drawn, state, twist, expected), TOLERABLE * near**2)


def sensitivity(drawn: Mechanism, state: State, twist: np.ndarray, expected: np.ndarray) -> float:
    """Return by how much accelerations change, relative, where places are wrong by ``PLACES``.

    That is what 1e-12 does, thirty times; larger ones would hide what is redundant.
    """
    random = np.random.default_rng(0)
    found = 0.0
    for _ in range(3):
        small = PLACES / 30 * random.standard_normal((len(drawn.bodies), 6)) * drawn.columns
        pairs = zip(small[:, 3:], state.turned, strict=True)
        turned = np.array([R + skew(w) @ R for w, R in pairs])
        other = replace(state, place=state.place + small[:, :3], turned=turned)
        try:
            there = accelerations(drawn, other, twist)
        except (UndecidedError, ContradictionError):
            raise UndecidedError("the accelerations depend on rounding") from None
        found = max(found, float(np.abs(there - expected).max()))
    return 30 * found / max(1.0, float(np.abs(expected).max()))


def check_course(rows: list, time: np.ndarray, drift: float = DRIFT) -> None:
    """Raise a `CoarseRowsError` where places are not the integrals of their velocities.

    Places and axes are followed by Hermite's rule, x₁ - x₀ = h (v₀ + v₁)/2 + h² (a₀ - a₁)/12,
    whose own error shows where two steps are taken as one.
    """
    if len(rows) < 3:
        return
    x, v, a = (np.array(part) for part in zip(*(axes(*row) for row in rows), strict=True))
    single, double = (hermite(time[::k], v[::k], a[::k]) for k in (1, 2))
    pairs = len(double)
    both = single[0 : 2 * pairs : 2] + single[1 : 2 * pairs : 2]
    off = np.abs(x[2 : 2 * pairs + 1 : 2] - x[0 : 2 * pairs - 1 : 2] - both)
    allowed = drift * max(1.0, np.abs(x).max()) + 2 * np.abs(double - both)
    if np.any(off > allowed):
        row = int(np.unravel_index((off / allowed).argmax(), off.shape)[0])
        bad = 2 * np.flatnonzero((off > allowed).any(axis=(1, 2)))
        raise CoarseRowsError(
            f"from t = {time[2 * row]:.6g} s on, places change by {off.max():.3g} more than their "
            "velocities say",
            bad,
        )


def axes(state: State, twist: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return places and axes of all bodies as rows (4 n, 3), with first and second rates."""
    w, R = twist[:, None, 3:], state.turned.transpose(0, 2, 1)
    first = np.cross(w, R)
    second = np.cross(change[:, None, 3:], R) + np.cross(w, first)
    return (
        np.concatenate([state.place, R.reshape(-1, 3)]),
        np.concatenate([twist[:, :3], first.reshape(-1, 3)]),
        np.concatenate([change[:, :3], second.reshape(-1, 3)]),
    )


def hermite(time: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return the ways between times by velocities and accelerations at these."""
    h = np.diff(time)[:, None, None]
    return h * (v[1:] + v[:-1]) / 2 + h**2 * (a[:-1] - a[1:]) / 12
