"""The Python flavour of an FMU: FMI 2.0 Co-Simulation through pythonfmu's bridge.

It needs a Python with mbcore on the importing side, and serves quick experiments and debugging.
The model description is our own, with units, enumerations and initial unknowns, so that the
flavours can be exchanged.
"""

from __future__ import annotations

from pathlib import Path

import pythonfmu

from mbcore.codegen.c_model import generate
from mbcore.codegen.dependencies import dependencies
from mbcore.fmi.component import Component, left_out
from mbcore.fmi.description import description2, documentation
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing import archive
from mbcore.fmi.packing.platforms import PLATFORMS, Platform, PlatformError, this_platform
from mbcore.fmi.packing.related import related_files
from mbcore.fmi.parameter_file import given_set
from mbcore.host.definition_files import is_shipped, place_of
from mbcore.model.errors import ModelError

_BRIDGES = {
    "x86_64-linux": "linux64/libpythonfmu-export.so",
    "x86_64-windows": "win64/pythonfmu-export.dll",
}

_SLAVE = '''"""Entry point of the Python flavour of {name}."""

from mbcore.fmi.python.python_slave import EquationsSlave, keep_namespace
from mbcore.model.errors import ModelError

keep_namespace(globals())


class {name}(EquationsSlave):
    """{name}, evaluated in Python."""

    component_file = "{file}"
    parameters = {parameters!r}
'''


def export_python(component: Component, source: str | Path, directory: str | Path) -> Path:
    """Write ``directory/python/NAME.fmu``.

    Parameters
    ----------
    component : Component
        Component that the source defines.
    source : path
        The Python file whose ``component()`` makes it. It goes into the FMU, and where it is part
        of a package, that whole package; the library's own definitions are imported.
    directory : path
        Where to write.

    Raises
    ------
    PlatformError
        pythonfmu has no binary for this machine.
    ModelError
        A unit or name of the model cannot be exported.
    """
    if component.sensitivities:
        raise ModelError(
            f"component {component.name}: sensitivities=True; the Python flavour has none, leave "
            "that out or export an FMU with export()"
        )
    libraries = _bridges()
    rows = variables(component)
    description = Description(
        component.name,
        component.description,
        generate(component.equations, rows, left_out(component)).token,
        rows,
        dependencies(component.equations, rows),
        component.experiment,
        bridge=True,
        author=component.author,
        version=component.version,
        copyright=component.copyright,
        license=component.license,
        remarks=component.page.remarks,
    )
    contents = archive.Contents(
        component.name,
        libraries,
        None,
        documentation.page(component, rows),
        documentation.icon(component),
        documentation.picture(component),
        documentation.license_text(),
        component.terminals,
    )
    files = archive.files2(contents, description2.model_description(description))
    files |= related_files(given_set(component, rows, "2.0"))
    files |= _resources(component, Path(source))
    return archive.write(Path(directory) / "python" / f"{component.name}.fmu", files)


def _bridges() -> dict[Platform, bytes]:
    """Return pythonfmu's binaries.

    Raises
    ------
    PlatformError
        None of them is for this machine.
    """
    folder = Path(pythonfmu.__file__).parent / "resources" / "binaries"
    libraries = {
        PLATFORMS[name]: (folder / file).read_bytes()
        for name, file in _BRIDGES.items()
        if (folder / file).is_file()
    }
    here = this_platform()
    if here not in libraries:
        offered = ", ".join(platform.name for platform in libraries) or "no platform"
        raise PlatformError(
            f"the Python flavour cannot be built on {here.name}: pythonfmu has binaries for "
            f"{offered} only"
        )
    return libraries


def _resources(component: Component, source: Path) -> dict[str, bytes]:
    """Return the slave's module and what it loads: the source, its whole package, or an import."""
    name, source = component.name, source.resolve()
    given = dict(component.parameters)
    folder, dotted = place_of(source)
    loaded = f"{name}_component.py"
    if is_shipped(source):
        packed = {loaded: f"from {dotted} import component\n".encode()}
    elif source.parent == folder:
        packed = {loaded: source.read_bytes()}
    else:
        loaded = source.relative_to(folder).as_posix()
        files = sorted((folder / dotted.partition(".")[0]).rglob("*.py"))
        packed = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
    return {
        "resources/slavemodule.txt": f"{name}_slave".encode(),
        f"resources/{name}_slave.py": _SLAVE.format(
            name=name, file=loaded, parameters=given
        ).encode(),
        **{f"resources/{file}": content for file, content in packed.items()},
    }
