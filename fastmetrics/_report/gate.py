"""``gate``: whether a candidate may take the place of a baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels, in_class_order
from fastmetrics._input.columns import take_columns
from fastmetrics._input.containers import as_array, by_names, column_count
from fastmetrics._input.rows import MODELS, named_scores
from fastmetrics._input.scalars import (
    WeightsAre,
    check_decision_level,
    check_integer,
    check_same_length,
    check_weights_are,
    complement,
)
from fastmetrics._number_text import with_limits
from fastmetrics._report.score_evaluation import said_in_notes
from fastmetrics._report.slices import ARROWS, list_first
from fastmetrics._results import ConfidenceInterval, OneNumber, Several
from fastmetrics.errors import InputError, SmallSampleWarning, no_such, warn_user
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate import check_margin, compare
from fastmetrics.inference.reference import (
    holm,
    normal_quantile,
    pvalue,
    quantile,
    tail,
    without_skewness,
)
from fastmetrics.inference.samples import request_metrics
from fastmetrics.metrics.asking import MetricRequest

GateDecision = Literal["PASS", "FAIL", "INCONCLUSIVE"]

#: Exit status of a process; 2 is a usage error.
STATUS: Final[dict[GateDecision, int]] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}
#: Rules are sorted in this order.
_ORDER: Final = ("FAIL", "INCONCLUSIVE", "PASS")


@dataclass(frozen=True, slots=True, repr=False)
class GateRule(OneNumber):
    """One rule of a gate: by one metric the candidate loses less than a margin.

    Attributes
    ----------
    metric : str
        What was measured.
    baseline : str
        The model that the candidate is compared with.
    slice : str
        Which rows; empty of all. A slice can fail a gate; it holds it up with
        `require_slices` alone.
    margin : float
        The largest accepted loss, in the metric's unit.
    estimate : float
        The candidate's metric less the baseline's; nan where it is undefined.
    higher_is_better : bool
        The direction of the metric.
    standard_error, df : float
        Of the difference.
    confidence_interval : ConfidenceInterval
        Of the difference, of a level that leaves alpha outside each end.
    pvalue_noninferior : float
        Of "the candidate is worse by the margin or more": small where it is not.
    pvalue_worse : float
        Of "it is worse by the margin or less": small where it is worse by more.
    pvalue_worse_holm : float
        The same, adjusted for the rules and slices of the gate (Holm 1979).
    decision : {"PASS", "FAIL", "INCONCLUSIVE"}
        What is shown.
    chance_of_pass : float
        How probably a candidate as good as the baseline would pass this rule on such data.
    n_needed : float
        Rows (queries; groups) with which it would in 80 % of tries; inf with a margin of 0.
    n_samples : float
        Rows, queries, or groups that vary.
    note : str
        What a reader of the rule must know; usually empty.
    """

    metric: str
    baseline: str
    slice: str
    margin: float
    estimate: float
    higher_is_better: bool
    standard_error: float
    df: float
    confidence_interval: ConfidenceInterval
    pvalue_noninferior: float
    pvalue_worse: float
    pvalue_worse_holm: float
    decision: GateDecision
    chance_of_pass: float
    n_needed: float
    n_samples: float
    note: str = ""

    @property
    def name(self) -> str:
        """The metric, and the slice where it is of one."""
        return self.metric + (f" [{self.slice}]" if self.slice else "")

    @property
    def loss(self) -> float:
        """The difference against the metric's direction: how much worse the candidate is."""
        return -self.estimate if self.higher_is_better else self.estimate

    @property
    def loss_limits(self) -> ConfidenceInterval:
        """Limits of the loss."""
        limits = self.confidence_interval
        return ConfidenceInterval(-limits.high, -limits.low) if self.higher_is_better else limits

    def said(self, *, names_baseline: bool) -> str:
        """Return the gain or loss with its interval, and how it compares with the margin."""
        of = f"{self.name} against {self.baseline}" if names_baseline else self.name
        if math.isnan(self.estimate):
            return f"{of}: not defined"
        limits = self.loss_limits
        margin = f"the margin of {self.margin:g}"
        is_passed = self.decision == "PASS"
        if self.loss < 0.0:
            gain = with_limits(-self.loss, ConfidenceInterval(-limits.high, -limits.low))
            no = "" if is_passed else "not "
            if self.margin == 0.0:
                return f"{of}: a gain of {gain}, {no}significant"
            return f"{of}: a gain of {gain}; a loss of {self.margin:g} is {no}ruled out"
        loss = f"loss of {with_limits(self.loss, limits)}"
        if self.decision == "FAIL":
            return f"{of}: a {loss}, more than {margin}"
        if is_passed:
            return f"{of}: a {'significant ' if limits.low > 0.0 else ''}{loss}, within {margin}"
        return f"{of}: a {loss}, inconclusive against {margin}"


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Several[GateRule]):
    """Decision on a candidate against a baseline: PASS, FAIL or INCONCLUSIVE.

    Attributes
    ----------
    verdict : {"PASS", "FAIL", "INCONCLUSIVE"}
        FAIL where a rule or a slice is shown to lose more than its margin; PASS where every rule of
        all rows is shown to lose less; INCONCLUSIVE otherwise.
    rules : tuple of GateRule
        Those of all rows first, then those of slices.
    candidate : str
        The model that is judged.
    baselines : tuple of str
        What it was compared with: the baseline, and the anchor where there is one.
    confidence_level : float
        1 - alpha: a rule passes or fails wrongly in at most alpha of tries.
    n_samples : float
        Rows, or queries.
    n_groups : int or None
        Groups of rows; None where each stands for itself.
    notes : tuple of str
        What else must be known.
    """

    _rows = "rules"
    verdict: GateDecision
    rules: tuple[GateRule, ...]
    candidate: str
    baselines: tuple[str, ...]
    confidence_level: float
    n_samples: float
    n_groups: int | None
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """Exit status of a process: 0 pass, 1 fail, 3 inconclusive."""
        return STATUS[self.verdict]

    @property
    def explanation(self) -> str:
        """The result in words: what decides, then each rule; of slices those that fail."""
        rules = [rule for rule in self.rules if not rule.slice or rule.decision == "FAIL"]
        rules.sort(key=lambda rule: _ORDER.index(rule.decision))
        several = len(self.baselines) > 1
        lines = [f"{rule.said(names_baseline=several)}." for rule in rules]
        return "\n".join([self._headline(), *lines]).replace("\N{NO-BREAK SPACE}", " ")

    def _headline(self) -> str:
        """Return the verdict with what decides, and what slices say beside it."""
        is_open = self.verdict == "INCONCLUSIVE"
        among = [rule for rule in self.rules if rule.decision == self.verdict]
        if is_open:  # slices hold it up where no other rule does
            among = [rule for rule in among if not rule.slice] or among
        names = list_first([*dict.fromkeys(rule.name for rule in among)])
        others = " and ".join(dict.fromkeys(rule.baseline for rule in among))
        start = f"{self.verdict}: {self.candidate}"
        if self.verdict == "FAIL":
            return f"{start} is worse than {others} by more than the margin in {names}."
        if is_open:
            many = self.n_samples if self.n_groups is None else self.n_groups
            what = "rows" if self.n_groups is None else "groups"
            return (
                f"{self.verdict}: {many:,.0f} {what} do not decide whether {self.candidate} is "
                f"worse than {others} by more than the margin in {names}."
            )
        text = f"{start} is non-inferior to {others} in every metric."
        slices = [rule for rule in self.rules if rule.slice]
        if slices:
            undecided = [rule.name for rule in slices if rule.decision == "INCONCLUSIVE"]
            text += f" None of {len(slices):,} slice rules fails."
            if undecided:
                text += f" Inconclusive ({len(undecided):,}): {list_first(undecided)}."
        return text

    def __getitem__(self, name: str) -> GateRule:
        """Return the rule of a metric; of a slice by ``"metric [slice]"``."""
        for rule in self.rules:
            if name in (rule.name, f"{rule.name} against {rule.baseline}"):
                return rule
        raise no_such(name, "rules", (rule.name for rule in self.rules))

    def __repr__(self) -> str:
        counts = {d: sum(rule.decision == d for rule in self.rules) for d in STATUS}
        text = ", ".join(f"{count} {decision}" for decision, count in counts.items() if count)
        return f"Gate({self.verdict}: {text})"

    def _display(self) -> Display:
        hidden = (
            *("standard_error", "df", "higher_is_better", "pvalue_noninferior", "pvalue_worse"),
            *("pvalue_worse_holm", "n_needed", *["baseline"] * (len(self.baselines) == 1)),
        )
        names = [
            *(["metric"] + ["slice"] * any(rule.slice for rule in self.rules)),
            *(["baseline"] * (len(self.baselines) > 1) + ["margin", "estimate"]),
            *("confidence_interval", "decision", "chance_of_pass", "n_samples"),
            *hidden,
        ]
        alpha = complement(self.confidence_level)
        words = {rule.metric: rule.metric + ARROWS[rule.higher_is_better] for rule in self}
        words |= {"estimate": "difference", "n_samples": "n", "chance_of_pass": "power"}
        rows = sorted(self.rules, key=lambda r: (r.slice and _ORDER.index(r.decision) + 1) or 0)
        level = complement(2.0 * alpha)
        unseen = (*hidden, "candidate")
        table = Table.of(rows, names, words=words, level=level, unseen=unseen)
        candidates = {"candidate": [self.candidate] * len(rows)}
        table = replace(table, columns={**table.columns, **candidates})
        headline, *sentences = self.explanation.split("\n")
        notes = [f"{rule.name}: {rule.note}." for rule in self.rules if rule.note]
        notes += [
            f"Difference: {self.candidate} − baseline. Power: chance of PASS if both are equal.",
            *self.notes,
            f"False PASS and false FAIL: at most {100 * alpha:.3g} % each, for each rule.",
        ]
        return Display([table], "", notes, [headline], sentences)


