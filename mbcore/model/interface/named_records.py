"""Records of one kind by name, the base of what an interface consists of."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping
from typing import Any, ClassVar, TypeAlias, TypeVar

from mbcore.model.interface.declared import check_declared, named

Record = TypeVar("Record")
Namespace: TypeAlias = list[MutableMapping[str, Any]]
"""Dictionaries whose names must all differ."""


class NamedRecords(dict[str, Record]):
    """Records of one kind, by names that differ from all others in their namespace.

    Parameters
    ----------
    namespace : list of mutable mapping
        The dictionaries that share it; this one is appended.
    """

    kind: ClassVar[str]
    """What messages call it."""

    def __init__(self, namespace: Namespace) -> None:
        super().__init__()
        self._namespace = namespace
        namespace.append(self)

    def refuse_name(self, name: str, unit: str = "1", display_unit: str | None = None) -> None:
        """Refuse a name that is in use or empty, and units that no variable may have.

        Raises
        ------
        ModelError
            Naming the kind of variable and its name.
        """
        named(self.kind, name, ChainMap(*self._namespace), unit, display_unit)

    def _checked(self, record: Any) -> None:
        """Add a record after the checks that all kinds share."""
        check_declared(self.kind, record)
        self[record.name] = record
