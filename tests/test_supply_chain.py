"""What CI installs is named by its hash, and fits the ranges of pyproject.toml from their lower end on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
LOCKS: dict[str, list[str]] = {"ci.txt": ["parquet", "zstd", "dev"], "runtime.txt": []}
"""The lock files, and the extras that they are made for."""


def entries(name: str) -> list[list[str]]:
    """Of each package of a file of requirements/ its lines, the first of which is the requirement."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    lines = [line for line in text.replace("\\\n", "\0").splitlines() if not line.startswith("#")]
    return [[part.strip() for part in line.split("\0")] for line in lines]


def versions(name: str) -> dict[str, list[str]]:
    """The versions that a file of requirements/ names of each package; where Pythons differ there are several."""
    found: dict[str, list[str]] = {}
    for requirement, *_ in entries(name):
        parsed = Requirement(requirement)
        (pinned,) = parsed.specifier
        assert pinned.operator == "=="
        found.setdefault(canonicalize_name(parsed.name), []).append(pinned.version)
    return found


def project() -> dict[str, Any]:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML by itself")
    said: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return said


def asked_for(*extras: str) -> Iterator[tuple[str, SpecifierSet]]:
    """The package's own dependencies and those of extras, and their ranges."""
    said = project()["project"]
    for requirement in map(Requirement, said["dependencies"]):
        yield canonicalize_name(requirement.name), requirement.specifier
    for extra in extras:
        for requirement in map(Requirement, said["optional-dependencies"][extra]):
            if requirement.name != said["name"]:
                yield canonicalize_name(requirement.name), requirement.specifier


def lower(specifier: SpecifierSet) -> str:
    (bound,) = (part.version for part in specifier if part.operator == ">=")
    return bound


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_names_every_file_by_its_hash(name: str) -> None:
    assert entries(name)
    for requirement, *hashes in entries(name):
        assert "://" not in requirement
        assert hashes
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes)


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_holds_what_is_asked_for(name: str) -> None:
    locked = versions(name)
    for package, allowed in asked_for(*LOCKS[name]):
        assert any(allowed.contains(version) for version in locked[package]), package


def test_what_the_package_needs_is_locked_once() -> None:
    whole = versions("ci.txt")

    assert all(set(pinned) == set(whole[package]) for package, pinned in versions("runtime.txt").items())


def test_the_lowest_versions_are_those_of_the_ranges() -> None:
    lowest = versions("lowest.txt")
    wanted = list(asked_for(*LOCKS["ci.txt"]))

    assert set(lowest) == {package for package, _ in wanted}
    for package, allowed in wanted:
        assert any(SpecifierSet(f"=={lower(allowed)}").contains(version) for version in lowest[package]), package


def test_every_range_of_the_package_has_two_ends() -> None:
    for package, allowed in asked_for():
        assert {part.operator for part in allowed} == {">=", "<"}, package


def test_ci_takes_the_locked_the_lowest_and_the_newest() -> None:
    taken = re.findall(r"^ *within (?:locked|\"\$version\") pip install --quiet (.*)$", CI, re.MULTILINE)

    assert taken == [
        "--require-hashes -r requirements/ci.txt",
        "--no-deps --no-build-isolation .",
        "--editable '.[dev]'",
        "--constraint requirements/lowest.txt '.[dev]'",
        "'.[dev]'",
    ]


def test_ci_builds_twice() -> None:
    assert "within locked .ci/reproduce\n" in CI
