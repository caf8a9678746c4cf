"""Harmonic balance of linear equations with periodic coefficients, [Schwab2002] (4.2) to (4.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, cast

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, gmres

from mbcore.host.threads import single_threaded
from mbcore.model.errors import ModelError
from mbcore.small_vibrations.coupled_harmonics import coupled_harmonics
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

OWNER = "nominal.periodic"
DENSE = 2500
"""Number of real unknowns up to which the equations are solved directly, not by iteration."""
ITERATED = 1e-12
"""Relative residual at which iteration ends."""
ACCEPTED = 1e-8
"""Relative residual up to which its result is accepted, if rounding leaves no less."""
SINGULAR = 1e-13
"""Reciprocal condition number below which the system is singular."""
CONSISTENT = 1e-8
"""Relative residual of a singular system that counts as consistent."""
UNFELT = 1e-12
"""Size of a coefficient, relative to the largest in its row, that is rounding."""


@dataclass(frozen=True)
class SmallMotion:
    """y(t), the real sum of c_l exp(i l ω t) over l = -m to m, and a part that goes on.

    Attributes
    ----------
    equations : PeriodicEquations
        The equations that it solves.
    coefficients : ndarray of complex, shape (m + 1, N)
        c_0 to c_m of y.
    drift : ndarray, shape (N,)
        Rate at which y advances, 1/s of its unit.
    """

    equations: PeriodicEquations
    coefficients: np.ndarray
    drift: np.ndarray

    @property
    def state_coefficients(self) -> np.ndarray:
        """Coefficients of the states without the drift, shape (m + 1, ns)."""
        e, c = self.equations, self.coefficients
        rates, values = e.places
        found = np.zeros((c.shape[0], e.states), complex)
        found[:, values] = c
        turning = 1j * e.frequency * np.arange(c.shape[0])
        found[:, rates] = turning[:, None] * c[:, : e.second]
        return found

    @property
    def advance(self) -> np.ndarray:
        """Increase of the states in a period, shape (ns,)."""
        found = np.zeros(self.equations.states)
        found[self.equations.places[1]] = self.drift * self.equations.period
        return found


@single_threaded
def balance(equations: PeriodicEquations, harmonics: int) -> SmallMotion:
    """Return the periodic solution with harmonics up to m, [Schwab2002] (4.7).

    Raises
    ------
    ModelError
        If the number of harmonics is not positive or more than the samples determine, or if no
        periodic solution exists because something drifts or is driven in resonance without damping.
    """
    equations.checked_harmonics(OWNER, harmonics)
    m, N = harmonics, equations.unknowns
    free = _unfelt(equations)
    solved_for = np.setdiff1d(np.arange(N), free)
    count = (2 * m + 1) * solved_for.size
    c = np.zeros((m + 1, N), complex)
    found = None
    if count > DENSE:
        found = _iterated(equations, m, solved_for)
    c[:, solved_for] = _direct(equations, m, solved_for) if found is None else found
    drift = np.zeros(N)
    if free.size:
        c[:, free], drift[free] = _quadrature(equations, m, free, c)
    return SmallMotion(equations, c, drift)


def _unfelt(equations: PeriodicEquations) -> np.ndarray:
    """Return the indices of kinematic coordinates on which nothing depends."""
    felt, first = _felt(equations), equations.second + equations.speeds
    return np.array([j for j in range(first, equations.unknowns) if not felt[:, j].any()], int)


def _felt(equations: PeriodicEquations) -> np.ndarray:
    """Return on which y each row depends, shape (N, N)."""
    largest = np.abs(equations.Q).max(axis=0)
    bound = UNFELT * largest.max(axis=1, initial=0.0)
    return np.asarray(np.greater(largest, bound[:, None]))


def neutral_coordinates(equations: PeriodicEquations) -> int:
    """Return the number of zero exponents that ignorable coordinates bring.

    Nothing depends on these but others of them.
    """
    felt, N = _felt(equations), equations.unknowns
    speeds = range(equations.second, equations.second + equations.speeds)
    left = list(range(N))
    while free := [j for j in left if j not in speeds and not felt[left, j].any()]:
        left = [j for j in left if j not in free]
    return N - len(left)


def _direct(equations: PeriodicEquations, m: int, solved_for: np.ndarray) -> np.ndarray:
    """Solve [Schwab2002] (4.6) for real and imaginary parts of c_0 to c_m.

    Those of negative order are conjugate to them.
    """
    c = np.zeros((m + 1, solved_for.size), complex)
    for class_, S, right in _classes(equations, m, solved_for):
        found = _solved(S, right, class_[0])
        if found is None:
            rows = _Rows.of(equations, m, solved_for)
            orders, places = np.indices(c.shape).reshape(2, -1)
            found = rows.smallest(orders, places)
            return found.reshape(c.shape)
        c[class_] = found
    return c


_Class = tuple[np.ndarray, np.ndarray]
"""Orders l, and indices among the unknowns, of some c_l, (k,) each."""


def _classes(
    equations: PeriodicEquations, m: int, solved_for: np.ndarray
) -> Iterator[tuple[_Class, np.ndarray, np.ndarray]]:
    """Give classes of harmonics that are solved together, each with its matrix and right side."""
    mixture, ω = equations.mixture, equations.frequency
    if mixture is None or (2 * m + 1) * solved_for.size > DENSE:  # it would keep many matrices
        rows = _Rows.of(equations, m, solved_for)
        for class_ in coupled_harmonics([equations], m, solved_for):
            yield class_, *rows.real(*class_, ω)
        return
    key = "balance", m, solved_for.tobytes()
    if key not in mixture.family.known:
        mixture.family.known[key] = _MixedRows.of(mixture.family.members, m, solved_for)
    mixed = cast(list[_MixedRows], mixture.family.known[key])
    for one in mixed:
        yield one.class_, *one.real(mixture.weights, ω)


@dataclass(frozen=True)
class _MixedRows:
    """Rows of a class of harmonics for all mixtures of a family, as polynomials of ω.

    Attributes
    ----------
    class_ : tuple of ndarray
    powers : ndarray, shape (2 k + 1, n, n)
        Of 1 and ω, for each of k members; of ω², which is the same for all.
    right : ndarray, shape (k, n)
        Right sides.
    """

    class_: _Class
    powers: np.ndarray
    right: np.ndarray

    @classmethod
    def of(
        cls, members: Sequence[PeriodicEquations], m: int, solved_for: np.ndarray
    ) -> list[_MixedRows]:
        """Return those of each class."""
        rows = [_Rows.of(e, m, solved_for) for e in members]
        found = []
        for class_ in coupled_harmonics(members, m, solved_for):
            # apart from each other, for their sizes differ by more than the digits of a sum
            turning = _Rows(members[0], solved_for, 0 * rows[0].P, 0 * rows[0].Q, rows[0].r)
            square = (turning.real(*class_, 1.0)[0] + turning.real(*class_, -1.0)[0]) / 2
            by_rates = [replace(one, Q=0 * one.Q).real(*class_, 1.0)[0] - square for one in rows]
            powers = [*(one.real(*class_, 0.0)[0] for one in rows), *by_rates, square]
            right = [one.real(*class_, 0.0)[1] for one in rows]
            found.append(cls(class_, np.array(powers), np.array(right)))
        return found

    def real(self, weights: np.ndarray, ω: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of a mixture, and their right side."""
        of_powers = np.concatenate([weights, ω * weights, [ω**2]])
        S = of_powers @ self.powers.reshape(len(self.powers), -1)
        return S.reshape(self.powers.shape[1:]), weights @ self.right


