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
        severity: Severity = "error",
    ) -> None:
        """Add a requirement, or a warning.

        Arguments and errors are those of `mbcore.equations.model.Model.require`.
        """
        owner = f"requirement {checks.text('requirement', name)}"
        condition = checks.expression(owner, "condition", condition)
        value = condition if shown is None else checks.expression(owner, "shown", shown)
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
                f"requirement {record.name!r} exists already, and the first one would be lost; "
                "names of requirements and warnings must differ"
            )
        self[record.name] = record
