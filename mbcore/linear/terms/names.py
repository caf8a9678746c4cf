"""Names and meanings of the terms of M, C and K, [Schwab2002] (A.114) to (A.116).

Used by `mbcore.linear.terms.contributions` alone; it stands apart because it says words only.
"""

from __future__ import annotations

MEANINGS = {
    "M^r": "inertia",
    "M^p": "inertia felt by motions prescribed by rates",
    "C^d": "damping of laws",
    "C^g": "convective accelerations",
    "C^h": "convective inertia terms, gyroscopic ones among them",
    "C^l": "loads by velocities",
    "C^p": "motions prescribed by rates",
    "K^s": "stiffness of laws",
    "K^f": "geometric stiffness: stresses on changed directions",
    "K^d1": "dampers' rates by the changed configuration",
    "K^d2": "dampers' rates by changed velocities",
    "K^h1": "convective inertia terms by the changed configuration",
    "K^h2": "convective inertia terms by changed velocities",
    "K^m": "mass matrix by the changed configuration, times accelerations",
    "K^g1": "accelerations on changed first derivatives of deformations",
    "K^g2": "convective accelerations by changed velocities",
    "K^g3": "third derivatives of deformations",
    "K^l": "loads and weight by the changed configuration",
    "K^p": "motions prescribed by the state",
    "K^z": "auxiliary states",
}
"""Meaning of each term. The first letter is the matrix; K^z, with auxiliary states as columns, is
in no matrix and takes part in eigenvalues only."""
BEYOND_THE_TEXT = ("M^p", "C^l", "C^p", "K^l", "K^p", "K^z")
"""Terms that the text does not have; a table leaves them out where they vanish."""


def of_rates(name: str) -> str:
    """Return the term of C that a term of K is in the columns of rates."""
    letter = name.removeprefix("K^")[0]
    return f"C^{letter}" if letter in "dhl" or name == "K^g2" else "C^p"
