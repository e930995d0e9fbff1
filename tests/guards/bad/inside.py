"""Bad: a test that takes what is not public; the last three lines take what is."""

from __future__ import annotations

import fastmetrics._results
from fastmetrics import _results as results
from fastmetrics.io import reader
from fastmetrics.metrics.curves.roc_auc import roc_auc_score

import fastmetrics.dask
from fastmetrics import roc_auc_score as score, streams
from fastmetrics.errors import InputError

used = fastmetrics, results, reader, roc_auc_score, score, streams, InputError
