"""The command ``mbcore``, a file for each of its subcommands.

`mbcore.cli.program` is where the command begins; `mbcore.cli.commands.build` is also
that of ``build_fmu.py``. Subcommands import slow modules only where they need them.
"""
