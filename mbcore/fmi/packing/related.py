"""Files that belong to an FMU, as the layered standard FMI-LS-REF has them.

A manifest in ``extra/org.fmi-standard.fmi-ls-ref`` lists them with their roles
(github.com/modelica/fmi-ls-ref).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from mbcore.fmi.description import description

FOLDER = "extra/org.fmi-standard.fmi-ls-ref"
CSV, SSV = "text/csv", "application/x-ssp-parameter-set"
"""MIME types."""
_MANIFEST = {
    "xmlns:fmi-ls": "http://fmi-standard.org/fmi-ls-manifest",
    "fmi-ls:fmi-ls-name": "org.fmi-standard.fmi-ls-ref",
    "fmi-ls:fmi-ls-version": "1.0.0-alpha.1",
    "fmi-ls:fmi-ls-description": "Layered Standard providing information on related files "
    "included in an FMU.",
}


class Related(NamedTuple):
    """A file: its name in the folder, MIME type, role, one line of what it is, and its content."""

    source: str
    type: str
    role: str
    description: str
    content: bytes


def related_files(related: Sequence[Related]) -> dict[str, bytes]:
    """Return files with their manifest, by their paths in the FMU; nothing where there are none."""
    if not related:
        return {}
    root = Element("fmiReferences", _MANIFEST)
    for one in related:
        said = {
            "type": one.type,
            "source": one.source,
            "role": one.role,
            "description": one.description,
        }
        SubElement(root, "Related", said)
    files = {one.source: one.content for one in related}
    files["fmi-ls-manifest.xml"] = description.write(root)
    return {f"{FOLDER}/{path}": content for path, content in files.items()}
