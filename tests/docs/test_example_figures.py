"""Figures of the examples have text that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from docs.site import gallery_examples
from mbcore.examples.common import earlier, save


@pytest.mark.parametrize("width", [5.0, 8.5, 13.0])
def test_the_smallest_text_has_eleven_pixels_at_nine_hundred(width: float, tmp_path: Path) -> None:
    figure = Figure(figsize=(width, 3))
    axes = figure.add_subplot()
    small = axes.text(0.5, 0.5, "small", fontsize=3)
    large = axes.text(0.5, 0.8, "large", fontsize=30)
    save(figure, tmp_path, "figure")
    texts = (small, large, *axes.get_xticklabels())
    pixels = [text.get_fontsize() / 72 * 900 / width for text in texts]
    assert min(pixels) == pytest.approx(11)
    assert large.get_fontsize() == 30
    assert (tmp_path / "figure.png").is_file()


def test_every_figure_is_saved_so() -> None:
    saving = [
        f.name
        for f in gallery_examples.EXAMPLES.rglob("*.py")
        if ".savefig(" in f.read_text("utf-8")
    ]
    assert saving == ["common.py"]


def test_a_legend_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    figure = Figure(figsize=(5, 3))
    axes = figure.add_subplot()
    axes.plot([0, 1], label="a long name of a curve")
    axes.legend(loc="upper left", bbox_to_anchor=(0.8, 1))
    with pytest.raises(ValueError, match="cut off at the edge of the figure: a long name"):
        save(figure, tmp_path, "figure")
    assert not list(tmp_path.iterdir())


def test_pale_pictures_are_told_by_how_much_earlier_they_are() -> None:
    assert earlier([0.0]) == ""
    assert earlier([1.0, 4.0]) == "3 s earlier"
    assert earlier([0.0, 3.0, 4.5, 6.0]) == "6, 3 and 1.5 s earlier"
    assert earlier([0.0, 0.05, 0.1, 0.15, 0.2]) == "every 0.05 s before"
    assert earlier([0.001, 0.0099]) == "8.9 ms earlier"
