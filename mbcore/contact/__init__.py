"""Contact laws, impacts, clearances, oil films, and rolling that may slip.

Import the functions `clearance.clearance` and `hertz.stiffness` from their modules: the one has the
name of its module, the other is Hertz's by its module alone.
"""

from mbcore.contact.clearance import Clearance, SwitchedLaw
from mbcore.contact.hertz import (
    Flores,
    HuntCrossley,
    Hysteresis,
    KelvinVoigt,
    LankaraniNikravesh,
)
from mbcore.contact.impact import Impact, ImpactContact, unilateral_contact
from mbcore.contact.journal_bearing import Film, film
from mbcore.contact.regularized import Regularization, Regularized, regularize, regularize_pair
from mbcore.elements.friction.coulomb import CoulombFriction

__all__ = [
    "Clearance",
    "CoulombFriction",
    "Film",
    "Flores",
    "HuntCrossley",
    "Hysteresis",
    "Impact",
    "ImpactContact",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "Regularization",
    "Regularized",
    "SwitchedLaw",
    "film",
    "regularize",
    "regularize_pair",
    "unilateral_contact",
]
