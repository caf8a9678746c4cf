"""Components out of the files that define them."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from inspect import signature
from pathlib import Path

from mbcore.cli.definitions import functions
from mbcore.cli.robot_options import is_robot, robot_component
from mbcore.cli.wrong_call import WrongCallError
from mbcore.equations.equations import Equations
from mbcore.fmi.component import Component, as_component
from mbcore.fmi.python.python_slave import load_component, load_module
from mbcore.host.definition_files import defined_name, is_shipped, place_of
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.model import Model

OPTIONS = {
    "tyre": "has no tyres of a property file",
    "arrays": "has no wheels whose inputs and outputs could be arrays",
    "trailers": "has no trailers",
    "limits": "has no treatment of arguments outside a tyre's ranges",
}
"""The lack of a definition whose ``component`` does not take them."""
_OWN = (ModelError, ConfigurationError, SimulationError)


def importable(file: Path) -> None:
    """Let a definition import its neighbours, as ``NAME`` and as ``FOLDER.NAME``."""
    if is_shipped(file):
        return
    folder = file.resolve().parent
    for place in (place_of(file)[0], folder.parent, folder):
        if str(place) not in sys.path:
            sys.path.insert(0, str(place))


def load(file: Path, options: Mapping[str, object] | None = None) -> Component:
    """Return the component that a file defines, or one made of what its ``model()`` returns.

    That of a robot's file is made by `mbcore.from_urdf` (.urdf) or `mbcore.from_mjcf` (.xml).

    Parameters
    ----------
    file : Path
        A Python file, or that of a robot.
    options : mapping of str to object, optional
        What ``component`` gets: ``tyre``, ``limits``, ``arrays`` and ``trailers``; or
        `mbcore.from_urdf`.

    Raises
    ------
    ModelError
        The file defines neither, or fails; names the line.
    WrongCallError
        Its component does not take the options, or the tyre property file is wrong.
    """
    if is_robot(file):
        return robot_component(file, options or {})
    importable(file)
    defined = functions(file)
    try:
        if options:
            _refuse_without(file, options)
            return load_component(file, **options)
        if "component" in defined:
            return load_component(file)
        if "model" not in defined:
            raise ModelError(
                f"{file} has no function component() that returns a mbcore.fmi.Component, and no "
                "model() that returns a Model; 'mbcore new NAME' writes a file that has both"
            )
        made = load_module(file).model()
    except _OWN as error:
        if isinstance(error, ModelError) and options and f"{options.get('tyre')}" in str(error):
            raise WrongCallError(str(error)) from error  # it names the property file
        raise
    except Exception as error:
        raise ModelError(_where(file, error)) from error
    if isinstance(made, Model):
        made = made.equations()
    if not isinstance(made, Equations):
        raise ModelError(f"model() of {file} gives {made!r}; return a Model or its equations")
    return as_component(made)


def _refuse_without(file: Path, options: Mapping[str, object]) -> None:
    make = getattr(load_module(file), "component", None)
    taken = {} if make is None else signature(make).parameters
    for option in options:
        if option not in taken:
            raise WrongCallError(
                f"{defined_name(file)} {OPTIONS[option]}, so that it cannot be made with "
                f"--{option}; leave it out, or write component({', '.join(options)})"
            )


def _where(file: Path, error: Exception) -> str:
    """Return what to say of an error in a user's file: its last line there, kind and words."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    place = f", line {lines[-1]}" if lines else ""
    return f"{file}{place}: {type(error).__name__}: {error}"
