"""What a motion tells of the inertia numbers of an arm in space: sums for all that is not told."""

from __future__ import annotations

import pytest

from mbcore import FitOptions, fit
from mbcore.drivers.equations_driver import EquationsDriver
from tests.identification import models

LEFT = (
    "link_2.moment_z + 0.3 · link_3.mass",
    "link_2.yz - 0.015 · link_3.mass",
    "link_2.xz - 0.03 · link_3.mass - 0.3 · link_3.moment_x",
    "link_2.xy - 0.005 · link_3.mass - 0.05 · link_3.moment_x",
    "link_3.yy - link_3.zz",
)
"""What moving the mass of the last link to the one before leaves, with the joint at r = (0.1, 0.05,
0.3) m there: m r, the products of inertia -m r_i r_j, and those of m h_x, along the joint's axis,
with r. About that axis x, m (y² + z²) and the difference of the other moments remain."""


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
def test_inertia_numbers_that_are_not_told_are_named_in_sums() -> None:
    """The rank is 7 n - 6, since the first axis is vertical: [Gautier1990], for hinges alone.

    [Gautier1990] M. Gautier, W. Khalil, Direct calculation of minimum set of inertial parameters
    of serial robots, IEEE Transactions on Robotics and Automation 6 (1990) 368-373.
    """
    driver = EquationsDriver(models.serial_arm(3).equations(), backend="c")
    unknown = {name: (1e-3 if "mass" in name else -20.0, 20.0) for name in driver.parameters}
    run = models.recorded_arm(driver, 21)
    told = fit(driver, run, unknown, options=FitOptions(tolerance=1e-9)).identifiability
    assert told.rank == 7 * 3 - 6
    assert len(told.unseen) == 9 and "link_1.zz" not in told.unseen
    named = " ".join(told.combinations).split()
    alone = [n for n in driver.parameters if n not in named and n not in told.unseen]
    assert len(told.combinations) + len(alone) == told.rank
    assert set(LEFT) <= set(told.combinations)
