"""What ``pyproject.toml`` cannot say: ``fmu_src/`` is installed as ``mbcore.fmus``."""

from setuptools import find_namespace_packages, setup

FMUS = ["mbcore.fmus", *(f"mbcore.fmus.{name}" for name in find_namespace_packages("fmu_src"))]

setup(
    packages=[*find_namespace_packages(include=["mbcore*"]), *FMUS],
    package_dir={"mbcore.fmus": "fmu_src"},
)
