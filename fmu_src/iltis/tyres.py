"""The tyres of the ILTIS: those of the benchmark, or those of a tyre property file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import ClassVar

import casadi as ca

from mbcore import (
    CalspanTyre,
    MagicFormula,
    Model,
    Tyre,
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreSpring,
    Wheel,
)
from mbcore.elements.tyres.law import TyreLimit
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number

from ..tyre_data import Limits, TyreData, tyre_data
from .data import DESIGN_LOADS, GROUND, HEIGHT, WHEEL_HEIGHT, DataSheet, HardPoints

COMPLETE, NO_LATERAL_SLIP, SIMPLIFIED = 1, 2, 3
"""Items of the choice ``tyres``."""
SPEED = 20.0
"""At which the vehicle starts by default, m/s: that of the spin for which it rests on its tyres."""


class Tyres(ABC):
    """The tyres of the vehicle.

    Attributes
    ----------
    complete : str
        Name of the first item of the choice ``tyres``.
    calspan : bool
        Whether the data sheet has the constants of the benchmark's tyre.
    ground : float
        Height of the level road from the cabin's mass centre in the design position, m.
    rim : float
        Radius of the rim, m: to it a tyre can be pressed.
    """

    complete: str
    calspan: ClassVar[bool]
    ground: float
    rim: float

    @abstractmethod
    def placed(self, axle: str, at: HardPoints) -> HardPoints:
        """Return the places of a corner, with the radius and the contact of these tyres."""

    @abstractmethod
    def put_on(
        self, wheel: Wheel, side: int, data: DataSheet, choice: ca.SX, standing: bool
    ) -> Tyre:
        """Put a tyre on a wheel; side 1 left, -1 right."""

    @abstractmethod
    def stretched(self, tyre: Tyre, gap: ca.SX) -> ca.SX:
        """Return by how much the spoke is longer than the free radius, m."""

    @abstractmethod
    def stiffness(self, data: DataSheet) -> ca.SX:
        """Return the radial stiffness, N/m, on average up to the load."""

    @abstractmethod
    def add_parameters(self, model: Model) -> None:
        """Add parameters of these tyres that the data sheet has not."""


@dataclass(frozen=True)
class ChosenTyre(TyreLaw):
    """The benchmark's tyre; simplified, it has neither camber force nor aligning torque.

    Where the lateral slip is held at zero, no law gives a force.
    """

    complete: CalspanTyre
    choice: ca.SX

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the forces of the choice."""
        full, acts = ca.eq(self.choice, COMPLETE), ca.ne(self.choice, NO_LATERAL_SLIP)
        found = self.complete.forces(replace(contact, camber=full * contact.camber))
        return TyreForces(found.longitudinal, acts * found.lateral, full * found.aligning_moment)


class BenchmarkTyres(Tyres):
    """The Calspan tyre of the benchmark, with the linear radial spring of the data sheet."""

    complete = "calspan"
    calspan = True
    ground, rim = GROUND, 0.203  # of a rim of 16 inches

    def placed(self, axle: str, at: HardPoints) -> HardPoints:
        """Return the places of the data sheet."""
        del axle
        return at

    def put_on(
        self, wheel: Wheel, side: int, data: DataSheet, choice: ca.SX, standing: bool
    ) -> Tyre:
        """Put a tyre on a wheel; both sides are alike."""
        del side, standing
        constants = ("A0", "A1", "A2", "A3", "A4", "B1", "B3", "B4", "SN", "AF1", "AF2")
        complete = CalspanTyre(**{name: data[f"tyre.{name}"] for name in constants})
        return Tyre(
            wheel,
            ChosenTyre(complete, choice),
            radial_stiffness=data["tyre.stiffness"],
            spring_along="spoke",
            slip_point="centre",
            slowest=data["tyre.slowest"],
        )

    def stretched(self, tyre: Tyre, gap: ca.SX) -> ca.SX:
        """Return the gap: tyres do not grow with their spin."""
        del tyre
        return gap

    def stiffness(self, data: DataSheet) -> ca.SX:
        """Return that of the data sheet."""
        return data["tyre.stiffness"]

    def add_parameters(self, model: Model) -> None:
        """Add none."""


