"""Slips of elements: velocities in contacts, forbidden, free, held, or degrees of freedom."""

from __future__ import annotations

import math

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.quantities.quantity import FORCE_UNITS, Quantity, Role, with_article
from mbcore.model.quantities.switched_constraints import (
    EventOwner,
    Stopping,
    SwitchedConstraint,
    add_switched_constraint,
)
from mbcore.model.units.text_units import is_value
from mbcore.model.variables import Number, State, Value, Visibility


class Slip(Quantity):
    """One slip s = V(x) ẋ of an element, a velocity in a contact.

    ``name`` is what messages call it, ``unit`` ``"m/s"`` or ``"rad/s"``, and ``zero`` says whether
    it is forbidden at first. ``expression`` is linear in the nodal velocities; ``velocity`` and
    ``force`` are symbols of the slip and its dual λ for users' expressions. ``state`` is the record
    of a degree of freedom, ``held`` the switched constraint of `hold`, if there is one; ``model``
    is the model of its element.
    """

    def __init__(self, name: str, expression: ca.SX, unit: str = "m/s", zero: bool = True) -> None:
        super().__init__(name, expression, unit, Role.ZERO if zero else Role.FREE)
        self.velocity = ca.SX.sym(f"{name}:velocity")
        self.state: State | None = None
        self.held: SwitchedConstraint | None = None
        self.model: EventOwner | None = None

    @property
    def rate(self) -> ca.SX:
        """The symbol of the slip itself; it corresponds to the rate of a deformation."""
        return self.velocity

    @property
    def force(self) -> ca.SX:
        """Symbol of the slip force λ: that of its laws, or a constraint force, or both added.

        It is positive where it acts against a positive slip; on the mechanism its power is -λ s::

            contact.lateral.law(c * contact.lateral.velocity)    # c > 0 takes energy
            model.output("friction", contact.lateral.force, unit="N")
        """
        return self.dual

    def zero(self) -> Slip:
        """Forbid the slip (s^o), a non-holonomic constraint.

        Raises
        ------
        RoleError
            If a law acts on it, or it is held while a condition holds.
        """
        if self.laws:
            raise RoleError(f"{self.name}: a slip with a force law cannot be forbidden as well")
        self._refuse_held("forbidden")
        self._take(Role.ZERO)
        return self

    def dof(
        self,
        name: str | None = None,
        start: Value = 0.0,
        *,
        nominal: Value = 1.0,
        unit: str | None = None,
        display_unit: str | None = None,
        visibility: Visibility = "output",
        description: str = "",
    ) -> Slip:
        """Make it a degree of freedom of velocity, a generalized speed: the slip is a state.

        It has a rate and no value, so the configuration needs a kinematic coordinate for it, as
        for each zero slip. ``display_unit`` is what tools show it in, such as ``"km/h"``, while all
        values stay in SI units; ``unit`` is the state's SI unit, if it differs from the slip's.
        A positive ``law`` on it brakes a positive velocity, and a negative one drives::

            forward = wheel.longitudinal.dof("v", start=2)
            forward.law(-force)             # a positive force drives forwards

        Parameters
        ----------
        name : str, optional
            Name of the state, by default the slip's.
        start, nominal : number or str
            Value at the start, and natural size, in ``unit``.
        unit, display_unit : str, optional
            SI unit, and the unit that tools display.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        description : str
            Description in one line.

        Raises
        ------
        RoleError
            If it is a degree of freedom already.
        ModelError
            If ``start`` is not a finite number, and no text with its unit (``"50 km/h"``).
        """
        if not (is_value(start) if isinstance(start, str) else math.isfinite(start)):
            raise ModelError(
                f"{self.name} starts with {start!r}: give a finite number. A slip has one name, "
                "for its velocity is the state and there is no value"
            )
        self._refuse_held("a degree of freedom")
        at, size = self._check_state("value", name, start, nominal, unit, display_unit)
        self._take(Role.DOF)
        self.state = State(
            name or self.name,
            self.velocity,
            at,
            unit or self.unit,
            description,
            size,
            visibility,
            display_unit,
        )
        return self

    def release(self) -> Slip:
        """Allow the slip (s^c); a force law may act on it. A hold on it is removed."""
        if self.held is not None and self.model is not None:
            del self.model.events[self.held.name]
        self.role, self._chosen, self.held = Role.FREE, False, None
        return self

    def hold(
        self,
        when: Number = 1.0,
        *,
        name: str | None = None,
        nominal: float = 1.0,
        limit: ca.SX | None = None,
        loosens: Number = 0.0,
        stopping: Stopping = Stopping(),  # noqa: B008
    ) -> Slip:
        """Hold a free slip at zero, by a constraint force, while a condition is 1.

        The condition may change during a run; the states stay those of the model with the slip
        free. Where the slip becomes held, at an event or at the start, an impulse makes it zero,
        with the least change of kinetic energy. Drift is removed in the same way after steps. Laws
        on the slip go on acting, so let them be zero while it is held; ``force`` is the sum of
        both::

            wheel.lateral.release().hold(ca.eq(tyres, 2))       # a choice by a parameter
            clutch = model.add(Speed("clutch", engine.rate - gearbox.rate, unit="rad/s")).slip
            clutch.hold(engaged)                                # a discrete variable

        For a slip that is always forbidden `zero` is better: there is one state less.

        Parameters
        ----------
        when : number or expression
            1 while the slip is held, else 0, of parameters, discrete variables and modes of events.
        name : str, optional
            Name of the event whose mode says whether it is held, by default the slip's name and
            ``.held``.
        nominal : float
            Natural size of the slip, m/s or rad/s; a drift of 1e-12 of it, and rounding errors, are
            tolerated.
        limit : SX, optional
            Largest force that can hold it, as in dry friction, where ``when`` ends as soon as it is
            exceeded. Such a slip may follow from other held slips: then these hold it, and its
            force is zero. Otherwise that is a singular configuration.
        loosens : number or expression
            1 while a law on the slip goes on from the force that held it. Where laws of constraint
            forces have two solutions, it is the one with that force.
        stopping : Stopping
            Which slips with a limit are stopped: none that is zero because its joint passes a dead
            centre.

        Raises
        ------
        RoleError
            If the slip is not free, or held already.
        ModelError
            If ``when`` is not a scalar, the name is taken, or ``nominal`` is not positive.
        """
        if self.role is not Role.FREE:
            assert self.role is not None
            raise RoleError(
                f"{self.name}: a free slip may be held, but this one is {with_article(self.role)}; "
                "call release() first"
            )
        if self.held is not None:
            raise RoleError(f"{self.name} is already held; give all in one condition")
        self.held = add_switched_constraint(
            self.model, self.name, when, name, nominal, limit, loosens, stopping
        )
        return self

    def _refuse_held(self, role: str) -> None:
        if self.held is not None:
            raise RoleError(
                f"{self.name}: a slip that a condition holds cannot also be {role}; "
                "call release() first"
            )

    def law(self, force: Number) -> Slip:
        """Let a slip force act, an expression that may use ``velocity`` and other quantities.

        It resists: a positive force acts against a positive velocity. A drive with the force F is
        ``law(-F)``, or ``model.load(F, slip.velocity)``.

        Raises
        ------
        RoleError
            If the slip is forbidden: its force is a constraint force.
        """
        if self.role is Role.ZERO:
            raise RoleError(
                f"{self.name}: a law acts on a free slip, but this one is forbidden; "
                "call release() or dof() first"
            )
        self.laws.append(
            checks.expression(f"law on {self.name}", "force", force, FORCE_UNITS.get(self.unit, ""))
        )
        return self
