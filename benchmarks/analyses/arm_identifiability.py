"""Identifiable inertia numbers of an arm of seven links, of 70, beside Pinocchio's regressor.

Torques and motion of the arm are known. The rank of our sensitivities is compared with that of
Pinocchio's regressor at random motions, our null directions with its null space, and each sum that
is named with both: it must be determined, and there must be as many as are. In closed form the
rank is 7 n - 6 for hinges of which the first is vertical and no two in a row are parallel. Needs
``pip install -e ".[peers]"``.

    python -m benchmarks.analyses.arm_identifiability [LINKS]
"""

from __future__ import annotations

import re
import sys
import time
from typing import Any

import numpy as np

from mbcore import FitOptions, fit
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.identification.identifiability import Identifiability
from tests.identification.models import (
    AXES,
    NEXT_JOINT,
    STANDARD,
    recorded_arm,
    serial_arm,
)

MOTIONS = 100
"""Random motions at which Pinocchio's regressor is evaluated."""
NOTHING = 1e-9
"""Singular value, in parts of the largest one, that counts as none."""


def regressor(pin: Any, links: int) -> np.ndarray:
    """Return Pinocchio's regressors at random motions, below each other, (n, 10 links)."""
    model = pin.Model()
    joints = {(1, 0, 0): pin.JointModelRX, (0, 1, 0): pin.JointModelRY, (0, 0, 1): pin.JointModelRZ}
    parent = 0
    for k, axis in enumerate(AXES[:links]):
        place = pin.SE3.Identity()
        place.translation = np.array(NEXT_JOINT) * (k > 0)
        parent = model.addJoint(parent, joints[axis](), place, f"joint_{k}")
        model.appendBodyToJoint(parent, pin.Inertia.Random(), pin.SE3.Identity())
    data, random = model.createData(), np.random.default_rng(0)
    rows = []
    for _ in range(MOTIONS):
        motion = random.normal(size=(3, links))
        rows.append(pin.computeJointTorqueRegressor(model, data, *motion).copy())
    return np.vstack(rows)


def factors(sums: str, names: list[str]) -> np.ndarray:
    """Return the factors of a sum that is written out, (n,)."""
    found = np.zeros(len(names))
    for sign, factor, name in re.findall(r"([+-]?) ?(?:([\d.e-]+) · )?([a-z]\w*\.\w+)", sums):
        found[names.index(name)] = (-1.0 if sign == "-" else 1.0) * float(factor or 1)
    return found


def told_of(links: int) -> Identifiability:
    """Return what a fit says of the arm, first guesses being the true values."""
    driver = EquationsDriver(serial_arm(links).equations(), backend="c")
    run = recorded_arm(driver, 41)
    unknown = {name: (1e-3 if "mass" in name else -20.0, 20.0) for name in driver.parameters}
    begun = time.process_time()
    result = fit(driver, run, unknown, options=FitOptions(tolerance=1e-10))
    print(f"a fit with {len(unknown)} unknowns: {time.process_time() - begun:.1f} s")
    return result.identifiability


def main(links: int) -> None:
    """Print both ranks, and how far null directions and sums are from each other."""
    import pinocchio as pin

    told = told_of(links)
    names = [f"link_{k + 1}.{name}" for k in range(links) for name in STANDARD]
    _, sizes, rows = np.linalg.svd(regressor(pin, links))
    rank = int(np.sum(sizes > NOTHING * sizes[0]))
    print(f"rank: ours {told.rank}, Pinocchio {rank}, 7 n - 6 = {7 * links - 6}")
    ours = [np.eye(len(names))[names.index(name)] for name in told.unseen]
    print(
        f"null directions: ours {len(ours) + len(told.directions)}, Pinocchio {len(names) - rank}"
    )
    base = rows[:rank]
    sums = np.array([factors(one, names) for one in told.combinations])
    left = sums - sums @ base.T @ base
    worst = np.max(np.linalg.norm(left, axis=1) / np.linalg.norm(sums, axis=1))
    named = {names[i] for i in np.flatnonzero(np.any(sums != 0, axis=0))}
    alone = [n for n in names if n not in named and n not in told.unseen]
    whole = np.vstack([sums, *(np.eye(len(names))[[names.index(n)]] for n in alone)])
    print(
        f"{len(sums)} sums and {len(alone)} numbers by themselves, of the rank "
        f"{np.linalg.matrix_rank(whole)}; sums are determined up to {worst:.1e}"
    )
    off = [base[:, names.index(name)] for name in told.unseen]
    print(f"{len(off)} numbers that nothing feels: {np.abs(off).max():.1e} in Pinocchio")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
