"""The record of a method of integration, from which Python, C, FMUs and documents follow."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from mbcore.integrators.tableau import Tableau
from mbcore.model.errors import ModelError
from mbcore.model.variables import Item

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver


MakeSolver = Callable[..., Any]
"""Makes one of SciPy's solvers, or one like them."""


@dataclass(frozen=True)
class Method:
    """A method of integration.

    Parameters
    ----------
    name : str
        In ``simulate(method=...)`` and in C, where it is ``mb_method_NAME``.
    purpose : str
        Purpose.
    order : int
        Power of the step with which the error of a run decreases.
    stability : str
        Which steps are stable.
    source : str
        Where it is from.
    tableau : Tableau, optional
        Of explicit Runge-Kutta methods. It is enough for Python and C.
    solver : type of OdeSolver or str, optional
        A class like SciPy's, or where it is, as in "scipy.integrate:Radau". Where absent it
        follows from the tableau; without a tableau either, the method is one of C alone.
    item : Item, optional
        Of ``solver.method`` in FMUs; its name there is fixed for good.
    number : int
        Value of the item, from 1, for methods of the library: fixed for good, too. Items of
        methods that are added come after these.
    implicit : bool
        Whether it takes the exact Jacobian.
    rates_by_values : bool
        Whether the absolute tolerance of a rate is at least a share of that of its value over the
        step's length, `mbcore.equations.tolerances.SHARE_OF_VALUE`.
    many_steps : bool
        Whether a step uses those before.
    c_arrays : int
        For methods with a step function of their own in C, ``mb_method_NAME``: how many vectors of
        the size of the state it takes.
    stand_in : str
        Method that continues in Python where C fails; itself where absent.
    tighter : str
        Method in C that an FMU takes instead where the tolerance is tight.
    damping : float
        Part that the last step's error has in the next step's size.
    automatic : tuple of str, optional
        Names of an explicit and an implicit method in C between which the steps of FMUs choose;
        ``tighter`` and ``tighter_implicit`` are those of `mbcore.simulate`, where given.
    tighter_implicit : str
        See ``automatic``.

    Raises
    ------
    ModelError
        Naming the arguments that do not fit together.
    """

    name: str
    purpose: str
    order: int
    stability: str
    source: str = ""
    tableau: Tableau | None = None
    solver: type[OdeSolver] | str | None = None
    item: Item | None = None
    number: int = 0
    implicit: bool = False
    rates_by_values: bool = False
    many_steps: bool = False
    c_arrays: int = 0
    stand_in: str = ""
    tighter: str = ""
    damping: float = 0.0
    automatic: tuple[str, str] | None = None
    tighter_implicit: str = ""

    def __post_init__(self) -> None:
        for what, name in ("name", self.name), ("item", self.item.name if self.item else "none"):
            if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)):
                raise ModelError(
                    f"method {self.name!r}: its {what} is {name!r}; give letters, digits and _, a "
                    "letter first"
                )
        if isinstance(self.order, bool) or not isinstance(self.order, int) or self.order < 1:
            raise ModelError(f"method {self.name}: order = {self.order!r}; give 1, 2, ...")
        if self.tableau is not None:
            try:
                self.tableau.check_order(self.order)
            except ModelError as error:
                raise ModelError(f"method {self.name}: {error}") from None
            if self.solver is None and len(self.tableau.errors) > 1:
                raise ModelError(
                    f"method {self.name}: two estimates of errors; give a solver for Python, too"
                )
        if self.number and not self.item:
            raise ModelError(f"method {self.name}: number = {self.number} needs an item")
        if self.item and not self.in_c:
            raise ModelError(f"method {self.name}: an FMU's item needs a tableau or a step in C")
        if not (self.in_python or (self.in_c and self.stand_in)):
            raise ModelError(
                f"method {self.name}: give a tableau, a solver, or a step in C with a stand_in"
            )

    @property
    def in_python(self) -> bool:
        """Whether it exists in Python."""
        return bool(self.solver or self.tableau or self.automatic)

    @property
    def in_c(self) -> bool:
        """Whether it exists in the runtime in C."""
        return self.tableau is not None or self.c_arrays > 0 or self.automatic is not None

    @property
    def equal_steps(self) -> bool:
        """Whether its steps are equal, without an estimate of their errors."""
        if self.solver is not None:
            from mbcore.integrators.steps import EqualSteps  # with SciPy's, on demand

            solver = self.make_solver
            return isinstance(solver, type) and issubclass(solver, EqualSteps)
        return self.tableau is not None and not self.tableau.errors

    @property
    def takes_states(self) -> bool:
        """Whether its solver is given ``states``, `mbcore.integrators.states.States`."""
        return self.rates_by_values or self.equal_steps

    @property
    def explicit(self) -> str:
        """Name of the explicit method of an automatic choice, at tight tolerances."""
        assert self.automatic, f"{self.name} is not an automatic choice"
        return self.tighter or self.automatic[0]

    @property
    def implicit_partner(self) -> str:
        """Name of the implicit method of an automatic choice, at tight tolerances, in C."""
        assert self.automatic, f"{self.name} is not an automatic choice"
        return self.tighter_implicit or self.automatic[1]

    @property
    def make_solver(self) -> MakeSolver:
        """Factory of a solver for Python, as SciPy's classes are."""
        if isinstance(self.solver, str):
            named: MakeSolver = resolve_name(self.solver)
            return named
        if self.solver is not None:
            return self.solver
        from mbcore.integrators.steps import TableauSteps, error_steps

        assert self.tableau is not None, f"{self.name} is not in Python"
        if self.tableau.errors:
            return error_steps(self.name, self.tableau, self.order)
        return partial(TableauSteps, tableau=self.tableau)
