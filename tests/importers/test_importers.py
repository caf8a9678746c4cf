"""Every shipped FMU in every importer that is installed, against our equations in Python."""

from __future__ import annotations

import contextlib
import json
from itertools import combinations
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from filelock import FileLock, Timeout

from tests.conftest import VERSIONS
from tests.conftest import Archives as Built
from tests.importers.experiments import EXPERIMENTS
from tests.importers.matrix import (
    Archives,
    Cell,
    Reference,
    covered,
    installed,
    jobs_of,
    judge,
    performed,
    references,
    run_all,
)
from tests.importers.optimization import FOR_GRAPHS
from tests.importers.page import page, table
from tests.importers.runner import CLIENTS, load


@pytest.fixture(scope="module")
def fmus(archives: Built) -> Archives:
    """All FMUs by name and major version."""
    return {(name, version[0]): built.path for (name, version), built in archives.items()}


@pytest.fixture(scope="module")
def known(shared: Path) -> dict[str, Reference]:
    """What our equations give for each experiment, calculated once for all workers."""
    found: dict[str, Reference] = {}
    for timeout in (0, -1):  # what another worker is at, last
        for name in EXPERIMENTS.keys() - found.keys():
            file = shared / f"importers {name}.json"
            with contextlib.suppress(Timeout), FileLock(f"{file}.lock", timeout=timeout):
                if not file.exists():
                    file.write_text(json.dumps(references(name)))
                found[name] = json.loads(file.read_text())
    return found


@pytest.mark.heavy
@pytest.mark.parametrize("name", CLIENTS)
def test_every_fmu_runs(
    name: str, fmus: Archives, known: dict[str, Reference], pytestconfig: pytest.Config
) -> None:
    """CasADi and do-mpc take a minute, most of it for sensitivities and plans of road vehicles."""
    found, missing = installed([name])
    if missing:
        pytest.skip(f"{name} is not installed: {missing[name]}")
    whole = pytestconfig.getoption("full_product")
    cells = run_all(fmus, found, known=known, whole=whole)
    print(table(cells))
    wrong = [f"{cell.status}: {cell.place}: {cell.message}" for cell in cells if not cell.good]
    assert not wrong, "\n".join(wrong)
    compared = [c for c in cells if c.job["task"] == "run" and c.status == "ok"]
    assert {c.job["fmi"] for c in compared} == {fmi for fmi, _ in found[name].kinds}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["vehicle", "caster", "bicycle"])
def test_casadi_takes_rates_and_outputs_at_the_first_try(
    name: str, version: str, archives: Built
) -> None:
    """The yaw rate is an output and the derivative of a state; both stand in one function."""
    dae = ca.DaeBuilder("m", str(archives[name, version].folder))
    function = dae.create("f", ["x", "u", "p"], ["ode", "y"])
    assert function.size1_out(0) == len(dae.x())
    same = {"vehicle": "chassis.yaw", "caster": "swivel.angle", "bicycle": "bicycle.yaw"}[name]
    output = {"caster": "swivel.rate"}.get(name, f"{same}_rate")
    reals = [y for y in dae.y() if dae.type(y) in ("Real", "Float64")]  # not valid of the vehicle
    dae.set_y(reals)
    point = [np.array(dae.start(names)) + 0.03 for names in (dae.x(), dae.u(), dae.p())]
    rows = ["jac:ode:x", "jac:y:x"]
    function = dae.create("f", ["x", "u", "p"], ["ode", "y"])
    ode, y = function(*point)
    by_state = function.factory("jacobian", ["x", "u", "p"], rows)(*point)
    i, k = dae.x().index(same), reals.index(output)
    assert float(y[k]) == float(ode[i]) != 0
    assert np.array_equal(by_state[1][k, :].full(), by_state[0][i, :].full())


