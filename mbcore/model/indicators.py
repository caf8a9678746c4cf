"""What a model watches by its sign: events where it changes, requirements that it be positive."""

from __future__ import annotations

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

        Raises
        ------
        ModelError
            If an assigned variable does not exist.
        """
        owner = f"event {checks.text('event', name)}"
        old = self.events.get(name)
        mode = ca.SX.sym(name) if old is None else old.active
        if old is not None and old.kind != "switch":
            raise ModelError(
                f"event {name} is that of a contact or a held slip; give yours another name"
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
        return mode

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
        self.requirements[name] = Requirement(
            name, condition, message, to_show, initial, start, severity
        )
