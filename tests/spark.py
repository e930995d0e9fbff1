"""A Spark of one process, for tests: its Python workers run this interpreter."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

#: For tests that start a session: Spark says so of every pandas newer than itself.
QUIET = "ignore:PySpark does not yet fully support pandas:FutureWarning"


@contextmanager
def session() -> Iterator[Any]:
    """Give a session on two threads, or skip where PySpark or Java is not installed."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Java is not installed")
    own = {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    settings = {
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": 2,
        "spark.task.maxFailures": 4,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        builder = sql.SparkSession.builder.master("local[2,4]").appName("fastmetrics")
        for name, value in settings.items():
            builder = builder.config(name, value)
        with warnings.catch_warnings():  # it forks, of which JAX complains where it was loaded
            warnings.filterwarnings("ignore", r"os.fork\(\) was called", RuntimeWarning)
            spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        try:
            yield spark
        finally:
            spark.stop()