@pytest.mark.parametrize("version", VERSIONS)
def test_directions_without_seeds_have_no_sensitivities_in_graphs(
    version: str, archives: Built
) -> None:
    """CasADi's fault C3 and its remedy, in the least graph like that of collocation."""
    dae = ca.DaeBuilder("m", str(archives["caster", version].folder))
    rates = dae.create("f", ["x", "u"], ["ode"], FOR_GRAPHS)
    x, u = (ca.DM(dae.start(names)) for names in (dae.x(), dae.u()))
    seeds = ca.horzcat(ca.DM.ones(x.size()), ca.DM.zeros(x.size()))
    found = rates.forward(2)(x, u, rates(x, u), seeds, ca.DM.zeros(u.numel(), 2)).full()
    by_state = rates.factory("jacobian", ["x", "u"], ["jac:ode:x"])(x, u).full()
    assert np.array_equal(found[:, 1], np.zeros(x.numel()))
    assert found[:, 0] == pytest.approx(by_state.sum(axis=1), rel=1e-12)
    a, b, held = (ca.MX.sym("at", values.size()) for values in (x, x, u))
    beside = ca.Function("beside", [a, b, held], [rates(a, held) - b], {"never_inline": True})
    whole = ca.jacobian(beside(a, b, held), ca.vertcat(a, b))
    jacobian = ca.Function("of_both", [a, b, held], [whole])(x, x, u)
    assert np.array_equal(jacobian.full(), np.hstack([by_state, -np.eye(x.numel())]))


def test_thinned_jobs_have_all_pairs() -> None:
    """Each task is done with each experiment, version and interface, each of these with others."""
    archives = {(case.fmu, fmi): Path("absent") for case in EXPERIMENTS.values() for fmi in "23"}
    jobs = list(jobs_of("fmpy", load("fmpy"), archives))
    for one, other in combinations(("fmi", "kind", "experiment", "task"), 2):
        both = [{(job[one], job[other]) for job in some} for some in (jobs, covered(jobs))]
        assert both[0] == both[1]
    assert len(covered(jobs)) < len(jobs)


def test_a_difference_is_seen() -> None:
    """A client whose values are a little off is told, and so is one that knows no outputs."""
    job = {
        "client": "host", "experiment": "vehicle", "fmi": "2", "kind": "CoSimulation",
        "task": "run", "archive": "",
    }  # fmt: skip
    expected = {"x": [1.0, 2.0, 3.0, 3.0]}
    for values, status in (
        ({"x": [1.0, 2.0, 3.0]}, "ok"),
        ({"x": [1.0, 2.0, 3.0 + 4e-6]}, "differs"),
        ({"x": [1.0, 2.0, float("nan")]}, "differs"),
        ({"y": [1.0, 2.0, 3.0]}, "differs"),
    ):
        assert judge(job, "", {"status": "ok", "values": values}, expected).status == status


@pytest.mark.heavy
def test_a_client_that_crashes_takes_nothing_with_it(tmp_path: Path) -> None:
    absent = str(tmp_path / "absent.fmu")
    job = {
        "client": "fmpy", "experiment": "vehicle", "fmi": "2", "kind": "CoSimulation",
        "task": "run", "archive": absent,
    }  # fmt: skip
    first, second, third = performed([job, {**job, "task": "crash"}, job], {})
    assert first["status"] == third["status"] == "fails"
    assert second["status"] == "crashes" and "SIGABRT" in second["message"]


def test_a_page_of_one_experiment_is_written() -> None:
    """Clients whose example has not run are there with their lines, and say so."""
    client = load("fmpy")
    job = {
        "client": "fmpy",
        "task": "run",
        "experiment": "caster",
        "fmi": "2",
        "kind": "CoSimulation",
    }
    written = page([Cell(job, client.name, "ok", error=1e-9)], {"fmpy": client})
    assert f"### {client.name}" in written and "Not tried here." in written
    assert "| caster | 2.0 | CS | ok 1e-09 |" in written
