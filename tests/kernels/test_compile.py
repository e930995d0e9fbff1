"""Kernels are compiled once, with a notice, and may be interrupted."""

import io
import os
import shutil
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import _compile
from fastmetrics._kernels._compile import Kernel, kernel

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled in this run"
)


def total(values: Any) -> float:
    """Add the values up."""
    actual = 0.0
    for value in values:
        actual += value
    return actual


def total_of_rows(table: Any, out: Any) -> None:
    for i in range(table.shape[0]):
        out[i] = total_kernel(table[i])


total_kernel: Kernel = kernel(total)


@pytest.fixture
def fresh() -> Kernel:
    """Return a kernel that nobody has called."""
    return kernel(total)


def test_a_kernel_looks_like_its_function(fresh) -> None:
    assert fresh.py_func is total
    assert fresh.__name__ == "total"
    assert fresh.__doc__ == "Add the values up."
    assert repr(fresh).endswith("test_compile.total>")
    assert fresh._dispatcher is None


@compiled_only
@pytest.mark.parametrize("size", [0, 1, 3_000])
def test_the_first_call_is_served_by_the_compiled_function(fresh, monkeypatch, size) -> None:
    fresh.compiled()
    monkeypatch.setattr(fresh, "py_func", None)
    assert fresh(np.ones(size)) == size


def test_kernels_call_kernels(monkeypatch) -> None:
    rows = kernel(total_of_rows)
    table = np.arange(12.0).reshape(3, 4)
    for form in (rows.py_func, rows.compiled()):
        out = np.full(3, np.nan)
        form(table, out)
        assert out.tolist() == [6.0, 22.0, 38.0]


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


@compiled_only
def test_read_only_arrays_add_no_version(fresh) -> None:
    fresh(np.ones(3_000))
    for array in (np.ones(3_000), np.ones(0), np.ones(5_000)):
        assert fresh(read_only(array)) == array.size
    assert fresh(np.broadcast_to(np.ones(6_000), (6_000,))) == 6_000
    assert fresh(np.frombuffer(b"\0" * 24)) == 0
    assert len(fresh.compiled().signatures) == 1


@pytest.mark.parametrize("shape", [(0,), (5,), (4, 3), (0, 3)])
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64, np.uint64])
def test_what_is_unlocked_is_the_same_memory(shape, dtype) -> None:
    array = read_only(np.arange(np.prod(shape)).reshape(shape).astype(dtype))
    view = _compile._unlocked(array)
    assert view.flags.writeable
    assert not array.flags.writeable
    assert (view.shape, view.dtype) == (array.shape, array.dtype)
    assert array.size == 0 or view.strides == array.strides
    assert array.size == 0 or view.ctypes.data == array.ctypes.data
    np.testing.assert_array_equal(view, array)


def test_what_is_unlocked_outlives_its_owner() -> None:
    view = _compile._unlocked(read_only(np.arange(50_000.0)))
    others = [np.full(50_000, -1.0) for _ in range(20)]
    assert view.tolist() == list(range(50_000))
    assert len(others) == 20


@compiled_only
def test_what_needs_no_unlocking_stays_itself(fresh, monkeypatch) -> None:
    monkeypatch.setattr(_compile, "_unlocked", pytest.fail)
    assert fresh(np.ones(3_000)) == 3_000


def test_uncached_where_no_folder_is_writable(fresh, monkeypatch, caplog) -> None:
    import numba
    from numba.core.registry import cpu_target

    cpu_target.target_context.refresh()  # its own modules ask for what is replaced here
    asked: list[dict[str, Any]] = []

    def njit(**options: Any) -> Any:
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'total': no locator available")
        return original(**options)

    original = numba.njit
    monkeypatch.setattr(numba, "njit", njit)
    with caplog.at_level("DEBUG", logger="fastmetrics"):
        assert fresh(np.ones(3_000)) == 3_000
    assert fresh(np.ones(3_000)) == 3_000
    flags: dict[str, Any] = {"nogil": True, "fastmath": False, "error_model": "numpy"}
    flags["no_cfunc_wrapper"] = True
    assert asked == [{"cache": True, **flags}, flags]
    assert [record.message.split(":")[0] for record in caplog.records] == [
        "kernel total is not cached"
    ]


