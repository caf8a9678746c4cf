"""Functional Mock-up Units: ``export(model.equations(), "out")`` makes them of any model."""

from mbcore.fmi.closed_loop import LoopOptions, closed_loop
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.export import export
from mbcore.fmi.parameter_file import write_parameters
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.systems.system import System

__all__ = [
    "CoSimulation",
    "Component",
    "Experiment",
    "LoopOptions",
    "System",
    "Terminal",
    "closed_loop",
    "export",
    "write_parameters",
]
