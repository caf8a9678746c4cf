"""True and False where a number is asked: each is refused, since Python would take them for 1."""

from __future__ import annotations

from mbcore import Coupling, Table, Table2D, Truss
from mbcore.contact import Impact, KelvinVoigt
from tests.model.mistakes.case import Parts, wrong

ASKED = "give a number"


def _truss(m: Parts) -> Truss:
    return m.plane.add(Truss("t", m.p, m.q))


TABLE = {
    "moment": wrong(lambda m: m.plane.moment(m.a, True), "moment on a: moment = True", ASKED),
    "law": wrong(
        lambda m: _truss(m).elongation.release().law(True), "law on t.elongation: stress = True"
    ),
    "motion": wrong(lambda m: m.p.x.prescribe(True), "p.x: motion = True", ASKED),
    "derivative": wrong(lambda m: m.plane.state("s", False), "state s: derivative = False", ASKED),
    "output": wrong(lambda m: m.plane.output("o", True), "output o: expression = True", ASKED),
    "parameter with a unit": wrong(
        lambda m: m.plane.parameter("k", True, unit="N/m"), "k = True: unit = 'N/m'", ASKED
    ),
    "coupling": wrong(lambda m: Coupling("c", True), "coupling c: expression = True", "give"),
    "table": wrong(lambda m: Table([0, 1], [True, 2]), "y holds True at place 0", "give num"),
    "map": wrong(
        lambda m: Table2D([0, 1], [0, 1], [[0, 1], [False, 2]]),
        "z holds [False, 2] at place 1",
        "give",
    ),
    "stiffness of a contact": wrong(lambda m: KelvinVoigt(True), "contact stiffness = True"),
    "restitution": wrong(lambda m: Impact(True), "coefficient of restitution = True", ASKED),
}
