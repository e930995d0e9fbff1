"""Performance on new data: methods that fit estimators.

- estimates: `evaluate_estimator`, `nested_cross_validation`, `bootstrap632`, `err632_plus`
- tuning: `tune_estimator`, `parameter_range`
- why it errs: `estimator_bias_variance`, `bias_variance_curve`
- splitters: `Folds`, `GroupedFolds`, `LeaveOneOut`, `FiveByTwo`, `HoldOut`, `BootstrapOutOfBag`

In here: `estimates` may use `splitters`; `tuning` and `decomposition` both, but not each other.
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
