"""XML that nobody trusts: no entities, no other files, no network."""

from __future__ import annotations

import re
from pathlib import Path

from lxml import etree

from mbcore.model.errors import ModelError

MOST_BYTES = 20_000_000
"""Of a file; that of a humanoid with hands has 0.3 MB."""
ENCODINGS = ("utf-8", "us-ascii", "ascii", "iso-8859-1", "windows-1252")
DECLARATION = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"'](?P<encoding>[^\"'>]*)[\"']")
REFUSED = (b"<!DOCTYPE", b"<!ENTITY")


def refused_word(text: bytes) -> str | None:
    """Return the first word of a document type, by which entities are declared; None without."""
    # Entities may name other files or grow without bound.
    return next((word.decode() for word in REFUSED if word in text), None)


def parse(text: bytes, **options: bool) -> etree._Element:
    """Return the root of a text in XML, with nothing loaded besides it.

    Raises
    ------
    etree.XMLSyntaxError
        If it is not XML, or larger than the parser takes.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, **options
    )
    return etree.fromstring(text, parser)


def read_xml(file: Path) -> etree._Element:
    """Return the root of a file, without comments.

    Raises
    ------
    ModelError
        With file, line and remedy: it is missing, too large, no text, not XML, or has a document
        type.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ModelError(f"{file}: larger than {MOST_BYTES // 10**6} MB; a URDF is smaller")
        text = file.read_bytes().rstrip(b"\0")  # some files end with one
    except OSError as error:
        raise ModelError(f"{file}: {error.strerror or error}; give the path of a URDF") from error
    declared = DECLARATION.match(text)
    encoding = declared["encoding"].decode("ascii", "replace").lower() if declared else "utf-8"
    if b"\0" in text or encoding not in ENCODINGS:
        raise ModelError(f"{file}: not text in UTF-8; save it in UTF-8")
    word = refused_word(text)
    if word is not None:
        line = text[: text.index(word.encode())].count(b"\n") + 1
        raise ModelError(
            f"{file.name}, line {line}: {word}...> is refused, since entities may "
            "name other files; write out their values"
        )
    try:
        letters = text.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1
        raise ModelError(f"{file.name}, line {line}: not {encoding}; save it in UTF-8") from None
    # Without its declaration, whose version and encoding may be wrong; the lines stay.
    letters = re.sub(r"^\s*<\?xml[^>]*\?>", lambda m: "\n" * m[0].count("\n"), letters)
    try:
        return parse(letters.encode("utf-8"), remove_comments=True, remove_pis=True)
    except etree.XMLSyntaxError as error:
        raise ModelError(
            f"{file.name}, line {error.lineno}: not XML: {error.msg}; correct the file"
        ) from None
