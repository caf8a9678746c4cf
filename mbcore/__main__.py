"""``python -m mbcore``: the command ``mbcore``."""

import sys

from mbcore.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