#: Power for an equal candidate, for which sample sizes are named.
POWER: Final = 0.8


def _rule(
    one: MetricRequest,
    comparison: Comparison,
    baseline: str,
    margin: float,
    alpha: float,
    name: str,
) -> GateRule:
    """Return a rule by the difference of two models, its p not yet adjusted, nothing decided."""
    (pair,) = comparison.pairs
    error = pair.standard_error
    df = pair.df
    upwards = bool(one.higher_is_better)
    gain = pair.estimate if upwards else -pair.estimate
    many = comparison.n_samples if comparison.n_groups is None else float(comparison.n_groups)
    what = "groups" if comparison.n_groups is not None else comparison.samples_are
    note = ""
    noninferior = worse = chance = needed = math.nan
    if error > 0.0 and df > 0.0:
        skewness = pair.skewness if upwards else -pair.skewness
        statistic = without_skewness((gain + margin) / error, skewness)
        noninferior = pvalue(statistic, df, "greater")
        worse = pvalue(statistic, df, "less")
        chance = tail(quantile(alpha, df) + margin / error, df)
        z = -normal_quantile(alpha) + normal_quantile(POWER)
        needed = math.ceil(many * (z * error / margin) ** 2) if margin > 0.0 else math.inf
    elif math.isnan(pair.estimate):
        note = f"not defined on these {what}"
    elif pair.estimate == 0.0 and not math.isnan(pair.confidence_interval.low):
        unseen = f"what {many:,.0f} {what} cannot have seen"
        note = f"the models do not differ here: the limits are of {unseen}"
    else:
        note = f"no variance in {many:,.0f} {what}: nothing is known of others"
    return GateRule(
        metric=one.label,
        baseline=baseline,
        slice=name,
        margin=margin,
        estimate=pair.estimate,
        higher_is_better=upwards,
        standard_error=error,
        df=df,
        confidence_interval=pair.confidence_interval,
        pvalue_noninferior=noninferior,
        pvalue_worse=worse,
        pvalue_worse_holm=worse,
        decision="INCONCLUSIVE",
        chance_of_pass=chance,
        n_needed=needed,
        n_samples=many,
        note=note,
    )


