"""Pictures of examples, laid out once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from matplotlib.figure import Figure


@pytest.fixture(autouse=True, scope="session")
def laid_out_once() -> Iterator[None]:
    """Write figures as they are: `save` has laid them out, to see whether anything is cut off.

    Laying out takes as long as drawing does.
    """
    write = Figure.savefig

    def savefig(figure: Figure, *place: Any, **options: Any) -> None:
        figure.set_layout_engine("none")
        write(figure, *place, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", savefig)
        yield
