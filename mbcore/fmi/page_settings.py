"""Settings of a component's page: keys, plots, ranges of sliders, time scale."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mbcore.model import checks
from mbcore.model.errors import ModelError

ARROWS = ("left", "right", "up", "down")
RESERVED = "rwasd"
"""Letters with a meaning of their own: reset, and the arrows' other keys."""


@dataclass(frozen=True)
class Remark:
    """Remark where a boolean output becomes false because a variable has become too large.

    Attributes
    ----------
    watched : sequence of str
        Variables whose largest amounts are told with their time.
    limit : str
        The parameter that they must not exceed.
    remedy : str
        Remedy.

    Raises
    ------
    ModelError
        A name is not text, or none is given.
    """

    watched: Sequence[str]
    limit: str
    remedy: str

    def __post_init__(self) -> None:
        if isinstance(self.watched, str) or not self.watched:
            raise ModelError(f"remark: watched = {self.watched!r}; give a tuple of names")
        for what, text in (("limit", self.limit), ("remedy", self.remedy)):
            if not isinstance(text, str) or not text:
                raise ModelError(f"remark: {what} = {text!r}; give a text")

    def said(self, peaks: Mapping[str, tuple[float, float]], limit: float) -> str:
        """Return the remark on peaks, values with their signs and times, s, by name."""
        name, (value, time) = max(peaks.items(), key=lambda peak: abs(peak[1][0]))
        return (
            f"{name} reached {value:.3g} at {time:.3g} s, {self.limit} is {limit:.3g}; the motion "
            f"goes on as before: {self.remedy}"
        )


@dataclass(frozen=True)
class Page:
    """Settings of the page of a component; defaults follow from the model.

    Attributes
    ----------
    keys : mapping of str to mapping of str to float, optional
        Inputs and their values, in their units, while a key is held: ``"left"``, ``"right"``,
        ``"up"`` and ``"down"`` are the arrows, which also steer by touch, and any letter but r, w,
        a, s and d is a key of its own.
    captions : mapping of str to str, optional
        Effect of a key, as in ``{"up": "forward"}``; by default the first input that it sets. For
        arrows also where ``keys`` is left out.
    plots : sequence of str or of sequences of str, optional
        Variables to plot; several in one plot have the same unit.
    time_scale : float, optional
        Seconds of the model in one second of the page; by default the experiment takes some ten.
    ranges : mapping of str to (float, float)
        Least and largest value of a slider, in the variable's unit.
    follow : str or bool, optional
        Shape that the camera follows; by default all that travels.
    spatial : bool
        Whether a planar model whose plane is the ground is seen in space, with z upwards; by
        default it is seen from above.
    ramp : float
        Seconds of the page until a key has its full effect.
    remarks : mapping of str to Remark
        Remarks where boolean outputs become false, also at the end of ``mbcore run`` of the
        model and of its FMUs, which tell peaks of outputs.
    used_with : mapping of str to (str, str)
        Inputs that act only where an enumeration has a value, as in ``{"motor.speed": ("drive",
        "speed")}``. Elsewhere the page dims them, and ``mbcore run`` of the model says that a
        value given for them has no effect.
    opening : mapping of str to float or str
        Values with which the page opens instead of the default ones, in their units; items of
        enumerations by name. A link that chooses anything opens with its own.

    Raises
    ------
    ModelError
        A key is unknown or reserved, a number is none, a range is empty, a caption has no key.
    """

    keys: Mapping[str, Mapping[str, float]] | None = None
    plots: Sequence[str | Sequence[str]] | None = None
    time_scale: float | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    follow: str | bool | None = None
    spatial: bool = False
    ramp: float = 0.25
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    used_with: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    spins: Mapping[str, str] = field(default_factory=dict)
    opening: Mapping[str, float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.time_scale is not None:
            checks.real("page", "time_scale", self.time_scale, above=0)
        checks.real("page", "ramp", self.ramp, above=0, unit="s")
        for key, effect in _mapping("keys", {} if self.keys is None else self.keys).items():
            plain = isinstance(key, str) and re.fullmatch(r"[a-z0-9]", key)
            if key not in ARROWS and (not plain or key in RESERVED):
                raise ModelError(
                    f"page: {key!r} cannot be a key; choose {', '.join(ARROWS)}, or a digit or a "
                    f"letter other than {', '.join(RESERVED)}"
                )
            for name, value in _mapping(f"key {key!r}", effect).items():
                checks.real(f"page: key {key!r}", str(name), value)
        for name, bounds in _mapping("ranges", self.ranges).items():
            _check_range(name, bounds)
        for name, remark in _mapping("remarks", self.remarks).items():
            if not isinstance(remark, Remark):
                raise ModelError(f"page: the remark of {name!r} is {remark!r}; give a Remark")
        self._check_captions()
        for name, condition in _mapping("used_with", self.used_with).items():
            if not _is_pair_of_texts(condition):
                raise ModelError(
                    f"page: used_with of {name!r} is {condition!r}; give (enumeration, value), as "
                    "in ('drive', 'speed')"
                )
        for name, rate in _mapping("spins", self.spins).items():
            if not isinstance(rate, str):
                raise ModelError(f"page: the spin of {name!r} is {rate!r}; give an input's name")
        for name, value in _mapping("opening", self.opening).items():
            if not isinstance(value, str):
                checks.real("page: opening", str(name), value)
        if isinstance(self.plots, str):
            raise ModelError(f"page: plots = {self.plots!r}; give a tuple of names")
        if self.follow is not None and not isinstance(self.follow, bool | str):
            raise ModelError(f"page: follow = {self.follow!r}; give a shape's name, True or False")
        if not isinstance(self.spatial, bool):
            raise ModelError(f"page: spatial = {self.spatial!r}; give True or False")

    def _check_captions(self) -> None:
        keys = ARROWS if self.keys is None else self.keys
        for key, caption in _mapping("captions", self.captions).items():
            if key not in keys:
                known = ", ".join(keys) or "none"
                raise ModelError(f"page: the caption of {key!r} has no key; there are {known}")
            if not isinstance(caption, str) or not caption:
                raise ModelError(f"page: the caption of {key!r} is {caption!r}; give a text")

    def plotted(self) -> tuple[tuple[str, ...], ...]:
        """Return the names in each plot."""
        return tuple((plot,) if isinstance(plot, str) else tuple(plot) for plot in self.plots or ())


def _mapping(what: str, given: object) -> Mapping:
    if not isinstance(given, Mapping):
        raise ModelError(f"page: {what} = {given!r}; give a dictionary")
    return given


def _is_pair_of_texts(given: object) -> bool:
    if not isinstance(given, tuple | list) or len(given) != 2:
        return False
    return all(isinstance(text, str) for text in given)


def _check_range(name: object, bounds: object) -> None:
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ModelError(f"page: the range of {name!r} is {bounds!r}; give (least, largest)")
    for value in bounds:
        checks.real("page", f"range of {name}", value)
    if not bounds[0] < bounds[1]:
        raise ModelError(f"page: the range of {name!r} is {tuple(bounds)}; it must increase")
