"""What a run says of boolean outputs that have become false: peaks, limit, time and remedy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.fmi.page_settings import Remark
from mbcore.results.result import Result


def said(remarks: Mapping[str, Remark], limits: Mapping[str, float], result: Result) -> list[str]:
    """Return the remarks on outputs that are false at the end, as far as the result tells them.

    Parameters
    ----------
    remarks : mapping of str to Remark
        By boolean output.
    limits : mapping of str to float
        Parameters, in their units.
    result : Result
        Of the run.
    """
    found = []
    for name, remark in remarks.items():
        watched = [n for n in remark.watched if n in result]
        if name in result and not result.final(name) and watched and remark.limit in limits:
            places = {n: int(np.argmax(result[n])) for n in watched}
            peaks = {n: (float(result[n][k]), float(result.time[k])) for n, k in places.items()}
            found.append(f"not {name}: {remark.said(peaks, limits[remark.limit])}")
    return found
