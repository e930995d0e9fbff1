"""Writing replaces a file whole or leaves it: full disks, kills, links, permissions."""

import contextlib
import gc
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import captured, error_of
from fastmetrics import ConfusionMatrix, ScoreTable, report
from fastmetrics.results import Report
from processes import python

POSIX = pytest.mark.skipif(os.name != "posix", reason="limits, signals and modes are POSIX")
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def matrix(seed: int = 0, k: int = 60) -> ConfusionMatrix:
    return ConfusionMatrix.from_counts(np.random.default_rng(seed).integers(0, 2**40, (k, k)))


def table(seed: int = 0, n: int = 2000) -> ScoreTable:
    rng = np.random.default_rng(seed)
    return ScoreTable.from_scores(rng.integers(0, 2, n), rng.random(n))


@cache
def page() -> Report:
    pytest.importorskip("jinja2")
    return report([0, 1] * 20, np.arange(40) / 40, band=None)


#: Everything of the package that writes over a file, but for commands.
WRITERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "ConfusionMatrix.save": ("a.npz", lambda path: matrix().save(path)),
    "ScoreTable.save": ("a.npz", lambda path: table().save(path)),
    "Report.save": ("a.html", lambda path: page().save(path)),
}


@contextlib.contextmanager
def small_files(n_bytes: int):
    """No file may become larger: what a full disk is to who writes, but for the number."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)  # Python 3.11 would keep half a module
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
        try:
            yield  # Python ignores SIGXFSZ, so that an OSError comes of it
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


# NumPy 2.1 leaves open the archive that it could not write, which is closed as it is collected.
@pytest.mark.filterwarnings("ignore:Exception ignored in. .function ZipFile.__del__")
@POSIX
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("before", [b"precious", None])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(name, before, tmp_path) -> None:
    ending, write = WRITERS[name]
    path = tmp_path / ending
    write(path)
    assert path.stat().st_size > 4096, "the limits below are none"
    path.unlink()
    if before is not None:
        path.write_bytes(before)
    for limit in (0, 1, 4096):
        with small_files(limit), pytest.raises(OSError, match="File too large") as caught:
            write(path)
        assert caught.value.filename == str(path)
        assert [p.name for p in tmp_path.iterdir()] == [ending] * (before is not None)
        assert before is None or path.read_bytes() == before
    del caught
    gc.collect()
    write(path)
    assert [p.name for p in tmp_path.iterdir()] == [ending]


@POSIX
@pytest.mark.parametrize(
    "command",
    ["demo --write x.csv", "compare-table ../t.csv --datasets d --higher-is-better --plot x.png"],
)
def test_a_full_disk_leaves_no_half_of_what_a_command_writes(
    command, tmp_path, monkeypatch, capsys
) -> None:
    (tmp_path / "t.csv").write_text("d,a,b,c\nx,1,2,3\ny,1,3,2\nz,1,2,4\n")
    (folder := tmp_path / "folder").mkdir()
    monkeypatch.chdir(folder)
    with small_files(4096):
        message = error_of(capsys, *command.split())
    assert re.fullmatch(r"x\.(csv|png): File too large", message)
    assert list(folder.iterdir()) == []
    captured(capsys, *command.split())
    assert [p.stem for p in folder.iterdir()] == ["x"]


#: One process that knows the package, and forks writers to kill in the midst of it.
KILLER = """
import os, random, signal, sys, time
sys.path[:0] = sys.argv[2].split(os.pathsep)
from test_files import matrix, table

