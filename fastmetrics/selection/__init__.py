"""How will it do on new data? Where estimators are fitted.

`estimates` may use `splitters`; `tuning` and `bias_variance` both, but not each other.
"""
