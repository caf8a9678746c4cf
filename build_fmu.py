"""Build the FMUs of fmu_src/: ``python build_fmu.py --help``."""

import sys
from pathlib import Path

from mbcore.cli import main

if __name__ == "__main__":
    sys.exit(main(sources=Path(__file__).parent / "fmu_src"))
