"""Small copies of what the examples drew and printed, which are part of the repository.

A build of the site runs no example. ``python -m docs.site.gallery --all --keep``
runs them and writes their figures, compressed, into ``docs/images/gallery/NAME/``, with
``record.json``: what was printed, the time the run took, and in which order the figures were drawn.
A picture that several examples draw alike is stored once, by the first of them in the alphabet; the
others' records have its path. Where the first draws another one later, the next of them has it.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

STORED = Path(__file__).resolve().parents[1] / "images" / "gallery"
LARGEST = 100_000
"""Bytes that one stored figure may have."""
WIDTH = 900
"""Pixels of a stored figure, which is about the width of a page's text."""
SHARP = 1.3
"""How many times as long a picture without loss may be as one with."""
TOLERATED = 24
"""Difference of two brightnesses, of 255, that compression alone makes."""


def store(name: str, record: Mapping[str, Any], figures: Sequence[Path]) -> dict[str, float | None]:
    """Replace an example's stored figures and record by these.

    Returns
    -------
    dict of str to (float or None)
        By figure, the share of pixels that differ from the stored one, whose file stays where it is
        zero; None where there was none.
    """
    folder = STORED / name
    before = {file.stem: file.read_bytes() for file in folder.glob("*.webp")}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    there = {
        other.read_bytes(): f"../{other.parent.name}/{other.name}"
        for other in sorted(STORED.glob("*/*.webp"), reverse=True)
        if other.parent.name < name
    }
    paths: list[str] = []
    shares: dict[str, float | None] = {}
    for figure in figures:
        content = compressed(figure)
        was = before.get(figure.stem, content if content in there else None)
        shares[figure.stem] = None if was is None else different(was, content)
        if was is not None and not shares[figure.stem]:
            content = was
        paths.append(there.get(content, f"{figure.stem}.webp"))
        if content not in there:
            (folder / paths[-1]).write_bytes(content)
    said = {**record, "figures": paths}
    (folder / "record.json").write_text(_text(said), encoding="utf-8")
    for stem, content in before.items():
        file = folder / f"{stem}.webp"
        if not file.is_file() or file.read_bytes() != content:
            _hand_on(file, content, there.get(content))
    return shares


def _hand_on(file: Path, content: bytes, elsewhere: str | None) -> None:
    """Keep a picture that its example draws no longer for the others whose records link to it.

    They link to where it is elsewhere; else the first of them stores it.
    """
    gone = f"../{file.parent.name}/{file.name}"
    for record in sorted(STORED.glob("*/record.json")):
        said = json.loads(record.read_text(encoding="utf-8"))
        if gone not in said["figures"]:
            continue
        path = elsewhere
        if path is None:
            name = record.parent.name
            path = name + file.name.removeprefix(file.parent.name)
            (record.parent / path).write_bytes(content)
            elsewhere = f"../{name}/{path}"
        said["figures"] = [path if figure == gone else figure for figure in said["figures"]]
        record.write_text(_text(said), encoding="utf-8")


def _text(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def different(one: bytes, other: bytes) -> float:
    """Return the share of pixels in which two pictures differ by more than their compression."""
    pictures = [Image.open(io.BytesIO(content)).convert("RGB") for content in (one, other)]
    if pictures[0].size != pictures[1].size:
        return 1.0
    apart = ImageChops.difference(*pictures).convert("L").point(lambda value: value > TOLERATED)
    return sum(apart.histogram()[1:]) / (apart.width * apart.height)


def stored(name: str) -> tuple[dict[str, Any], list[Path]] | None:
    """Return an example's stored record and its figures in their order, None if there is none."""
    folder = STORED / name
    if not (folder / "record.json").is_file():
        return None
    said = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    return said, [(folder / figure).resolve() for figure in said.pop("figures")]


def compressed(figure: Path) -> bytes:
    """Return a figure as WebP of at most `LARGEST` bytes, with fewer pixels if it must be.

    Lines and text of few colours are smallest without loss, drawings with shades with some. The
    palette is by octree, which keeps rare colours, such as those of thin curves.
    """
    with Image.open(figure) as opened:
        whole = opened.convert("RGB")
    width = min(WIDTH, whole.width)
    while True:
        size = (width, round(whole.height * width / whole.width))
        small = whole.resize(size, Image.Resampling.LANCZOS)
        palette = small.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).convert(
            "RGB"
        )
        exact, shaded = _webp(palette, lossless=True), _webp(small, quality=60)
        if len(exact) <= min(SHARP * len(shaded), LARGEST):
            return _webp(palette, lossless=True, quality=100)  # the same pixels in a shorter file
        if len(shaded) <= LARGEST:
            return shaded
        width = round(0.9 * width)


def _webp(picture: Image.Image, **how: int) -> bytes:
    target = io.BytesIO()
    picture.save(target, "WEBP", method=6, **how)
    return target.getvalue()
