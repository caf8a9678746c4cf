"""Generalized deformations of elements, and coordinates that serve as such."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from mbcore.model import checks, wording
from mbcore.model.errors import ModelError, RoleError, warn_user
from mbcore.model.expressions import total
from mbcore.model.quantities.quantity import FORCE_UNITS, Quantity, Role
from mbcore.model.quantities.spring import Spring
from mbcore.model.quantities.states import StateName, StateNames
from mbcore.model.tables.lookup import with_corners
from mbcore.model.tables.needed_units import refuse_units
from mbcore.model.tables.table import Table
from mbcore.model.variables import Number, Value, Visibility


class Deformation(Quantity):
    """One generalized deformation ε = D(x) of an element, or a coordinate that serves as one.

    Parameters
    ----------
    name : str
        Element and deformation, ``"strut.elongation"``.
    expression : SX
        D(x), scalar.
    unit : str
        ``"m"`` or ``"rad"``, or the unit of the element.
    residual : callable, optional
        ``residual(target)``: D(x) - target in a form that has no branch near the solution, for
        angles that wind; None where the difference itself has none.
    role : Role, optional
        Its role at first; None for a coordinate that is an unknown only.

    Attributes
    ----------
    value : SX
        Symbol of the value ε.
    acceleration : SX
        Symbol of ε̈, for outputs, requirements and events; refused where the motion depends on it.
    """

    def __init__(
        self,
        name: str,
        expression: ca.SX,
        unit: str = "m",
        residual: Callable[[ca.SX], ca.SX] | None = None,
        role: Role | None = Role.RIGID,
    ) -> None:
        super().__init__(name, expression, unit, role)
        self.residual = residual
        self.stated_rate: ca.SX | None = None
        self.rate_if_zero: tuple[Deformation, ...] = ()
        self.target: ca.SX = ca.SX(0)
        self.servo = False
        self.states: StateNames | None = None
        self.alternatives: tuple[Deformation, ...] = ()
        self.stated_energy: ca.SX = ca.SX(0)
        self.springs: tuple[Spring, ...] = ()
        self.value = ca.SX.sym(f"{name}:value")
        self._rate = ca.SX.sym(f"{name}:rate")
        self.acceleration = ca.SX.sym(f"{name}:acceleration")

    @property
    def rate(self) -> ca.SX:
        """Symbol of the rate ε̇."""
        return self._rate

    @property
    def winds(self) -> bool:
        """Whether it is an angle whose formula D(x) has branches."""
        return self.residual is not None

    @property
    def stress(self) -> ca.SX:
        """Symbol of the generalized stress σ: that of its laws, or a constraint force.

        It is positive where it acts against growth, as tension in a bar; on the mechanism its power
        is -σ ε̇. A fixed coordinate has none: its support's force is ``reaction``::

            rod.elongation.rigid()
            model.output("pull", rod.elongation.stress, unit="N")  # positive under tension
        """
        return self.dual

    @property
    def is_zero(self) -> bool:
        """Whether the deformation is rigid at zero."""
        return self.role is Role.RIGID and self.target.is_zero()

    @property
    def short_rate(self) -> ca.SX | None:
        """The rate as the element states it, where that form holds."""
        if self.stated_rate is None or not all(q.is_zero for q in self.rate_if_zero):
            return None
        return self.stated_rate

    def _start(self) -> float:
        """Default start value of a state."""
        return 0.0

    def rigid(self, value: Number = 0.0) -> Deformation:
        """Keep the deformation at a constant value (ε^o); its stress is a constraint force."""
        kept = checks.number(self.name, "value", value, unit=self.unit)
        if self.unit == "rad":
            checks.warn_of_degrees(self.name, "value", kept)
        self._take(Role.RIGID)
        self.target = ca.SX(kept)
        return self

    def fix(self, value: Number | None = None) -> Deformation:
        """Keep the deformation at ``value``, by default 0: `rigid` by the name that nodes have.

        A fixed coordinate has a ``reaction`` of its support, a fixed deformation its ``stress``.

        Raises
        ------
        RoleError
            If it has another role already.
        """
        return self.rigid(0.0 if value is None else value)

    def prescribe(self, motion: Number, *, servo: bool = False) -> Deformation:
        """Let the deformation follow ``motion`` (ε^m), an expression.

        It may contain time, inputs and auxiliary states; the rates that the equations need follow
        from it by the chain rule. A mechanical coupling of two deformations, such as a gear, is
        no prescribed motion but a `mbcore.elements.Coupling`, whose force acts on both.
        A motion by an auxiliary state whose derivative is linear in rates of degrees of freedom
        alone is such a coupling in disguise and needs ``servo`` as well. Any other auxiliary state
        is taken for a controller's: whether a power supply accounts for the energy is not checked.

        Parameters
        ----------
        motion : number or expression
            Expression that the deformation follows.
        servo : bool
            Whether the motion may also contain values and rates of degrees of freedom and values
            of kinematic coordinates: a control law, as [SchiehlenEismann] (36). A drive with a
            power supply of its own makes such a motion. Virtual velocities leave ``motion`` fixed,
            so its force acts on this deformation alone, not on those that ``motion`` contains.

        Warns
        -----
        ModelWarning
            If a table of straight lines is called: its rates jump, and the impulses that would make
            them jump are in no force.
        """
        target = checks.expression(self.name, "motion", motion, self.unit)
        for name in with_corners(target):
            warn_user(
                f"{self.name}: the motion follows straight lines of {name}, so its rate jumps at "
                "their points, by impulses that no force contains; give the table "
                'interpolation="monotone" or "smooth"'
            )
        self._take(Role.PRESCRIBED)
        self.target, self.servo = target, servo
        return self

    def dof(
        self,
        value: str | StateName | None = None,
        rate: str | StateName | None = None,
        start: Value | None = None,
        rate_start: Value = 0.0,
        *,
        nominal: Value = 1.0,
        rate_nominal: Value = 1.0,
        description: str = "",
        or_else: Deformation | Sequence[Deformation] = (),
    ) -> Deformation:
        """Make it a dynamic degree of freedom (ε^d): its value and rate are states.

        Numbers are in SI units, texts have their own: ``start="30 deg"``. ``start`` is by default
        that of the node for a coordinate, else 0. ``or_else`` names other deformations or
        coordinates that `simulate` may take instead where this one does not determine the motion;
        an FMU does not change coordinates and stops with an error there.

        Parameters
        ----------
        value, rate : str or StateName, optional
            Names of both states, by default the deformation's name, and this with ``_rate``; a
            ``StateName`` also gives units, description and visibility.
        start, rate_start : number or str
            Values at the start, m or rad, and m/s or rad/s.
        nominal, rate_nominal : number or str
            Natural sizes of both, for tolerances.
        description : str
            Description of the value in one line, where its name does not suffice.
        or_else : deformation or sequence of these
            Coordinates that `simulate` may take instead.

        Raises
        ------
        RoleError
            If it is a degree of freedom already.
        ModelError
            If a name, number or unit is impossible, or the rate is given a unit.
        """
        own = value if isinstance(value, StateName) else StateName(value)
        its = rate if isinstance(rate, StateName) else StateName(rate)
        if its.unit is not None or its.display_unit is not None:
            raise ModelError(
                f"{self.name}: the rate is in the value's unit per second; give {its.name or 'it'} "
                "no unit, and the value's by StateName(..., unit=...)"
            )
        begin = self._start() if start is None else start
        at, size = self._check_state("value", own.name, begin, nominal, own.unit, own.display_unit)
        rate_at, rate_size = self._check_state("rate", its.name, rate_start, rate_nominal, None)
        # The role is taken after all checks, so that a refused call changes nothing.
        self._take(Role.DOF)
        self.alternatives = self._checked_alternatives(or_else)
        self.states = StateNames(
            own.name or self.name,
            its.name or f"{own.name or self.name}_rate",
            at,
            rate_at,
            size,
            rate_size,
            own.unit or self.unit,
            own.visibility,
            its.visibility,
            description or own.description,
            its.description,
            own.display_unit,
            start is not None,
        )
        return self

    def _checked_alternatives(self, or_else: object) -> tuple[Deformation, ...]:
        given = or_else if isinstance(or_else, list | tuple) else (or_else,)
        for other in given:
            if not isinstance(other, Deformation):
                raise ModelError(
                    f"{self.name}: or_else = {or_else!r}; give deformations or coordinates, as in "
                    "or_else=bob.x"
                )
            if other is self:
                raise ModelError(
                    f"{self.name}: or_else names {self.name} itself, which adds nothing; give "
                    "others, as in or_else=bob.x"
                )
        return tuple(given)

    def kinematic(
        self,
        value: str | None = None,
        start: Value | None = None,
        *,
        nominal: Value = 1.0,
        display_unit: str | None = None,
        visibility: Visibility = "output",
        description: str = "",
    ) -> Deformation:
        """Make it a kinematic coordinate (ε^k): its value is a state, its rate follows.

        Parameters
        ----------
        value : str, optional
            Name of the state, by default the deformation's own.
        start, nominal : number or str
            Value at the start, and natural size, m or rad.
        display_unit : str, optional
            Unit in which tools show it; all values stay in SI units.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        description : str
            Description in one line.

        Raises
        ------
        RoleError
            If it is a kinematic coordinate already.
        """
        at, size = self._check_state(
            "value", value, self._start() if start is None else start, nominal, None, display_unit
        )
        self._take(Role.KINEMATIC)
        name = value or self.name
        self.states = StateNames(
            name,
            f"{name}_rate",
            at,
            nominal=size,
            unit=self.unit,
            value_visibility=visibility,
            description=description,
            display_unit=display_unit,
            start_is_given=start is not None,
        )
        return self

    def release(self) -> Deformation:
        """Let the deformation follow from the others (ε^c); a law may act on it."""
        self.role, self._chosen = Role.DEPENDENT, False
        return self

    def law(self, stress: Number) -> Deformation:
        """Let a stress act, an expression that may use ``value``, ``rate`` and other quantities.

        A stress resists: a positive one acts against a growing value, as a spring's does. A motor
        with the torque T that drives it is ``law(-T)``, or ``model.load(T, deformation.rate)``.

        Raises
        ------
        RoleError
            If the deformation is rigid or prescribed: its stress is a constraint force.
        """
        if self.role in (Role.RIGID, Role.PRESCRIBED):
            raise RoleError(
                f"{self.name}: a law acts on a deformation that is free, but this one is "
                f"{self.role.value}; call release(), dof() or kinematic() first"
            )
        given = checks.expression(
            f"law on {self.name}", "stress", stress, FORCE_UNITS.get(self.unit, "")
        )
        if self.role is None:
            self.role = Role.DEPENDENT  # of a coordinate: in use from now on
        self.laws.append(given)
        return self

    def spring(
        self, stiffness: Number | Table, damping: Number | Table = 0.0, rest: Number = 0.0
    ) -> Deformation:
        """Let a linear spring and damper act (Kelvin-Voigt, [Schwab2002] (A.36)).

        Parameters
        ----------
        stiffness : number, expression or Table
            N/m, on angles N.m/rad; or a table of the force over the deflection from the rest
            value, N over m or N.m over rad.
        damping : number, expression or `mbcore.Table`
            N.s/m, on angles N.m.s/rad; or a table of the force over the rate.
        rest : number or expression
            Value at which the spring is relaxed, m or rad.

        ``potential_energy`` of the model counts what a spring stores where the stiffness depends
        on the value alone and on parameters: its integral. Otherwise use `elastic_power`.

        Raises
        ------
        RoleError
            If the deformation is rigid or prescribed.
        """
        owner = f"spring on {self.name}"
        of, by = {"m": ("N/m", "N.s/m"), "rad": ("N.m/rad", "N.m.s/rad")}.get(self.unit, ("", ""))
        curve = stiffness if isinstance(stiffness, Table) else None
        if curve is not None:
            refuse_units(curve, owner, self.unit, FORCE_UNITS.get(self.unit, ""))
        else:
            stiffness = checks.number(owner, "stiffness", stiffness, unit=of)
        if isinstance(damping, Table):
            refuse_units(damping, owner, by and f"{self.unit}/s", FORCE_UNITS.get(self.unit, ""))
            damped = damping(self.rate)
        else:
            damping = checks.number(owner, "damping", damping, unit=by)
            damped = damping * self.rate
        rest = checks.number(owner, "rest", rest, unit=self.unit)
        for what, given, its, does in (
            ("stiffness", stiffness, of, "pushes away from its rest position"),
            ("damping", damping, by, "gives energy to the motion"),
        ):
            if isinstance(given, float) and given < 0:
                warn_user(
                    f"{owner}: {what} = {wording.formatted(given)} {its} is negative: it "
                    f"{does}; give a positive value, or a law(...) if this is intended"
                )
        if curve is not None:
            stiffness = curve.derivative(self.value - rest)
        damped_too = not ca.SX(damped).is_zero()
        spring = Spring(self.value, ca.SX(stiffness), ca.SX(rest), curve, damped_too)
        # The law acts; the spring is recorded besides it because only that part stores energy.
        self.law(spring.force + damped)
        self.springs += (spring,)
        return self

    @property
    def elastic_energy(self) -> ca.SX:
        """Energy stored here, J, in values: that of the element and of springs."""
        return self.stated_energy + total(spring.energy() for spring in self.springs)

    @elastic_energy.setter
    def elastic_energy(self, energy: ca.SX) -> None:
        self.stated_energy, self.springs = ca.SX(energy), ()

    @property
    def elastic_power(self) -> ca.SX:
        """Power of the springs on the mechanism, W, whether they have a potential or not.

        Where the stiffness depends on other states or on time there is no potential energy, and
        this power is what can be an output::

            x.dof("x").spring(stiffness * (1 + 0.2 * ca.sin(model.time)))
            model.output("spring.power", x.elastic_power, unit="W")
        """
        return -total(spring.force for spring in self.springs) * self.rate
