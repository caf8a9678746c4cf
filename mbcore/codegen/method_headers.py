"""Methods of integration for C: their numbers and names, and the coefficients of the explicit ones.

Both follow from `mbcore.integrators`; C has the steps and no coefficients of its own.

Used by `mbcore.codegen.headers` alone; it stands apart because it follows the methods of
integration, the other headers the runtime.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.integrators.method import Method
from mbcore.integrators.table import methods_in_c
from mbcore.integrators.tableau import Number, Tableau


def numbers() -> list[str]:
    """Return the lines of ``mb_methods.h``.

    Numbers count from 1; the first of them are the items of ``solver.method``.
    ``MB_EACH_METHOD(USE)`` is ``USE(name, tighter)`` for each, the latter the number of the method
    that is taken where the tolerance is tight, or 0.
    """
    methods = methods_in_c()
    items = [m.item for m in methods if m.item]
    numbered = [f"    {_number(m)} = {i}, /* {_about(m)} */" for i, m in enumerate(methods, 1)]
    uses = [f"    USE(mb_method_{m.name}, {_tighter(m)})" for m in methods]
    exact = [m.item.name for m in methods if m.item and m.tableau]
    return [
        "typedef enum {",
        *numbered,
        "    MB_METHODS /* one more than there are */",
        "} mb_method_number;",
        "",
        f"enum {{ MB_METHOD_ITEMS = {len(items)} }};",
        f"enum {{ MB_STAGES = {max(map(_arrays, methods))} }}; /* vectors that a step may take */",
        "",
        "/* items whose steps have exact derivatives */",
        f'#define MB_DERIVED_ITEMS "{_listed(exact)}"',
        "",
        *(f"{line} \\" for line in ["#define MB_EACH_METHOD(USE)", *uses[:-1]]),
        uses[-1],
    ]


def tableaus() -> list[str]:
    """Return the lines of ``mb_tableaus.h``.

    ``MB_EACH_TABLEAU(USE)`` is ``USE(name, tableau, adaptive, exponent, damping)`` for each.
    """
    lines, uses = [], []
    for method in methods_in_c():
        if method.tableau is None:
            continue
        t = method.tableau
        lines += [f"/* {_comment(method.source or method.purpose)} */", *_arrays_of(method.name, t)]
        exponent = 1 / (t.error_order + 1) if t.errors else 0
        uses.append(
            f"    USE(mb_method_{method.name}, TABLEAU_{method.name}, {int(bool(t.errors))}, "
            f"{exponent!r}, {method.damping!r})"
        )
    return [
        *lines,
        *(f"{line} \\" for line in ["#define MB_EACH_TABLEAU(USE)", *uses[:-1]]),
        uses[-1],
    ]


def _number(method: Method) -> str:
    return f"MB_METHOD_{method.name}"


def _about(method: Method) -> str:
    return f"{method.item.name}: {_comment(method.purpose)}" if method.item else method.purpose


def _comment(text: str) -> str:
    """Return what may stand in a comment of C."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\n", " ")


def _tighter(method: Method) -> str:
    return f"MB_METHOD_{method.tighter}" if method.tighter else "0"


def _arrays(method: Method) -> int:
    """Return how many vectors a step takes: explicit ones need one more for the error."""
    return method.c_arrays if method.tableau is None else method.tableau.stages + 1


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-2] + [" or ".join(names[-2:])])


def _arrays_of(name: str, tableau: Tableau) -> list[str]:
    n = tableau.stages
    rows: list[Sequence[Number]] = [(), *tableau.a, tableau.b]
    full = [[*row, *[0] * (n - len(row))] for row in rows]
    lines = [f"static const double A_{name}[{n + 1}][{n}] = {{"]
    lines += [f"    {_row(row)}," for row in full]
    lines += ["};", f"static const double C_{name}[{n}] = {_row(tableau.c)};"]
    errors = [f"E{k}_{name}" for k in range(len(tableau.errors))]
    lines += [
        f"static const double {error}[{n + 1}] = {_row(row)};"
        for error, row in zip(errors, tableau.errors, strict=True)
    ]
    given = ", ".join([*errors, "0", "0"][:2])
    return [
        *lines,
        f"static const struct mb_tableau TABLEAU_{name} = {{{n}, &A_{name}[0][0], C_{name}, "
        f"{{{given}}}}};",
        "",
    ]


def _row(row: Sequence[Number]) -> str:
    return "{" + ", ".join(f"{float(x)!r}" for x in row) + "}"
