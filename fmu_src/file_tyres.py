"""Tyres of the vehicles from a tyre property file: what `car` and `iltis` need of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal

import casadi as ca
from scipy.optimize import brentq

from mbcore import ROAD_CAR_TYRE, MagicFormula
from mbcore.model.errors import ModelError

Limits = Literal["hold", "free", "refuse"]
RIM = 0.5
"""Radius of the rim where the file has none, in unloaded radii."""
ROUNDS = 20
"""Of finding the spin at which the radii are those of that spin; each gains three digits."""


@dataclass(frozen=True)
class TyreData:
    """A tyre as its file has it.

    Attributes
    ----------
    name : str
        Of the file.
    left : MagicFormula
        Law of the tyres on the left; those on the right are its mirror image.
    radius : float
        Of the unloaded tyre, m.
    rim : float
        Radius to which it can be pressed, m.
    """

    name: str
    left: MagicFormula
    radius: float
    rim: float

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
            If the tyre does not carry the load.
        """
        r, spin = ca.SX.sym("radius"), ca.SX.sym("spin")
        pressed = self.left.spring(r, spin)
        assert pressed is not None
        effective = self.left.effective_radius(ca.SX(load), spin)
        carried = ca.Function("carried", [r, spin], [pressed.force])
        rolled = ca.Function("rolled", [r, spin], [r if effective is None else effective])
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
            loaded = brentq(missing, self.rim, 1.2 * self.radius, xtol=1e-15)
            rolling = float(rolled(loaded, turning))
        return loaded, rolling

    def law(self, side: int, friction: ca.SX) -> MagicFormula:
        """Return the law on a side (1 left, -1 right), its friction scaled by a factor."""
        coefficients = dict(self.left.coefficients)
        for name in ("LMUX", "LMUY"):
            coefficients[name] *= friction
        mirrored = self.left.mirrored if side > 0 else not self.left.mirrored
        return replace(self.left, coefficients=coefficients, mirrored=mirrored)


def tyre_data(path: str | PathLike[str] | None = None, limits: Limits = "hold") -> TyreData:
    """Return the tyre of a property file.

    Parameters
    ----------
    path : path, optional
        Of the file, by default `mbcore.ROAD_CAR_TYRE`.
    limits : {"hold", "free", "refuse"}
        What becomes of arguments outside the file's ranges, as in `mbcore.MagicFormula`.

    Raises
    ------
    ModelError
        If the file cannot be used; names file and line. Or if there are no such limits.
    """
    file = Path(path or ROAD_CAR_TYRE)
    left = MagicFormula.from_tir(file, side="left", limits=limits)
    radius, rim = (float(left.coefficients[of]) for of in ("UNLOADED_RADIUS", "RIM_RADIUS"))
    return TyreData(file.name, left, radius, rim or RIM * radius)