def run_program(text: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@compiled_only
def test_a_process_without_a_cache_folder(tmp_path) -> None:
    """Row 68: the folder lies below a file, so that not even root can make it."""
    (tmp_path / "file").touch()
    program = """
import logging, sys
import numpy as np
from fastmetrics import rank_loss
logging.basicConfig(stream=sys.stdout, format="%(message)s")
logging.getLogger("fastmetrics").setLevel("DEBUG")
n = 4_000
print(rank_loss(np.arange(n) % 2 == 0, np.arange(n) / 8))
"""
    out = run_program(
        program,
        NUMBA_CACHE_DIR=str(tmp_path / "file" / "folder"),
        NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator",
    )
    wrongly_ordered = 2_000 * 2_001 // 2  # the k-th positive is below all but k - 1 negatives
    assert float(out.splitlines()[-1]) == wrongly_ordered / 2_000**2


USE = """
import sys, warnings
import numpy as np
from fastmetrics import rank_loss
n = 4_000
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    print(rank_loss(np.arange(n) % 2 == 0, np.arange(n) / 8))
print(*[f"{warning.category.__name__}: {warning.message}" for warning in said], sep="\\n")
"""
#: Say at the end whether all that compiling needs was loaded.
TELL_TALE = """
import atexit, sys
atexit.register(lambda: print("numba.np.arraymath" in sys.modules))
"""
VALUE = str(2_000 * 2_001 // 2 / 2_000**2)


def use_cache(folder: Path, before: str = "", after: str = "") -> list[str]:
    """Run a process and return its output: the value, then one line for each warning."""
    said = run_program(
        before + USE + after,
        NUMBA_CACHE_DIR=str(folder),
        NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator",
    ).splitlines()
    return [line for line in said if line]


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Path:
    """Return a folder that a process has filled, which had to load all that compiling needs."""
    folder = tmp_path_factory.mktemp("cache")
    assert use_cache(folder, TELL_TALE) == [VALUE, "True"]
    return folder


@compiled_only
@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        pytest.param(".nbi", lambda old: b"", id="empty index", marks=pytest.mark.exhaustive),
        pytest.param(".nbi", lambda old: b"\x80\x05random \xff" * 50, id="noise for an index"),
        pytest.param(
            ".nbc",
            lambda old: old[: len(old) // 2],
            id="half of the code",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_damaged_files_of_the_cache_cost_one_warning(filled, tmp_path, suffix, damage) -> None:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    files = list(tmp_path.rglob(f"*{suffix}"))
    assert files
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    value, warning = use_cache(tmp_path)
    assert value == VALUE
    assert warning.startswith("RuntimeWarning: the machine code in ")
    assert str(tmp_path) in warning
    assert "cannot be read" in warning
    assert use_cache(tmp_path) == [VALUE]  # mended


#: Ask for a version that is not in the cache.
ANOTHER = """
from fastmetrics._kernels import merges
print(merges.cumulative_pair.compiled()(*np.ones((4, 4))))
"""


@compiled_only
def test_what_is_loaded_from_the_cache_needs_no_compiler(filled, tmp_path) -> None:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    assert use_cache(tmp_path, TELL_TALE) == [VALUE, "False"]
    assert use_cache(tmp_path, TELL_TALE, ANOTHER) == [VALUE, "None", "True"]


@compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files there")
def test_a_full_disk_costs_one_warning(tmp_path) -> None:
    limit = """
import resource, signal, sys
sys.dont_write_bytecode = True  # Python 3.11 would keep half a module
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
"""
    value, warning = use_cache(tmp_path, limit)
    assert value == VALUE
    assert "cannot be written (OSError" in warning
    assert str(tmp_path) in warning


def test_first_calls_warn_of_nothing() -> None:
    program = """
import numpy as np
import fastmetrics as fm
labels = np.array([0, 1, 1, 0, 1, 0], np.int8)
columns = [[-1.7e308, 1.7e308, 5e-324, -0.0, 0.0, 1.0], [1] * 6]
columns += [np.array([0, 1, 2, 2**64 - 1, 2**63, 7], np.uint64), np.array([3, -2**63] * 3)]
weights = [None, [1e308] * 6, [5e-324] * 6, [1e-16, 1e16] * 3, [0, 1, 2, 3, 0, 2**50]]
for scores in columns:
    for weight in weights:
        fm.roc_auc_score(labels, scores, sample_weight=weight)
        fm.rank_loss(labels, scores, sample_weight=weight)
        fm.ScoreTable.from_scores(labels, scores, sample_weight=weight).true_positives
"""
    assert run_program(program) == ""


#: Return the bits of what a dozen functions give: in a new process, and after many calls.
BITS = """
import warnings
import numpy as np
import fastmetrics as fm
warnings.simplefilter("ignore")
def data(n, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(size=n) - y)), np.round(rng.random(n), 1)
def bits(n, seed):
    y, one, other = data(n, seed)
    models, names = {"a": one, "b": other}, ["roc_auc", "average_precision", "log_loss", "f1"]
    few = {"n_resamples": 99, "rng": 1, "threshold": 0.5}
    found = [
        *(f(y, one) for f in (fm.roc_auc_score, fm.average_precision_score, fm.log_loss)),
        *(f(y, one) for f in (fm.brier_score_loss, fm.rank_loss, fm.roc_curve)),
        *(fm.mean_squared_error(one, other), fm.matthews_corrcoef(y, one > 0.5)),
        *(fm.delong(y, one), fm.estimate(y, one, metrics=names, threshold=0.5)),
        *(fm.compare(y, models, metrics=names[:3]), fm.bootstrap(y, one, metrics=names, **few)),
        fm.concordance.kendall_tau(one, other),
        fm.evaluate(y, models),
    ]
    return [repr(each.to_dict() if hasattr(each, "to_dict") else each) for each in found]
first = bits(600, 0), bits(40, 1)
bits(60_000, 2), [bits(size, size) for size in range(20, 60, 8)]
assert (bits(600, 0), bits(40, 1)) == first
print(*first, sep="\\n")
"""


@compiled_only
def test_the_bits_are_those_of_a_first_call() -> None:
    """Also in this process, whose kernels have served other tests."""
    out = run_program(BITS)
    own: dict[str, Any] = {
        "print": lambda *actual, sep: out_here.append(sep.join(map(str, actual)))
    }
    out_here: list[str] = []
    with np.printoptions(), warnings.catch_warnings():
        exec(BITS, own)
    assert out_here == [out]


@compiled_only
@pytest.mark.parametrize("missing", ["core.runtime.nrt", "core.compiler_lock"])
def test_a_numba_of_other_private_names_compiles_all_the_same(monkeypatch, fresh, missing) -> None:
    monkeypatch.setitem(sys.modules, f"numba.{missing}", None)  # an import of it fails
    monkeypatch.setattr(_compile, "notice", notice := _compile.Notice())
    notice.is_wanted = False
    monkeypatch.setattr(_compile, "_locks", list(_compile._locks[:1]))
    assert fresh(np.ones(3_000)) == 3_000
    assert isinstance(fresh.compiled()._cache, _compile._Cache) == (missing != "core.runtime.nrt")
    assert len(_compile._locks) == 1 + (missing != "core.compiler_lock")


@compiled_only
def test_the_numba_at_hand_is_guarded(fresh) -> None:
    fresh(np.ones(3))
    assert isinstance(fresh.compiled()._cache, _compile._Cache)
    assert len(_compile._locks) == 2


@compiled_only
def test_many_threads_compile_at_once(fresh) -> None:
    barrier = threading.Barrier(8)
    actual = []
    dispatchers = []

    def work() -> None:
        barrier.wait()
        actual.append(fresh(np.ones(3_000)))
        dispatchers.append(fresh.compiled())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert actual == [3_000.0] * 8
    assert len({id(dispatcher) for dispatcher in dispatchers}) == 1
    assert len(fresh.compiled().signatures) == 1


@pytest.fixture
def tell(monkeypatch):
    """Return a function that tells a notice of a start or end of compiling, at some second."""

    def told(second, is_start, module="fastmetrics._kernels.merges"):
        monkeypatch.setattr(_compile, "perf_counter", lambda: second)
        monkeypatch.setattr(sys, "stderr", told.stderr)
        function = SimpleNamespace(__module__=module)
        data = {"dispatcher": SimpleNamespace(py_func=function)}
        told.notice.notify(SimpleNamespace(is_start=is_start, data=data))

    told.notice, told.stderr = _compile.Notice(), io.StringIO()
    return told


def compile_some(tell):
    """Compile for 1.9 s, and after a while for 2.5 s, of which another function takes a second."""
    tell(10.0, True)
    tell(11.9, False)
    assert not tell.stderr or not tell.stderr.getvalue()
    tell(20.0, True)
    tell(21.0, True)
    tell(22.0, False)
    tell(22.5, False)


def test_it_comes_once_after_two_seconds_of_compiling(tell):
    compile_some(tell)
    assert tell.stderr.getvalue() == _compile.NOTICE
    assert _compile.NOTICE.count("\n") == 1
    assert "`fastmetrics warmup`" in _compile.NOTICE


def test_nothing_is_said_of_little_or_of_other_peoples_functions(tell):
    tell(10.0, True)
    tell(12.0, False)
    for module in ("__main__", None):
        tell(20.0, True, module)
        tell(30.0, False, module)
    assert tell.stderr.getvalue() == ""


@pytest.mark.parametrize("why", ["no stream", "not wanted"])
def test_nothing_is_said_where_nobody_reads_it(tell, why):
    stream = tell.stderr
    tell.notice.is_wanted = why != "not wanted"
    if why == "no stream":
        tell.stderr = None
    compile_some(tell)
    assert stream.getvalue() == ""


PROGRAM = """
import sys
from fastmetrics._kernels import _compile
from fastmetrics._kernels.merges import lost_pairs, pairs_of_sorted
import numpy as np
_compile._PATIENCE = 0.0
_compile.notice.is_wanted = sys.argv[1] == "wanted"
for kernel in (pairs_of_sorted, lost_pairs):
    kernel(np.arange(3.0), np.arange(3.0))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_process_that_compiles(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, want],
            env=environment | {"NUMBA_CACHE_DIR": str(tmp_path / want)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stderr
        for want in ("wanted", "unwanted", "wanted")
    ]
    assert said == [_compile.NOTICE, "", ""]  # the last one finds all compiled
