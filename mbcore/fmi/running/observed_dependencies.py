"""Dependencies on inputs that an FMU declares, beside those that show at random points.

An output that shows none in the FMU's own state may depend on the input with another item of an
enumeration, or where a parameter is not zero: these are tried one by one. An array counts as one
variable, as in the description. FMUs without directional derivatives are evaluated beside each
point.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fmpy
import numpy as np

from mbcore.fmi.running.fmu_variables import REALS, Variables
from mbcore.fmi.running.importing import Importing
from mbcore.fmi.running.model_exchange import ModelExchange
from mbcore.model import checks
from mbcore.model.errors import ModelError, SimulationError

POINTS = 32
NEVER = "at none of the points, nor with any other item or parameter that was tried"
_TRIED = 4
"""Points at which another value of a parameter is tried."""
_TRIES = 5
"""Times the number of points after which those that fail are given up."""
_OFF = (0.03, 0.3)
"""Parts of a nominal value by which states and inputs are off, in turn."""
_SMALL = 1e-2
"""Values that are tried for a parameter that is zero."""
_BESIDE = 1e-4
"""Part of an input, or of its nominal value, by which it is moved where differences are taken."""
_NOISE = 1e-9
"""Part of a value by which an iteration may change it where it does not depend on an input."""
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
    by_differences : bool
        Whether the FMU has no directional derivatives.
    """

    name: str
    points: int
    pairs: tuple[Pair, ...]
    untried: tuple[str, ...] = ()
    by_differences: bool = False

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
        An FMU with Model Exchange.
    points : int
        Number of points, about the start.
    seed : int
        Of their random numbers.
    progress : callable, optional
        Called with a line for each parameter that is changed.

    Raises
    ------
    ModelError
        There is no such FMU, or it has no continuous inputs or no Model Exchange.
    SimulationError
        It can be evaluated at none of the points.
    """
    checks.whole("observed_dependencies", "points", points, least=1)
    with closing(_Fmu(Path(path), seed)) as fmu:
        found, reached = fmu.seen({}, points)
        if not reached:
            raise SimulationError(f"FMU {fmu.name} can be evaluated at none of {points} points")
        declared = fmu.declared()
        shown = dict.fromkeys(found, "")
        left, untried = set(declared).difference(found), []
        for other, said in fmu.other_values():
            if not left:
                break
            if progress is not None:
                progress(f"{fmu.name}: with {said}")
            found, tried = fmu.seen(other, _TRIED)
            now = found & left
            shown |= dict.fromkeys(now, f"with {said}")
            untried += [] if tried else [said]
            left -= now
        shown |= dict.fromkeys(left, NEVER)
    pairs = [Pair(*pair, declared.get(pair, ""), shown[pair]) for pair in sorted(shown)]
    return ObservedDependencies(
        fmu.name, reached, tuple(pairs), tuple(untried), by_differences=not fmu.has_derivatives
    )


class _Fmu:
    """An FMU whose derivatives are taken at random points about its start.

    One instance begins anew at each point, which costs less than to unpack and load the FMU again.
    """

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
            raise ModelError(f"{path} cannot be read as an FMU: {error}") from error
        self._path, self._seed = path, seed
        self._instance: ModelExchange | None = None
        self.name: str = self._description.modelName
        self.has_derivatives = self._offers_derivatives()
        variables = self._description.modelVariables
        self._numbers = Variables(self._description)
        self._inputs = [
            v
            for v in variables
            if v.causality == "input" and v.type in REALS and v.variability in (None, "continuous")
        ]
        self._states = [u.variable.derivative for u in self._description.derivatives]
        unknowns = [*self._description.outputs, *self._description.derivatives]
        real = {u.variable.name: u for u in unknowns if u.variable.type in REALS}
        self._unknowns: dict[str, Any] = real
        if not self._inputs:
            raise ModelError(f"FMU {self.name} has no continuous inputs; nothing depends on one")

    def _offers_derivatives(self) -> bool:
        """Return the flag, which FMPy does not read of FMI 3.0.

        Raises
        ------
        ModelError
            It offers no Model Exchange.
        """
        with zipfile.ZipFile(self._path) as archive:
            root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        offered = root.find("ModelExchange")
        if offered is None:
            raise ModelError(
                f"FMU {self.name} offers no Model Exchange, in which inputs are varied at one "
                "point; export one with it"
            )
        return any(offered.get(flag) in ("true", "1") for flag in _FLAGS)

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
        of = [one for name in self._unknowns for one in self._numbers.elements(name)]
        by = [one for v in self._inputs for one in self._numbers.elements(v.name)]
        found: set[tuple[str, str]] = set()
        reached = 0
        exact = [v for v in self._states if v.initial == "exact"]
        for k in range(_TRIES * points):
            off = _OFF[k % len(_OFF)]
            place = {
                name: _near(v, value, off, random)
                for v in (*exact, *self._inputs)
                for name, value in self._starts(v).items()
            }
            try:
                fmu = self._begun(place | dict(start))
                # NaN shows too: something is there
                shows = (
                    fmu.jacobian(of, by) != 0 if self.has_derivatives else self._moved(fmu, of, by)
                )
            except SimulationError:
                self.close()
                continue
            whole = self._numbers.whole
            found |= {(whole(of[i]), whole(by[j])) for i, j in np.argwhere(shows)}
            reached += 1
            if reached == points:
                break
        return found, reached

    def _begun(self, start: Mapping[str, float]) -> ModelExchange:
        """Return the FMU at its start with these values."""
        if self._instance is None:
            importing = Importing(self._description, log=lambda status, text: None)
            self._instance = ModelExchange(self._path, start, importing=importing)
        else:
            self._instance.restart(start)
        return self._instance

    def close(self) -> None:
        """Free the instance; one that has failed may not be able to begin anew."""
        if self._instance is not None:
            instance, self._instance = self._instance, None
            instance.free()

    def _moved(self, fmu: ModelExchange, of: list[str], by: list[str]) -> np.ndarray:
        """Return which values change where an input is moved to both sides, shape (of, by)."""
        limits = {one: v for v in self._inputs for one in self._numbers.elements(v.name)}
        columns = []
        for name, at in zip(by, fmu.get(by), strict=True):
            variable, ends = limits[name], []
            size = _BESIDE * max(abs(at), float(variable.nominal or 1))
            for side in (at - size, at + size):
                fmu.set({name: _inside(variable, side)})
                ends.append(np.array(fmu.get(of)))
            fmu.set({name: at})
            noise = _NOISE * np.maximum(*np.abs(ends))
            columns.append(~(np.abs(ends[1] - ends[0]) <= noise))
        return np.array(columns).T

    def _starts(self, variable: Any) -> dict[str, float]:
        """Return the start values of a variable's elements, 0 where there are none."""
        names = self._numbers.elements(variable.name)
        values = [float(text) for text in str(variable.start or 0).split()]
        return dict(zip(names, values if len(values) > 1 else values * len(names), strict=True))

    def other_values(self) -> Iterator[tuple[dict[str, float], str]]:
        """Give other values of parameters that may switch something on, and words for them."""
        for v in self._description.modelVariables:
            if v.causality not in ("parameter", "input") or v.name.startswith(_OTHERS):
                continue
            names = self._numbers.elements(v.name)
            if v.type == "Enumeration":
                items = getattr(v.declaredType, "items", None) or ()
                for item in items:
                    if int(item.value) != int(str(v.start or 1).split()[0]):
                        yield dict.fromkeys(names, float(item.value)), f"{v.name} = {item.name}"
            elif v.type == "Boolean":
                other = str(v.start).lower().split()[0] not in ("true", "1")
                yield dict.fromkeys(names, float(other)), f"{v.name} = {str(other).lower()}"
            elif (
                v.causality == "parameter" and v.type in REALS and not any(self._starts(v).values())
            ):
                value = min(_SMALL, _bound(v.max, math.inf))
                yield dict.fromkeys(names, value), f"{v.name} = {value:g}"


def _near(variable: Any, start: float, off: float, random: np.random.Generator) -> float:
    """Return a value near the start of a state or input, in its range."""
    value = start + off * max(abs(start), float(variable.nominal or 1)) * random.uniform(-1, 1)
    return _inside(variable, value)


def _inside(variable: Any, value: float) -> float:
    """Return the value of a variable's range that is nearest."""
    low, high = _bound(variable.min, -math.inf), _bound(variable.max, math.inf)
    return float(min(max(value, low), high))


def _bound(given: object, otherwise: float) -> float:
    return otherwise if given is None else float(str(given))
