"""The variables of a component, as ``mbcore list NAME`` shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mbcore.cli.loading import load
from mbcore.cli.settings import table
from mbcore.model.variables import shown_value, type_of


def of_component(file: Path) -> str:
    """Return a table of parameters, inputs, states and outputs of what a file defines."""
    equations = load(file).equations
    kinds: tuple[tuple[str, Any, str], ...] = (
        ("parameter", equations.parameters, "value"),
        ("input", equations.inputs, "start"),
        ("state", equations.states, "start"),
        ("output", (*equations.outputs, *equations.discretes), ""),
    )
    rows = [("kind", "name", "value", "unit", "description")]
    for kind, records, value in kinds:
        for record in records:
            items = getattr(record, "items", ())
            text = f"{getattr(record, value):.6g}" if value else ""
            if value and type_of(record) != "real":
                text = shown_value(type_of(record), items, getattr(record, value))
            choice = "one of " + ", ".join(item.name for item in items) if items else ""
            words = "; ".join(filter(None, (record.description, choice)))
            unit = "" if record.unit == "1" else record.unit
            rows.append((kind, record.name, text, unit, words))
    return table(rows, right=(2,))
