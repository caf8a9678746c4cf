"""Methods of integration as records: Python, C and FMUs take them from here."""

from mbcore.integrators.method import Method
from mbcore.integrators.table import add_method, added_method, remove_method
from mbcore.integrators.tableau import Interpolant, Tableau
from mbcore.model.variables import Item

__all__ = [
    "Interpolant",
    "Item",
    "Method",
    "Tableau",
    "add_method",
    "added_method",
    "remove_method",
]
