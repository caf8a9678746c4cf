"""Runs many random mechanisms for a second each, and says what became of each.

What may happen is that energy changes by the work done, or that an error says by name what stands
in the way; a silent drift and a run without end are faults.

    python tests/mechanism_survey.py --count 10000 --first 0 --workers 2
"""

from __future__ import annotations

import argparse
import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from time import perf_counter

import numpy as np
from random_mechanisms import Mechanism
from tqdm import tqdm

from mbcore import simulate
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

TOLERABLE = 1e-6
"""Share of the largest energy by which energy may drift."""
LONGEST = 60
"""Seconds that one mechanism may take."""


@dataclass(frozen=True)
class Outcome:
    """What became of the mechanism of one seed.

    Attributes
    ----------
    kind : {"kept", "refused", "stopped", "drift", "fault", "slow"}
        Energy kept; refused by name before it moved; stopped by name on the way; and what must
        not be: energy lost silently, another exception, longer than a minute.
    drift : float
        Largest energy error, relative.
    """

    seed: int
    kind: str
    drift: float
    seconds: float
    message: str = ""


class _TooSlowError(Exception):
    pass


def _interrupt(*_: object) -> None:
    raise _TooSlowError


def survey(seed: int, longest: int = LONGEST, most_bodies: int = 8) -> Outcome:
    """Make the mechanism of a seed, move it for a second and balance its energy.

    Parameters
    ----------
    longest : int
        Seconds after which it is given up.
    most_bodies : int
        Bodies that it has at most; at least it has two.
    """
    begin = perf_counter()
    signal.signal(signal.SIGALRM, _interrupt)
    signal.alarm(longest)
    stage, drift = "refused", 0.0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = np.random.default_rng([seed, 1])
            bodies = int(r.integers(2, most_bodies + 1))
            loops, wheels = int(r.integers(bodies // 2 + 1)), int(r.integers(bodies // 3 + 1))
            floating = bool(r.random() < 0.2)
            mechanism = Mechanism(seed, bodies, loops, wheels, floating)
            mechanism.model.state("work", mechanism.power)
            equations = mechanism.model.equations(roles="auto")
            rates = r.standard_normal(equations.dofs)
            start = {state.name: float(v) for state, v in zip(equations.states, rates)}  # noqa: B905
            stage = "stopped"
            run = simulate(equations, 1.0, start=start, rtol=1e-10, atol=1e-12, progress=False)
        balance = run["energy"] - run["work"]
        size = max(1.0, float(np.max(run["kinetic"])), float(np.ptp(run["energy"])))
        drift = float(np.max(np.abs(balance - balance[0]))) / size
        kind, message = ("kept" if drift <= TOLERABLE else "drift"), ""
    except (ModelError, ConfigurationError, SimulationError) as error:
        kind, message = stage, str(error)
    except _TooSlowError:
        kind, message = "slow", stage
    except Exception as error:  # a survey goes on, whatever happens
        kind, message = "fault", f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return Outcome(seed, kind, drift, perf_counter() - begin, message)


def outcomes(seeds: range, workers: int) -> Iterator[Outcome]:
    """Give the outcome of each seed, as they come."""
    with Pool(workers) as pool:
        yield from pool.imap_unordered(survey, seeds)


def main() -> int:
    """Survey the mechanisms asked for; print each that is not kept, and counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.count)
    counts: Counter[str] = Counter()
    worst = slowest = 0.0
    for found in tqdm(outcomes(seeds, asked.workers), total=len(seeds), unit="mechanism"):
        counts[found.kind] += 1
        slowest = max(slowest, found.seconds)
        if found.kind == "kept":
            worst = max(worst, found.drift)
        else:
            what = f"{found.drift:.2g}" if found.kind == "drift" else found.message[:150]
            tqdm.write(f"{found.seed:6d} {found.kind:8s} {found.seconds:5.1f} s  {what}")
    print(dict(counts), f"largest drift kept {worst:.2g}, longest {slowest:.0f} s")
    return 1 if counts["drift"] + counts["fault"] + counts["slow"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