@dataclass(frozen=True)
class FileLaw(TyreLaw):
    """A tyre of a file on a wheel that rolls without longitudinal slip; simplified as above.

    The longitudinal force is that of the constraint, of which the law knows nothing.
    """

    measured: TyreLaw
    choice: ca.SX
    spin: float | None
    """Rate, rad/s, for which the radial spring is while an equilibrium is sought, through any
    loads and slips; None of a tyre that rolls: the rate is the wheel's, and ranges count."""

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the forces of the choice, without longitudinal slip."""
        full, acts = ca.eq(self.choice, COMPLETE), ca.ne(self.choice, NO_LATERAL_SLIP)
        found = self.measured.forces(self._rolling(contact))
        return TyreForces(
            longitudinal=ca.SX(0),
            lateral=acts * found.lateral,
            aligning_moment=full * found.aligning_moment,
            overturning_moment=full * found.overturning_moment,
            rolling_resistance=full * found.rolling_resistance,
        )

    def limits_at(self, contact: TyreContact) -> Sequence[TyreLimit]:
        """Return the ranges of the file, for what the choice takes of the law."""
        if self.spin is not None:
            return ()
        acts = ca.ne(self.choice, NO_LATERAL_SLIP)
        return [
            limit
            if limit.margin.is_constant()
            else replace(limit, margin=ca.if_else(acts, limit.margin, 1))
            for limit in self.measured.limits_at(self._rolling(contact))
        ]

    def _rolling(self, contact: TyreContact) -> TyreContact:
        """Return the contact without longitudinal slip, and without camber where simplified."""
        none, full = ca.SX(0), ca.eq(self.choice, COMPLETE)
        return replace(contact, slip_ratio=none, lever=none, camber=full * contact.camber)

    @property
    def unloaded_radius(self) -> Number | None:
        """Unloaded radius of the file, m."""
        return self.measured.unloaded_radius

    def spring(self, loaded_radius: ca.SX, spin_rate: ca.SX) -> TyreSpring | None:
        """Return the radial spring of the file."""
        spin = spin_rate if self.spin is None else ca.SX(self.spin)
        return self.measured.spring(loaded_radius, spin)


@dataclass
class FileTyres(Tyres):
    """The tyres of a file, on a road so high that the front wheels have their place by design."""

    calspan = False
    data: TyreData
    loaded: float
    """Radius of a front tyre at its design load, m."""
    spin: float
    """Rate, rad/s, at which it rolls at the speed of the start, on its loaded radius."""
    ground: float
    rim: float

    @property
    def complete(self) -> str:  # type: ignore[override]
        """Name of the choice of the whole law."""
        return "magic_formula" if isinstance(self.data.left, MagicFormula) else "law"

    def placed(self, axle: str, at: HardPoints) -> HardPoints:
        """Return the places with the file's radius, and contacts on the road."""
        del axle
        x, y, _ = at.contact
        return replace(at, radius=self.data.radius, contact=(x, y, self.ground))

    def add_parameters(self, model: Model) -> None:
        """Add the friction of the road."""
        model.parameter(
            "tyre.friction",
            1.0,
            minimum=0.0,
            description="factor of the friction that the property file has",
        )

    def put_on(
        self, wheel: Wheel, side: int, data: DataSheet, choice: ca.SX, standing: bool
    ) -> Tyre:
        """Put a tyre on a wheel; the right ones are mirror images of the left ones."""
        measured = self.data.law(side, data["tyre.friction"])
        law = FileLaw(measured, choice, self.spin if standing else None)
        return Tyre(
            wheel,
            law,
            radial_stiffness=self.data.radial_stiffness,
            radial_damping=self.data.radial_damping,
            slowest=data["tyre.slowest"],
        )

    def stretched(self, tyre: Tyre, gap: ca.SX) -> ca.SX:
        """Return the deflection from the free radius at the spin."""
        del gap
        assert tyre.deflection is not None
        return -tyre.deflection

    def stiffness(self, data: DataSheet) -> ca.SX:
        """Return that of the front tyres at the design load."""
        del data
        return ca.SX(DESIGN_LOADS["front"] / (self.data.radius - self.loaded))


def tyres_of(tyre: str | PathLike[str] | TyreData | None, limits: Limits = "hold") -> Tyres:
    """Return the tyres of a property file or of a law, or those of the benchmark.

    Raises
    ------
    ModelError
        If the file cannot be used, or its tyre does not carry the vehicle, or if there are limits
        without a file.
    """
    if tyre is None:
        if limits != "hold":
            raise ModelError(
                f"iltis: limits={limits!r} is for the ranges of a tyre property file, which the "
                "benchmark's tyres do not have; give tyre=, or leave limits out"
            )
        return BenchmarkTyres()
    data = tyre_data(tyre, limits)
    loaded, _ = data.rolling(DESIGN_LOADS["front"], SPEED)
    return FileTyres(data, loaded, SPEED / loaded, WHEEL_HEIGHT - HEIGHT - loaded, data.rim)
