"""Remarks of a component in its model description, where each tool may put what is its own.

FMI 2.0 has ``VendorAnnotations`` for that, FMI 3.0 ``Annotations``.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from mbcore.codegen.rows import Table
from mbcore.fmi.page_settings import Remark
from mbcore.model.errors import ModelError

TOOL = "mbcore"


def add_vendor_annotations(root: Element, remarks: Mapping[str, Remark]) -> None:
    """Add remarks by boolean output as FMI 2.0 has it; nothing where there are none."""
    if remarks:
        _add(SubElement(SubElement(root, "VendorAnnotations"), "Tool", name=TOOL), remarks)


def add_annotations(root: Element, remarks: Mapping[str, Remark]) -> None:
    """Add remarks by boolean output as FMI 3.0 has it; nothing where there are none."""
    if remarks:
        _add(SubElement(SubElement(root, "Annotations"), "Annotation", type=TOOL), remarks)


def _add(parent: Element, remarks: Mapping[str, Remark]) -> None:
    all_of_them = SubElement(parent, "Remarks")
    for name, remark in remarks.items():
        said = {"output": name, "limit": remark.limit, "remedy": remark.remedy}
        one = SubElement(all_of_them, "Remark", said)
        for watched in remark.watched:
            SubElement(one, "Watched", name=watched)


def remarks_in(description: bytes) -> dict[str, Remark]:
    """Return the remarks in a model description by boolean output, as far as they are whole."""
    root = ElementTree.fromstring(description)
    own = [*root.findall(f"./VendorAnnotations/Tool[@name='{TOOL}']")]
    own += root.findall(f"./Annotations/Annotation[@type='{TOOL}']")
    found = {}
    for one in (remark for tool in own for remark in tool.findall("./Remarks/Remark")):
        watched = [name for w in one.findall("Watched") if (name := w.get("name"))]
        output, limit, remedy = (one.get(what) for what in ("output", "limit", "remedy"))
        if watched and output and limit and remedy:
            found[output] = Remark(tuple(watched), limit, remedy)
    return found


def check_remarks(remarks: Mapping[str, Remark], rows: Table) -> None:
    """Refuse remarks on what the table has not.

    Raises
    ------
    ModelError
        A remark is on something that is not a boolean output, or names what there is not.
    """
    flags = {r.name for r in rows.rows if r.visibility == "output" and r.type == "boolean"}
    real = [row for row in rows.rows if row.type == "real"]
    parameters = {row.name for row in real if row.kind == "parameter"}
    calculated = {row.name for row in real if row.kind in ("state", "derivative", "output")}
    for name, remark in remarks.items():
        _check(name, flags, "a boolean output")
        for watched in remark.watched:
            _check(watched, calculated, "calculated")
        _check(remark.limit, parameters, "a parameter")


def _check(name: str, known: set[str], role: str) -> None:
    if name not in known:
        some = ", ".join(sorted(known)[:20]) or "none"
        raise ModelError(f"page: remarks name {name!r}, which is not {role}; there are {some}")
