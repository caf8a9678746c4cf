"""What ``pyproject.toml`` cannot say: ``fmu_src/`` and ``examples/`` are in ``mbcore``, too."""

from setuptools import find_namespace_packages, setup

MOVED = {"mbcore.fmus": "fmu_src", "mbcore.examples": "examples"}
"""Packages by the folders that they are in here."""

setup(
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
