"""Labels and scores turned into numbers one can stand behind.

What there is, by question:

- how well do scores rank? `roc_auc_score`, `rank_loss`, `partial_auc`, `ks_statistic`
- the curves: `roc_curve`, `precision_recall_curve`, `det_curve`, `confusion_matrix_at_thresholds`
- precision and recall of scores: `average_precision_score`, `pr_auc`, `break_even_point`
- which threshold? `best_threshold`, `predict_at_threshold`
- how right are the labels? `ConfusionMatrix`, `classification_report`, `classification_measures`,
  `accuracy_score`, `f1_score`, `macro_micro` and their kin
- what do the errors cost? `total_cost`, `expected_cost`, `cost_sensitive_predict`
- how good are probabilities? `log_loss`, `brier_score_loss`, `hinge_loss`, `top_k_accuracy_score`
- how far off are the numbers? `regression_measures`, `mean_squared_error`, `r2_score` and their kin
- which model? `evaluate`, `paired_bootstrap`, `paired_permutation_test`, `delong_test`, `dominance`
- is one really better? `mcnemar_test`, `kfold_paired_t_test`, `wilcoxon_signed_rank_test`,
  `compare_table`, `equivalence_test`, `sample_size_paired_accuracy`
- how will it do on new data? `evaluate_estimator`, `tune_estimator`, `nested_cross_validation`,
  `bias_variance`
- how sure is it? `estimate`, `bootstrap`, `multiclass_bootstrap`, `roc_band`, `pr_band`, `delong`,
  `proportion_interval`
- which measures have names? `metrics_table`, `register_metric`; `scorer` for scikit-learn
- the data, condensed: `ScoreTable`, `ConfusionMatrix`, `RegressionTable`; streams of any length:
  `BinnedScoreTable`

``help(fastmetrics.<name>)`` tells the rest. Public names stand in ``__init__.pyi`` and are resolved
on first use: importing fastmetrics imports neither Numba nor SciPy nor Matplotlib.
"""

import types

import lazy_loader

__version__ = "0.1.0"

_attribute, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

#: Names that were public once, and what does their work.
_GONE = {
    "BootstrapResult": "Estimate",
    "BootstrapResults": "Estimates",
    "PairedBootstrap": "Comparisons",
    "PairedDifference": "Pair",
    "PairedPermutationTest": "Comparisons",
    "PermutedDifference": "Pair",
    "concordance_index_interval": "estimate(time, score, event=..., metrics=...)",
    "concordance_index_test": "compare(time, scores, event=..., metrics=...)",
    "concordance_interval": "estimate(y_true, y_score, metrics='kendall_tau')",
    "concordance_test": "compare(y_true, scores, metrics='kendall_tau')",
    "count_metric_interval": "estimate(ConfusionMatrix.binary(...), metrics='f1')",
    "decision_curve_difference": "decision_curve(y_true, scores, reference='b')",
    "macro_f1_harmonic": "macro_micro(..., metrics='macro_f1_harmonic')",
    "macro_precision": "macro_micro(..., metrics='precision_macro')",
    "macro_recall": "macro_micro(..., metrics='recall_macro')",
    "micro_f1": "macro_micro(..., metrics='f1_micro')",
    "micro_precision": "macro_micro(..., metrics='precision_micro')",
    "micro_recall": "macro_micro(..., metrics='recall_micro')",
    "plot_binomial_test": "binomial_test(...).plot()",
    "plot_t_test": "ComparisonTest.plot",
    "RankingDifference": "evaluate_rankings(...)['map']['a', 'b'], a Pair",
    "RankingMean": "evaluate_rankings(...)['map']['a'], an Estimate",
    "score_difference": "compare(y_true, scores, metrics='brier_score')",
}


def __getattr__(name: str) -> object:
    """Return a public name, a function as it is called: its arguments are judged together."""
    if name in _GONE:
        raise AttributeError(f"fastmetrics has no {name!r} any more: see `{_GONE[name]}`")
    found = _attribute(name)
    if isinstance(found, types.FunctionType):
        from fastmetrics._input.calls import as_called

        found = globals()[name] = as_called(found, __name__)
    return found
