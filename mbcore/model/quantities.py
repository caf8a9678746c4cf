"""Generalized deformations and slips with their roles: one place to import them from."""

from mbcore.model.deformations import Deformation
from mbcore.model.quantity import Quantity, Role
from mbcore.model.slips import Slip

__all__ = ["Deformation", "Quantity", "Role", "Slip"]
