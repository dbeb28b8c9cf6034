"""A result is written whole, or what was there stays."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from openmed_rules.errors import OutputError
from openmed_rules.running.output import write_output


def write(path: Path, text: str) -> None:
    write_output(os.fspath(path), text)


def left(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_a_file_is_written_and_written_again(tmp_path: Path) -> None:
    for text in ("old\n", "é\n"):
        write(tmp_path / "result.txt", text)

        assert left(tmp_path) == {"result.txt": text}


def test_a_letter_that_has_no_code_is_spelt_out(tmp_path: Path) -> None:
    write(tmp_path / "result.txt", "\udcff")

    assert left(tmp_path) == {"result.txt": "\\udcff"}


def test_the_mode_of_the_old_file_stays(tmp_path: Path) -> None:
    (tmp_path / "result.txt").write_text("old")
    (tmp_path / "result.txt").chmod(0o640)
    write(tmp_path / "result.txt", "new")

    assert stat.S_IMODE((tmp_path / "result.txt").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "result.txt")
    write(tmp_path / "link.txt", "new")

    assert (tmp_path / "link.txt").is_symlink()
    assert left(tmp_path) == {"link.txt": "new", "result.txt": "new"}


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_the_old_file_stays_where_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException, step: str
) -> None:
    def fail(*_: object) -> None:
        raise fault

    (tmp_path / "result.txt").write_text("old")
    monkeypatch.setattr(step, fail)

    with pytest.raises((OutputError, KeyboardInterrupt)):
        write(tmp_path / "result.txt", "new")
    assert left(tmp_path) == {"result.txt": "old"}


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    for path in (tmp_path / "missing" / "result.txt", tmp_path / "folder"):
        with pytest.raises(OutputError) as caught:
            write(path, "new")
        assert str(caught.value).startswith(f"OMR-701: {path}: cannot be written: ")
        assert caught.value.__context__ is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_device_is_written_to_and_stays_one() -> None:
    with pytest.raises(OutputError, match="No space left"):
        write(Path("/dev/full"), "new")
    write(Path("/dev/null"), "new")

    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
