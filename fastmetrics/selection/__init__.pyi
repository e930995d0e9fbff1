"""The names of `fastmetrics.selection`, read by `_lazy`."""

from .decomposition import (
    bias_variance as bias_variance,
    bias_variance_curve as bias_variance_curve,
    estimator_bias_variance as estimator_bias_variance,
)
from .estimates import evaluate_estimator as evaluate_estimator
from .folds import (
    BootstrapOutOfBag as BootstrapOutOfBag,
    FiveByTwo as FiveByTwo,
    Folds as Folds,
    GroupedFolds as GroupedFolds,
    HoldOut as HoldOut,
    LeaveOneOut as LeaveOneOut,
)
from .point632 import (
    bootstrap632 as bootstrap632,
    err632 as err632,
    err632_plus as err632_plus,
    no_information_error as no_information_error,
)
from .tuning import (
    nested_cross_validation as nested_cross_validation,
    parameter_range as parameter_range,
    tune_estimator as tune_estimator,
)

__all__: list[str]
