"""What a model watches by its sign: events where it changes, requirements that it be positive."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.variables import Discrete, Event, EventKind, Number, Requirement, Severity


class Indicators:
    """The events and requirements of a model, and the discrete variables that events assign."""

    def __init__(self) -> None:
        self.discretes: dict[str, Discrete] = {}
        self.events: dict[str, Event] = {}
        self.requirements: dict[str, Requirement] = {}
        self._declared_events: set[str] = set()

    def event(
        self,
        name: str,
        indicator: ca.SX | None = None,
        *,
        band: float = 0.0,
        rising: dict[str, Number] | None = None,
        falling: dict[str, Number] | None = None,
        kind: EventKind = "switch",
        expected: str | None = None,
    ) -> ca.SX:
        """Add a state event and return the symbol of its mode, 1 while the indicator is positive.

        The mode changes where the indicator is ``band`` beyond zero, in the indicator's unit.
        ``rising`` and ``falling`` assign new values to discrete variables by name; the
        expressions see the values before the event. `mbcore.contact.impact` gives the ``kind`` and
        the discrete variable ``expected`` with the time until the event probably occurs again.

        An indicator that holds the event's own mode needs that first: without an indicator the
        event is only declared, and a second call with the same name defines it.

        Raises
        ------
        ModelError
            If the event is defined already, or an assigned variable does not exist.
        """
        owner = f"event {checks.text('event', name)}"
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
        for target in (*(rising or {}), *(falling or {}), *([expected] if expected else [])):
            if target not in self.discretes:
                raise ModelError(f"event {name}: no discrete variable {target!r} to assign")
        self.events[name] = Event(
            name,
            mode,
            ca.SX(-1) if indicator is None else checks.expression(owner, "indicator", indicator),
            checks.real(owner, "band", band, least=0),
            tuple((k, checks.expression(owner, k, v)) for k, v in (rising or {}).items()),
            tuple((k, checks.expression(owner, k, v)) for k, v in (falling or {}).items()),
            kind,
            expected,
        )
        (self._declared_events.add if indicator is None else self._declared_events.discard)(name)
        return mode

    def _mode(self, name: str) -> ca.SX:
        """Return the symbol of an event's mode, that of one that is declared, or a new one."""
        old = self.events.get(name)
        if old is None:
            return ca.SX.sym(name)
        if name in self._declared_events:
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
        for name in sorted(self._declared_events):
            raise ModelError(
                f"event {name!r} is declared and has no indicator, so it never occurs; call "
                "event() with its name and its indicator"
            )

    def require(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
        start: bool = False,
    ) -> None:
        """Demand that ``condition > 0``, else fail with the name, ``shown`` and the message.

        Parameters
        ----------
        name, message : str
            What messages call it; what is wrong where it fails, and what to do.
        condition : SX
            Positive where the model holds.
        shown : number or expression, optional
            What is shown with the message; the condition where absent.
        initial : bool
            Whether it concerns parameters only, and is looked at when initialization ends.
        start : bool
            Whether it is looked at once only, at the first configuration.

        Raises
        ------
        ModelError
            If a requirement or warning of this name exists already.
        """
        self._demand(name, condition, message, shown, initial, start, "error")

    def warn(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
        start: bool = False,
    ) -> None:
        """Tell once with the name, ``shown`` and the message where ``condition > 0`` fails.

        It is looked at where a run begins and after each accepted step, and where an equilibrium
        or a steady motion has been found. Python issues a ``ModelWarning``, an FMU writes to the
        importer's log (category ``logStatusWarning``); the run goes on. Parameters are those of
        `require`, with ``initial`` and ``start``.
        """
        self._demand(name, condition, message, shown, initial, start, "warning")

    def _demand(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        shown: Number | None,
        initial: bool,
        start: bool,
        severity: Severity,
    ) -> None:
        owner = f"requirement {checks.text('requirement', name)}"
        condition = checks.expression(owner, "condition", condition)
        to_show = condition if shown is None else checks.expression(owner, "shown", shown)
        self.add_requirement(
            Requirement(name, condition, message, to_show, initial, start, severity)
        )

    def add_requirement(self, record: Requirement) -> None:
        """Add a requirement or warning that is made already, a ``record``.

        Raises
        ------
        ModelError
            If one of its name exists.
        """
        if record.name in self.requirements:
            raise ModelError(
                f"requirement {record.name!r} exists already, and the first one would be lost; "
                "names of requirements and warnings must differ"
            )
        self.requirements[record.name] = record
