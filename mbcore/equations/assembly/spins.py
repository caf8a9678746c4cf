"""Where the states of free rotations are, for analyses that turn with them."""

from __future__ import annotations

from dataclasses import dataclass

from mbcore.equations.assembly.assembly import Assembly


@dataclass(frozen=True)
class SpinStates:
    """Where the states of a free rotation are.

    Attributes
    ----------
    axes : {"body", "space"}
        Axes of the angular velocity's components.
    speeds : tuple of int
        Places of the three components; none where one of them is not a degree of freedom.
    parameters : tuple of int
        Places of the four Euler parameters, whose length has no influence.
    """

    name: str
    axes: str
    speeds: tuple[int, ...]
    parameters: tuple[int, ...]


def spin_states(A: Assembly) -> tuple[SpinStates, ...]:
    """Return where the states of each free rotation are."""
    found = []
    places = {q.name: i for i, q in enumerate(A.independent)}
    first = len(A.independent) + len(A.dofs)
    places |= {q.name: first + i for i, q in enumerate(A.kinematic)}
    for node in A.model.nodes.free_rotations():
        assert node.freedom is not None
        speeds = tuple(places[s.name] for s in node.slips() if s.name in places)
        parameters = tuple(places[coordinate.name] for coordinate in node.quantities)
        axes = node.freedom.axes
        found.append(SpinStates(node.name, axes, speeds if len(speeds) == 3 else (), parameters))
    return tuple(found)