def decided(rules: Sequence[GateRule], alpha: float) -> tuple[GateRule, ...]:
    """Return rules with their decisions: FAIL where all of the interval is beyond the margin."""
    adjusted = holm([rule.pvalue_worse for rule in rules])
    rules_decided = []
    for rule, p in zip(rules, adjusted, strict=True):
        decision: GateDecision = "INCONCLUSIVE"
        if rule.pvalue_worse < alpha:  # the interval, which leaves alpha outside, is beyond
            decision = "FAIL"
        elif rule.pvalue_noninferior < alpha:
            decision = "PASS"
        elif rule.estimate == 0.0 == rule.standard_error and rule.loss_limits.high < rule.margin:
            decision = "PASS"  # no row tells the models apart, and unseen ones could not by it
        rules_decided.append(replace(rule, pvalue_worse_holm=p, decision=decision))
    return tuple(rules_decided)


def decide_verdict(rules: Sequence[GateRule], *, require_slices: bool) -> GateDecision:
    """Return FAIL if any rule fails, PASS if all required rules pass, else INCONCLUSIVE."""
    if any(rule.decision == "FAIL" for rule in rules):
        return "FAIL"
    required = [rule.decision for rule in rules if require_slices or not rule.slice]
    return "PASS" if all(each == "PASS" for each in required) else "INCONCLUSIVE"


