"""Calibration: whether probabilities can be taken at their word.

- a picture: `reliability_diagram`, `reliability_band`; `fastmetrics.calibration_curve` as
  scikit-learn draws it
- one number: `expected_calibration_error` and its kin, `score_decomposition`, `calibration_summary`
- how sure: `calibration_error_interval`, `calibration_test`, `spiegelhalter_test`
- to mend it: `isotonic_fit`; how far it is off: `logistic_calibration`
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
