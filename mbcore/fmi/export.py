"""Models -> FMUs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from mbcore.codegen.c_model import GeneratedModel, generate
from mbcore.codegen.dependencies import Dependencies, dependencies
from mbcore.codegen.platforms import Platform
from mbcore.codegen.table import Table
from mbcore.equations.equations import Equations
from mbcore.fmi.component import Component, as_component, left_out
from mbcore.fmi.description import description2, description3, documentation
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.variables import variables
from mbcore.fmi.fixed_parameters import Fix, with_fixed_parameters
from mbcore.fmi.packing import archive, prechecks
from mbcore.fmi.packing.compiler import LONGEST
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.fmi.packing.platforms import this_platform
from mbcore.fmi.packing.related import related_files
from mbcore.fmi.packing.sources import compiled, source_files
from mbcore.fmi.packing.toolchains import Toolchain, compile_libraries, toolchains
from mbcore.fmi.parameter_file import given_set
from mbcore.fmi.running.reference import reference_results
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.variables import Value

FMI_VERSIONS = ("2.0", "3.0")
MOST_STATEMENTS = 1_000_000
"""Default limit on the statements of C."""
_MOST_IN_SOURCES = 250_000
"""Numbers of tables with which FMUs have their C by default: 2 MB of them."""
_MAKERS = {
    "2.0": (archive.files2, description2.model_description),
    "3.0": (archive.files3, description3.model_description),
}


@ended_in_order()
@explains_arguments
def export(
    source: Component | Equations,
    directory: str | Path,
    fmi: str | Sequence[str] = FMI_VERSIONS,
    platforms: Sequence[str] | None = None,
    progress: Callable[[str], None] | None = None,
    tools: Sequence[Toolchain] | None = None,
    most_statements: int = MOST_STATEMENTS,
    compiler_timeout: float = LONGEST,
    checked: bool | None = None,
    parameters: Mapping[str, Value] | str | Path | None = None,
    arrays: bool | None = None,
    fix: Fix = (),
    sources: bool | None = None,
) -> list[Path]:
    """Write a model's FMUs, each with Model Exchange and Co-Simulation.

    Parameters
    ----------
    source : Component or Equations
        ``export(model.equations(), "out")`` is enough; a component adds experiment,
        documentation and pictures.
    directory : path
        Gets ``fmi2/NAME.fmu`` and ``fmi3/NAME.fmu``.
    fmi : str or sequence of str
        ``"2.0"``, ``"3.0"`` or both.
    platforms : sequence of str, optional
        FMI 3.0's names of the platforms to build for; this machine where absent.
    progress : callable, optional
        Called with a line for each part of the work.
    tools : sequence of Toolchain, optional
        From `toolchains`, to share them between models; ``platforms`` and ``compiler_timeout`` are
        not used then.
    most_statements : int
        A model whose C is longer is refused before it is compiled. A compiler takes about a minute
        and 0.7 GB for 200,000 statements.
    compiler_timeout : float
        Seconds after which a compiler that has not ended is taken to hang, and is ended.
    checked : bool, optional
        Whether the FMUs check their accelerations by virtual power, as `Component` says, which has
        the last word where this is absent.
    parameters : mapping of str to float, bool or str, or path, optional
        Start values of parameters, inputs and states that differ from the model's, or a file with
        them (``.ssv``, ``.csv``, ``.json``, ``.toml``), as `Component` has them: in the description
        and in what runs, and as a parameter set of SSP in ``extra/org.fmi-standard.fmi-ls-ref``.

    arrays : bool, optional
        Whether FMI 3.0 has arrays of the model as arrays, or their elements ``name[1]`` as FMI 2.0,
        as `Component` says where this is absent.
    fix : mapping of str to float, bool or str, or sequence of str
        Parameters that become constants of the FMUs: values by name, None for the start value, or
        names alone. ``"front.*"`` stands for all that begin so. The C and the stated dependencies
        leave out everything that a constant switches off.
    sources : bool, optional
        Whether the FMUs contain their C, as `Component` says where this is absent: all but those of
        large tables.

    Returns
    -------
    list of Path
        The files, in the order of ``fmi``.

    Warns
    -----
    ModelWarning
        A degree of freedom has alternatives, which an FMU cannot take, the start values or the
        default experiment give values that are not finite, the FMU is not for all the platforms
        that were asked for, or it has no sources because of large tables.

    Raises
    ------
    ModelError
        The model cannot be exported: it is too large, a unit is unknown, a name is not structured,
        the directory cannot be written to.
    PlatformError
        A platform is unknown.
    CompilerError
        There is no compiler, or all fail.
    """
    versions = fmi_versions(fmi)
    if not isinstance(directory, str | Path):
        raise ModelError(f"export: directory = {directory!r}; give a path, as in 'build'")
    if progress is not None and not callable(progress):
        raise ModelError(f"export: progress = {progress!r}; give a function of a line, as in print")
    checks.real("export", "most_statements", most_statements, above=0)
    component = _asked(source, parameters, fix, checked=checked, arrays=arrays, sources=sources)
    paths = {v: Path(directory) / f"fmi{v[0]}" / f"{component.name}.fmu" for v in versions}
    for path in paths.values():
        prechecks.refuse_unwritable(path)
        if isinstance(source, Equations):
            prechecks.refuse_other_model(path, source.name)
    report = progress or (lambda line: None)
    made = toolchains(platforms, compiler_timeout) if tools is None else nullcontext(tools)
    with made as found:
        return _written(component, paths, report, found, most_statements)


def _written(
    component: Component,
    paths: Mapping[str, Path],
    report: Callable[[str], None],
    tools: Sequence[Toolchain],
    most_statements: int,
) -> list[Path]:
    """Write the FMUs of a component by their versions; return the files."""
    rows = variables(component)
    prechecks.look_at_start(component, rows)
    prechecks.warn_of_alternatives(component)
    report(f"{component.name}: generating C")
    known = dependencies(component.equations, rows)
    generated = generate(component.equations, rows, left_out(component), known=known)
    generated.refuse_too_large(most_statements)
    if component.sources is None:
        component = replace(component, sources=_worth_sources(component.name, generated, tools))
    description = describe(component, rows, generated, known)
    described = {version: _MAKERS[version][1](description) for version in paths}
    size = len(generated.source) // 1000
    names = ", ".join(tool.compiler.platform.name for tool in tools)
    report(f"{component.name}: compiling {size} kB for {names}")
    libraries = compile_libraries(component.name, generated, tools)
    report(f"{component.name}: documentation")
    contents = _contents(component, rows, generated, libraries)
    files = {v: _MAKERS[v][0](contents, described[v]) for v in paths}
    related = _related(component, rows, files, report if this_platform() in libraries else None)
    return [archive.write(paths[v], files[v] | related[v]) for v in paths]


def _worth_sources(name: str, generated: GeneratedModel, tools: Sequence[Toolchain]) -> bool:
    """Return whether FMUs have their C where nobody asked."""
    large = generated.numbers > _MOST_IN_SOURCES and bool(tools)
    if large:
        warn_user(
            f"export: {name} has no C sources, in which {generated.numbers} numbers of its tables "
            "would stand a second time; give sources=True for importers that compile FMUs, or "
            "sources=False (--no-sources)"
        )
    return not large


def _asked(
    source: Component | Equations,
    parameters: Mapping[str, Value] | str | Path | None,
    fix: Fix,
    **options: bool | None,
) -> Component:
    """Return the component with start values, constants and the options that are given."""
    given: dict[str, Any] = {name: of for name, of in options.items() if of is not None}
    component = replace(as_component(source), **given)
    component = component.started_at({} if parameters is None else parameters)
    component = with_fixed_parameters(component, fix)
    component.equations.refuse_stale()
    return component


def _related(
    component: Component,
    rows: Table,
    files: Mapping[str, dict[str, bytes]],
    report: Callable[[str], None] | None,
) -> dict[str, dict[str, bytes]]:
    """Return the files that belong to the FMUs of each version, results where ``report`` is."""
    name, experiment, last = component.name, component.experiment, [*files.values()][-1]
    results = []
    if report is not None:
        report(f"{name}: reference results")
        results = reference_results(name, last, experiment, rows)
    return {v: related_files([*results, *given_set(component, rows, v)]) for v in files}


def describe(
    component: Component,
    rows: Table,
    generated: GeneratedModel,
    known: Dependencies | None = None,
) -> Description:
    """Return the content of both versions' model descriptions; ``known`` is found where absent."""
    return Description(
        component.name,
        component.description,
        generated.token,
        rows,
        dependencies(component.equations, rows) if known is None else known,
        component.experiment,
        author=component.author,
        version=component.version,
        copyright=component.copyright,
        license=component.license,
        remarks=component.page.remarks,
        arrays=component.arrays,
        sources=compiled(source_files(component.name, "2.0", generated))
        if component.sources is not False
        else (),
    )


def _contents(
    component: Component, rows: Table, generated: GeneratedModel, libraries: dict[Platform, bytes]
) -> archive.Contents:
    return archive.Contents(
        component.name,
        libraries,
        None if component.sources is False else generated,
        documentation.page(component, rows),
        documentation.icon(component),
        documentation.picture(component),
        documentation.license_text(),
        component.terminals,
    )


def fmi_versions(fmi: str | Sequence[str]) -> tuple[str, ...]:
    """Return FMI versions in full, ``"2.0"`` for ``"2"``.

    Raises
    ------
    ModelError
        A version is not offered.
    """
    asked = tuple(str(f) for f in (fmi if isinstance(fmi, (list, tuple)) else (fmi,)))
    full = {version[0]: version for version in FMI_VERSIONS}
    versions = tuple(full.get(version, version) for version in asked)
    wrong = [version for version in versions if version not in FMI_VERSIONS]
    if wrong or not versions:
        raise ModelError(f"no FMI version {wrong or '(none given)'}; give 2.0, 3.0 or both")
    return tuple(dict.fromkeys(versions))