def _slices(
    slices: Any,
    y_true: NDArray[Any],
    n_classes: int,
    min_n: int,
    make_rules: Callable[[NDArray[np.bool_], str], list[GateRule]],
) -> tuple[list[GateRule], list[str], list[str]]:
    """Return the rules of each slice, and the slices that are left out.

    Those are slices of fewer than ``min_n`` rows, and, where scores are a column for each of
    ``n_classes``, those without a row of some class.
    """
    slice_rules: list[GateRule] = []
    small: list[str] = []
    lacking: list[str] = []
    for column, values in by_names(slices, "slices", "columns").items():
        labels = check_class_labels(values, f"slices[{column!r}]")
        check_same_length(**{"y_true": y_true, f"slices[{column!r}]": labels.codes})
        for code, value in enumerate(np.asarray(labels.classes).tolist()):
            chosen = labels.codes == code
            name = f"{column}={value}"
            if int(np.count_nonzero(chosen)) < min_n:
                small.append(name)
            elif n_classes > len(np.unique(y_true[chosen])):
                lacking.append(name)
            else:
                try:
                    slice_rules += make_rules(chosen, name)
                except InputError as error:
                    raise InputError(f"slice {name!r}: {error}") from error
    return slice_rules, small, lacking


#: Chances of passing, of an equal candidate, below which a gate is no use.
_RARELY: Final = 0.5


