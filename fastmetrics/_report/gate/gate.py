"""``gate``: whether a candidate may take the place of a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_array, by_names
from fastmetrics._input.models import MODELS, named_scores
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_decision_level,
    check_integer,
    check_weights_are,
    complement,
)
from fastmetrics._report.doctor import known_labels
from fastmetrics._report.gate._rules import (
    OF_ROWS,
    POWER,
    Task,
    decided,
    rehearsed,
    rules_of,
    slices_of,
    verdict_of,
)
from fastmetrics._report.gate.gate_result import Gate, GateRule
from fastmetrics._report.slices.slices_result import first_of
from fastmetrics.errors import InputError, SmallSampleWarning, no_such, warn_user
from fastmetrics.inference.compare import check_margin
from fastmetrics.inference.forms import asked_of
from fastmetrics.inference.table_points import has_influences
from fastmetrics.measures.asking import Asked

#: Chances of passing, of an equal candidate, below which a gate is no use.
_RARELY: Final = 0.5
#: What rules of `gate` take, and its kin.
_GATE: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Labels, numbers for measures of regression, censored times, or how relevant items are.
margins : mapping of str to float
    Of each measure the loss that does not matter, at least 0, in the measure's own unit: 0.005 of
    an AUC, 0.01 of a log loss. Its direction is the registry's. A margin of 0 lets pass what is
    shown to be better. Choose margins before you look.
metrics : mapping of str to (str, dict), optional
    What a name in `margins` stands for, where it is no measure's or the measure takes parameters.
candidate, baseline : str
    Which of `scores` is judged, and which it is compared with.
anchor : str, optional
    Another model that the candidate must not lose to either, by the same margins: that of a pinned
    release, so that small losses cannot add up from release to release.
slices : mapping of str to array-like of shape (n_samples,), optional
    Columns whose values are slices: each is judged by the same margins, and can fail the gate.
min_n : int, default=30
    Rows below which a slice is left out, and named.
require_slices : bool, default=False
    Whether the gate passes only where every rule of a slice does too. By default slices that cannot
    tell are counted and named.
missing : {"error", "bounds"}, default="error"
    What to do with labels that are nan or None, outcomes not yet known. "bounds": a rule passes if
    it would with the worst of them, and fails if it would with the best; for accuracy, error rate,
    log loss and Brier score.
event, query : array-like of shape (n_samples,), optional
    As in `compare`: of censored times, and of rankings.
groups : array-like of shape (n_samples,), optional
    Which rows belong together (user, document, repeats of an item): groups vary, not rows.
strata : array-like of shape (n_samples,), optional
    What was sampled apart, as much of each as was decided beforehand.
threshold : float, optional
    Measures of labels call a score >= threshold positive; without it predictions are labels.
confidence_level : float, default=0.95
    1 - alpha: a rule passes wrongly, or fails wrongly, in at most alpha of tries.
"""


