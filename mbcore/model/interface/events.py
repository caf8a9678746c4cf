"""The state events of a model: indicators whose zeros change modes and discrete variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.discretes import Discretes
from mbcore.model.variables import Event, EventKind, Number


class Events(dict[str, Event]):
    """Records of the events, by name.

    Parameters
    ----------
    discretes : Discretes
        The variables that events may assign.
    """

    def __init__(self, discretes: Discretes) -> None:
        super().__init__()
        self._discretes = discretes
        self._undefined: set[str] = set()

    def add(
        self,
        name: str,
        indicator: ca.SX | None = None,
        *,
        band: float = 0.0,
        rising: Mapping[str, Number] | None = None,
        falling: Mapping[str, Number] | None = None,
        kind: EventKind = "switch",
        expected: str | None = None,
        height: str | None = None,
    ) -> ca.SX:
        """Add a state event and return the symbol of its mode, 1 while the indicator is positive.

        The mode changes where the indicator is ``band`` beyond zero, in the indicator's unit.
        ``rising`` and ``falling`` assign new values to discrete variables by name; their
        expressions are evaluated with the values before the event. ``kind``, and the name
        ``expected`` of a discrete variable with the time until the event probably occurs again, are
        for `mbcore.contact.impact`, as is ``height``, see `mbcore.model.variables.Event`.

        An indicator that contains the event's own mode needs the symbol first: without an indicator
        the event is only declared, and a second call with the same name defines it.

        Raises
        ------
        ModelError
            If the event is defined already, or an assigned variable does not exist.
        """
        owner = f"event {checks.text('event', name)}"
        checks.choice(owner, "kind", kind, get_args(EventKind))
        mode = self._mode(name)
        if indicator is None and (rising or falling):
            raise ModelError(
                f"{owner}: without an indicator it is only declared and assigns nothing; give "
                "rising and falling with the indicator"
            )
        for what, changes in (("rising", rising), ("falling", falling)):
            if changes is not None and not isinstance(changes, Mapping):
                raise ModelError(
                    f"{owner}: {what} = {changes!r}; give new values by name, as in {{'count': 1}}"
                )
        foreseen = [name for name in (expected, height) if name]
        for target in (*(rising or {}), *(falling or {}), *foreseen):
            if target not in self._discretes:
                raise ModelError(f"event {name}: no discrete variable {target!r} to assign")
        self[name] = Event(
            name,
            mode,
            ca.SX(-1) if indicator is None else checks.expression(owner, "indicator", indicator),
            checks.real(owner, "band", band, least=0),
            _assigned(owner, rising),
            _assigned(owner, falling),
            kind,
            expected,
            height,
        )
        (self._undefined.add if indicator is None else self._undefined.discard)(name)
        return mode

    def wait_for_impacts(self, name: str) -> None:
        """Let an event rise by what all impacts of an instant leave, not between two of them."""
        self[name] = replace(self[name], waits=True)

    def _mode(self, name: str) -> ca.SX:
        """Return the symbol of an event's mode: that of a declared event, or a new one."""
        old = self.get(name)
        if old is None:
            return ca.SX.sym(name)
        if name in self._undefined:
            return old.active
        if old.kind != "switch":
            raise ModelError(
                f"event {name} is that of a contact or a held slip; give yours another name"
            )
        raise ModelError(
            f"event {name!r} is defined already; give another name, or keep the symbol of its mode "
            "that the first call returned"
        )

    def refuse_undefined(self) -> None:
        """Refuse events that were declared and never got an indicator: they would never occur.

        Raises
        ------
        ModelError
            Naming the event.
        """
        for name in sorted(self._undefined):
            raise ModelError(
                f"event {name!r} is declared and has no indicator, so it never occurs; call "
                "event() with its name and its indicator"
            )


def _assigned(owner: str, changes: Mapping[str, Number] | None) -> tuple[tuple[str, ca.SX], ...]:
    """Return the expressions that an event assigns, by the names of its discrete variables."""
    given = (changes or {}).items()
    return tuple((name, checks.expression(owner, name, value, truth=True)) for name, value in given)
