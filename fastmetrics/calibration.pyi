"""The names of `fastmetrics.calibration`, read by `_lazy`."""

from .inference.calibration import (
    calibration_error_interval as calibration_error_interval,
    calibration_test as calibration_test,
    reliability_band as reliability_band,
)
from .measures.calibration.calibration_errors import (
    adaptive_calibration_error as adaptive_calibration_error,
    expected_calibration_error as expected_calibration_error,
    maximum_calibration_error as maximum_calibration_error,
    root_mean_square_calibration_error as root_mean_square_calibration_error,
)
from .measures.calibration.calibration_summary import calibration_summary as calibration_summary
from .measures.calibration.goodness_of_fit import (
    hosmer_lemeshow_test as hosmer_lemeshow_test,
    spiegelhalter_test as spiegelhalter_test,
)
from .measures.calibration.isotonic import isotonic_fit as isotonic_fit
from .measures.calibration.logistic_calibration import logistic_calibration as logistic_calibration
from .measures.calibration.reliability_diagram import reliability_diagram as reliability_diagram
from .measures.calibration.score_decomposition import (
    discrimination as discrimination,
    miscalibration as miscalibration,
    score_decomposition as score_decomposition,
)

__all__: list[str]
