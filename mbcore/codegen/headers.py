"""The C headers that are generated from Python for the runtime.

``python -m mbcore.codegen.headers FOLDER`` writes them, for inspection and for checks of the
runtime's sources.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from mbcore.codegen.runtime import runtime_files
from mbcore.equations import tolerances
from mbcore.equations.functions import COUNTS, EXTRA, FUNCTIONS, POINT, Signature
from mbcore.equations.implicit_forces import LAWS, UNSOLVABLE
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods_in_c
from mbcore.integrators.tableau import Interpolant, Number, Tableau

LEAST_TERMS = 4
"""Of the interpolants that are written in C, of RK45, RODAS and between rates."""


def write_headers(folder: Path) -> Path:
    """Write the headers into a folder, for a compiler to find; return the folder."""
    for name, text in headers().items():
        (folder / name).write_text(text)
    return folder


def headers() -> dict[str, str]:
    """Return the headers by their names."""
    return {
        "mb_tolerances.h": tolerances_header(),
        "mb_functions.h": functions_header(),
        **methods_headers(),
        "mb_version.h": version_header(),
    }


def version_header() -> str:
    """Return ``mb_version.h``: a digest of the runtime, to refuse states of another version."""
    digest = hashlib.sha256(functions_header().encode() + tolerances_header().encode())
    digest.update("".join(methods_headers().values()).encode())
    for source in runtime_files():
        digest.update(source.read_bytes().replace(b"\r\n", b"\n"))
    version = f'#define MB_VERSION "{digest.hexdigest()[:24]}"'
    return _header("mb_version.h", "mbcore/runtime/", [version])


def methods_headers() -> dict[str, str]:
    """Return ``mb_methods.h`` and ``mb_tableaus.h``: the methods of integration as they are now.

    Numbers, names and coefficients follow from `mbcore.integrators`; C has the steps alone.
    """
    lines = {
        "mb_methods.h": _numbers(),
        "mb_tableaus.h": _tableaus(),
    }
    return {name: _header(name, "mbcore/integrators/", text) for name, text in lines.items()}


def _numbers() -> list[str]:
    """Return the lines of ``mb_methods.h``.

    Numbers count from 1; the first of them are the items of ``solver.method``.
    ``MB_EACH_METHOD(USE)`` is ``USE("name", method, tighter)`` for each, the last the number of the
    method that is taken where the tolerance is tight, or 0. An automatic choice begins with its
    explicit method.
    """
    methods = methods_in_c()
    items = [m.item for m in methods if m.item]
    dense = [m.tableau.dense for m in methods if m.tableau and m.tableau.dense]
    numbered = [f"    {_number(m)} = {i}, /* {_about(m)} */" for i, m in enumerate(methods, 1)]
    uses = [f'    USE("{m.name}", mb_method_{_first(m)}, {_tighter(m)})' for m in methods]
    exact = [m.item.name for m in methods if m.item and m.tableau]
    return [
        "typedef enum {",
        *numbered,
        "    MB_METHODS /* one more than there are */",
        "} mb_method_number;",
        "",
        f"enum {{ MB_METHOD_ITEMS = {len(items)} }};",
        f"enum {{ MB_STAGES = {max(map(_arrays, methods))} }}; /* vectors that a step may take */",
        "/* vectors of interpolants: rates of further stages, and terms */",
        f"enum {{ MB_DENSE_RATES = {max(1, *(len(d.a) for d in dense))}, "
        f"MB_DENSE_TERMS = {max(LEAST_TERMS, *(d.terms for d in dense))} }};",
        "",
        "/* items whose steps have exact derivatives */",
        f'#define MB_DERIVED_ITEMS "{_listed(exact)}"',
        "",
        *(f"{line} \\" for line in ["#define MB_EACH_METHOD(USE)", *uses[:-1]]),
        uses[-1],
    ]


def _tableaus() -> list[str]:
    """Return the lines of ``mb_tableaus.h``.

    ``MB_EACH_TABLEAU(USE)`` is ``USE(name, tableau, adaptive, exponent, damping,
    dense)`` for each, the last saying which interpolant it has.
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
            f"{exponent!r}, {method.damping!r}, MB_DENSE_{_dense(method)})"
        )
    return [
        *lines,
        *(f"{line} \\" for line in ["#define MB_EACH_TABLEAU(USE)", *uses[:-1]]),
        uses[-1],
    ]


def _dense(method: Method) -> str:
    """Return which interpolant C takes: the tableau's own, one that C has, or a cubic."""
    if method.tableau is not None and method.tableau.dense is not None:
        return "OWN"
    return "RK45" if method.name == "RK45" else "ENDS"


def _number(method: Method) -> str:
    return f"MB_METHOD_{method.name}"


