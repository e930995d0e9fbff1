"""Recalibration: parts of mean scores, slope and intercepts, Spiegelhalter's Z."""

from reference import corp_oracle as oracle
from registry.entry import CHANCES, ROWS, WEIGHT_2, Entry, Sample, Values


def _part(name: str, place: int, score: str = "brier_score") -> Entry:
    loss = oracle.brier if score == "brier_score" else oracle.log_loss
    label = "" if score == "brier_score" else f"[{score}]"

    def by_definition(sample: Sample) -> Values:
        true, given, weights = sample.columns
        return (oracle.decomposition(loss, oracle.points(true, given, weights))[place],)

    return Entry(f"{name}{label}", CHANCES, by_definition, {"loss": score}, ROWS, peer=None)


def _logistic(name: str, place: int) -> Entry:
    def by_definition(sample: Sample) -> Values:
        return (oracle.logistic_where_defined(*sample.columns)[place],)

    return Entry(name, CHANCES, by_definition, laws=ROWS, peer=None)


def _z(sample: Sample) -> Values:
    return (oracle.spiegelhalter(*sample.columns),)


RECALIBRATION = (
    *(
        _part(name, place, score)
        for place, name in ((1, "miscalibration"), (2, "discrimination"))
        for score in ("brier_score", "log_loss")
    ),
    _logistic("calibration_slope", 0),
    _logistic("calibration_intercept", 1),
    _logistic("calibration_in_the_large", 2),
    # of importances: a row of weight 2 is less sure than two rows
    Entry("spiegelhalter_z", CHANCES, _z, laws=ROWS - {WEIGHT_2}, peer=None),
)