@documented(MODELS)
def gate(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    margins: Mapping[str, float],
    data: Any = None,
    metrics: Mapping[str, Any] | None = None,
    names: Sequence[str] | None = None,
    candidate: str = "candidate",
    baseline: str = "baseline",
    anchor: str | None = None,
    slices: Mapping[str, ArrayLike] | Sequence[str] | None = None,
    min_n: int = 30,
    require_slices: bool = False,
    event: ArrayLike | None = None,
    query: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    threshold: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    n_threads: int | None = None,
) -> Gate:
    """Decide whether a candidate loses to a baseline by more than margins: pass, fail, or neither.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, numbers for metrics of regression, censored times, or how relevant items are.
    margins : mapping of str to float
        Of each metric the largest loss that you accept, at least 0, in the metric's unit: 0.005
        of an AUC, 0.01 of a log loss. Its direction is the registry's. A margin of 0 lets pass what
        is shown to be better. Choose margins before you look.
    metrics : mapping of str to (str, dict), optional
        What a name in `margins` stands for, where it is no metric's or the metric takes
        parameters.
    candidate, baseline : str
        Which of `scores` is judged, and which it is compared with.
    anchor : str, optional
        Another model that the candidate must not lose to either, by the same margins: that of a
        pinned release, so that small losses cannot add up from release to release.
    slices : mapping of str to array-like of shape (n_samples,), or names of `data`, optional
        Columns whose values are slices: each is judged by the same margins, and can fail the gate.
    min_n : int, default=30
        Rows below which a slice is left out, and named.
    require_slices : bool, default=False
        Whether the gate passes only where every rule of a slice does too. By default slices that
        cannot tell are counted and named.
    event, query : array-like of shape (n_samples,), optional
        As in `compare`: of censored times, and of rankings.
    groups : array-like of shape (n_samples,), optional
        Which rows belong together (user, document, repeats of an item): groups vary, not rows.
    strata : array-like of shape (n_samples,), optional
        What was sampled apart, as much of each as was decided beforehand.
    threshold : float, optional
        Metrics of labels call a score >= threshold positive; without it predictions are labels.
    confidence_level : float, default=0.95
        1 - alpha: a rule passes wrongly, or fails wrongly, in at most alpha of tries.

    Returns
    -------
    Gate
        `verdict` is "PASS", "FAIL" or "INCONCLUSIVE", `exit_status` 0, 1 or 3, `rules` what each
        metric says, `explanation` says it in words.

    Raises
    ------
    TypeError, ValueError
        For data that a metric cannot take: nan among labels or scores, lengths that differ; a
        metric without a direction or without influences of rows; a margin below 0.

    Warns
    -----
    SmallSampleWarning
        Where a candidate as good as the baseline would pass a rule in less than half of tries; the
        number of rows that would do is named. Where groups are few.

    Notes
    -----
    Each rule compares the candidate with the baseline on the same rows, as `compare` does. With the
    gain g (the difference in the metric's direction), its standard error and Student's t, a rule
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
    >>> result = gate(y_true, {"baseline": old, "candidate": new}, margins={"roc_auc": 0.01})
    >>> result.verdict, result.exit_status
    ('PASS', 0)
    >>> print(result.explanation)
    PASS: candidate is non-inferior to baseline in every metric.
    roc_auc: a loss of 0.0012 [−0.0007, 0.0032], within the margin of 0.01.
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": y_true, "baseline": old, "candidate": new})
    >>> gate("y", ["baseline", "candidate"], data=frame, margins={"roc_auc": 0.01}) == result
    True
    """
    if data is not None:
        return gate(**take_columns(locals()))
    alpha = check_decision_level(confidence_level)
    if alpha >= 0.5:
        raise InputError(f"`confidence_level` must be above 0.5: got {confidence_level!r}")
    min_n = check_integer("min_n", min_n, low=1)
    requests = _request_metrics(margins, metrics, query)
    margins = by_names(margins, "margins", "metrics")
    check_weights_are(sample_weight, weights_are)
    models = named_scores(scores, names, at_least=2)
    model_names = [model.name for model in models]
    wanted = [candidate, baseline, *([anchor] if anchor is not None else [])]
    for what, name in zip(("candidate", "baseline", "anchor"), wanted, strict=False):
        if name not in model_names:
            raise InputError(
                f"`{what}` names {name!r}, and `scores` has {', '.join(map(repr, model_names))}: "
                f"pass `{what}=` with one of these"
            )
    if len(set(wanted)) < len(wanted):
        raise InputError(f"`candidate`, `baseline` and `anchor` must differ: got {wanted}")
    labels = as_array(y_true, "y_true")
    columns: dict[str, NDArray[Any]] = {}
    for model in models:
        if model.name in wanted:
            values = in_class_order(model.values, labels, name=model.argument)
            columns[model.name] = as_array(values, model.argument)
            check_same_length(**{"y_true": labels, model.argument: columns[model.name]})
    given = {"groups": groups, "strata": strata, "sample_weight": sample_weight}
    given |= {"event": event, "query": query}
    rows = {name: as_array(each, name) for name, each in given.items() if each is not None}
    check_same_length(y_true=labels, **rows)
    options: dict[str, Any] = {
        "metrics": {one.label: (one.name, dict(one.parameters)) for one in requests},
        "threshold": threshold,
        "pos_label": pos_label,
        "weights_are": weights_are,
        "confidence_level": 1.0 - 2.0 * alpha,
    }

    def make_rules(chosen: Any, name: str) -> list[GateRule]:
        rules = []
        for other in wanted[1:]:
            with said_in_notes("[^`]*"):  # rules say it
                comparisons = compare(
                    labels[chosen],
                    {model: columns[model][chosen] for model in (candidate, other)},
                    method="influence",
                    reference=other,
                    **options,
                    **{column: each[chosen] for column, each in rows.items()},
                )
            for one in requests:
                comparison = comparisons[one.label]
                rules.append(_rule(one, comparison, other, margins[one.label], alpha, name))
        return rules

    rules = make_rules(slice(None), "")
    _warn_of_power(rules)
    is_by_class = any(column_count(each) > 1 for each in columns.values())
    n_classes = len(check_class_labels(labels).classes) if is_by_class else 0
    slice_rules, small, lacking = _slices(slices or {}, labels, n_classes, min_n, make_rules)
    all_rules = decided([*rules, *slice_rules], alpha)
    return Gate(
        verdict=decide_verdict(all_rules, require_slices=require_slices),
        rules=all_rules,
        candidate=candidate,
        baselines=tuple(wanted[1:]),
        confidence_level=complement(alpha),
        n_samples=float(len(labels)),
        n_groups=None if groups is None else int(rules[0].n_samples),
        notes=tuple(
            f"{why}, left out: {list_first(names)}."
            for why, names in (
                (f"Fewer than {min_n} rows", small),
                ("Without a row of some class", lacking),
            )
            if names
        ),
    )


