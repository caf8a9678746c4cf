"""Functional Mock-up Units: ``export(model.equations(), "out")`` makes them of any model."""

from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.export import export

__all__ = ["Component", "Experiment", "Terminal", "export"]
