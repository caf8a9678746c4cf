"""The command ``mbcore``, a file for each of its subcommands.

`mbcore.cli.program` is where the command begins; `mbcore.cli.commands.build` is also
that of ``build_fmu.py``. What takes long to import is imported by the subcommands that need it.
"""
