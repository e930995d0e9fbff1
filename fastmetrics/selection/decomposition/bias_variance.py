"""``bias_variance``: what the expected loss of a learner consists of, from its predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_choice
from fastmetrics._results import Result
from fastmetrics.selection.decomposition._loss_parts import (
    domingos,
    kohavi_wolpert,
    squared,
    zero_one_votes,
)

Decomposition = Literal["squared", "domingos", "kohavi-wolpert"]

_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, repr=False)
class BiasVariance(Result):
    """The parts of an expected loss: loss = bias + variance + noise.

    Attributes
    ----------
    decomposition : str
        "squared", "domingos" or "kohavi-wolpert".
    loss : float
        Mean loss over models, replicates of the labels, and examples.
    bias : float
        What the main prediction loses; of the squared loss and of Kohavi and Wolpert the square of
        the bias.
    variance : float
        What predictions add by varying about the main one; of Domingos net, which may be below 0.
    noise : float
        What the labels add by varying; 0 without replicates. Of Domingos with its coefficient.
    n_models : int
        Rows of predictions.
    n_replicates : int
        Rows of labels.
    n_samples : int
        Columns.
    details : mapping from str to float
        Of Domingos "unbiased_variance" and "biased_variance", the share of predictions other than
        the main one on unbiased and on biased examples, and "noise_rate", the share of labels
        other than the optimal prediction. Of two classes, variance = unbiased - biased.
    """

    decomposition: str
    loss: float
    bias: float
    variance: float
    noise: float
    n_models: int
    n_replicates: int
    n_samples: int
    details: Mapping[str, float] = field(default_factory=lambda: _NOTHING, repr=False)


def bias_variance(
    y_true: ArrayLike,
    predictions: ArrayLike,
    *,
    decomposition: Decomposition = "squared",
    n_threads: int | None = None,
) -> BiasVariance:
    """Compute bias, variance and noise from the predictions of several models of one learner.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (replicates, n)
        Labels; or independent replicates of each label, of which the noise follows.
    predictions : array-like of shape (models, n)
        One row for each model, fitted on a training set of its own. Numbers; of the 0-1 loss any
        labels.
    decomposition : {"squared", "domingos", "kohavi-wolpert"}, default="squared"
        Of the squared loss; or one of the two of the 0-1 loss.
    n_threads : int, optional
        Threads; by default every processor the process may use.

    Returns
    -------
    BiasVariance
        The parts, which add up to the loss.

    Raises
    ------
    TypeError
        If predictions or labels are of the wrong kind.
    ValueError
        If shapes do not match, values are missing or not finite, or an option is unknown.

    Notes
    -----
    Population variances (ddof 0): every model is paired with every replicate, and loss = bias +
    variance + noise holds example by example. Of the 0-1 loss, and of the squared loss of integers,
    each number is that of exact counts or sums, rounded once; of the squared loss of floats, the
    loss is the sum of the three floats.

    Squared loss: (mean label - mean prediction)^2, variance of the predictions, variance of the
    labels.

    Domingos: the main prediction is the most frequent one, the optimal one the most frequent
    label, and bias is 1 where they differ, else 0. Where they agree, what deviates from the main
    prediction adds to the loss ("unbiased variance"). Where they differ, it takes from the loss
    as far as it is the optimal prediction: all of it with two classes, a part with more. Noise
    adds its rate times the coefficient c1 of his theorem 2, which is below 0 for models that are
    mostly wrong. Of equally frequent labels the smallest counts.

    Kohavi and Wolpert, with p the shares of the predictions and q those of the labels: bias^2 =
    sum (p - q)^2 / 2, variance = (1 - sum p^2) / 2, noise = (1 - sum q^2) / 2.

    O(models n) for the squared loss; times the number of classes up to 32 of them, and O(n (models
    + classes)) beyond. In blocks: the memory above the input is a few megabytes a thread.

    References
    ----------
    Geman, Bienenstock & Doursat (1992), Neural networks and the bias/variance dilemma, Neural
    Computation 4:1-58. Kohavi & Wolpert (1996), Bias plus variance decomposition for zero-one loss
    functions, ICML, 275-283. Domingos (2000), A unified bias-variance decomposition and its
    applications, ICML, 231-238.

    Examples
    --------
    >>> predictions = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0]]
    >>> found = bias_variance([1, 1, 1, 0], predictions, decomposition="domingos")
    >>> found.loss, found.bias, found.variance, found.noise
    (0.45, 0.5, -0.05, 0.0)
    >>> found.details["unbiased_variance"], found.details["biased_variance"]
    (0.1, 0.15)
    >>> bias_variance([1.0, 2.0], [[1.5, 2.5], [0.5, 2.5]])
    BiasVariance(decomposition='squared', loss=0.25, bias=0.125, variance=0.125, noise=0,
    n_models=2, n_replicates=1, n_samples=2)
    """
    kind: Decomposition = check_choice("decomposition", decomposition, get_args(Decomposition))
    if kind == "squared":
        parts = squared(y_true, predictions)
    else:
        decompose = domingos if kind == "domingos" else kohavi_wolpert
        parts = decompose(*zero_one_votes(y_true, predictions))
    details = MappingProxyType(parts.details)
    return BiasVariance(
        kind, parts.loss, parts.bias, parts.variance, parts.noise, *parts.shape, details
    )
