"""Reads parameter sets: SSP's SSV, CSV, JSON and TOML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from mbcore.model.arrays.elements import elements_named, values_by_element
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.near_names import near
from mbcore.model.parameter_files.columns import read_csv
from mbcore.model.parameter_files.nested import read_json, read_toml
from mbcore.model.parameter_files.ssv import read_ssv
from mbcore.model.parameter_sets.parameter_set import ParameterSet, located
from mbcore.model.variables import Value

_READERS: dict[str, Callable[[Path], ParameterSet]] = {
    ".ssv": read_ssv,
    ".csv": read_csv,
    ".json": read_json,
    ".toml": read_toml,
}
ENDINGS = tuple(_READERS)
OWNER = "parameters"


@explains_arguments
def read_parameters(path: str | Path) -> ParameterSet:
    """Read values by name from a file, a dictionary for ``simulate``, ``export`` and others.

    ``.ssv`` is a parameter set of SSP 1.0 or 2.0, whose units are those that it defines. ``.csv``
    has the columns ``name`` and ``value``, and ``unit`` where values have one. ``.json`` and
    ``.toml`` have names and values; tables are joined by dots, so that ``mass`` in ``[chassis]`` is
    ``chassis.mass``. Numbers without a unit are in the unit of their variable, texts have their
    own, ``"50 km/h"``, or name an item of a choice.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    ParameterSet
        A dictionary; errors of its values name file and line.

    Raises
    ------
    ModelError
        There is no such file, it is none of these, or a value is wrong; names file, line, value and
        remedy. A document type, with which entities are declared, is refused.
    OSError
        The file cannot be read.
    """
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise ModelError(f"{OWNER} = {str(path)!r}: give a file that ends in {', '.join(ENDINGS)}")
    if not file.is_file():
        here = [other.name for other in file.parent.glob("*") if other.suffix.lower() in ENDINGS]
        meant = [str(file.with_name(name)) for name in near(file.name, here)]
        hint = f"; did you mean {' or '.join(meant)}?" if meant else "; give the path of one"
        raise ModelError(f"there is no file {file}{hint}")
    return reader(file)


def given_parameters(owner: str, given: object) -> Mapping[str, Value]:
    """Return values by name from a dictionary or a file.

    Raises
    ------
    ModelError
        It is neither, or the file is wrong.
    """
    if isinstance(given, str | Path):
        return read_parameters(given)
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(
            f"{owner}: parameters = {given!r}; give values by name, as in {{'mass': '2 kg'}}, or "
            "the path of a file"
        )
    return given


def merged(
    base: Mapping[str, Value], over: Mapping[str, Value], known: Iterable[str] = ()
) -> Mapping[str, Value]:
    """Return values by name, those of ``over`` where both have one; each knows where it stands.

    Parameters
    ----------
    base, over : mapping of str to float, bool, str or array
        Values by name.
    known : iterable of str
        Names of the variables that there are. By those of elements, values of arrays are
        overridden in part.

    Raises
    ------
    ModelError
        An array of which ``over`` has some elements is of another shape in ``base``.
    """
    base = _besides(base, over, dict.fromkeys(known, 0.0))
    if isinstance(over, ParameterSet):
        return over.overridden({name: base[name] for name in base if name not in over})
    if isinstance(base, ParameterSet):
        return base.overridden(over)
    return {**base, **over}


def _besides(
    base: Mapping[str, Value], over: Mapping[str, Value], known: Mapping[str, float]
) -> Mapping[str, Value]:
    """Return what others do not override as a part of an array, or as the array of a part.

    Raises
    ------
    ModelError
        An array of which they override some elements is of another shape.
    """
    taken = {part for name in over for part in elements_named(name, known)}
    for name in [name for name in base if name not in over]:
        parts = elements_named(name, known)
        if taken.isdisjoint(parts) or any(part in base for part in parts if part != name):
            continue  # an array that is given beside its elements is refused where it is used
        with located(base, name):
            each = values_by_element(name, name, base[name], known)
        left = {part: value for part, value in each if part not in taken}
        if isinstance(base, ParameterSet):
            base = base.divided(name, left)
        else:
            base = {**{other: base[other] for other in base if other != name}, **left}
    return base
