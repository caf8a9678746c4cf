"""The model as users know it: the description of a system that makes its own equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mbcore.drawing.camera import View
from mbcore.drawing.inline import inline
from mbcore.drawing.model_picture import draw_model
from mbcore.drawing.scene import Scene
from mbcore.equations.equations import Equations
from mbcore.model import summary, wording
from mbcore.model.errors import ModelError
from mbcore.model.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Model(summary.Summarized, System):
    """A multibody system in the plane or in space.

    Parameters
    ----------
    name : str
        Name of the system, also of its FMU.
    gravity : sequence of two or three, optional
        Acceleration of free fall, m/s2, numbers or expressions; none where absent.

    Attributes
    ----------
    time : SX
        Time, s.
    kinetic_energy, potential_energy : SX
        Symbols for outputs: the sums over all elements; the potential one counts gravity and
        springs, also those whose stiffness depends on their own deformation; no other law.

    Raises
    ------
    ModelError
        If the name is no text, or gravity no vector of two or three numbers.
    """

    def equations(self, roles: Literal["given", "auto"] = "given") -> Equations:
        """Make the equations, as often as wanted.

        Equations that were made before a change of the model miss it, so whatever uses them refuses
        them by the change's name; make them again.

        Parameters
        ----------
        roles : {"given", "auto"}
            ``"auto"`` picks degrees of freedom and kinematic coordinates where none are given, and
            releases constraints that are redundant everywhere: those of the elements added last,
            lengths before angles. ``equations.chosen_roles`` says which and why; the model itself
            stays as it is. Forces among redundant constraints are not unique:
            ``equations.indeterminate`` names them, and outputs of theirs give a `ModelWarning`.

        Raises
        ------
        RoleError
            If the roles are redundant, missing or dependent; the message names them.
        ModelError
            If a motion or law needs what the model does not give.
        """
        return Equations(self, roles)

    def scene(self) -> Scene:
        """Return what is seen of it at the start, where its nodes start; no equations are needed.

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return Scene(self)

    def draw(
        self, *, view: View = None, axes: bool = True, names: bool = False, roles: bool = False
    ) -> Figure:
        """Draw it where its nodes start; no equations are needed.

        Parameters
        ----------
        view : str or pair of number, optional
            ``"front"``, ``"back"``, ``"left"``, ``"right"``, ``"top"``, or azimuth about the
            vertical and elevation of who looks, degrees; the usual view is (-58, 20), and that of
            a planar model along z.
        axes : bool
            Whether the directions of x, y and z are shown.
        names : bool
            Whether elements are named.
        roles : bool
            Whether names come with the roles of what moves.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If nothing has a shape, a number of one is not finite, or the view is none.
        """
        return draw_model(self, view=view, axes=axes, names=names, roles=roles)

    def _title(self) -> str:
        return f"model {self.name}"

    def _facts(self) -> list[str]:
        return [
            f"{wording.count(len(self.nodes) - 1, 'node')} besides the ground, "
            f"{wording.count(len(self.elements), 'element')}, "
            f"{wording.count(len(self.loads), 'load')}"
        ]

    def _picture(self) -> str:
        try:
            return inline(self.draw(), f"{self.name} where its nodes start")
        except (ModelError, RuntimeError):  # nothing to be seen, or not described to its end
            return ""

    def _tables(self) -> list[summary.Table]:
        elements = [
            (name, type(element).__name__, wording.listed(node.name for node in element.nodes()))
            for name, element in self.elements.items()
        ]
        return [
            summary.Table("elements", ("name", "kind", "nodes"), elements),
            *summary.variable_tables(
                ("inputs", self.inputs.values(), "start"),
                ("outputs", self.outputs.values(), None),
                ("parameters", self.parameters.values(), "value"),
            ),
        ]
