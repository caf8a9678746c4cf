"""Build the FMUs of fmu_src/: ``python build_fmu.py --help``."""

import sys

from mbcore.cli.commands.build import main

if __name__ == "__main__":
    sys.exit(main())
