"""Common parts of all dry friction: its law, its checks, and what outputs may show of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from typing import ClassVar, Literal

import casadi as ca
import numpy as np

from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.contact_area import contact_area
from mbcore.elements.friction.rubbing import Limits, Rubbing
from mbcore.elements.friction.stick_slip import stick_and_slide
from mbcore.elements.joints.joint_records import Planar, Prismatic, Revolute, Spherical
from mbcore.model import checks
from mbcore.model.calls import explains_construction, misfit
from mbcore.model.checks.ranges import Range
from mbcore.model.element import Element
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.nodes.node import Node
from mbcore.model.system import System, is_system
from mbcore.model.variables import Number


@explains_construction
@dataclass(frozen=True)
class FrictionLaw:
    """How friction follows from the force that a joint or contact transmits.

    Attributes
    ----------
    coefficient, static : number or expression
        μ while sliding and while sticking; the latter is by default the former, and not less. Of
        coupled gears with the efficiency η it is (1 - η) / (1 + η).
    viscous : number or expression
        Additional viscous friction, N.m.s/rad or N.s/m.
    preload : number or expression
        Friction without load, N.m, for a slide N, such as that of a seal or a tightened nut; the
        same while sliding and while sticking.
    fit : {"snug", "loose"}
        Whether a pin or ball touches its bearing all around, or at a line: then the friction is
        μ / √(1 + μ²) times the force.

    Raises
    ------
    ModelError
        If a number is negative or not finite, or the static coefficient is less than the other.
    """

    coefficient: Number
    static: Number | None = None
    viscous: Number = 0.0
    preload: Number = 0.0
    fit: Literal["snug", "loose"] = "snug"

    def __post_init__(self) -> None:
        check_numbers("friction law", self.coefficient, self.static, self.viscous, self.preload)


def check_numbers(
    owner: str,
    coefficient: Number,
    static: Number | None = None,
    viscous: Number = 0.0,
    preload: Number = 0.0,
) -> None:
    """Refuse numbers that no friction has; messages begin with ``owner``.

    Expressions have no value yet, and the units of texts for the last two follow from the joint.

    Raises
    ------
    ModelError
        If a number is negative or not finite, or the static coefficient is less than the other.
    """
    sliding = checks.number(owner, "coefficient", coefficient, least=0.0)
    if static is not None:
        sticking = checks.number(owner, "static", static, least=0.0)
        if isinstance(sliding, float) and isinstance(sticking, float) and sticking < sliding:
            raise ModelError(_less(owner, sticking, sliding, sliding - sticking))
    for what, given in (("viscous", viscous), ("preload", preload)):
        if not isinstance(given, str):
            checks.number(owner, what, given, least=0.0)


def _less(owner: str, static: Number, coefficient: Number, by: float) -> str:
    """Return the error of a static coefficient that is less than the other one."""
    return (
        f"{owner}: static = {static} is {by:g} less than coefficient = {coefficient}; give at "
        "least as much"
    )


LIKE = {
    "mu": "coefficient",
    "mu_d": "coefficient",
    "mu_k": "coefficient",
    "friction": "coefficient",
    "mu_s": "static",
    "mu_static": "static",
    "stiction": "static",
    "damping": "viscous",
    "diameter": "radius",
    "r": "radius",
    "length": "span",
}
"""Arguments by other names that users give them."""


def other_name(called: str, name: str, known: Sequence[str]) -> str | None:
    """Return the error of an argument that has another name here; None where it has none."""
    own = LIKE.get(name, "")
    if own not in known:
        return None
    half = ", half the diameter" if name == "diameter" else ""
    return f"{called}: no argument {name!r}; write {own}=...{half}"


def _naming_the_law(init: Callable[..., None]) -> Callable[..., None]:
    """Let a friction tell where arguments of its law belong, which `mbcore.Friction` takes."""
    parameters = [*inspect.signature(init).parameters.values()][1:]
    of_law = [field.name for field in fields(FrictionLaw)]

    @wraps(init)
    def call(self: DryFriction, *args: object, **kwargs: object) -> None:
        called = type(self).__name__
        for name in kwargs:
            own = LIKE.get(name, name)
            if own in of_law:
                raise TypeError(
                    f"{called}: {name} belongs to the law: {called}(NAME, joint, "
                    f"FrictionLaw({own}=...), ...), or Friction(NAME, joint, {own}=..., ...), "
                    "which makes the friction of any joint"
                )
            other = other_name(called, name, [p.name for p in parameters])
            if other is not None:
                raise TypeError(other)
        wrong = misfit(called, parameters, args, kwargs)
        if wrong is not None:
            raise TypeError(wrong)
        init(self, *args, **kwargs)

    return call


class DryFriction(Element):
    """Base of all dry friction by a transmitted force; `mbcore.Friction` makes one for a joint.

    Symbols for outputs are ``force``, ``power``, never positive, ``sticks`` and ``load``, the sum
    of the normal forces.

    Parameters
    ----------
    joint : joint or rolling element
        One of its ``joints``.
    law : FrictionLaw or number or expression
        The law, or its coefficient.

    Raises
    ------
    ModelError
        If a number is out of its range, or the law has a property that this friction lacks.
    """

    kind = "friction"
    unseen = "it is a property of its joint"
    joints: ClassVar[tuple[type, ...]] = ()
    known_for: ClassVar[str] = ""
    """Joints that it is for, and how messages call these."""
    viscous_unit: ClassVar[str] = "N.m.s/rad"
    preload_unit: ClassVar[str | None] = "N.m"
    """Unit of the preload; None where there is none."""
    may_fit: ClassVar[bool] = False
    """Whether there is a pin or ball that may be loose."""

    force: ca.SX
    power: ca.SX
    sticks: ca.SX
    load: ca.SX
    forgets: dict[str, Number]
    """Values that an event sets where the surfaces part or meet."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__init__" in vars(cls):
            cls.__init__ = _naming_the_law(cls.__init__)  # type: ignore[method-assign]

    def __init__(self, name: str, joint: object, law: FrictionLaw | Number) -> None:
        super().__init__(name)
        if not isinstance(joint, self.joints):
            raise ModelError(f"{self.title}: its joint is {joint!r}; give {self.known_for}")
        if isinstance(law, list | tuple | dict):
            raise ModelError(
                f"{self.title}: law is {law!r}; give FrictionLaw(coefficient=...), or a coefficient"
            )
        if not isinstance(law, FrictionLaw):
            law = FrictionLaw(checks.number(self.title, "coefficient", law, least=0.0))
        if law.fit not in ("snug", "loose"):
            raise ModelError(f"{self.title}: fit is {law.fit!r}; give 'snug' or 'loose'")
        if law.fit != "snug" and not self.may_fit:
            raise ModelError(f"{self.title}: fit is for hinges; leave it out")
        self._joint, self.fit = joint, law.fit
        self.coefficient = ca.SX(self.number("coefficient", law.coefficient, least=0.0))
        given = law.static
        self.static = self.coefficient if given is None else self._checked_static(given)
        self.viscous = ca.SX(self.number("viscous", law.viscous, least=0.0, unit=self.viscous_unit))
        unit = self.preload_unit or "N"
        self.preload = ca.SX(self.number("preload", law.preload, least=0.0, unit=unit))
        if self.preload_unit is None and not self.preload.is_zero():
            raise ModelError(f"{self.title}: preload is for hinges and slides; leave it out")

    def _checked_static(self, static: Number) -> ca.SX:
        """Return the static coefficient, which parameters must not make less than the other."""
        given = ca.SX(self.number("static", static, least=0.0))
        remedy = "a static coefficient that is not less than the other one"
        kept = Range(self.title, "static minus coefficient", least=0.0, remedy=remedy)
        self.check(given - self.coefficient, partial(self._refuse_less, given), kept)
        return given

    def _refuse_less(self, static: ca.SX, excess: np.ndarray) -> None:
        """Refuse a static coefficient that is less than the other one."""
        if not excess.item() >= 0:
            raise ModelError(_less(self.title, static, self.coefficient, -excess.item()))

    def _describe(self, rubbed: str) -> str:
        """Return the friction with its joint and its coefficient."""
        return f"{self.title} of {rubbed} (coefficient {self.coefficient})"

    @property
    def _system(self) -> System:
        """The model that it has been added to."""
        if not is_system(self.model):
            raise ModelError(f"{self.title}: add it to a model first")
        return self.model

    def nodes(self) -> list[Node]:
        """Return none, because its force acts on the nodes of its joint."""
        return []

    def acting_on(self) -> tuple[object, ...]:
        """Return the joint, and its hinge where that has one."""
        hinge = getattr(self._joint, "hinge", None)
        return (self._joint,) if hinge is None else (self._joint, hinge)

    def _share(self, coefficient: ca.SX) -> ca.SX:
        """Return the friction by the force of the joint, that of the friction circle if loose."""
        return coefficient / ca.sqrt(1 + coefficient**2) if self.fit == "loose" else coefficient

    def _limits(self, load: ca.SX, arm: ca.SX, patch: Number | None) -> Limits:
        """Return the limits of friction by a normal force, at a point or on a ``patch``.

        ``viscous`` friction is by the rate that the ``arm`` makes a velocity.
        """
        coefficient, static = self._share(self.coefficient), self._share(self.static)
        viscous = self.viscous / arm**2
        if patch is not None:
            return contact_area(load, coefficient, static, viscous)
        return circle(lambda by: by * load, coefficient, static, viscous)

    def _rub(self, rubbing: Sequence[Rubbing], limits: Limits, load: ca.SX) -> None:
        """Let friction act on velocities."""
        self._warn_of_another()
        self.rubbing_slips = tuple(one.slip for one in rubbing)
        found = stick_and_slide(self._system, self.name, rubbing, limits)
        self.sticks, self.power, self.load = found.sticks, found.power, load
        self.forgets = found.forgets

    def _warn_of_another(self) -> None:
        """Warn where the joint has a friction already: both act, which few mean."""
        own = {id(joint) for joint in self.acting_on()}
        others = [e for e in self._system.elements.values() if isinstance(e, DryFriction)]
        for other in others:
            if not own.isdisjoint(map(id, other.acting_on())):
                warn_user(
                    f"{self.title}: {other.title} acts in the same joint, and both add up; leave "
                    "one out, unless the joint has two rubbing surfaces"
                )

    def _refuse(self, what: str, given: object, place: str) -> None:
        """Refuse an argument that belongs to other joints."""
        if given is not None:
            raise ModelError(f"{self.title}: {what} is for {place}; leave it out")

    def _refuse_strange(self, joint: Element | Revolute | Prismatic | Planar | Spherical) -> None:
        """Refuse a joint of another model, or of none."""
        model = self._system
        joined = [joint, *joint.__dict__.values()]
        strange = [p for p in joined if isinstance(p, Element) and p.model is not model]
        if strange:
            raise ModelError(
                f"{self.title}: {strange[0].title} is not of model {model.name}; add it first, or "
                "give a joint of this model"
            )
