"""terminalsAndIcons.xml: what belongs together where a block is connected, and its icon."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from mbcore.fmi.component import Terminal
from mbcore.fmi.description import description as common


def terminals_and_icons(terminals: Sequence[Terminal] = ()) -> bytes:
    """Return the file: terminals with signals and flows, a square icon, drawn by icon.png."""
    root = Element("fmiTerminalsAndIcons", fmiVersion="3.0")
    graphics = SubElement(root, "GraphicalRepresentation")
    box = {"x1": "-100", "y1": "-100", "x2": "100", "y2": "100"}
    SubElement(graphics, "CoordinateSystem", box | {"suggestedScalingFactorTo_mm": "0.1"})
    SubElement(graphics, "Icon", box)
    if terminals:
        parent = SubElement(root, "Terminals")
        for terminal in terminals:
            _add_terminal(parent, terminal)
    return common.write(root)


def _add_terminal(parent: Element, terminal: Terminal) -> None:
    attributes = {"name": terminal.name, "matchingRule": "plug"}
    if terminal.description:
        attributes["description"] = common.one_line(terminal.description)
    element = SubElement(parent, "Terminal", attributes)
    for member, name in terminal.members.items():
        SubElement(
            element,
            "TerminalMemberVariable",
            variableName=name,
            memberName=member,
            variableKind="inflow" if member in terminal.flows else "signal",
        )