def _first(method: Method) -> str:
    return method.automatic[0] if method.automatic else method.name


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
    first = [next((j for j, weight in enumerate(row) if weight), 0) for row in full]
    lines += ["};", f"static const double C_{name}[{n}] = {_row(tableau.c)};"]
    lines += [f"static const int F_{name}[{n + 1}] = {{{', '.join(map(str, first))}}};"]
    errors = [f"E{k}_{name}" for k in range(len(tableau.errors))]
    lines += [
        f"static const double {error}[{n + 1}] = {_row(row)};"
        for error, row in zip(errors, tableau.errors, strict=True)
    ]
    given, dense = ", ".join([*errors, "0", "0"][:2]), "0"
    if tableau.dense is not None:
        lines, dense = lines + _interpolant_of(name, n + 1, tableau.dense), f"&DENSE_{name}"
    return [
        *lines,
        f"static const struct mb_tableau TABLEAU_{name} = {{{n}, &A_{name}[0][0], "
        f"F_{name}, C_{name}, {{{given}}}, {dense}}};",
        "",
    ]


def _interpolant_of(name: str, known: int, dense: Interpolant) -> list[str]:
    """Return the lines of an interpolant of a method that knows so many rates at the end."""
    more, all_rates = len(dense.a), known + len(dense.a)
    lines = []
    for letter, given in (("M", dense.a), ("D", dense.weights)):
        rows = given or [[0]]  # C has no arrays without elements
        lines += [f"static const double {letter}_{name}[{len(rows)}][{all_rates}] = {{"]
        lines += [f"    {_row([*row, *[0] * (all_rates - len(row))])}," for row in rows] + ["};"]
    return [
        *lines,
        f"static const double P_{name}[] = {_row(dense.c or [0])};",
        f"static const struct mb_interpolant DENSE_{name} = {{{more}, {dense.terms}, "
        f"&M_{name}[0][0], P_{name}, &D_{name}[0][0]}};",
    ]


def _row(row: Sequence[Number]) -> str:
    return "{" + ", ".join(f"{float(x)!r}" for x in row) + "}"


def functions_header() -> str:
    """Return ``mb_functions.h``: lists of `mbcore.equations.functions` that take a macro.

    ``MB_EACH_FUNCTION(USE)`` is ``USE(name)`` for each function of the runtime, and so are the
    lists of counts and of extra arguments, ``USE(name, size)``.
    """
    functions = [
        (f"USE({name})", f"{_returned(row)}: {row.meaning}")
        for name, row in FUNCTIONS.items()
        if row.in_c
    ]
    extra = [(f"USE({name}, {_in_model(size)})", "") for name, size in EXTRA.items()]
    extra.append(("USE(cached, model->nk)", "values of `common` at a point"))
    counts = [(f"USE({name})", meaning) for name, meaning in COUNTS.items()]
    most = 1 + max(len(row.extra) for row in FUNCTIONS.values() if row.in_c)
    lines = [
        f"#define MB_ARGUMENTS {len(POINT)}",
        f"#define MB_MOST_EXTRAS {most}",
        "",
        *_each("COUNT", counts),
        "",
        *_each("EXTRA", extra),
        "",
        *_each("FUNCTION", functions),
    ]
    return _header("mb_functions.h", "mbcore/equations/functions.py", lines)


def _returned(row: Signature) -> str:
    results = ", ".join(f"{name}[{size}]" for name, size in row.results.items())
    return f"{' and '.join(row.extra)} -> {results}".strip()


def _in_model(size: str) -> str:
    """Return a size as an expression in C, with a model at hand."""
    return re.sub(r"[a-z]+", lambda count: f"model->{count[0]}", size)


def _each(what: str, uses: list[tuple[str, str]]) -> list[str]:
    """Return a macro that uses another one for each item, with comments."""
    lines = [f"#define MB_EACH_{what}(USE)"]
    lines += [f"    {use}" + (f" /* {comment} */" if comment else "") for use, comment in uses]
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def tolerances_header() -> str:
    """Return ``mb_tolerances.h``: a macro for each constant of `mbcore.equations.tolerances`.

    It also has the words by which both know the determinants of implicit laws.
    """
    lines = [
        f"#define MB_{name} {value!r}" for name, value in vars(tolerances).items() if name.isupper()
    ]
    lines += [f'#define MB_LAWS "{LAWS}"', f'#define MB_UNSOLVABLE "{UNSOLVABLE}"']
    return _header("mb_tolerances.h", "mbcore/equations/tolerances.py", lines)


def _header(name: str, source: str, lines: list[str]) -> str:
    guard = name.upper().replace(".", "_")
    return "\n".join(
        [
            f"/* Generated from {source}, which says what they mean. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *lines,
            "",
            "#endif",
            "",
        ]
    )


if __name__ == "__main__":
    write_headers(Path(sys.argv[1]))
