"""Contact laws, impacts, clearances, oil films, and rolling that may slip.

The functions `clearance.clearance` and `hertz.stiffness` stay in their modules, whose names say
what they are of.
"""

from mbcore.contact.clearance import Clearance
from mbcore.contact.hertz import (
    Flores,
    HuntCrossley,
    Hysteresis,
    KelvinVoigt,
    LankaraniNikravesh,
)
from mbcore.contact.impact import Impact, ImpactContact, unilateral_contact
from mbcore.contact.journal_bearing import Film, film
from mbcore.contact.regularized import Regularized, regularize, regularize_pair

__all__ = [
    "Clearance",
    "Film",
    "Flores",
    "HuntCrossley",
    "Hysteresis",
    "Impact",
    "ImpactContact",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "Regularized",
    "film",
    "regularize",
    "regularize_pair",
    "unilateral_contact",
]
