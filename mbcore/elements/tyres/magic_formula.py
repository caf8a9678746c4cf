"""The Magic Formula as a tyre's law, from a property file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import Literal

import casadi as ca

from mbcore.elements.tyres import vertical
from mbcore.elements.tyres.coefficients import (
    FALLBACKS,
    NEW_SCALING,
    OLD_SCALING,
    OTHER_NAMES,
    SCALING,
    TURN_SLIP,
    VERSIONS,
    coefficients_of,
    given,
    names_of,
    needed_of,
    refuse_singular_spin,
    version_of,
)
from mbcore.elements.tyres.conditions import Conditions
from mbcore.elements.tyres.finite import refuse_infinite
from mbcore.elements.tyres.formulas import MagicFormulas
from mbcore.elements.tyres.law import (
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreLimit,
    TyreRelaxation,
    TyreSpring,
    road_friction,
)
from mbcore.elements.tyres.relaxation import relaxation_of, warn_of_missing
from mbcore.elements.tyres.remarks import warn_of_file
from mbcore.elements.tyres.tir_file import RANGES, TirFile, read_tir
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.variables import Number

ROAD_CAR_TYRE = Path(__file__).with_name("road_car.tir")
"""Property file of a tyre 205/55 R 16 for the Magic Formula 6.2: made up, with usual properties."""
ALL_SCALING = (*SCALING, *OLD_SCALING, *NEW_SCALING, "LSGKP", "LSGAL", "LCZ")
SIDES = ("left", "right")
LIMITS = ("hold", "free", "refuse")
UNITS = {"load": " N", "slip ratio": "", "slip angle": " rad", "camber": " rad", "pressure": " Pa"}
"""Of the arguments that have a range."""
DIVISORS = ("UNLOADED_RADIUS", "FNOMIN", "LONGVL", "NOMPRES", "VXLOW")
"""Values of a file beside the coefficients that formulas take, and divide by."""


@explains_construction
@dataclass(frozen=True)
class MagicFormula(TyreLaw):
    """A measured tyre: the Magic Formula 5.2 (PAC2002), 6.1 or 6.2, in steady state.

    Make it from a property file by `from_tir`.

        F = D sin(C arctan(B x - E (B x - arctan(B x)))) + S_V,   x = slip + S_H

    Attributes
    ----------
    coefficients : dict of str to number or expression
        By their names in files, in SI units; PTX3 with the sign that it has in PAC2002.
    version : {52, 61, 62}
        Of the formula.
    mirrored : bool
        The tyre is on the other side of the vehicle than when it was measured.
    ranges : dict of str to pair of numbers
        Least and greatest load, N, slip ratio, slip angle and camber, rad, and pressure, Pa.
    limits : {"hold", "free", "refuse"}
        Treatment of arguments outside the ranges: held at their ends, used unchanged, or refused
        by name in a run, an FMU or an equilibrium; a `Tyre` checks them.
        Held below the least load, forces are those of the least load in proportion to the load.
    pressure : number or expression
        Inflation pressure, Pa.
    turn_slip : bool
        Whether turn slip counts.
    load_curve : sequence of pairs of numbers
        Deflections, m, and loads, N, of the radial spring, in place of a stiffness.
    """

    coefficients: dict[str, Number]
    version: int
    mirrored: bool = False
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    limits: Literal["hold", "free", "refuse"] = "hold"
    pressure: Number = 2e5
    turn_slip: bool = False
    load_curve: Sequence[tuple[float, float]] = ()

    def __post_init__(self) -> None:
        title = "Magic Formula"
        if self.limits not in LIMITS:
            given_ = " or ".join(f'"{one}"' for one in LIMITS)
            raise ModelError(f"{title}: limits is {self.limits!r}; give {given_}")
        if self.version not in set(VERSIONS.values()):
            raise ModelError(f"{title}: version is {self.version!r}; give 52, 61 or 62")
        needed = (*DIVISORS, *names_of(self.version))
        missing = [name for name in needed if name not in self.coefficients]
        if missing:
            raise ModelError(
                f"{title}: coefficients have no {missing[0]} and {len(missing) - 1} more; make it "
                "by MagicFormula.from_tir"
            )

    @classmethod
    def from_tir(
        cls,
        path: str | PathLike[str],
        *,
        side: Literal["left", "right"],
        scaling: Mapping[str, Number] | None = None,
        pressure: Number | None = None,
        limits: Literal["hold", "free", "refuse"] = "hold",
        turn_slip: bool = False,
    ) -> MagicFormula:
        """Return the law of a tyre property file.

        Parameters
        ----------
        path : path
            Of the file (``.tir``).
        side : {"left", "right"}
            Side of the vehicle on which the tyre is mounted.
        scaling : mapping of str to number or expression, optional
            Scaling factors such as LMUY in place of the file's, parameters of a model for example.
        pressure : number or expression, optional
            Inflation pressure, Pa, in place of the file's.
        limits : {"hold", "free", "refuse"}
            As in the attribute.
        turn_slip : bool
            Whether turn slip counts; the file must have its coefficients.

        Raises
        ------
        ModelError
            If the file cannot be used, with file and line, or an argument is not one of these.
        """
        title = f"Magic Formula of {path}"
        if side not in SIDES:
            raise ModelError(f'{title}: side is {side!r}; give "left" or "right"')
        if scaling is not None and not isinstance(scaling, Mapping):
            raise ModelError(
                f'{title}: scaling is {scaling!r}; give factors, as in {{"LMUY": 0.8}}'
            )
        file = read_tir(path)
        version = version_of(file)
        if turn_slip and not any(name in file.numbers for name in TURN_SLIP):
            raise ModelError(f"{title}: the file has no turn slip coefficients such as PDXP1")
        numbers = coefficients_of(file, turn_slip) | {name: _value(file, name) for name in DIVISORS}
        if turn_slip:
            refuse_singular_spin(file)
        coefficients: dict[str, Number] = dict(numbers)
        for name, factor in (scaling or {}).items():
            if name not in names_of(version) or name not in ALL_SCALING:
                raise ModelError(
                    f"{title}: {name} is not a scaling factor; there are, for example, "
                    "LMUX, LMUY, LKX, LKY"
                )
            coefficients[name] = checks.number(title, name, factor, least=0)
        if pressure is None:
            pressure = _value(file, "INFLPRES") or _value(file, "NOMPRES")
        law = cls(
            coefficients,
            version,
            mirrored=_measured_side(file, side) != side,
            ranges={of: file.range(of) for of in RANGES},
            limits=limits,
            pressure=checks.number(title, "pressure", pressure, above=0, unit="Pa"),
            turn_slip=turn_slip,
            load_curve=tuple(file.curve),
        )
        own = replace(law, pressure=numbers["NOMPRES"])
        warn_of_file(file, needed_of(file, turn_slip))
        refuse_infinite(file, numbers, lambda *given: _formulas_of(own, *given))
        return law

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return forces and moments at combined slip."""
        mirror = -1 if self.mirrored else 1
        formulas = self._formulas(contact)
        load = formulas.at.load
        factors = formulas.factors()
        pure = formulas.lateral(factors)
        along, stiffness = formulas.longitudinal(factors)
        along *= formulas.longitudinal_reduction()  # (4.E50)
        across = pure.force * formulas.lateral_reduction()
        across += formulas.ply_steer(pure.friction, factors)  # (4.E58)
        rolling = formulas.rolling_resistance(along)
        if not given(self.coefficients["QSY2"]):
            # Torque and spin of a wheel belong together: F_x acts on the effective radius.
            rolling -= contact.lever * along
        # A tyre that hardly touches has the forces of its least load, in proportion.
        share = 1 if self.limits == "free" else ca.fmin(contact.load / load, 1)
        return TyreForces(
            longitudinal=share * along,
            lateral=share * mirror * across,
            aligning_moment=share
            * mirror
            * formulas.aligning_moment((along, across), stiffness, pure, factors),
            overturning_moment=share * mirror * formulas.overturning_moment(across),
            rolling_resistance=share * rolling,
        )

    def relaxation(self, contact: TyreContact) -> TyreRelaxation:
        """Return relaxation lengths and damping of the file."""
        warn_of_missing(self.coefficients)
        return relaxation_of(self._formulas(contact))

    def on_other_side(self) -> MagicFormula:
        """Return the mirror image."""
        return replace(self, mirrored=not self.mirrored)

    def on_road(self, friction: Number) -> MagicFormula:
        """Return the tyre with LMUX and LMUY scaled by the road."""
        factor = road_friction(self, friction)
        scaled = {name: self.coefficients[name] * factor for name in ("LMUX", "LMUY")}
        return replace(self, coefficients=self.coefficients | scaled)

    @property
    def unloaded_radius(self) -> Number:
        """Unloaded radius of the file, m."""
        return self.coefficients["UNLOADED_RADIUS"]

    def spring(self, loaded_radius: ca.SX, spin_rate: ca.SX) -> TyreSpring:
        """Return the radial spring of the file."""
        vertical.warn_of_missing(self.coefficients, self.load_curve)
        return self._vertical().spring(loaded_radius, spin_rate)

    def effective_radius(self, load: ca.SX, spin_rate: ca.SX) -> ca.SX | None:
        """Return the effective radius; None if the file has no DREFF and FREFF."""
        if not any(given(self.coefficients[name]) for name in ("DREFF", "FREFF")):
            return None
        return self._vertical().effective_radius(load, spin_rate)

    def _vertical(self) -> vertical.Vertical:
        pressure = self._held("pressure", ca.SX(self.pressure))
        return vertical.Vertical(self.coefficients, self.load_curve, pressure)

    def _formulas(self, contact: TyreContact) -> MagicFormulas:
        """Return the equations at a contact, as it was on the side of the measurement."""
        mirror = -1 if self.mirrored else 1
        return MagicFormulas(
            self.coefficients,
            self.version,
            Conditions(
                load=self._held("load", contact.load),
                slip_ratio=self._held("slip ratio", contact.slip_ratio),
                slip_angle=self._held("slip angle", mirror * contact.slip_angle),
                camber=self._held("camber", mirror * contact.camber),
                turn_slip=mirror * contact.turn_slip if self.turn_slip else None,
                speed=contact.speed,
                direction=contact.direction,
                pressure=self._held("pressure", ca.SX(self.pressure)),
            ),
        )

    def in_range(self, contact: TyreContact) -> ca.SX:
        """Return 1 where all arguments are inside the file's ranges, else 0."""
        inside = ca.SX(1)
        for of, value in self._arguments(contact).items():
            least, most = self.ranges.get(of, (-math.inf, math.inf))
            inside = ca.logic_and(inside, ca.logic_and(value >= least, value <= most))
        return inside

    def margin(self, contact: TyreContact) -> ca.SX | None:
        """Return how far all arguments are inside the file's ranges."""
        margins = []
        for of, value in self._arguments(contact).items():
            low, high = self.ranges.get(of, (-math.inf, math.inf))
            for end, beyond in ((low, value - low), (high, high - value)):
                if math.isfinite(end):
                    margins.append(beyond / (abs(end) or 1.0))
        return reduce(ca.fmin, margins) if margins else None

    def limits_at(self, contact: TyreContact) -> Sequence[TyreLimit]:
        """Return the ranges of the file where limits are refused, else none."""
        if self.limits != "refuse":
            return ()
        found = []
        for of, value in self._arguments(contact).items():
            least, most = self.ranges.get(of, (-math.inf, math.inf))
            above, below = value - least, most - value
            margin = above if most == math.inf else below
            if math.isfinite(least) and math.isfinite(most):
                margin = ca.fmin(above, below)
            if math.isfinite(least) or math.isfinite(most):
                unit = UNITS[of]
                message = (
                    f"outside the range of the tyre's property file, {least:g} to {most:g}{unit}; "
                    'keep within it, or take the tyre with limits="hold"'
                )
                found.append(TyreLimit(of, margin, value, message))
        return found

    def _arguments(self, contact: TyreContact) -> dict[str, ca.SX]:
        """Return the arguments that have a range, as on the side of the measurement."""
        mirror = -1 if self.mirrored else 1
        return {
            "load": contact.load,
            "slip ratio": contact.slip_ratio,
            "slip angle": mirror * contact.slip_angle,
            "camber": mirror * contact.camber,
            "pressure": ca.SX(self.pressure),
        }

    def _held(self, of: str, value: ca.SX) -> ca.SX:
        """Return the argument, held at the ends of its range."""
        least, most = self.ranges.get(of, (-math.inf, math.inf))
        if self.limits != "free":  # trial steps go beyond ranges that are refused
            if least > -math.inf:
                value = ca.fmax(value, least)
            if most < math.inf:
                value = ca.fmin(value, most)
        return value


