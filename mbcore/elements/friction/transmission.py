"""Friction of transmissions: of threads and teeth, by the forces of couplings and gear pairs."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.friction.rate_friction import Grip, RateFriction, size_of
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.gear import GearPair
from mbcore.model.errors import ModelError
from mbcore.model.expressions import depends
from mbcore.model.quantities import Deformation
from mbcore.model.tables import derivatives
from mbcore.model.variables import Number


class TransmissionFriction(RateFriction):
    """Friction of a screw with a square thread, of gears by their efficiency, or of their teeth.

    Parameters
    ----------
    joint : Coupling or GearPair
        A coupling of the displacement of a slide and the angle of a hinge is a screw, one of two
        such angles is gears.
    law : FrictionLaw or number or expression
        The law, or its coefficient.
    radius : number or expression, optional
        Of a screw, the mean radius of its thread, m; of a gear pair, the mean distance of the
        teeth's contact from the pitch point. Coupled gears have none.

    Raises
    ------
    ModelError
        If the coupling ties something else, or a number is missing or out of its range.
    """

    joints = (Coupling, GearPair)
    known_for = "the coupling of a screw or of gears, or a gear pair"

    def __init__(
        self,
        name: str,
        joint: Coupling | GearPair,
        law: FrictionLaw | Number,
        *,
        radius: Number | None = None,
    ) -> None:
        super().__init__(name, joint, law)
        self.joint = joint
        self.radius = self.optional("radius", radius, above=0.0, unit="m")

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        return self._describe(self.joint.title)

    def _find_grip(self) -> Grip:
        """Return the sliding of the flanks, and their forces."""
        self._refuse_strange(self.joint)
        if isinstance(self.joint, GearPair):
            return self._of_teeth(self.joint)
        return self._of_coupling(self.joint)

    def _of_coupling(self, coupling: Coupling) -> Grip:
        symbols = self._system.symbols
        tied = sorted(symbols.values_in(coupling.expression), key=lambda q: q.unit)
        units = "".join(q.unit for q in tied)
        if units not in ("mrad", "radrad") or symbols.places_in(coupling.expression):
            names = ", ".join(q.name for q in tied) or "no deformation"
            raise ModelError(
                f"{self.title}: coupling {coupling.name} ties {names}; a screw ties one "
                "displacement of a slide and one angle of a hinge, and gears two such angles"
            )
        values = ca.vertcat(*(q.value for q in tied))
        slopes = derivatives.jacobian(coupling.expression, values)
        if depends(slopes, values):
            raise ModelError(
                f"{self.title}: the lead or ratio of coupling {coupling.name} changes during the "
                "motion; friction needs a constant one"
            )
        grip = self._of_screw if units == "mrad" else self._of_gears
        return grip(coupling, tied, ca.horzsplit(slopes))

    def _of_screw(
        self, coupling: Coupling, tied: Sequence[Deformation], slopes: Sequence[ca.SX]
    ) -> Grip:
        """Return the grip of a square thread.

        With the angle λ of its lead, the axial force N cos λ of the normal force is that of the
        coupling, and friction acts along the helix, on r φ' cos λ + z' sin λ.
        """
        if self.radius is None:
            raise ModelError(f"{self.title}: a screw needs the mean radius of its thread, m")
        along, turn = tied
        by_z, by_angle = slopes
        lead = -by_angle / by_z
        slant = ca.sqrt(self.radius**2 + lead**2)
        cosine, sine = self.radius / slant, lead / slant
        rate_of = self._system.rate_of
        rate = self.radius * cosine * rate_of(turn) + sine * rate_of(along)
        load = size_of(by_z * coupling.stress) / cosine
        faster = self.radius * cosine * turn.acceleration + sine * along.acceleration
        return Grip(rate, "m/s", load, load, faster)

    def _of_gears(
        self, coupling: Coupling, tied: Sequence[Deformation], slopes: Sequence[ca.SX]
    ) -> Grip:
        """Return the grip of gears by their efficiency.

        What turns the mesh from one side and resists it on the other, Φ_a a' = -Φ_b b', is resisted
        on both sides by the same share of the coupling's force.
        """
        self._refuse("radius", self.radius, "hinges, screws and gear pairs")
        if coupling.unit not in ("rad", "m"):
            raise ModelError(
                f"{self.title}: coupling {coupling.name} of gears is in {coupling.unit}; write it "
                "in rad or m"
            )
        a, b = tied
        by_a, by_b = slopes
        rate = by_a * self._system.rate_of(a) - by_b * self._system.rate_of(b)
        faster = by_a * a.acceleration - by_b * b.acceleration
        load = size_of(coupling.stress)
        return Grip(rate, f"{coupling.unit}/s", load, load, faster)

    def _of_teeth(self, gears: GearPair) -> Grip:
        """Return the grip of a gear pair's teeth, which slide off the pitch point."""
        if self.radius is None:
            raise ModelError(
                f"{self.title}: a gear pair needs the mean distance of its contact from the pitch "
                "point as radius, m"
            )
        load = size_of(gears.deformations["mesh"].stress)
        rate = gears.q_angle.rate - gears.p_angle.rate
        faster = gears.q_angle.acceleration - gears.p_angle.acceleration
        return Grip(rate, "rad/s", load, self.radius * load, faster)
