"""Packages of the SSP 1.0 standard: FMUs, what connects them, and their start values.

A package is an archive with `SystemStructure.ssd`, which names components, connectors and
connections, the FMUs in `resources/`, and a set of parameters, `resources/start.ssv`, whose names
begin with those of their components. `write` makes one from FMUs; what units and types connectors
have is read from the FMUs. `System` runs one: it reads the structure with FMPy and knows nothing
else of what is inside.

All components make a communication step side by side from the values at its beginning (Jacobi's
scheme); before the first one outputs and inputs are exchanged in Initialization Mode until they no
longer change.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from xml.etree import ElementTree as Xml

import fmpy
import numpy as np
from fmpy.model_description import ModelDescription, ModelVariable
from fmpy.ssp.ssd import read_ssd

from mbcore.examples.cosimulation import Unit

Place = tuple[str, str]
"""Component and connector."""
Connection = tuple[Place, Place]
"""From an output to an input."""
NAMESPACE = "http://ssp-standard.org/SSP1/SystemStructure"
SPACES = {"ssd": "Description", "ssc": "Common", "ssv": "ParameterValues"}
PARAMETERS = "resources/start.ssv"
NOT_RUN = {
    "LinearTransformation",
    "BooleanMappingTransformation",
    "IntegerMappingTransformation",
    "EnumerationMappingTransformation",
    "ParameterMapping",
    "SignalDictionaryReference",
}
"""What a structure may hold, and `System` does not know."""
TYPES = {"Float64": "Real", "Int32": "Integer"}


def _tag(name: str) -> str:
    space, local = name.split(":")
    return f"{{{NAMESPACE}{SPACES[space]}}}{local}"


def _child(parent: Xml.Element, tag: str, /, **attributes: object) -> Xml.Element:
    return Xml.SubElement(parent, _tag(tag), {k: str(v) for k, v in attributes.items()})


def _text(root: Xml.Element) -> bytes:
    for space, end in SPACES.items():
        Xml.register_namespace(space, NAMESPACE + end)
    Xml.indent(root)
    return Xml.tostring(root, encoding="UTF-8", xml_declaration=True)


def _connector(parent: Xml.Element, name: str, variable: ModelVariable) -> None:
    connector = _child(parent, "ssd:Connector", name=name, kind=variable.causality)
    unit = {"unit": variable.unit} if variable.unit else {}
    _child(connector, f"ssc:{TYPES.get(variable.type, variable.type)}", **unit)


def _units(root: Xml.Element, descriptions: Iterable[ModelDescription]) -> None:
    units = {unit.name: unit.baseUnit for d in descriptions for unit in d.unitDefinitions}
    listed = _child(root, "ssd:Units")
    for name, base in units.items():
        exponents = {
            symbol: getattr(base, symbol)
            for symbol in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
            if base is not None and getattr(base, symbol)
        }
        _child(_child(listed, "ssc:Unit", name=name), "ssc:BaseUnit", **exponents)


def structure(
    name: str,
    fmus: Mapping[str, Path],
    connections: Iterable[Connection],
    outputs: Iterable[Place],
    stop: float,
) -> bytes:
    """Return the text of `SystemStructure.ssd`; arguments as in `write`."""
    connections, outputs = list(connections), list(outputs)
    if len({end for _, end in outputs}) < len(outputs):
        raise ValueError(f"two of the outputs {outputs} have the same name; show one of them")
    descriptions = {part: fmpy.read_model_description(str(fmu)) for part, fmu in fmus.items()}
    variables = {
        (part, variable.name): variable
        for part, description in descriptions.items()
        for variable in description.modelVariables
    }
    root = Xml.Element(_tag("ssd:SystemStructureDescription"), version="1.0", name=name)
    system = _child(root, "ssd:System", name=name)
    shown = _child(system, "ssd:Connectors")
    for place in outputs:
        _connector(shown, place[1], variables[place])
    bindings = _child(system, "ssd:ParameterBindings")
    _child(
        bindings, "ssd:ParameterBinding", type="application/x-ssp-parameter-set", source=PARAMETERS
    )
    used = dict.fromkeys([place for pair in connections for place in pair] + outputs)
    parts = _child(system, "ssd:Elements")
    for part in fmus:
        component = _child(
            parts,
            "ssd:Component",
            name=part,
            type="application/x-fmu-sharedlibrary",
            source=f"resources/{part}.fmu",
        )
        connectors = _child(component, "ssd:Connectors")
        for place in used:
            if place[0] == part:
                _connector(connectors, place[1], variables[place])
    wires = _child(system, "ssd:Connections")
    for (part, start), (other, end) in connections:
        ends = {"endElement": other, "endConnector": end}
        _child(wires, "ssd:Connection", startElement=part, startConnector=start, **ends)
    for part, start in outputs:
        _child(wires, "ssd:Connection", startElement=part, startConnector=start, endConnector=start)
    _units(root, descriptions.values())
    _child(root, "ssd:DefaultExperiment", startTime=0.0, stopTime=stop)
    return _text(root)


def parameters(values: Mapping[Place, float]) -> bytes:
    """Return the text of the set of parameters."""
    root = Xml.Element(_tag("ssv:ParameterSet"), version="1.0", name="start")
    listed = _child(root, "ssv:Parameters")
    for place, value in values.items():
        parameter = _child(listed, "ssv:Parameter", name=".".join(place))
        _child(parameter, "ssv:Real", value=float(value))
    return _text(root)


def write(
    path: Path,
    fmus: Mapping[str, Path],
    connections: Iterable[Connection],
    outputs: Iterable[Place],
    start: Mapping[Place, float],
    stop: float,
) -> Path:
    """Write a package.

    Parameters
    ----------
    path : Path
        The archive, by convention with the ending `ssp`.
    fmus : mapping of str to Path
        By the name of the component.
    connections : iterable of Connection
        Between components.
    outputs : iterable of Place
        What the system shows, under the components' names for it; no two may be alike.
    start : mapping of Place to float
        Start values of parameters, states and inputs.
    stop : float
        Of the default experiment, s.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "SystemStructure.ssd", structure(path.stem, fmus, connections, outputs, stop)
        )
        archive.writestr(PARAMETERS, parameters(start))
        for part, fmu in fmus.items():
            archive.write(fmu, f"resources/{part}.fmu")
    return path


