"""The names of `fastmetrics.calibration`, read by `_lazy`."""

from .inference.calibration import (
    calibration_error_interval as calibration_error_interval,
    calibration_test as calibration_test,
    reliability_band as reliability_band,
)
from .metrics.calibration.calibration_errors import (
    expected_calibration_error as expected_calibration_error,
    maximum_calibration_error as maximum_calibration_error,
    root_mean_square_calibration_error as root_mean_square_calibration_error,
)
from .metrics.calibration.calibration_summary import (
    calibration_summary as calibration_summary,
    score_decomposition as score_decomposition,
    spiegelhalter_test as spiegelhalter_test,
)
from .metrics.calibration.logistic_calibration import logistic_calibration as logistic_calibration
from .metrics.calibration.reliability_diagram import (
    isotonic_fit as isotonic_fit,
    reliability_diagram as reliability_diagram,
)

__all__: list[str]
