"""Dependencies on inputs that an FMU declares, beside those that show at random points.

An output that shows none in the FMU's own state may depend on the input with another item of an
enumeration, or where a parameter is not zero: these are tried one by one.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fmpy
import numpy as np

from mbcore.fmi.running.fmu_variables import REALS
from mbcore.fmi.running.instance import Importing
from mbcore.fmi.running.model_exchange import ModelExchange
from mbcore.model import checks
from mbcore.model.errors import ModelError, SimulationError
from mbcore.model.wording import listed

POINTS = 8
NEVER = "at none of the points, nor with any other item or parameter that was tried"
_TRIED = 4
"""Points at which another value of a parameter is tried."""
_TRIES = 5
"""Times the number of points after which those that fail are given up."""
_OFF = (0.03, 0.3)
"""Parts of a nominal value by which states and inputs are off, in turn."""
_SMALL = 1e-2
"""What is tried for a parameter that is zero."""
_OTHERS = ("solver.", "start.")
"""How parameters begin that are not the model's."""
_FLAGS = ("providesDirectionalDerivative", "providesDirectionalDerivatives")


@dataclass(frozen=True)
class Pair:
    """An output or derivative, an input it depends on, and where that shows.

    Attributes
    ----------
    of, by : str
        Names.
    kind : str
        The kind that is declared, empty where the pair is not declared.
    shown : str
        ``""`` at the points, else with which value of a parameter, or ``NEVER``.
    """

    of: str
    by: str
    kind: str
    shown: str


@dataclass(frozen=True)
class ObservedDependencies:
    """The pairs of an FMU, and at how many points they were looked for.

    Attributes
    ----------
    untried : tuple of str
        Values of parameters with which no point could be evaluated.
    """

    name: str
    points: int
    pairs: tuple[Pair, ...]
    untried: tuple[str, ...] = ()

    @property
    def undeclared(self) -> tuple[Pair, ...]:
        """Pairs that show and are not declared: the description is wrong."""
        return tuple(pair for pair in self.pairs if not pair.kind)

    @property
    def unseen(self) -> tuple[Pair, ...]:
        """Pairs that are declared and do not show at the points."""
        return tuple(pair for pair in self.pairs if pair.kind and pair.shown)


