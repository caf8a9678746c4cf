"""Contact laws, impacts, clearances, oil films, and rolling that may slip.

Import the functions `clearance.clearance`, `plane_contact.plane_contact`,
`surface_contact.surface_contact` and `hertz.stiffness` from their modules: the first three have the
names of their modules, the last is Hertz's by its module alone.
"""

from mbcore.contact.clearance import Clearance
from mbcore.contact.compliant_friction import CompliantFriction, SwitchedFriction
from mbcore.contact.hertz import (
    Flores,
    HuntCrossley,
    Hysteresis,
    KelvinVoigt,
    LankaraniNikravesh,
)
from mbcore.contact.impact import Impact, ImpactContact, unilateral_contact
from mbcore.contact.journal_bearing import Film, film
from mbcore.contact.plane_contact import PlaneContact
from mbcore.contact.regularized import Regularization, Regularized, regularize, regularize_pair
from mbcore.contact.surface_contact import SurfaceContact
from mbcore.contact.touching import SwitchedLaw
from mbcore.elements.friction.coulomb import CoulombFriction

__all__ = [
    "Clearance",
    "CompliantFriction",
    "CoulombFriction",
    "Film",
    "Flores",
    "HuntCrossley",
    "Hysteresis",
    "Impact",
    "ImpactContact",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "PlaneContact",
    "Regularization",
    "Regularized",
    "SurfaceContact",
    "SwitchedFriction",
    "SwitchedLaw",
    "film",
    "regularize",
    "regularize_pair",
    "unilateral_contact",
]
