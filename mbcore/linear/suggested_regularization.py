"""Spring and damper for rolling contacts, from G M⁻¹ Gᵀ of a model: [Deppler] (2), (3).

Where slips s = G q̇ may move, the contact's springs and dampers act on them by W = G M⁻¹ Gᵀ:

    z'' + d/ε^κ W z' + c/ε W z = f.

In the directions of the eigenvalues w of W these are oscillators with the stiffness w c/ε.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbcore.contact.regularized import EXPONENTS, Regularization
from mbcore.equations.equations import Equations, checked_equations
from mbcore.linear.linearize import linearize
from mbcore.linear.linearizer import State
from mbcore.linear.varied_motion import Place, solve_motion, variation_of
from mbcore.model import checks, near_names
from mbcore.model.errors import ModelError, ModelWarning
from mbcore.model.variables import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OWNER = "Regularization.suggest"
SMALLEST = 1e-12
"""Eigenvalue of G M⁻¹ Gᵀ in parts of the largest, below which slips depend on each other."""


@dataclass(frozen=True)
class SuggestedRegularization(Regularization):
    """A regularization for slips of a model, with the data that it follows from.

    ε is the accuracy asked for, κ = 1/2, c = Ω²/w_min and d = 2 √(c/w_max): so the slowest contact
    direction is 1/√ε times faster than the motion, and the fastest one critically damped, at any ε.

    Attributes
    ----------
    slips : tuple of str
        For which it is meant.
    eigenvalues : tuple of float
        w of G M⁻¹ Gᵀ, the smallest first, 1/kg where slips are in m/s.
    rate : float
        Ω of the motion, rad/s.
    """

    slips: tuple[str, ...] = ()
    eigenvalues: tuple[float, ...] = ()
    rate: float = 0.0

    def slip_share(self, exponent: float = 0.5, compliance: float | None = None) -> float:
        """Return the slip in parts of the velocity that the force would cause without a contact.

        It is that of a force which changes with e^{iΩt}, in the slowest direction.

        Parameters
        ----------
        exponent : float
            κ.
        compliance : float, optional
            ε, by default that suggested.
        """
        spring, damper = self._at(exponent, compliance)
        w, Ω = self.eigenvalues[0], self.rate
        return float(Ω**2 / abs(w * spring - Ω**2 + 1j * Ω * w * damper))

    def contact_rates(
        self, exponent: float = 0.5, compliance: float | None = None
    ) -> tuple[float, float]:
        """Return the fastest rate and the slowest decay of the contact, 1/s.

        The first limits explicit steps; oscillations ring down by the second. Parameters as those
        of `slip_share`.
        """
        spring, damper = self._at(exponent, compliance)
        found = [np.roots([1.0, w * damper, w * spring]) for w in self.eigenvalues]
        roots = np.concatenate(found)
        return float(np.abs(roots).max()), float(np.abs(roots.real).min())

    def _at(self, exponent: float, compliance: float | None) -> tuple[float, float]:
        ε = float(self.compliance) if compliance is None else compliance
        return float(self.stiffness) / ε, float(self.damping) / ε**exponent

    def draw(self) -> Figure:
        """Draw error and cost: over the exponent κ at this ε, and over ε for both dampings.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.
        """
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.5, 4.4), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        exponents = np.linspace(0, 1.25, 101)
        self._curves(left, exponents, [(κ, None) for κ in exponents], "", "-")
        left.axvline(0.5, color="#888888", linewidth=0.8)
        left.set(xlabel="damping exponent κ", ylabel="dimensionless", yscale="log")
        left.set_title(f"ε = {float(self.compliance):g}", loc="left", fontsize="medium")
        compliances = np.logspace(-6, -1, 101)
        styles = {"solid": "-", "dashed": "--"}
        for κ, style in zip(EXPONENTS.values(), styles.values(), strict=True):
            self._curves(right, compliances, [(κ, ε) for ε in compliances], "_", style)
        right.set(xlabel="compliance ε", xscale="log")
        told = (f"{way}: {name} damping" for way, name in zip(styles, EXPONENTS, strict=True))
        right.set_title(", ".join(told), loc="left", fontsize="medium")
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        figure.suptitle(f"Slip and cost of spring and damper on {', '.join(self.slips)}")
        return figure

    def _curves(
        self,
        axes: Axes,
        along: np.ndarray,
        points: Sequence[tuple[float, float | None]],
        hidden: str,
        style: str,
    ) -> None:
        rates = np.array([self.contact_rates(*point) for point in points])
        curves: dict[str, tuple[np.ndarray, str]] = {
            "error: slip": (np.array([self.slip_share(*point) for point in points]), "#c4501b"),
            "cost of steps: fastest rate / Ω": (rates[:, 0] / self.rate, "#204a87"),
            "cost of settling: Ω / slowest decay": (self.rate / rates[:, 1], "#4e9a06"),
        }
        for label, (values, colour) in curves.items():
            axes.plot(along, values, style, color=colour, label=hidden + label)


def suggest_regularization(
    equations: Equations,
    state: State | None,
    accuracy: float,
    *,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Value] | None = None,
    slips: Sequence[str] | None = None,
    rate: float | None = None,
) -> SuggestedRegularization:
    """Return spring and damper for zero slips; see `Regularization.suggest`."""
    q = checked_equations(OWNER, equations)
    small = checks.real(OWNER, "accuracy", accuracy)
    if not 0 < small < 1:
        raise ModelError(f"{OWNER}: accuracy = {accuracy:g}; give a part of one, such as 1e-3")
    with warnings.catch_warnings():  # of outputs without derivative, which do not count here
        warnings.simplefilter("ignore", ModelWarning)
        about = linearize(q, state, parameters=parameters, inputs=inputs, unsteady=True)
    names = _named(q, slips)
    if rate is None:
        Ω = float(np.abs(about.eigenvalues()).max(initial=0.0))
        remedy = "the system does not change by itself there; give rate=, rad/s, of the drive"
    else:
        Ω, remedy = checks.real(OWNER, "rate", rate, unit="rad/s"), "give a positive number"
    if not Ω > 0:
        raise ModelError(f"{OWNER}: {q.name}: the rate of the motion is {Ω:g} rad/s: {remedy}")
    assert about.place is not None
    values = np.linalg.eigvalsh(_mobility(q, about.place, names))
    if not values[0] > SMALLEST * values[-1]:
        raise ModelError(
            f"{OWNER}: {q.name}: {', '.join(names)} depend on each other, or nothing can move "
            f"along them: G M⁻¹ Gᵀ has the eigenvalues {values[0]:.3g} to {values[-1]:.3g}"
        )
    stiffness = Ω**2 / values[0]
    damping = 2 * np.sqrt(stiffness / values[-1])
    return SuggestedRegularization(
        float(stiffness),
        float(damping),
        small,
        slips=names,
        eigenvalues=tuple(map(float, values)),
        rate=Ω,
    )


def _named(equations: Equations, slips: Sequence[str] | None) -> tuple[str, ...]:
    known = {slip.name: slip.unit for slip in equations.assembly.zero}
    names = tuple(known) if slips is None else tuple(slips)
    for name in names:
        if name not in known:
            raise ModelError(f"{OWNER}: " + near_names.unknown("zero slip", name, known))
    if not names:
        raise ModelError(
            f"{OWNER}: {equations.name} has no zero slips; give the equations that roll without "
            "slip, before `regularize` releases them"
        )
    units = {known[name] for name in names}
    if len(units) > 1:
        raise ModelError(
            f"{OWNER}: {', '.join(names)} have different units, {', '.join(sorted(units))}; ask "
            "for those of each unit by slips="
        )
    return names


def _mobility(equations: Equations, place: Place, names: Sequence[str]) -> np.ndarray:
    """Return G M⁻¹ Gᵀ, with all other constraints kept, shape (ns, ns)."""
    V, A = variation_of(equations), equations.assembly
    motion = solve_motion(V, place)
    rows = [q.name for q in A.velocity_rows]
    freed = [rows.index(name) for name in names]
    free = [rows.index(q.name) for q in A.independent] + freed
    N = motion.B.solve(np.eye(len(rows))[:, free])
    mass = N.T @ V.block("motion", "a") @ N
    size = np.abs(np.diag(mass))
    scaled = mass / np.sqrt(np.outer(size, size)) if size.all() else np.zeros_like(mass)
    if np.linalg.matrix_rank(scaled, hermitian=True, tol=SMALLEST) < len(free):
        raise ModelError(
            f"{OWNER}: {equations.name}: some motion of {', '.join(names)} moves no mass, so their "
            "contacts have no effect there; leave out those slips by slips=, or give the part mass"
        )
    moved = np.linalg.solve(mass, np.eye(len(free))[:, -len(freed) :])
    mobility = moved[-len(freed) :]
    return np.asarray((mobility + mobility.T) / 2)