@documented(MODELS, _GATE)
def gate(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    margins: Mapping[str, float],
    metrics: Mapping[str, Any] | None = None,
    names: Sequence[str] | None = None,
    candidate: str = "candidate",
    baseline: str = "baseline",
    anchor: str | None = None,
    slices: Mapping[str, ArrayLike] | None = None,
    min_n: int = 30,
    require_slices: bool = False,
    missing: Literal["error", "bounds"] = "error",
    event: ArrayLike | None = None,
    query: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    threshold: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_rehearsals: int | None = None,
    rng: Any = None,
    n_threads: int | None = None,
) -> Gate:
    """Decide whether a candidate loses to a baseline by more than margins: pass, fail, or neither.

    Parameters
    ----------
    n_rehearsals : int, optional
        Replicates (2,000 are usual) of these data that say of each rule how often it fails a
        candidate as good as the baseline, and passes one that is worse by the margin.
    rng : None, int or numpy Generator, optional
        Seed of the rehearsals.

    Returns
    -------
    Gate
        `verdict` is "PASS", "FAIL" or "INCONCLUSIVE", `exit_status` 0, 1 or 3, `rules` what each
        measure says, `explanation` says it in words.

    Raises
    ------
    TypeError, ValueError
        For data that a measure cannot take: nan among scores or (unless `missing` says so) labels,
        lengths that differ; a measure without a direction or without influences of rows;
        a margin below 0.

    Warns
    -----
    SmallSampleWarning
        Where a candidate as good as the baseline would pass a rule in less than half of tries; the
        number of rows that would do is named. Where groups are few.

    Notes
    -----
    Each rule compares the candidate with the baseline on the same rows, as `compare` does. With the
    gain g (the difference in the measure's direction), its standard error and Student's t, a rule
    passes where H0: g <= -margin is rejected at alpha (non-inferiority), and fails where
    H0: g >= -margin is, which is where its whole interval lies beyond the margin. The gate fails
    where a rule or a slice does: of many slices of an equal candidate each may, in less than alpha
    of tries; `pvalue_worse_holm` is adjusted for their number. The gate passes where every rule of
    all rows does: each at alpha, as all have to (an intersection-union test). A loss that is shown
    to be one and to be within the margin passes, and is named.

    Looks at one test set wear it out: who changes the candidate by what an earlier look said is no
    longer covered by any of this.

    References
    ----------
    Berger (1982), Technometrics 24:295-300 (intersection-union tests). Holm (1979), Scandinavian
    Journal of Statistics 6:65-70. Piaggio et al. (2012), JAMA 308:2594-2604 (non-inferiority).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 2000)
    >>> old = y_true + rng.normal(size=2000)
    >>> new = old + 0.1 * rng.normal(size=2000)
    >>> found = gate(y_true, {"baseline": old, "candidate": new}, margins={"roc_auc": 0.01})
    >>> found.verdict, found.exit_status
    ('PASS', 0)
    >>> print(found.explanation)
    PASS: candidate is not worse than baseline by its margin in any measure.
    roc_auc: a loss of 0.0012 [−0.0007, 0.0032], within the margin of 0.01.
    """
    alpha = check_decision_level(confidence_level)
    if alpha >= 0.5:
        raise InputError(f"`confidence_level` must be above 0.5: got {confidence_level!r}")
    check_choice("missing", missing, ("error", "bounds"))
    min_n = check_integer("min_n", min_n, low=1)
    asked = _asked(margins, metrics, query)
    check_weights_are(sample_weight, weights_are)
    models = named_scores(scores, names, at_least=2)
    own = [model.name for model in models]
    wanted = [candidate, baseline, *([anchor] if anchor is not None else [])]
    for what, name in zip(("candidate", "baseline", "anchor"), wanted, strict=False):
        if name not in own:
            raise InputError(
                f"`{what}` names {name!r}, and `scores` has {', '.join(map(repr, own))}: pass "
                f"`{what}=` with one of these"
            )
    if len(set(wanted)) < len(wanted):
        raise InputError(f"`candidate`, `baseline` and `anchor` must differ: got {wanted}")
    if missing == "bounds":
        labels, unknown = _known(y_true, asked, pos_label)
        pos_label = None
    else:
        labels, unknown = as_array(y_true, "y_true"), None
    columns = {"groups": groups, "strata": strata, "sample_weight": sample_weight}
    columns |= {"event": event, "query": query}
    task = Task.of(
        labels,
        [model for model in models if model.name in wanted],
        columns,
        asked=asked,
        margins=by_names(margins, "margins", "measures"),
        candidate=candidate,
        baselines=tuple(wanted[1:]),
        options={"threshold": threshold, "pos_label": pos_label, "weights_are": weights_are},
        alpha=alpha,
        unknown=unknown,
    )
    rules = rules_of(task)
    _warn_of_power(rules)
    if n_rehearsals is not None:
        n_rehearsals = check_integer("n_rehearsals", n_rehearsals, low=1)
    of_slices, small, lacking = slices_of(task, slices, min_n) if slices else ([], [], [])
    if n_rehearsals is not None:
        rules = rehearsed(task, rules, n_rehearsals, rng)
    found = decided([*rules, *of_slices], alpha)
    return Gate(
        verdict=verdict_of(found, require_slices=require_slices),
        rules=found,
        candidate=candidate,
        baselines=task.baselines,
        confidence_level=complement(alpha),
        n_samples=float(len(labels)),
        n_groups=None if groups is None else int(rules[0].n_samples),
        notes=tuple(
            f"{why}, left out: {first_of(names)}."
            for why, names in (
                (f"Fewer than {min_n} rows", small),
                ("Without a row of some class", lacking),
            )
            if names
        ),
    )


