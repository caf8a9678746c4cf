"""The HTML report of a fit, one file with its pictures in it; `fit_result` asks for it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mbcore.host.files import file_path, writing
from mbcore.identification.pictures import correlation_picture, pictures
from mbcore.identification.sensor_fit import SensorFit
from mbcore.model import wording
from mbcore.model.errors import ModelError
from mbcore.version import VERSION

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:62em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:1em 0}th,td{text-align:left;padding:.2em 1em .2em 0;
border-bottom:1px solid #ddd;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}
.warning{border-left:4px solid #c2701c;padding-left:.8em}"""
WORDS = {
    "exact": "exact, from the equations",
    "directional": "directional derivatives of the FMU",
    "differences": "differences of simulations",
}


@dataclass(frozen=True)
class Reported:
    """Part of a fit that its report shows; `mbcore.Fit` explains it."""

    name: str
    sensors: dict[str, SensorFit]
    table: pd.DataFrame
    correlations: pd.DataFrame
    evaluations: int
    derivatives: str
    message: str
    warnings: tuple[str, ...]
    combinations: tuple[str, ...] = ()


def write_report(fit: Reported, path: str | Path) -> Path:
    """Write a page with all that a fit has found.

    Raises
    ------
    ModelError
        The file's name does not end in ``.html``, or it cannot be written.
    """
    target = file_path("report", path, "report.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"report: path = {str(path)!r}; it is a page, let it end in .html")
    title = f"Fit of {escape(fit.name)}"
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title>",
        f"<style>{STYLE}</style><h1>{title}</h1>",
        _said(fit),
        "<h2>Values</h2>",
        _values(fit),
        _combinations(fit),
        "<h2>Sensors</h2>",
        _sensors(fit),
        "<h2>Motions and residuals</h2>",
        _drawn(pictures(fit.sensors)),
        "<h2>Correlations</h2>",
        _drawn(correlation_picture(fit.correlations)),
        f"<p>mbcore {VERSION}</p></html>",
    ]
    with writing("report", target):
        target.write_text("\n".join(parts), "utf-8")
    return target


def _said(fit: Reported) -> str:
    """Return how the fit ended, and what the data do not tell."""
    samples = sum(t.size for one in fit.sensors.values() for t in one.times)
    text = (
        f"<p>{wording.count(samples, 'sample')} of {wording.count(len(fit.sensors), 'sensor')}; "
        f"{wording.count(fit.evaluations, 'evaluation')}; derivatives: {WORDS[fit.derivatives]}. "
        f"{escape(fit.message).capitalize()}.</p>"
    )
    for warning in fit.warnings:
        text += f"<p class='warning'>{escape(warning)}</p>"
    return text


def _values(fit: Reported) -> str:
    rows = [
        [
            name,
            _number(r.value),
            r.unit,
            _number(r["standard deviation"]),
            _number(r.low),
            _number(r.high),
        ]
        for name, r in fit.table.iterrows()
    ]
    head = ["", "value", "unit", "standard deviation", "95 % from", "to"]
    return _table(head, rows)


def _combinations(fit: Reported) -> str:
    """Return the combinations that the data determine."""
    if not fit.combinations:
        return ""
    lines = "".join(f"<li>{escape(one)}</li>" for one in fit.combinations)
    return (
        f"<h2>Combinations</h2><p>The data determine only these combinations:</p><ul>{lines}</ul>"
    )


def _sensors(fit: Reported) -> str:
    rows = [
        [
            name,
            _number(one.deviation),
            one.unit,
            "white" if one.whiteness.white else "not white: the model lacks an effect",
            f"{one.whiteness.probability:.3g}",
        ]
        for name, one in fit.sensors.items()
    ]
    return _table(["", "noise", "unit", "residuals", "probability (Ljung-Box)"], rows)


def _number(value: float) -> str:
    return f"{value:.6g}" if np.isfinite(value) else "not determined"


def _table(head: list[str], rows: list[list[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = ["<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows]
    return f"<table><tr>{top}</tr>{''.join(lines)}</table>"


def _drawn(figure: Figure) -> str:
    """Return a picture as an element of HTML."""
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()[text.getvalue().index("<svg") :]