@dataclass(frozen=True)
class _Rows:
    """The rows k = 0 to m of [Schwab2002] (4.6).

    Attributes
    ----------
    equations : PeriodicEquations
    solved_for : ndarray of int, shape (n,)
        The unknowns among y.
    P, Q : ndarray of complex, shapes (4 m + 1, n, n2), (4 m + 1, n, n)
        Coefficients of orders -2m to 2m.
    r : ndarray of complex, shape (m + 1, n)
        Coefficients of orders 0 to m.
    """

    equations: PeriodicEquations
    solved_for: np.ndarray
    P: np.ndarray
    Q: np.ndarray
    r: np.ndarray

    @classmethod
    def of(cls, equations: PeriodicEquations, m: int, solved_for: np.ndarray) -> _Rows:
        """Return those of some equations."""
        e = equations
        P, Q = e.coefficients_of_rows(solved_for, 2 * m)
        r = e.coefficients(e.r[:, solved_for], m)[m:]
        return cls(equations, solved_for, P, Q[..., solved_for], r)

    def smallest(self, orders: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return the smallest of many solutions, (k,), of rows that are singular.

        In it, coordinates that may be chosen freely have zero means.

        Raises
        ------
        ModelError
            If there is none.
        """
        S, right = self.real(orders, places, self.equations.frequency)
        row, column, S = _scaled(S)
        b = row * right
        U, sizes, Vh = linalg.svd(S)
        rank = int(np.sum(sizes > SINGULAR * sizes.size * sizes[0]))
        left = U[:, rank:].T @ b
        if np.abs(left).max(initial=0.0) > CONSISTENT * np.abs(b).max(initial=0.0):
            direction = np.abs(Vh[rank + int(np.argmax(np.abs(left)))])
            every = np.concatenate([places, places[orders > 0]])
            self._refuse_drift(int(every[np.argmax(direction)]))
        return _joined(column * (Vh[:rank].T @ ((U[:, :rank].T @ b) / sizes[:rank])), orders)

    def _refuse_drift(self, place: int) -> NoReturn:
        e = self.equations
        name = e.names[self.solved_for[place]] if e.names else "an unknown"
        raise ModelError(
            f"{OWNER}: {e.name} has no periodic small motion: nothing resists {name} at a "
            "frequency at which something drives it, so that it drifts or grows; give it a "
            "stiffness, damping, or another speed"
        )

    def real(
        self, orders: np.ndarray, places: np.ndarray, ω: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and their right side for real parts, then imaginary ones of l > 0.

        Parameters
        ----------
        orders, places : ndarray of int, shape (k,)
            l, and the index among the unknowns.
        ω : float
            Frequency, rad/s.
        """
        plus, minus = self._by(orders, orders, places, ω), self._by(orders, -orders, places, ω)
        k, n2 = orders, self.P.shape[2]
        turning = np.where(places < n2, -((k * ω) ** 2), 1j * k * ω)
        plus[np.diag_indices(k.size)] += turning
        turns = k > 0
        minus[:, ~turns] = 0.0  # c_0 is its own conjugate
        by_real, by_imaginary = plus + minus, (1j * (plus - minus))[:, turns]
        columns = np.hstack([by_real, by_imaginary])
        right = self.r[k, places]
        return (
            np.concatenate([columns.real, columns.imag[turns]]),
            np.concatenate([right.real, right.imag[turns]]),
        )

    def _by(self, rows: np.ndarray, orders: np.ndarray, places: np.ndarray, ω: float) -> np.ndarray:
        """Return what coefficients give by c_l, l = ``orders`` of either sign, (k, k)."""
        difference = rows[:, None] - orders + len(self.Q) // 2
        n, n2 = self.Q.shape[1], self.P.shape[2]
        row, second = difference * n + places[:, None], places < n2
        if second.all():
            second = slice(None)  # does the same, and faster
        found = self.Q.ravel().take(row * n + places)
        P = self.P.ravel().take(row[:, second] * n2 + places[second])
        found[:, second] += 1j * ω * orders[second] * P  # [Schwab2002] (4.7)
        return np.asarray(found)


def _solved(S: np.ndarray, right: np.ndarray, orders: np.ndarray) -> np.ndarray | None:
    """Return some of the c_l, (k,), which others do not enter; None where rows are singular."""
    row, column, S = _scaled(S)
    lu, pivots, wrong = linalg.lapack.dgetrf(S)
    norm = np.abs(S).sum(axis=0).max(initial=0.0)
    if wrong != 0 or not linalg.lapack.dgecon(lu, norm)[0] > SINGULAR:
        return None
    parts = column * linalg.lu_solve((lu, pivots), row * right, check_finite=False)
    return _joined(parts, orders)


def _scaled(S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scales of rows and of columns, and the scaled matrix.

    A large condition number then means a singular system, not mixed units.
    """
    row = 1 / np.maximum(np.abs(S).max(axis=1), 1e-300)
    S = row[:, None] * S
    column = 1 / np.maximum(np.abs(S).max(axis=0), 1e-300)
    return row, column, S * column


def _joined(parts: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """Return complex numbers from all real parts, then imaginary ones of l > 0."""
    found = parts[: orders.size].astype(complex)
    found[orders > 0] += 1j * parts[orders.size :]
    return found


def _quadrature(
    equations: PeriodicEquations, m: int, free: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Integrate ignorable coordinates; their means are zero."""
    every = np.concatenate([c[:0:-1].conj(), c])
    orders = np.arange(-m, m + 1)
    difference = np.arange(m + 1)[:, None] - orders + 2 * m
    P, Q = (part[difference] for part in equations.coefficients_of_rows(free, 2 * m))
    turning = 1j * equations.frequency * orders
    rate = equations.coefficients(equations.r[:, free], m)[m:]
    rate = rate - np.einsum("klij,lj->ki", Q, every)
    rate -= np.einsum("klij,lj->ki", P, turning[:, None] * every[:, : equations.second])
    found = np.zeros_like(rate)
    # The mean rate is a drift; it has no Fourier coefficient.
    found[1:] = rate[1:] / turning[m + 1 :, None]
    return found, rate[0].real


def _iterated(equations: PeriodicEquations, m: int, solved_for: np.ndarray) -> np.ndarray | None:
    """Solve by GMRES, products in the time domain; None where that does not converge.

    The preconditioner is the part with constant coefficients, which couples no harmonics.
    """
    n2, n, ω = equations.second, solved_for.size, equations.frequency
    size = 4 * m + 2
    P_l, Q_l = equations.coefficients_of_rows(solved_for, 2 * m)
    Q_l = Q_l[..., solved_for]
    P, Q = (np.fft.irfft(part[2 * m :] * size, size, axis=0) for part in (P_l, Q_l))
    k = np.arange(m + 1)
    diagonal = np.where(np.arange(n) < n2, -((k[:, None] * ω) ** 2), 1j * k[:, None] * ω)
    blocks = np.repeat(Q_l[2 * m][None], m + 1, axis=0)
    blocks[..., :n2] += (1j * ω * k)[:, None, None] * P_l[2 * m]
    blocks[:, range(n), range(n)] += diagonal
    try:
        inverse = np.linalg.inv(blocks)
    except np.linalg.LinAlgError:
        return None

    def whole(parts: np.ndarray) -> np.ndarray:
        c = parts.reshape(2 * m + 1, n)
        found = c[: m + 1].astype(complex)
        found[1:] += 1j * c[m + 1 :]
        return found

    def split(c: np.ndarray) -> np.ndarray:
        return np.concatenate([c.real, c.imag[1:]]).ravel()

    def applied(parts: np.ndarray) -> np.ndarray:
        c = whole(parts)
        y = np.fft.irfft(c * size, size, axis=0)
        rate = np.fft.irfft(1j * ω * k[:, None] * c[:, :n2] * size, size, axis=0)
        product = np.einsum("tij,tj->ti", Q, y) + np.einsum("tij,tj->ti", P, rate)
        return split(np.fft.rfft(product, axis=0)[: m + 1] / size + diagonal * c)

    def preceded(parts: np.ndarray) -> np.ndarray:
        return split(np.einsum("kij,kj->ki", inverse, whole(parts)))

    count = (2 * m + 1) * n
    operator = LinearOperator((count, count), matvec=lambda v: preceded(applied(v)), dtype=float)
    right = preceded(split(equations.coefficients(equations.r[:, solved_for], m)[m:]))
    found, _ = gmres(operator, right, rtol=ITERATED, atol=0.0, restart=100, maxiter=3)
    left = np.linalg.norm(right - operator @ found)
    return whole(found) if left <= ACCEPTED * np.linalg.norm(right) else None
