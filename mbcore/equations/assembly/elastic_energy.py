"""Elastic energy of a model, and the names of springs without a potential.

A stiffness that depends on the deformation alone has a potential, its integral. One that depends on
other states, inputs, discrete variables or time has none: the work done on the spring is not
recovered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.model.errors import warn_user
from mbcore.model.expressions import column, depends, hashes, replace, total
from mbcore.model.nodes.nodes import Coordinate
from mbcore.model.quantities import Deformation
from mbcore.model.quantities.spring import PANELS, Spring
from mbcore.model.system import System

SAMPLED = (-1.0, -0.3, -0.1, 0.1, 0.3, 1.0)
"""Deflections at which a quadrature is checked, in radians or natural lengths."""
ROUGH = 1e-6
"""Error of a quadrature, relative to the energy, above which there is a warning."""


@dataclass(frozen=True)
class Elastic:
    """The elastic energy, J, and the springs that it does not contain.

    ``without`` maps names of deformations to the variables for which their springs have no
    potential; ``integrated`` are the springs whose energy is a quadrature, a function of ``given``
    and ``parameters``.
    """

    given: ca.SX
    parameters: ca.SX
    energy: ca.SX
    without: Mapping[str, str]
    integrated: tuple[tuple[Deformation, Spring], ...]


def elastic_energy(model: System, given: ca.SX, parameters: ca.SX, changing: ca.SX) -> Elastic:
    """Return the sum of the energies of elements and springs.

    Parameters
    ----------
    given : SX
        Time and inputs. Rest values may change with them. That is work from outside; the energy is
        the one stored at constant rest value.
    parameters : SX
        What is constant.
    changing : SX
        States and discrete variables.
    """
    terms: list[ca.SX] = []
    without: dict[str, str] = {}
    integrated: list[tuple[Deformation, Spring]] = []
    constant, moving = hashes(parameters), hashes(given)
    symbols = hashes(column(_symbols(model.deformations())))
    varying = moving | symbols | hashes(changing)
    for q, own in _owned(model):
        stray = _named((hashes(q.stated_energy) & varying) - own - constant, q.stated_energy)
        if stray:
            without[q.name] = stray
        else:
            terms.append(q.stated_energy)
        for spring in _in_values(q):
            # The stiffness may depend on the value alone; the rest value also on time and inputs.
            allowed = constant | hashes(q.value)
            stray = _named(hashes(spring.stiffness) - allowed, spring.stiffness)
            stray = stray or _named(hashes(spring.rest) - allowed - moving, spring.rest)
            if stray:
                without[q.name] = stray
                continue
            terms.append(spring.energy())
            if spring.curve is None and depends(column([spring.stiffness, spring.rest]), q.value):
                integrated.append((q, spring))
    return Elastic(given, parameters, total(terms), without, tuple(integrated))


def warn_of_energy(name: str, found: Elastic, values: tuple[object, object], size: float) -> None:
    """Warn if the potential energy that a model shows is incomplete or not exact.

    Parameters
    ----------
    name : str
        The model's.
    found : Elastic
        The result of `elastic_energy`.
    values : (time and inputs, parameters)
        Their numbers at the start.
    size : float
        Natural length, m.
    """
    title = f"model {name!r}, potential_energy:"
    for name, stray in found.without.items():
        warn_user(
            f"{title} the spring on {name} depends on {stray}, so it has no potential and is "
            f"left out; show its power instead, elastic_power of {name}"
        )
    for q, spring in found.integrated:
        error = _error(found, spring, values, size if q.unit == "m" else 1.0)
        if error > ROUGH:
            warn_user(
                f"{title} the spring on {q.name} is integrated numerically, with an error of "
                f"{error:.1g} of its energy, for its stiffness is not smooth; show elastic_power "
                f"of {q.name}, or give a smooth stiffness"
            )


def _error(found: Elastic, spring: Spring, values: tuple[object, object], size: float) -> float:
    """Largest relative difference to the quadrature with more panels, at samples."""
    arguments = [spring.value, found.given, found.parameters]
    results = [spring.rest, spring.energy(), spring.energy(PANELS)]
    f = ca.Function("energies", arguments, results)
    worst = 0.0
    for part in SAMPLED:
        # The energy is zero at the rest value, so samples are taken relative to that.
        first = float(f(0.0, *values)[0])
        one, fine = (float(e) for e in f(first + part * size, *values)[1:])
        if np.isfinite(one) and np.isfinite(fine) and fine != 0:
            worst = max(worst, abs(one - fine) / abs(fine))
    return worst


def _owned(model: System) -> Iterator[tuple[Deformation, set[int]]]:
    """Deformations, with the values on which their energy may depend."""
    for element in model.elements.values():
        own = hashes(column(q.value for q in element.deformations.values()))
        for q in element.deformations.values():
            yield q, own
    known = {q.name for element in model.elements.values() for q in element.deformations.values()}
    for q in model.deformations():
        if q.name not in known:
            yield q, hashes(q.value)


def _in_values(q: Deformation) -> Iterable[Spring]:
    """Springs on a deformation, with a coordinate's symbol replaced by its value."""
    if not isinstance(q, Coordinate):
        return q.springs

    def put(e: ca.SX) -> ca.SX:
        return replace(e, q.expression, q.value)

    return [Spring(q.value, put(s.stiffness), put(s.rest), s.curve) for s in q.springs]


def _symbols(deformations: Iterable[Deformation]) -> Iterator[ca.SX]:
    for q in deformations:
        yield from (q.value, q.rate)


def _named(hashes: set[int], expression: ca.SX) -> str:
    found = [s.name() for s in ca.symvar(expression) if s.element_hash() in hashes]
    return ", ".join(n.removesuffix(":value").replace(":rate", "'s rate") for n in found)
