"""The subcommands of ``mbcore``, a module each; a module that is added here is a subcommand.

It has ``HELP``, one line for ``mbcore --help`` that is read without running the module,
``add_arguments(parser)``, and ``run(options)``, which returns the exit status.
``ONE_PROCESS = True`` says that it has no temporary files and may be interrupted anywhere.
"""
