"""The requirements and warnings of a model: conditions that hold where it is valid."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number, Requirement, Severity


class Requirements(dict[str, Requirement]):
    """Records of the requirements and warnings, by name."""

    def add(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
        start: bool = False,
    ) -> None:
        """Require that ``condition > 0``; the error has the name, the value ``shown``, the message.

        Parameters
        ----------
        name, message : str
            Its name in messages; the fault where it fails, and the remedy.
        condition : SX
            Positive where the model is valid.
        shown : number or expression, optional
            Value in the message, by default the condition.
        initial : bool
            Whether it concerns parameters only, and is checked when initialization ends.
        start : bool
            Whether it is checked once only, at the first configuration.

        Raises
        ------
        ModelError
            If a requirement or warning of this name exists already.
        """
        self._add(name, condition, message, (shown, initial, start), "error")

    def add_warning(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        *,
        shown: Number | None = None,
        initial: bool = False,
        start: bool = False,
    ) -> None:
        """Warn once, with the name, ``shown`` and the message, where ``condition > 0`` fails.

        It is checked where a run begins, after each accepted step, and where an equilibrium or a
        steady motion has been found. Python issues a ``ModelWarning``, an FMU writes to the
        importer's log (category ``logStatusWarning``); the run goes on. Parameters are those of
        `mbcore.Model.require`, with ``initial`` and ``start``.
        """
        self._add(name, condition, message, (shown, initial, start), "warning")

    def _add(
        self,
        name: str,
        condition: ca.SX,
        message: str,
        when: tuple[Number | None, bool, bool],
        severity: Severity,
    ) -> None:
        shown, initial, start = when
        owner = f"requirement {checks.text('requirement', name)}"
        condition = checks.expression(owner, "condition", condition, truth=True)
        value = condition if shown is None else checks.expression(owner, "shown", shown, truth=True)
        self.add_record(Requirement(name, condition, message, value, initial, start, severity))

    def add_record(self, record: Requirement) -> None:
        """Add a requirement or warning whose record has been made already.

        Raises
        ------
        ModelError
            If one of its name exists.
        """
        if record.name in self:
            raise ModelError(
                f"requirement {record.name!r} exists already; names of requirements and "
                "warnings must differ: rename one of them"
            )
        self[record.name] = record
