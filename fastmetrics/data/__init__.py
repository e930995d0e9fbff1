"""The data set that ``fastmetrics demo`` evaluates.

Made by ``examples/make_demo_data.py``: out-of-fold probabilities of malignancy by three
scikit-learn models for the 569 tumours of the Breast Cancer Wisconsin (Diagnostic) data. The
label is 1 for malignant (212 tumours), the positive class, and 0 for benign (357).
"""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Name of the file inside this package.
FILE_NAME = "breast_cancer_scores.csv"


def read_bytes() -> bytes:
    """Return the file as it is, to be written elsewhere."""
    return files(__package__).joinpath(FILE_NAME).read_bytes()


def load_breast_cancer_scores() -> tuple[NDArray[np.int8], dict[str, NDArray[np.float64]]]:
    """Load labels and three models' scores of the breast cancer data.

    Returns
    -------
    labels : ndarray of int8, shape (569,)
        1 for malignant, the positive class; 0 for benign.
    scores : dict of str to ndarray of float64, shape (569,)
        Out-of-fold probability of malignancy by model.

    Examples
    --------
    >>> labels, scores = load_breast_cancer_scores()
    >>> len(labels), int(labels.sum())
    (569, 212)
    >>> list(scores)
    ['logistic', 'neighbours', 'naive_bayes']
    """
    header, *rows = csv.reader(read_bytes().decode("ascii").splitlines())
    columns: dict[str, Any] = dict(zip(header, zip(*rows, strict=True), strict=True))
    labels = np.array(columns["label"], dtype=np.int8)
    scores = {name: np.array(columns[name], dtype=np.float64) for name in header[2:]}
    return labels, scores