@documented(MODELS, _GATE)
def assert_not_worse(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    margins: Mapping[str, float],
    **parameters: Any,
) -> Gate:
    """Raise AssertionError unless `gate` passes: a guard for a test suite.

    Parameters
    ----------
    **parameters
        What `gate` takes.

    Returns
    -------
    Gate
        That passed.

    Raises
    ------
    AssertionError
        With the gate's words, where it fails or is inconclusive.

    Notes
    -----
    Time and memory are those of `gate`. A test that is inconclusive is not green: widen the margin
    beforehand, or gather rows.

    Examples
    --------
    >>> y_true = [0, 1] * 40
    >>> scores = {"baseline": [0.2, 0.7] * 40, "candidate": [0.7, 0.2] * 40}
    >>> assert_not_worse(y_true, scores, margins={"brier_score": 0.05})
    Traceback (most recent call last):
    ...
    AssertionError: FAIL: candidate is worse than baseline by more than the margin in brier_score.
    brier_score: a loss of 0.5000 [0.4906, 0.5094], more than the margin of 0.05.
    """
    found = gate(y_true, scores, margins=margins, **parameters)
    if found.verdict != "PASS":
        raise AssertionError("\n".join([found.explanation, *found.notes]))
    return found


def _asked(margins: Any, metrics: Mapping[str, Any] | None, query: Any) -> tuple[Asked, ...]:
    """Return the measures of the rules, each with a direction and a margin."""
    if not isinstance(margins, Mapping) or not margins:
        raise InputError(
            "`margins` must be a mapping of measures to the loss that does not matter, such as "
            f"{{'roc_auc': 0.005}}: got {margins!r}"
        )
    margins = by_names(margins, "margins", "measures")
    spoken = by_names(metrics or {}, "metrics", "measures")
    for label in spoken:
        if label not in margins:
            raise no_such(label, "margins", margins)
    wanted: dict[str, Any] = {label: spoken.get(label, label) for label in margins}
    asked = asked_of(wanted, None, query)
    for one in asked:
        with_name = f"margins[{one.label!r}]"
        try:
            check_margin(margins[one.label])
        except InputError as error:
            raise error.renamed({"margin": with_name}) from error
        if not has_influences(one):
            raise InputError(
                f"`margins` names {one.label!r}, which has no influences of rows, and so no error "
                "that a gate could use; `paired_bootstrap` compares models by it"
            )
        if one.higher_is_better is None:
            raise InputError(
                f"`margins` names {one.label!r}, which has no better direction: a loss of it means "
                "nothing"
            )
    return asked


def _known(
    y_true: Any, asked: Sequence[Asked], pos_label: Any
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return labels as 0 and 1, and which are unknown (0 there)."""
    for one in asked:
        if one.name not in OF_ROWS:
            raise InputError(
                f"`missing='bounds'` is for means over rows ({', '.join(OF_ROWS)}): got "
                f"{one.label!r}"
            )
    values, unknown, classes = known_labels(y_true)
    if len(values) and not classes:
        raise InputError("all labels of `y_true` are missing: there is nothing to bound")
    if pos_label is None and not (set(classes) <= {0, 1} or set(classes) <= {-1, 1}):
        raise InputError(f"`y_true` holds {classes[:5]}: name the positive one by `pos_label`")
    positive = 1 if pos_label is None else pos_label
    if len(classes) > 2 or not (positive in classes or len(classes) < 2):
        raise InputError(f"`y_true` must have two classes, {positive!r} one of them: got {classes}")
    labels = np.zeros(len(values), np.int64)
    labels[~unknown] = values[~unknown] == positive
    return labels, unknown


def _warn_of_power(rules: Sequence[GateRule]) -> None:
    """Say, before any difference is shown, which rules equal models would rarely pass."""
    for rule in rules:
        if rule.chance_of_pass < _RARELY and rule.margin > 0.0:
            warn_user(
                f"a candidate as good as {rule.baseline!r} would pass the rule of {rule.metric!r} "
                f"(margin {rule.margin:g}) in {100 * rule.chance_of_pass:.0f} % of tries: its "
                f"difference has a standard error of {rule.standard_error:.2g}; about "
                f"{rule.n_needed:,.0f} where there are {rule.n_samples:,.0f} would pass in "
                f"{100 * POWER:.0f} %",
                SmallSampleWarning,
            )
