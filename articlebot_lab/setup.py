"""Packaging of the laboratory, a distribution of its own from the same tree: ``pip install ./articlebot_lab``."""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'^__version__ = "(.+)"$', (HERE / "__init__.py").read_text(encoding="utf-8"), re.M)
assert VERSION is not None

setup(
    name="articlebot-lab",
    version=VERSION[1],
    description="What demonstrates and measures articlebot: a living world of news sites, soaks, simulations.",
    python_requires=">=3.11",
    package_dir={"articlebot_lab": "."},
    packages=["articlebot_lab", *(f"articlebot_lab.{name}" for name in find_packages(str(HERE)))],
    package_data={"articlebot_lab": ["**/*.toml", "**/*.json", "**/*.html", "py.typed"]},
    install_requires=[f"articlebot=={VERSION[1]}"],
    extras_require={"plot": ["matplotlib>=3.8"]},
    entry_points={
        "scrapy.commands": [
            f"{module.stem} = articlebot_lab.commands.{module.stem}:Command"
            for module in sorted((HERE / "commands").glob("[!_]*.py"))
        ]
    },
    zip_safe=True,
)
