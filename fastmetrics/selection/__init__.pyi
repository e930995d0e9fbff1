"""The names of `fastmetrics.selection`, read by `_lazy`."""

from .decomposition.bias_variance import bias_variance as bias_variance
from .decomposition.estimator_bias_variance import (
    bias_variance_curve as bias_variance_curve,
    estimator_bias_variance as estimator_bias_variance,
)
from .decomposition.estimator_curves import (
    estimator_learning_curve as estimator_learning_curve,
    estimator_validation_curve as estimator_validation_curve,
)
from .estimates.compare_estimators import compare_estimators as compare_estimators
from .estimates.evaluate_estimator import evaluate_estimator as evaluate_estimator
from .estimates.point632 import (
    bootstrap632 as bootstrap632,
    err632 as err632,
    err632_plus as err632_plus,
)
from .estimates.row_losses import no_information_error as no_information_error
from .splitters.draws import BootstrapOutOfBag as BootstrapOutOfBag, HoldOut as HoldOut
from .splitters.folds import FiveByTwo as FiveByTwo, Folds as Folds, LeaveOneOut as LeaveOneOut
from .splitters.grouped_folds import GroupedFolds as GroupedFolds
from .tuning.grid import parameter_range as parameter_range
from .tuning.tuning import (
    nested_cross_validation as nested_cross_validation,
    tune_estimator as tune_estimator,
)

__all__: list[str]
