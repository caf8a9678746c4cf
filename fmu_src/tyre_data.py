"""The tyres of a vehicle, `car` or `iltis`: a law and its radii, mostly of a property file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import casadi as ca
from scipy.optimize import brentq

from mbcore import ROAD_CAR_TYRE, MagicFormula, TyreLaw
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.wording import shortened

Limits = Literal["hold", "free", "refuse"]
RIM = 0.5
"""Radius of the rim where the file has none, in unloaded radii."""
HIGHEST = 1.2
"""Largest loaded radius, in unloaded radii."""
ROUNDS = 20
"""Of finding the spin at which the radii are those of that spin; each gains three digits."""


@dataclass(frozen=True)
class TyreData:
    """A tyre of any law, with further data for a vehicle.

    Attributes
    ----------
    name : str
        Of the file, or of the law.
    left : TyreLaw
        Law of the tyres on the left; those on the right are its mirror image.
    radius : float
        Of the unloaded tyre, m.
    rim : float
        Radius to which it can be pressed, m.
    radial_stiffness, radial_damping : float, optional
        N/m and N.s/m, in place of the law's own; for laws without a radial spring.

    Raises
    ------
    ModelError
        If a number is out of its range, or the law is none.
    """

    name: str
    left: TyreLaw
    radius: float
    rim: float
    radial_stiffness: float | None = None
    radial_damping: float | None = None

    def __post_init__(self) -> None:
        title = f"tyre {self.name}"
        if not isinstance(self.left, TyreLaw):
            raise ModelError(f"{title}: left is {self.left!r}; give a law, as in LinearTyre(5e4)")
        radius = checks.real(title, "radius", self.radius, above=0, unit="m")
        checks.real(title, "rim", self.rim, above=0, below=radius, unit="m")
        if self.radial_stiffness is not None:
            checks.real(title, "radial_stiffness", self.radial_stiffness, above=0, unit="N/m")
        if self.radial_damping is not None:
            checks.real(title, "radial_damping", self.radial_damping, least=0, unit="N.s/m")

    def rolling(self, load: float, speed: float) -> tuple[float, float]:
        """Return the loaded and the rolling radius of an upright wheel.

        Parameters
        ----------
        load : float
            N.
        speed : float
            At which the wheel rolls freely, m/s.

        Returns
        -------
        loaded, rolling : float
            Distance of the wheel's centre from the road, and speed over spin, m.

        Raises
        ------
        ModelError
            If the tyre does not carry the load, or carries it where it is not pressed, or has no
            radial spring.
        """
        carried, rolled = self._radially(load)
        loaded = rolling = self.radius
        for _ in range(ROUNDS):
            turning = speed / rolling

            def missing(radius: float, turning: float = turning) -> float:
                return float(carried(radius, turning)) - load

            if missing(self.rim) < 0:
                raise ModelError(
                    f"{self.name}: the tyre is pressed to its rim by the car's load of "
                    f"{load:.0f} N; take a tyre of a heavier vehicle"
                )
            highest = HIGHEST * self.radius
            if missing(highest) > 0:
                raise ModelError(
                    f"{self.name}: at {speed:.4g} m/s the tyre carries more than the car's load of "
                    f"{load:.0f} N at a loaded radius of {highest:.3g} m, {HIGHEST:g} times the "
                    "unloaded one; correct its free radius (in a property file Q_RE0 and Q_V1) or "
                    "the height of its rim (RIM_RADIUS and BOTTOM_OFFST)"
                )
            loaded = brentq(missing, self.rim, highest, xtol=1e-15)
            rolling = float(rolled(loaded, turning))
        return loaded, rolling

    def _radially(self, load: float) -> tuple[Callable[..., float], Callable[..., float]]:
        """Return force of the spring and rolling radius at a load, by loaded radius and spin."""
        r, spin = ca.SX.sym("radius"), ca.SX.sym("spin")
        own = None if self.radial_stiffness is not None else self.left.spring(r, spin)
        if own is not None:
            force = own.force
        elif self.radial_stiffness is not None:
            force = self.radial_stiffness * (self.radius - r)
        else:
            raise ModelError(
                f"{self.name}: {type(self.left).__name__} has no radial spring of its own; give "
                "radial_stiffness"
            )
        effective = self.left.effective_radius(ca.SX(load), spin)
        return (
            ca.Function("carried", [r, spin], [force]),
            ca.Function("rolled", [r, spin], [r if effective is None else effective]),
        )

    def law(self, side: int, friction: ca.SX) -> TyreLaw:
        """Return the law on a side (1 left, -1 right), its friction scaled by a factor."""
        return (self.left if side > 0 else self.left.on_other_side()).on_road(friction)


def tyre_data(
    tyre: str | PathLike[str] | TyreData | None = None, limits: Limits = "hold"
) -> TyreData:
    """Return the tyre of a property file, or the one that is given.

    Parameters
    ----------
    tyre : path or TyreData, optional
        The file, by default `mbcore.ROAD_CAR_TYRE`.
    limits : {"hold", "free", "refuse"}
        Treatment of arguments outside the file's ranges, as in `mbcore.MagicFormula`.

    Raises
    ------
    ModelError
        If the file cannot be used; names file and line. Or if there are no such limits, or these
        are given for a tyre that has its own.
    """
    if isinstance(tyre, TyreData):
        if limits != "hold":
            raise ModelError(
                f"{tyre.name}: limits={limits!r} is for a property file; a law that is given has "
                "its own, so leave limits out"
            )
        return tyre
    if not (tyre is None or isinstance(tyre, str | PathLike)):
        what = f"a {type(tyre).__name__}" if isinstance(tyre, TyreLaw) else shortened(repr(tyre))
        raise ModelError(
            f"tyre is {what}; give the path of a property file (.tir), or TyreData, which has a "
            "law and its radii"
        )
    file = Path(ROAD_CAR_TYRE if tyre is None else tyre)
    left = MagicFormula.from_tir(file, side="left", limits=limits)
    radius, rim = (float(left.coefficients[of]) for of in ("UNLOADED_RADIUS", "RIM_RADIUS"))
    return TyreData(file.name, left, radius, rim or RIM * radius)
