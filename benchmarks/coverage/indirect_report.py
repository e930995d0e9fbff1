"""The section about cross-validation, and about a stream's bins."""

from __future__ import annotations

from benchmarks.coverage import indirect
from benchmarks.coverage.layout import interval_tables
from benchmarks.coverage.study import Study


def section(study: Study) -> str:
    """Return the section, a heading first."""
    first = study.find(indirect.FOLDS, indirect.MEASURES[0])[0]
    texts = ["## Cross-validation and bins\n", _HEAD.format(n_data=first.n_data)]
    for name in indirect.MEASURES:
        texts.append(f"### {name}, of fitted models\n")
        texts.append(interval_tables(study.find(indirect.FOLDS, name)))
    for name in indirect.BINNED:
        for k in indirect.NUMBERS:
            texts.append(f"### {name}, {k} bins\n")
            texts.append(interval_tables(study.find(indirect.BINS, f"{name}, {k} bins")))
    return "\n".join(texts)


_HEAD = f"""`fitted models` is `MetricEstimate.of_fitted_models` of `evaluate_estimator`: a logistic
regression of {indirect.N_FEATURES} normal features, {indirect.N_FOLDS} stratified folds. The target
is how the very models that were fitted do in the population, on average; it is known of each data
set, and widths are those of the limits. `bins` is `estimate` of a `BinnedScoreTable` of the scores
of the main design, bins of equal width between {indirect.LOWEST:g} and {indirect.HIGHEST:g} and one
beyond each end: limits reach from the worst order of rows within bins to the best, and so cover
more than their level where bins are wide. Figures are of {{n_data:,}} data sets each.
"""
