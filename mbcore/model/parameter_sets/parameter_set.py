"""Values by name from a file, which know where they stand, so that errors name file and line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mbcore.model.errors import ModelError
from mbcore.model.variables import Value

SETTABLE = "parameter, input or state"
"""Kinds of variables that may be given a value."""
REAL, WHOLE, TRUTH, CHOICE, TEXT = "real", "integer", "boolean", "enumeration", "string"
_FITS = {
    REAL: (REAL,),
    WHOLE: (REAL, WHOLE, CHOICE),
    TRUTH: (TRUTH,),
    CHOICE: (CHOICE,),
    TEXT: (TEXT,),
}
"""Types of variables that take a value of a type: a whole number is an item's number, too."""
_REMEDIES = {
    REAL: "it is a real number: give it as one",
    WHOLE: "it is a whole number: give it as one",
    TRUTH: "it is true or false: give it as one of them",
    TEXT: "it is a text: give it as one",
}


class Given(NamedTuple):
    """A value in a file.

    Attributes
    ----------
    value : float, bool or str
        A number, a truth value, or a text: a number with its unit, or an item's name.
    line : int, optional
        Where it stands.
    type : str, optional
        What the file says that it is: one of ``real``, ``integer``, ``boolean``, ``enumeration``
        and ``string``. None where it says nothing, as texts in CSV.
    said : str, optional
        The file's own word for the type: ``Float64``.
    """

    value: Value
    line: int | None = None
    type: str | None = None
    said: str | None = None


class ParameterSet(dict[str, Value]):
    """Values by name, as a file gives them; a dictionary wherever values by name are taken.

    Parameters
    ----------
    path : path
        The file.
    given : mapping of str to Given
        Values of the set.
    line : callable, optional
        Gives the line of a name where ``given`` has none.
    """

    def __init__(
        self,
        path: str | Path,
        given: Mapping[str, Given],
        line: Callable[[str], int | None] | None = None,
    ) -> None:
        super().__init__({name: one.value for name, one in given.items()})
        self.path = Path(path)
        self._given = dict(given)
        self._line = line

    def origin(self, name: str) -> str | None:
        """Return file and line of a name, None where another value has taken its place."""
        if name not in self._given:
            return None
        line = self._given[name].line
        if line is None and self._line is not None:
            line = self._line(name)
        return str(self.path) if line is None else f"{self.path}, line {line}"

    def of(self, names: Collection[str]) -> ParameterSet:
        """Return those of some names."""
        return self._with({name: self[name] for name in self if name in names})

    def overridden(self, values: Mapping[str, Value]) -> ParameterSet:
        """Return these values with others in their place or beside them."""
        kept = {name: one for name, one in self._given.items() if name not in values}
        return self._with({**self, **values}, kept)

    def divided(self, name: str, parts: Mapping[str, Value]) -> ParameterSet:
        """Return these values with those of an array's elements in the place of the array."""
        values = {other: value for other, value in self.items() if other != name}
        given = dict(self._given)
        if name in given:
            whole = given[name]
            line = self._line(name) if whole.line is None and self._line else whole.line
            given |= {n: whole._replace(value=one, line=line) for n, one in parts.items()}
        return self._with({**values, **parts}, given)

    def _with(
        self, values: Mapping[str, Value], given: Mapping[str, Given] | None = None
    ) -> ParameterSet:
        found = ParameterSet(self.path, self._given if given is None else given, self._line)
        found.clear()
        found.update(values)
        return found

    def check_type(self, kind: str, name: str, type: str, items: Sequence[str] = ()) -> None:
        """Refuse a value of another type than its variable.

        Parameters
        ----------
        kind : str
            Name of the variable in messages: ``"parameter"``.
        name : str
            Of the variable.
        type : str
            Of the variable.
        items : sequence of str
            Its items, if it is a choice among some.

        Raises
        ------
        ModelError
            Naming both types and the remedy.
        """
        one = self._given.get(name)
        if one is None or one.type is None or type in _FITS[one.type]:
            return
        remedy = _REMEDIES.get(type) or f"give one of {', '.join(items)}"
        raise ModelError(f"{kind} {name} = {one.value!r} is given as {one.said}; {remedy}")


def some_of(given: Mapping[str, Value], names: Collection[str]) -> Mapping[str, Value]:
    """Return the values of some names; those of a file still know where they stand."""
    if isinstance(given, ParameterSet):
        return given.of(names)
    return {name: given[name] for name in given if name in names}


def origin(given: object, name: str, otherwise: str = "") -> str:
    """Return where a value stands, ``otherwise`` if that is in no file."""
    found = given.origin(name) if isinstance(given, ParameterSet) else None
    return otherwise if found is None else found


@contextmanager
def located(given: object, name: str) -> Iterator[None]:
    """Let errors of what is done inside begin with file and line of a value from a file.

    Raises
    ------
    ModelError
        In the words of the one inside.
    """
    try:
        yield
    except ModelError as error:
        where = origin(given, name)
        if not where:
            raise
        raise type(error)(f"{where}: {error}") from None
