"""The .fmu file: a reproducible zip archive, without times of files."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mbcore.codegen.c_model import GeneratedModel
from mbcore.fmi.component import Terminal
from mbcore.fmi.description.terminals import terminals_and_icons
from mbcore.fmi.packing.platforms import Platform
from mbcore.fmi.packing.sources import source_files
from mbcore.fmi.packing.universal import libraries2
from mbcore.host.files import writing

_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
_LARGE = 4_000_000
"""Bytes of a file, as of tables, that more effort makes no smaller; it would take seconds."""
_BINARY_SUFFIXES = (".so", ".dll", ".dylib")


@dataclass(frozen=True)
class Contents:
    """Common content of both versions of an FMU, besides their model descriptions.

    ``model`` is the generated C, None where the FMU has no sources.
    """

    name: str
    libraries: Mapping[Platform, bytes]
    model: GeneratedModel | None
    page: str
    icon: bytes
    picture: bytes | None
    license: str
    terminals: tuple[Terminal, ...] = ()


def files2(contents: Contents, description: bytes) -> dict[str, bytes]:
    """Return the files of an FMI 2.0 archive by their paths."""
    return {
        "modelDescription.xml": description,
        "model.png": contents.icon,
        **_terminals(contents),
        **libraries2(contents.name, contents.libraries),
        **_sources(contents, "2.0"),
        **_documentation(contents),
    }


def files3(contents: Contents, description: bytes) -> dict[str, bytes]:
    """Return the files of an FMI 3.0 archive by their paths."""
    return {
        "modelDescription.xml": description,
        **_terminals(contents),
        **{
            platform.library("3.0", contents.name): library
            for platform, library in contents.libraries.items()
        },
        **_sources(contents, "3.0"),
        **_documentation(contents),
    }


def write(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write an archive; the file appears complete or not at all.

    Raises
    ------
    ModelError
        It cannot be written; names the path and why.
    """
    with writing("export", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        return _written(path, files)


def _written(path: Path, files: Mapping[str, bytes]) -> Path:
    # A unique name, so that concurrent builds do not collide, and in the same folder, so that
    # taking the final name is one step.
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", suffix=".part", dir=path.parent)
    partial = Path(name)
    try:
        with open(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            _fill(archive, files)
        with zipfile.ZipFile(partial) as archive:
            if (damaged := archive.testzip()) is not None:
                raise OSError(f"{damaged} was not written correctly")
        partial.chmod(0o644)
        return partial.replace(path)
    except BaseException:  # also on an interrupt
        partial.unlink(missing_ok=True)
        raise


def _fill(archive: zipfile.ZipFile, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        info = zipfile.ZipInfo(name, _TIMESTAMP)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 3
        info.external_attr = (0o755 if name.endswith(_BINARY_SUFFIXES) else 0o644) << 16
        archive.writestr(info, content, compresslevel=4 if len(content) > _LARGE else 9)


def _terminals(contents: Contents) -> dict[str, bytes]:
    """Return the terminals file of FMI 3.0, which FMI 2.0 takes over unchanged."""
    return {
        "terminalsAndIcons/terminalsAndIcons.xml": terminals_and_icons(contents.terminals),
        "terminalsAndIcons/icon.png": contents.icon,
    }


def _sources(contents: Contents, fmi: str) -> dict[str, bytes]:
    if contents.model is None:
        return {}
    files = source_files(contents.name, fmi, contents.model)
    return {f"sources/{path}": text.encode() for path, text in files.items()}


def _documentation(contents: Contents) -> dict[str, bytes]:
    files = {
        "documentation/index.html": contents.page.encode(),
        "documentation/licenses/license.txt": contents.license.encode(),
    }
    if contents.picture is not None:
        files["documentation/picture.png"] = contents.picture
    return files