def observed_dependencies(
    path: str | Path,
    points: int = POINTS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> ObservedDependencies:
    """Compare the dependencies on inputs that an FMU declares with those at random points.

    Parameters
    ----------
    path : path
        An FMU with Model Exchange and directional derivatives.
    points : int
        Number of points, about the start.
    seed : int
        Of their random numbers.
    progress : callable, optional
        Called with a line for each parameter that is changed.

    Raises
    ------
    ModelError
        There is no such FMU, it has no inputs, no Model Exchange or no directional derivatives.
    SimulationError
        It can be evaluated at none of the points.
    """
    checks.whole("observed_dependencies", "points", points, least=1)
    fmu = _Fmu(Path(path), seed)
    found, reached = fmu.seen({}, points)
    if not reached:
        raise SimulationError(f"FMU {fmu.name} can be evaluated at none of {points} points")
    declared = fmu.declared()
    shown = dict.fromkeys(found, "")
    left, untried = set(declared).difference(found), []
    for name, value, said in fmu.other_values():
        if not left:
            break
        if progress is not None:
            progress(f"{fmu.name}: with {said}")
        found, tried = fmu.seen({name: value}, _TRIED)
        now = found & left
        shown |= dict.fromkeys(now, f"with {said}")
        untried += [] if tried else [said]
        left -= now
    shown |= dict.fromkeys(left, NEVER)
    pairs = [Pair(*pair, declared.get(pair, ""), shown[pair]) for pair in sorted(shown)]
    return ObservedDependencies(fmu.name, reached, tuple(pairs), tuple(untried))


class _Fmu:
    """An FMU whose directional derivatives are taken at random points about its start."""

    def __init__(self, path: Path, seed: int) -> None:
        if not path.exists():
            built = path.name if path.suffix else f"build/fmi3/{path.name}.fmu"
            raise ModelError(
                f"there is no FMU {path}; give the file, as in {built}, which 'mbcore build "
                f"{path.stem}' writes"
            )
        try:
            self._description: Any = fmpy.read_model_description(str(path))
        except Exception as error:
            raise ModelError(f"{path} is no FMU that can be read: {error}") from error
        self._path, self._seed = path, seed
        self.name: str = self._description.modelName
        self._refuse_lacking()
        variables = self._description.modelVariables
        if arrays := [v.name for v in variables if v.dimensions]:
            raise ModelError(
                f"FMU {self.name} has arrays, {listed(arrays)}, whose elements are not looked at; "
                "give the one of FMI 2.0, or one of export(..., arrays=False)"
            )
        self._inputs = [v for v in variables if v.causality == "input" and v.type in REALS]
        self._states = [u.variable.derivative for u in self._description.derivatives]
        unknowns = [*self._description.outputs, *self._description.derivatives]
        real = {u.variable.name: u for u in unknowns if u.variable.type in REALS}
        self._unknowns: dict[str, Any] = real
        if not self._inputs:
            raise ModelError(f"FMU {self.name} has no real inputs; nothing depends on one")

    def _refuse_lacking(self) -> None:
        """Refuse an FMU without what is asked of it; FMPy does not read the flag of FMI 3.0."""
        with zipfile.ZipFile(self._path) as archive:
            root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        offered = root.find("ModelExchange")
        if offered is None:
            raise ModelError(f"FMU {self.name} offers no Model Exchange, which is needed here")
        if not any(offered.get(flag) in ("true", "1") for flag in _FLAGS):
            raise ModelError(
                f"FMU {self.name} has no directional derivatives, which show dependencies"
            )

    def declared(self) -> dict[tuple[str, str], str]:
        """Return the kinds of the declared dependencies on inputs."""
        inputs = [v.name for v in self._inputs]
        found = {}
        for name, unknown in self._unknowns.items():
            known = unknown.dependencies
            by = inputs if known is None else [v.name for v in known]
            kinds = unknown.dependenciesKind or ["dependent"] * len(by)
            for other, kind in zip(by, kinds, strict=True):
                if other in inputs:
                    found[name, other] = kind
        return found

    def seen(self, start: Mapping[str, float], points: int) -> tuple[set[tuple[str, str]], int]:
        """Return the pairs that show with these start values, and the number of points reached."""
        random = np.random.default_rng(self._seed)
        names, inputs = [*self._unknowns], [v.name for v in self._inputs]
        found: set[tuple[str, str]] = set()
        reached = 0
        exact = [v for v in self._states if v.initial == "exact"]
        for k in range(_TRIES * points):
            off = _OFF[k % len(_OFF)]
            place = {v.name: _near(v, off, random) for v in (*exact, *self._inputs)}
            try:
                importing = Importing(self._description, log=lambda status, text: None)
                with ModelExchange(self._path, place | dict(start), importing=importing) as fmu:
                    jacobian = fmu.jacobian(names, inputs)
            except SimulationError:
                continue
            # NaN shows too: something is there
            found |= {(names[i], inputs[j]) for i, j in np.argwhere(jacobian != 0)}
            reached += 1
            if reached == points:
                break
        return found, reached

    def other_values(self) -> Iterator[tuple[str, float, str]]:
        """Give other values of parameters that may switch something on: name, value, words."""
        for v in self._description.modelVariables:
            if v.causality not in ("parameter", "input") or v.name.startswith(_OTHERS):
                continue
            if v.type == "Enumeration":
                items = getattr(v.declaredType, "items", None) or ()
                for item in items:
                    if int(item.value) != int(v.start or 1):
                        yield v.name, float(item.value), f"{v.name} = {item.name}"
            elif v.type == "Boolean":
                other = str(v.start).lower() not in ("true", "1")
                yield v.name, float(other), f"{v.name} = {str(other).lower()}"
            elif v.causality == "parameter" and v.type in REALS and float(v.start or 0) == 0:
                value = min(_SMALL, _bound(v.max, math.inf))
                yield v.name, value, f"{v.name} = {value:g}"


def _near(variable: Any, off: float, random: np.random.Generator) -> float:
    """Return a value near the start of a state or input, in its range."""
    start, nominal = float(variable.start or 0), float(variable.nominal or 1)
    value = start + off * max(abs(start), nominal) * random.uniform(-1, 1)
    low, high = _bound(variable.min, -math.inf), _bound(variable.max, math.inf)
    return float(min(max(value, low), high))


def _bound(given: object, otherwise: float) -> float:
    return otherwise if given is None else float(str(given))