@documented(MODELS)
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
    y_true : array-like of shape (n_samples,)
        As `gate` takes it.
    margins : mapping of str to float
        Of each metric the largest loss that you accept.
    **parameters
        What else `gate` takes.

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
    result = gate(y_true, scores, margins=margins, **parameters)
    if result.verdict != "PASS":
        raise AssertionError("\n".join([result.explanation, *result.notes]))
    return result


def _request_metrics(
    margins: Any, metrics: Mapping[str, Any] | None, query: Any
) -> tuple[MetricRequest, ...]:
    """Return the metrics of the rules, each with a direction and a margin."""
    if not isinstance(margins, Mapping) or not margins:
        raise InputError(
            "`margins` must be a mapping of metrics to the largest accepted loss, such as "
            f"{{'roc_auc': 0.005}}: got {margins!r}"
        )
    margins = by_names(margins, "margins", "metrics")
    spoken = by_names(metrics or {}, "metrics", "metrics")
    for label in spoken:
        if label not in margins:
            raise no_such(label, "margins", margins)
    wanted: dict[str, Any] = {label: spoken.get(label, label) for label in margins}
    requests = request_metrics(wanted, None, query)
    for one in requests:
        try:
            check_margin(margins[one.label])
        except InputError as error:
            raise error.renamed({"margin": f"margins[{one.label!r}]"}) from error
        if not one.has_influences:
            raise InputError(
                f"`margins` names {one.label!r}, which has no influences of rows, and so no error "
                "that a gate could use; `paired_bootstrap` compares models by it"
            )
        if one.higher_is_better is None:
            raise InputError(
                f"`margins` names {one.label!r}, which has no better direction: a loss of it means "
                "nothing"
            )
    return requests


def _warn_of_power(rules: Sequence[GateRule]) -> None:
    """Say, before any difference is shown, which rules equal models would rarely pass."""
    for rule in rules:
        if rule.chance_of_pass < _RARELY and rule.margin > 0.0:
            warn_user(
                f"the rule of {rule.metric!r} (margin {rule.margin:g}) has a power of "
                f"{100 * rule.chance_of_pass:.0f} % if the candidate and {rule.baseline!r} are "
                f"equal (standard error {rule.standard_error:.2g}): {100 * POWER:.0f} % power "
                f"needs about n = {rule.n_needed:,.0f}, and there are {rule.n_samples:,.0f}",
                SmallSampleWarning,
            )