def _refuse_unknown(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        elements = [*Xml.fromstring(archive.read("SystemStructure.ssd")).iter()]
    kinds = [element.tag.rpartition("}")[2] for element in elements]
    unknown = sorted(NOT_RUN.intersection(kinds)) + ["System in a system"] * (
        kinds.count("System") > 1
    )
    if unknown:
        raise ValueError(f"{path.name} holds {', '.join(unknown)}, which is not run here")


class System:
    """A package in Co-Simulation.

    Parameters
    ----------
    path : Path
        With components of FMI 2.0 or 3.0, without systems inside.
    tolerance : float, optional
        Of the solvers inside.

    Raises
    ------
    ValueError
        The structure holds what is not run here: systems inside, transformations, mappings.
    RuntimeError
        Outputs at the start depend on each other in a circle.
    """

    def __init__(self, path: Path, tolerance: float | None = None) -> None:
        _refuse_unknown(path)
        top = read_ssd(str(path)).system
        values = {
            parameter.name: float(parameter.value)
            for binding in top.parameterBindings
            for group in binding.parameterValues
            for parameter in group.parameters
        }
        self._wires = [
            ((c.startElement, c.startConnector), (c.endElement, c.endConnector))
            for c in top.connections
            if c.startElement is not None and c.endElement is not None
        ]
        self._shown = [
            (c.startElement, c.startConnector) for c in top.connections if c.endElement is None
        ]
        self.parts: dict[str, Unit] = {}
        with ExitStack() as opening:
            folder = Path(fmpy.extract(str(path)))
            opening.callback(shutil.rmtree, folder, ignore_errors=True)
            for part in top.elements:
                own = {
                    name[len(part.name) + 1 :]: value
                    for name, value in values.items()
                    if name.startswith(f"{part.name}.")
                }
                unit = Unit(folder / part.source, own, tolerance, initialize=False)
                self.parts[part.name] = opening.enter_context(unit)
            self._settle()
            for unit in self.parts.values():
                unit.initialized()
            self._open = opening.pop_all()

    def __enter__(self) -> System:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _read(self) -> dict[Place, float]:
        places = dict.fromkeys([start for start, _ in self._wires] + self._shown)
        return {(part, name): self.parts[part].get([name])[0] for part, name in places}

    def _pass_on(self, values: Mapping[Place, float]) -> None:
        for start, (part, name) in self._wires:
            self.parts[part].set({name: values[start]})

    def _settle(self) -> None:
        values = self._read()
        for _ in range(len(self._wires) + 1):
            self._pass_on(values)
            before, values = values, self._read()
            if values == before:
                return
        raise RuntimeError("the components' outputs at the start depend on each other in a circle")

    def run(self, stop: float, step: float) -> dict[str, np.ndarray]:
        """Go to a time in communication steps; return the shown outputs by name, and `time`."""
        values = self._read()
        rows = [[0.0, *(values[place] for place in self._shown)]]
        for k in range(round(stop / step)):
            self._pass_on(values)
            for unit in self.parts.values():
                unit.step(step)
            values = self._read()
            rows.append([(k + 1) * step, *(values[place] for place in self._shown)])
        names = ("time", *(name for _, name in self._shown))
        return dict(zip(names, np.array(rows).T, strict=True))
