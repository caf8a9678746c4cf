"""Generalized deformations and slips with their roles and laws."""

from mbcore.model.quantities.deformations import Deformation
from mbcore.model.quantities.quantity import Quantity, Role
from mbcore.model.quantities.slips import Slip

__all__ = ["Deformation", "Quantity", "Role", "Slip"]
