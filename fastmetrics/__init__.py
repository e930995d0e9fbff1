"""Labels and scores turned into numbers one can stand behind.

What there is, by question:

- how well do scores rank? `roc_auc_score`, `rank_loss`, `partial_auc`, `ks_statistic`
- the curves: `roc_curve`, `precision_recall_curve`, `det_curve`, `confusion_matrix_at_thresholds`
- precision and recall of scores: `average_precision_score`, `pr_auc`, `break_even_point`
- which threshold? `best_threshold`, `predict_at_threshold`; by prices: `fastmetrics.costs`
- how right are the labels? `ConfusionMatrix`, `classification_report`, `classification_metrics`,
  `accuracy_score`, `f1_score`, `macro_micro` and their kin
- how good are probabilities? `log_loss`, `brier_score_loss`; `fastmetrics.calibration`
- how far off are the numbers? `regression_metrics`, `mean_squared_error`, `r2_score` and their kin
- orders: `fastmetrics.ranking` of items by query, `fastmetrics.concordance` of ranks and times
- how sure is it? `estimate`, `bootstrap`, `roc_band`, `pr_band`, `delong`
- all of it on one page: `report`; are the data sound? `doctor`; may it be released? `gate`
- logs of items and repeats: `read_evaluation_log`, `evaluate_log`
- which model? `evaluate`, `compare`, `paired_bootstrap`, `paired_permutation_test`, `delong_test`,
  `dominance`; tests on numbers that exist: `fastmetrics.comparison`
- how will it do on new data? `fastmetrics.selection`
- which metrics have names? `metrics_table`, `register_metric`; `scorer` for scikit-learn
- the data, condensed: `ScoreTable`, `ConfusionMatrix`, `RegressionTable`, `RankingTable`; streams:
  `fastmetrics.streams`; on many machines: `fastmetrics.dask`
- figures: `fastmetrics.plots`; files: `fastmetrics.io`; classes of results: `fastmetrics.results`

``help(fastmetrics.<name>)`` tells the rest. Names are resolved on first use: importing fastmetrics
imports neither Numba nor SciPy nor Matplotlib.

PYTEST_DONT_REWRITE: pytest, whose plugin is in here, need not warn that this is imported already.
"""

from fastmetrics import _lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
