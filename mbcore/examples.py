"""The examples, which a checkout has in ``examples/``.

An installation has that folder itself in this module's place, see ``setup.py``.
"""

from pathlib import Path

__path__ = [str(Path(__file__).parents[1] / "examples")]
