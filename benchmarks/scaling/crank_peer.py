"""The slider-crank with an elastic rod in Exudyn, beside ours: processor time over error.

    python benchmarks/scaling/crank_peer.py --exudyn PYTHON         the interpreter that has Exudyn
    python benchmarks/scaling/crank_peer.py --elements 10 20 40

A period at 150 rad/s. The error is the largest difference of the midpoint's deflection, in parts of
the rod, from a converged run of the same program, at equal times. Exudyn's rod is of ANCF cables,
stiff along, whose bending has the same damping; it makes equal steps of the generalized alpha
method. Compiling and building of models are left out on both sides.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

SPEED = 150.0
CRANK, ROD = 0.15, 0.3
MASS_PER_LENGTH, PLUNGER_MASS, STIFFNESS = 0.2225, 0.033375, 12.72345
DAMPING = 2 * 0.02 / 832.5406
"""Of [Schwab2002] 4.4.2; the last is a time, s: damping over stiffness."""
AXIAL = 1e6
"""Stiffness of Exudyn's rod along, N; ours is rigid there."""
PERIOD = 2 * math.pi / SPEED
TIMES = np.linspace(0.0, PERIOD, 21)
STEPS = (250, 500, 1000, 2000, 16000)
"""Of Exudyn in a period; the last are the converged ones."""
TOLERANCES = ((1e-4, 1e-6), (1e-6, 1e-8), (1e-8, 1e-10), (1e-9, 1e-11), (1e-10, 1e-13))
"""Ours; the last is the converged one."""

PIN = (
    (
        lambda system, t, item, offset: CRANK * (math.cos(SPEED * t) - 1),
        lambda system, t, item, offset: -CRANK * SPEED * math.sin(SPEED * t),
    ),
    (
        lambda system, t, item, offset: CRANK * math.sin(SPEED * t),
        lambda system, t, item, offset: CRANK * SPEED * math.cos(SPEED * t),
    ),
)
"""How the crank moves the rod's end along and across, m, and its rates, as Exudyn asks for them."""


def ours(elements: int) -> list[tuple[str, float, list[float]]]:
    """Return runs of mbcore: tolerance, processor time, s, and deflections."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benchmarks.scaling.beams import crank_with_rod
    from mbcore import simulate

    equations = crank_with_rod(elements).equations()
    simulate(equations, PERIOD / 1000, backend="c")  # waits for the compiler
    found = []
    for rtol, atol in TOLERANCES:
        began = process_time()
        run = simulate(equations, PERIOD, rtol=rtol, atol=atol, samples=TIMES)
        found.append((f"{rtol:g}", process_time() - began, run["deflection"].tolist()))
    return found


def exudyn_run(elements: int, steps: int) -> tuple[float, list[float]]:
    """Return the processor time of a run of Exudyn, s, and deflections."""
    import exudyn as exu
    from exudyn import utilities as parts

    system = exu.SystemContainer().AddSystem()
    length, nodes = ROD / elements, []
    for i in range(elements + 1):
        x, rate = CRANK + ROD * i / elements, -SPEED * CRANK / ROD
        pin = SPEED * CRANK
        nodes.append(
            system.AddNode(
                parts.NodePoint2DSlope1(
                    referenceCoordinates=[x, 0, 1, 0],
                    initialVelocities=[0, pin + rate * ROD * i / elements, 0, rate],
                )
            )
        )
    for i in range(elements):
        system.AddObject(
            parts.Cable2D(
                physicsLength=length, physicsMassPerLength=MASS_PER_LENGTH,
                physicsBendingStiffness=STIFFNESS, physicsAxialStiffness=AXIAL,
                physicsBendingDamping=DAMPING * STIFFNESS, nodeNumbers=nodes[i : i + 2],
            )
        )  # fmt: skip
    ground = system.AddNode(parts.NodePointGround())
    fixed = system.AddMarker(parts.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))

    for coordinate, (place, rate) in enumerate(PIN):
        marker = system.AddMarker(
            parts.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=coordinate)
        )
        system.AddObject(
            parts.CoordinateConstraint(
                markerNumbers=[fixed, marker], offsetUserFunction=place, offsetUserFunction_t=rate
            )
        )
    marker = system.AddMarker(parts.MarkerNodeCoordinate(nodeNumber=nodes[-1], coordinate=1))
    system.AddObject(parts.CoordinateConstraint(markerNumbers=[fixed, marker]))
    plunger = system.AddNode(parts.NodePoint2D(referenceCoordinates=[0, 0]))
    system.AddObject(parts.MassPoint2D(physicsMass=PLUNGER_MASS, nodeNumber=plunger))
    marks = [
        system.AddMarker(parts.MarkerNodeCoordinate(nodeNumber=n, coordinate=0))
        for n in (nodes[-1], plunger)
    ]
    system.AddObject(parts.CoordinateConstraint(markerNumbers=marks))
    marker = system.AddMarker(parts.MarkerNodeCoordinate(nodeNumber=plunger, coordinate=1))
    system.AddObject(parts.CoordinateConstraint(markerNumbers=[fixed, marker]))
    return _deflections(exu, system, nodes, elements, steps)


def _deflections(
    exu: Any, system: Any, nodes: list[int], elements: int, steps: int
) -> tuple[float, list[float]]:
    sensor = exu.utilities.SensorNode
    kept = [
        system.AddSensor(
            sensor(
                nodeNumber=n, storeInternal=True, outputVariableType=exu.OutputVariableType.Position
            )
        )
        for n in (nodes[0], nodes[elements // 2], nodes[-1])
    ]
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = PERIOD
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.7
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.solution.sensors.writePeriod = PERIOD / (len(TIMES) - 1)
    settings.timeIntegration.verboseMode = 0
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    began = process_time()
    system.SolveDynamic(settings)
    seconds = process_time() - began
    pin, middle, plunger = (system.GetSensorStoredData(s)[:, 1:3] for s in kept)
    across, inside = plunger - pin, middle - pin
    turned = across[:, 0] * inside[:, 1] - across[:, 1] * inside[:, 0]
    return seconds, (turned / np.linalg.norm(across, axis=1) / ROD).tolist()


def main() -> None:
    """Measure both and print, or Exudyn alone in this process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", nargs="+", type=int, default=[10, 20, 40], metavar="N")
    parser.add_argument("--exudyn", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--here", action="store_true", help="Exudyn in this process, as JSON")
    options = parser.parse_args()
    if options.here:
        n = options.elements[0]
        print(json.dumps([(f"{steps} steps", *exudyn_run(n, steps)) for steps in STEPS]))
        return
    for n in options.elements:
        command = [options.exudyn, __file__, "--here", "--elements", str(n)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        exudyn = json.loads(done.stdout.splitlines()[-1])
        for program, runs in ("mbcore", ours(n)), ("Exudyn", exudyn):
            *rows, (_, _, converged) = runs
            for asked, seconds, deflections in rows:
                error = float(np.abs(np.subtract(deflections, converged)).max())
                print(f"{n:3} {program:7} {asked:>11} {seconds:8.3f} s   error {error:.1e}")
            print(f"{n:3} {program:7} largest deflection {np.abs(converged).max():.6f}")


if __name__ == "__main__":
    main()
