"""How an optimum is looked for."""

from __future__ import annotations

from dataclasses import dataclass

from mbcore.model import checks
from mbcore.model.calls import explains_construction

METHODS = ("slsqp", "trust-constr")


@explains_construction
@dataclass(frozen=True)
class OptimizeOptions:
    """How an optimum is looked for.

    Attributes
    ----------
    method : {"slsqp", "trust-constr"}
        Of `scipy.optimize.minimize`: sequential quadratic programming, or the interior points of a
        trust region, which are slower and bear poorer starts.
    starts : int
        Number of starts: the first guess, then others spread evenly in the bounds.
    tolerance : float
        Relative, of the objective.
    most_evaluations : int
        Evaluations that a start may take.
    simulation_tolerance : float
        Of simulations, relative.
    progress : bool
        Whether a bar shows what has been reached.
    """

    method: str = "slsqp"
    starts: int = 1
    tolerance: float = 1e-12
    most_evaluations: int = 200
    simulation_tolerance: float = 1e-10
    progress: bool = True

    def __post_init__(self) -> None:
        """Refuse values that mean nothing.

        Raises
        ------
        ModelError
            Naming the option.
        """
        owner = "OptimizeOptions"
        checks.choice(owner, "method", self.method, METHODS)
        checks.whole(owner, "starts", self.starts, 1)
        checks.whole(owner, "most_evaluations", self.most_evaluations, 1)
        checks.real(owner, "tolerance", self.tolerance, above=0, most=1e-2)
        checks.real(
            owner, "simulation_tolerance", self.simulation_tolerance, above=1e-13, most=1e-3
        )
