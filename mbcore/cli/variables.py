"""The variables of a component, as ``mbcore list NAME`` shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mbcore.cli.loading import load
from mbcore.cli.settings import table
from mbcore.model.variables import shown_value, type_of
from mbcore.model.wording import count


def of_component(file: Path, internal: bool = False) -> str:
    """Return a table of parameters, inputs, states and outputs of what a file defines.

    Parameters
    ----------
    internal : bool
        Whether modes of events and other outputs of which the model says that they are local are
        in the table; else its last line says how many they are.
    """
    equations = load(file).equations
    left_out = 0
    kinds: tuple[tuple[str, Any, str], ...] = (
        ("parameter", equations.parameters, "value"),
        ("input", equations.inputs, "start"),
        ("state", equations.states, "start"),
        ("output", (*equations.outputs, *equations.discretes), ""),
    )
    rows = [("kind", "name", "value", "unit", "description")]
    for kind, records, value in kinds:
        for record in records:
            if kind == "output" and record.visibility == "local" and not internal:
                left_out += 1
                continue
            items = getattr(record, "items", ())
            text = f"{getattr(record, value):.6g}" if value else ""
            if value and type_of(record) != "real":
                text = shown_value(type_of(record), items, getattr(record, value))
            choice = "one of " + ", ".join(item.name for item in items) if items else ""
            words = "; ".join(filter(None, (record.description, choice)))
            unit = "" if record.unit == "1" else record.unit
            rows.append((kind, record.name, text, unit, words))
    shown = table(rows, right=(2,))
    if not left_out:
        return shown
    return f"{shown}\n{count(left_out, 'internal output')}, as modes of events: --all shows them"