random.seed(7)
for one, other in [(matrix(0), matrix(1, 90)), (table(0), table(1, 9000))]:
    path = sys.argv[1] + "/" + type(one).__name__
    one.save(path)
    half_way = 0
    for _ in range(25):
        child = os.fork()
        if child == 0:
            while True:
                other.save(path)
                one.save(path)
        time.sleep(random.uniform(0.001, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        loaded = type(one).load(path)
        assert loaded == one or loaded == other
        left = [name for name in os.listdir(sys.argv[1]) if name.endswith(".tmp")]
        half_way += len(left)
        for name in left:
            os.unlink(sys.argv[1] + "/" + name)
    assert half_way > 3, "hardly one was killed while it wrote"
"""


@POSIX
def test_a_killed_process_leaves_a_whole_file(tmp_path) -> None:
    places = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    run = python("-c", KILLER, str(tmp_path), places, timeout=120)
    assert run.returncode == 0, run.stderr


def save_seen(monkeypatch, path: Path, look: Callable[[], Any]) -> None:
    """Save a table as other bytes, and look around before they are all of the file."""

    def write(file: Any, **members: Any) -> None:
        file.write(b"new")
        file.flush()
        look()

    monkeypatch.setattr(np, "savez_compressed", write)
    matrix().save(path)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_interrupted_writer_leaves_the_old_file(error, tmp_path, monkeypatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail() -> None:
        raise error

    with pytest.raises(error):
        save_seen(monkeypatch, path, fail)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_readers_see_the_old_file_until_the_new_one_is_whole(tmp_path, monkeypatch) -> None:
    path = tmp_path / "file"
    seen = []
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        save_seen(monkeypatch, path, lambda: seen.append(path.read_bytes()))
        assert [*seen, path.read_bytes()] == [b"old", b"new"]
        assert os.name != "posix" or reader.read() == b"old"


@POSIX
def test_what_a_link_points_to_is_replaced(tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    link = tmp_path / "link"
    for name in ("folder/target", target):  # relative to the link, and absolute
        link.unlink(missing_ok=True)
        link.symlink_to(name)
        for _ in range(2):  # the first time the target is not there yet
            matrix().save(link)
            assert link.is_symlink()
            assert not target.is_symlink()
            assert ConfusionMatrix.load(target) == matrix()
        target.unlink()
    assert [p.name for p in tmp_path.iterdir() if p.name != "folder"] == ["link"]
    assert list((tmp_path / "folder").iterdir()) == []


@POSIX
def test_links_in_a_circle_are_an_error(tmp_path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="a"):
        matrix().save(tmp_path / "a")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@POSIX
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_permissions(umask, tmp_path, monkeypatch) -> None:
    path = tmp_path / "file"
    before = os.umask(umask)
    seen = list[int]()
    try:
        matrix().save(path)
        assert mode(path) == 0o666 & ~umask, "a new file is one like any other"
        for kept in (0o600, 0o664, 0o640):
            path.chmod(kept)
            seen.clear()
            save_seen(monkeypatch, path, lambda: seen.extend(map(mode, tmp_path.iterdir())))
            assert seen == [kept, kept]  # of the old file and of the new one
            assert mode(path) == kept
    finally:
        os.umask(before)


@POSIX
@pytest.mark.skipif(not ROOT, reason="only root gives files away")
def test_the_owner_stays(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    os.chown(path, 1234, 4321)
    matrix().save(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


@contextlib.contextmanager
def somebody():
    """Root may write everywhere: be somebody else, in a folder of his."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.geteuid()
        if ROOT:
            os.chown(folder, 65534, -1)
            os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(before)


@POSIX
def test_a_file_or_folder_that_must_not_be_written_stays() -> None:
    result = matrix()
    result.save(io.BytesIO())  # compiled, cached
    with somebody() as folder:
        path = folder / "file"
        path.write_bytes(b"old")
        path.chmod(0o444)
        with pytest.raises(PermissionError) as caught:
            result.save(path)
        path.chmod(0o644)
        folder.chmod(0o555)
        with pytest.raises(PermissionError) as caught_too:
            result.save(path)
        assert [p.name for p in folder.iterdir()] == ["file"]
        assert path.read_bytes() == b"old"
        assert caught.value.filename == caught_too.value.filename == str(path)
        folder.chmod(0o755)


def test_a_write_is_a_change_of_the_file(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.utime(path, (1, 1))
    matrix().save(path)
    assert path.stat().st_mtime > 1e9


def test_folders_that_are_none_are_named(tmp_path) -> None:
    path = tmp_path / "no" / "file"
    with pytest.raises(FileNotFoundError) as caught:
        matrix().save(path)
    assert caught.value.filename == str(path)
    with pytest.raises(OSError, match="director"):
        matrix().save(tmp_path)
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_devices_and_pipes_are_written_to(tmp_path) -> None:
    matrix().save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    matrix().save(pipe)
    content = reader.communicate(timeout=60)[0]
    assert ConfusionMatrix.load(io.BytesIO(content)) == matrix()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, " ", "-", "名前.npz"])
def test_any_name(name, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / name, name):
        matrix().save(path)
        assert os.listdir() == [name]
        assert ConfusionMatrix.load(path) == matrix()


def test_file_objects_are_written_where_they_are(tmp_path) -> None:
    with (tmp_path / "file").open("w+b") as file:
        file.write(b"head")
        matrix().save(file)
        assert not file.closed
    assert (tmp_path / "file").read_bytes().startswith(b"head")
