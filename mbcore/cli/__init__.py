"""The command ``mbcore``, a file for each of its subcommands, and that of ``build_fmu.py``.

`mbcore.cli.program` is where the command begins; ``main`` here is that of ``build_fmu.py``.
"""

from mbcore.cli.build import main
from mbcore.cli.definitions import definitions

__all__ = ["definitions", "main"]
