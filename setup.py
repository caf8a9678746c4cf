"""What ``pyproject.toml`` cannot say: ``fmu_src/`` and ``examples/`` are in ``mbcore``, too.

An installation compiles the runtime in C where a compiler is there, so that no first run has to.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent.resolve()
OBJECTS = Path("mbcore") / "native" / "objects"
"""Folder of the compiled runtime, see `mbcore.native.prebuilt`."""
LONGEST = 600
"""Time that compiling may take before the installation goes on without it, s."""
MOVED = {"mbcore.fmus": "fmu_src", "mbcore.examples": "examples"}
"""Packages by the folders that they are in here."""


class BuildWithRuntime(build_py):
    """Copies the packages, and compiles the runtime into the copy, or here if it is editable."""

    def run(self) -> None:
        """Never fail for want of a compiler: then first runs compile the runtime."""
        super().run()
        objects = (ROOT if self.editable_mode else Path(self.build_lib).resolve()) / OBJECTS
        shutil.rmtree(objects, ignore_errors=True)
        line = [sys.executable, "-m", "mbcore.native.prebuilt", str(objects)]
        try:
            subprocess.run(line, cwd=ROOT, check=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as error:
            shutil.rmtree(objects, ignore_errors=True)
            print(f"mbcore: first runs will compile the runtime in C, for here: {error}")


setup(
    cmdclass={"build_py": BuildWithRuntime},
    packages=[
        *find_namespace_packages(include=["mbcore*"]),
        *MOVED,
        *(
            f"{package}.{name}"
            for package, at in MOVED.items()
            for name in find_namespace_packages(at)
        ),
    ],
    package_dir=MOVED,
)
