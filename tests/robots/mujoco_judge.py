"""MuJoCo's mass matrix, bias and accelerations of an MJCF file, in our order of rates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

ENDS = ("velocity_x", "velocity_y", "velocity_z", "omega_x", "omega_y", "omega_z")
"""Ends of our rates of a free joint, in MuJoCo's order."""


class Judge:
    """A file without constraints and actuators, at points by our states' names."""

    def __init__(self, file: Path) -> None:
        mujoco.set_mju_user_warning(lambda said: None)  # its own writes a log file
        self.model = mujoco.MjModel.from_xml_path(str(file))
        mujoco.set_mju_user_warning(None)
        bits = mujoco.mjtDisableBit
        self.model.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_ACTUATION)
        self.data = mujoco.MjData(self.model)
        self._joints = {self.model.joint(i).name or f"joint{i}": i for i in range(self.model.njnt)}

    def rates(self, states: Sequence[str]) -> list[str]:
        """Return those of our states that are rates."""
        return [name for name in states if name.rpartition(".")[2] in ("rate", *ENDS)]

    def place(self, rate: str) -> int:
        joint, _, end = rate.rpartition(".")
        dof = int(self.model.jnt_dofadr[self._joints[joint]])
        return dof + (0 if end == "rate" else ENDS.index(end))

    def equations(
        self, values: dict[str, float], rates: Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return mass matrix, forces that are not accelerations, and accelerations."""
        m, d = self.model, self.data
        order = [self.place(rate) for rate in rates]
        for name, i in self._joints.items():
            at = int(m.jnt_qposadr[i])
            if m.jnt_type[i] == 0:
                d.qpos[at : at + 3] = [values[f"{name}.{label}"] for label in "xyz"]
                d.qpos[at + 3 : at + 7] = [values[f"{name}.e{k}"] for k in range(4)]
            else:
                word = "angle" if f"{name}.angle" in values else "displacement"
                d.qpos[at] = values[f"{name}.{word}"]
        d.qvel[order] = [values[rate] for rate in rates]
        mujoco.mj_forward(m, d)
        mass = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, mass) if _NEW else mujoco.mj_fullM(m, mass, d.qM)
        forces = d.qfrc_passive - d.qfrc_bias
        return mass[np.ix_(order, order)], forces[order], d.qacc[order]


_NEW = not hasattr(mujoco.MjData, "qM")