def _formulas_of(
    law: MagicFormula,
    coefficients: Mapping[str, float],
    contact: TyreContact,
    radius: ca.SX,
    spin: ca.SX,
) -> tuple[ca.SX, ca.SX]:
    """Return forces of a law with other coefficients, and all else that must be finite."""
    law = replace(law, coefficients=dict(coefficients))
    forces, relaxation = law.forces(contact), relaxation_of(law._formulas(contact))
    vertical = law._vertical()
    spring = vertical.spring(radius, spin)
    others = (
        *(spring.force, spring.energy, spring.damping),
        *(relaxation.lengths + relaxation.peaks + relaxation.times),
    )
    acting = ca.vertcat(*(getattr(forces, each.name) for each in fields(forces)))
    return acting, ca.vertcat(*others, vertical.effective_radius(contact.load, spin))


def _value(file: TirFile, name: str) -> float:
    """Return a value that formulas divide by, or what stands for it."""
    names = [name, *(other for other, own in OTHER_NAMES.items() if own == name)]
    found = [file.numbers[one] for one in names if file.numbers.get(one, 0.0) > 0]
    return found[0] if found else FALLBACKS.get(name, 0.0)


def _measured_side(file: TirFile, side: str) -> str:
    """Return the side on which the tyre was measured; the one asked for if the file has none."""
    file.refuse("TYRESIDE")
    given = file.texts.get("TYRESIDE", "").lower()
    if given in SIDES:
        return given
    if given not in ("", "unknown", "symmetric"):
        raise ModelError(
            f"{file.place('TYRESIDE')}: TYRESIDE = {file.texts['TYRESIDE']!r}; give LEFT or RIGHT"
        )
    warn_user(
        f"{file.place('TYRESIDE')}: TYRESIDE does not say where it was measured; not mirrored"
    )
    return side
