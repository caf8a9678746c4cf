"""The definition of an FMU: equations, default experiment, documentation and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from matplotlib.axes import Axes

from mbcore import formulas
from mbcore.codegen.table_checks import check_text
from mbcore.equations.equations import Equations
from mbcore.equations.functions import POWER
from mbcore.fmi.page_settings import Page
from mbcore.model import checks, summary, wording
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.parameter_files.read import given_parameters, merged
from mbcore.model.variables import Value

LICENSE_NAME = "MIT"
"""Of this library."""
MOST_STEPS, LEAST_TOLERANCE = 1e12, 2.5e-16
"""Of an experiment: times are numbers of sixteen digits, and so are results."""
LONGEST_NAME = 200
"""Longest name of an FMU: names of files have 255 letters, and some surround it."""


@explains_construction
@dataclass(frozen=True)
class Experiment:
    """The default experiment of importers: times and step in seconds, relative tolerance.

    Raises
    ------
    ModelError
        ``stop`` is not after ``start``, or step or tolerance is not positive.
    """

    stop: float = 1.0
    step: float = 1e-3
    tolerance: float = 1e-6
    start: float = 0.0

    def __post_init__(self) -> None:
        for what in ("stop", "step", "tolerance", "start"):
            given = checks.real("experiment", what, getattr(self, what))
            object.__setattr__(self, what, given)
        if not self.tolerance < 1:
            raise ModelError(f"experiment: tolerance = {self.tolerance}; give one below 1")
        if not (self.stop > self.start and self.step > 0 and self.tolerance > 0):
            raise ModelError(
                f"{self}: the stop time must be after the start, step and tolerance positive"
            )
        if not (self.stop - self.start) / self.step < MOST_STEPS:
            raise ModelError(
                f"experiment: step = {self.step:g} s; from {self.start:g} s to {self.stop:g} s "
                f"these are more than {MOST_STEPS:g} steps: give longer ones"
            )
        if self.tolerance < LEAST_TOLERANCE:
            raise ModelError(
                f"experiment: tolerance = {self.tolerance:g} is below the rounding of numbers; "
                f"give at least {LEAST_TOLERANCE:g}"
            )


@explains_construction
@dataclass(frozen=True)
class Terminal:
    """Variables that belong together where two blocks are connected.

    Attributes
    ----------
    name : str
        Name of the terminal, unique in the FMU.
    members : mapping of str to str
        Names of variables by their names in the terminal; two terminals fit where these
        names are the same.
    description : str
        One line.
    flows : sequence of str
        Members that are flows, such as forces and torques: they act on this model, and in the
        opposite direction on the model whose terminal is connected.

    Raises
    ------
    ModelError
        A field is of another type, a text holds what no XML file can, a flow is not a member.
    """

    name: str
    members: Mapping[str, str]
    description: str = ""
    flows: Sequence[str] = ()

    def __post_init__(self) -> None:
        owner = f"terminal {self.name!r}"
        _check_texts(owner, self, "name", "description")
        _check_names(owner, "members", self.members)
        if not self.members:
            raise ModelError(f"{owner}: it has no members; name the variables that belong together")
        if isinstance(self.flows, str) or not set(self.flows) <= set(self.members):
            raise ModelError(
                f"{owner}: flows = {self.flows!r}; give a list of members out of "
                f"{', '.join(self.members)}"
            )


@explains_construction
@dataclass(frozen=True, eq=False, repr=False)
class Component(summary.Summarized):
    """One FMU's definition.

    Attributes
    ----------
    name : str
        Name of the archive and of the library in it, an identifier of C.
    description : str
        One line.
    equations : Equations
        The model.
    experiment : Experiment
        Experiment that importers run by default.
    documentation : str
        HTML body text: the system, its equations and their source. Formulas stand in ``<math>``
        in the notation of `mbcore.formulas`, as in ``<math>l φ̇ = u̇ cos φ - v sin φ</math>``, with
        the attribute ``display="block"`` on lines of their own.
    symbols : mapping of str to str
        Meaning of the symbols of these formulas: names of variables, with commas between
        several, or words, as in ``{"φ": "swivel.angle", "m": "wheel.mass", "e": "direction of
        the motion"}``.
    picture : callable, optional
        Draws the system with its axes and signs into a matplotlib Axes, for the documentation.
    icon : callable, optional
        Draws a simple picture of it, for the importer's block.
    twins : bool
        Whether discrete outputs have real twins ``NAME_real`` and enumerations integer selectors
        ``NAME_number`` (0: as the enumeration says), for importers that know no other types.
    starts : bool
        Whether each state's start value is a parameter, too, ``start.NAME``, for importers that set
        nothing else. Setting either is enough; where both are changed the state's own comes first.
    aliases : mapping of str to str
        Names of outputs that are exactly a state: they share the value reference. One that is
        exactly a derivative, as in ``"der(angle)"``, is compared with it too, but both stay
        variables of their own, for importers take rates and outputs for different ones.
    sensitivities : bool
        Whether Co-Simulation gives, after each doStep, the derivatives of the final states by the
        initial ones, by inputs and by tunable parameters, exact for the explicit methods, as local
        variables ``step.STATE.by.NAME``. Each of these costs a doStep about as much as the step
        itself.
    checked : bool
        Whether accelerations are checked by virtual power after steps: it takes up to 2 % of
        one, and finds where the coordinates have lost the digits of accelerations.
    arrays : bool
        Whether FMI 3.0 has arrays of the model as arrays of fixed size. FMI 2.0, which has none,
        has their elements ``name[1]`` or ``name[1,2]``, and so has FMI 3.0 without.
    sources : bool, optional
        Whether the FMUs contain their C. Numbers of tables stand in it a second time, so by default
        it is left out, with a warning, if there are more than 250,000 of them and a binary: an FMU
        of a million points is 17 MB large with its sources, and 8 MB without them.
    terminals : tuple of Terminal
        Groups of variables that are connected together.
    author, version, copyright : str
        Whose model it is, and which version of it; left out of the FMU where empty.
    license : str
        Of the model; the runtime in the FMU is under the MIT licence, as this library is.
    parameters : mapping of str to float, bool or str, or path
        Start values of parameters, inputs and states that differ from the model's, or a file with
        them, which `mbcore.read_parameters` reads: in the description, and in what runs.
    page : Page
        Settings of its page in a browser, `mbcore.page.write_page`.

    Raises
    ------
    ModelError
        The name is not an identifier of C, a text holds what no XML file can, a formula of the
        documentation cannot be read.
    """

    name: str
    description: str
    equations: Equations
    experiment: Experiment = field(default_factory=Experiment)
    documentation: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    picture: Callable[[Axes], None] | None = None
    icon: Callable[[Axes], None] | None = None
    twins: bool = False
    starts: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    terminals: tuple[Terminal, ...] = ()
    author: str = ""
    version: str = ""
    copyright: str = ""
    license: str = LICENSE_NAME
    sensitivities: bool = False
    checked: bool = True
    arrays: bool = True
    sources: bool | None = None
    page: Page = field(default_factory=Page)
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def _title(self) -> str:
        return f"component {self.name}"

    def _facts(self) -> list[str]:
        end = f"experiment to {self.experiment.stop:g} s, step {self.experiment.step:g} s"
        return [wording.shortened(self.description), repr(self.equations), end]

    def _tables(self) -> list[summary.Table]:
        return self.equations._tables()

    def started_at(self, parameters: Mapping[str, Value] | str | Path) -> Component:
        """Return this component with further start values, from a dictionary or a file.

        Raises
        ------
        ModelError
            As `mbcore.read_parameters`; names and values are checked where they are used.
        """
        given, q = given_parameters(f"component {self.name}", parameters), self.equations
        known = [one.name for records in (q.states, q.parameters, q.inputs) for one in records]
        return replace(self, parameters=merged(self.parameters, given, known))

    def __post_init__(self) -> None:
        if not isinstance(self.equations, Equations):
            raise ModelError(
                f"component {self.name}: equations = {self.equations!r} is not a set of "
                "equations; give model.equations()"
            )
        if not isinstance(self.experiment, Experiment):
            raise ModelError(
                f"component {self.name}: experiment = {self.experiment!r}; give an Experiment"
            )
        owner = f"component {self.name}"
        object.__setattr__(self, "parameters", given_parameters(owner, self.parameters))
        if not isinstance(self.page, Page):
            raise ModelError(f"{owner}: page = {self.page!r}; give a Page")
        texts = ("description", "documentation", "author", "version", "copyright", "license")
        _check_texts(owner, self, *texts)
        _check_names(owner, "symbols", self.symbols)
        _check_formulas(owner, self)
        for what in ("twins", "starts", "sensitivities", "checked", "arrays", "sources"):
            given = getattr(self, what)
            if not isinstance(given, bool) and not (what == "sources" and given is None):
                raise ModelError(f"{owner}: {what} = {given!r}; give True or False")
        for what in ("picture", "icon"):
            given = getattr(self, what)
            if given is not None and not callable(given):
                raise ModelError(f"{owner}: {what} = {given!r}; give a function that draws")
        _check_names(owner, "aliases", self.aliases)
        terminals = self.terminals
        if not isinstance(terminals, tuple | list) or not all(
            isinstance(terminal, Terminal) for terminal in terminals
        ):
            raise ModelError(f"{owner}: terminals = {terminals!r}; give a tuple of Terminals")
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.name):
            raise ModelError(
                f"{self.name!r} cannot be the name of an FMU: use letters, digits and "
                "underscores, and no digit first"
            )
        if len(self.name) > LONGEST_NAME:
            raise ModelError(
                f"{self.name[:20]}... of {len(self.name)} letters cannot be the name of an FMU, "
                f"which is also the name of files; give at most {LONGEST_NAME}"
            )


def _check_texts(owner: str, of: object, *fields: str) -> None:
    """Refuse fields that are not texts, or that no XML file can hold."""
    for what in fields:
        if not isinstance(said := getattr(of, what), str):
            raise ModelError(f"{owner}: {what} = {said!r}; give a text")
        check_text(owner, what, said)


def _check_formulas(owner: str, of: Component) -> None:
    """Refuse formulas and symbols that cannot be drawn."""
    try:
        formulas.in_html(of.documentation)
        for symbol in of.symbols:
            formulas.inline(symbol)
    except formulas.FormulaError as error:
        raise ModelError(f"{owner}, documentation: {error}") from None


def _check_names(owner: str, what: str, names: object) -> None:
    """Refuse anything but a mapping of texts to texts."""
    if not isinstance(names, Mapping):
        raise ModelError(f"{owner}: {what} = {names!r}; give a dictionary of names")
    for key, value in names.items():
        for text in (key, value):
            if not isinstance(text, str):
                raise ModelError(f"{owner}: {what} names {text!r}, which is not a text")
            check_text(owner, what, text)


def as_component(source: Component | Equations) -> Component:
    """Return a component; equations alone get one with default experiment and no pictures.

    Raises
    ------
    ModelError
        The object is neither.
    """
    if isinstance(source, Component):
        return source
    if not hasattr(source, "functions"):
        raise ModelError(f"{source!r} is neither a Component nor Equations; give model.equations()")
    parameters = {"solver.method": "automatic"} if source.model.often_stiff else {}
    return Component(identifier(source.name), source.name, source, parameters=parameters)


def identifier(name: str) -> str:
    """Return a model's name with underscores for characters that an identifier of C cannot hold."""
    return re.sub(r"\W+", "_", name, flags=re.ASCII)


def left_out(component: Component) -> tuple[str, ...]:
    """Return the functions of the runtime that a component does without."""
    return () if component.checked else POWER
