"""Which model is called better: the direction is said, is a bool, and is never guessed."""

from functools import partial

import numpy as np
import pytest

import fastmetrics as fm

#: Accuracies, as `cross_val_score` returns them: the first model's are the greater.
GOOD = [0.91, 0.93, 0.90, 0.92, 0.94, 0.91, 0.92, 0.93]
POOR = [0.80, 0.84, 0.80, 0.83, 0.81, 0.80, 0.79, 0.81]
FIVE_BY_TWO = [np.reshape([*scores, *scores[:2]], (5, 2)) for scores in (GOOD, POOR)]
TABLE = np.column_stack([[*GOOD, 0.7], [*POOR, 0.8]])


def _first(found) -> str | None:
    """Return the winner as "A" or "B" where algorithms are called "0" and "1"."""
    return {"0": "A", "1": "B"}.get(found, found)


TESTS = {
    "k-fold t": partial(fm.comparison.kfold_paired_t_test, GOOD, POOR),
    "5x2": partial(fm.comparison.five_by_two_cv_test, *FIVE_BY_TWO),
    "Wilcoxon": partial(fm.comparison.wilcoxon_signed_rank_test, GOOD, POOR),
    "sign flip": partial(fm.comparison.sign_flip_test, GOOD, POOR),
    "Friedman": partial(fm.comparison.friedman_test, TABLE),
    "Nemenyi": lambda **options: fm.comparison.nemenyi_test(TABLE, **options)["0", "1"],
    "Bonferroni-Dunn": lambda **options: fm.comparison.bonferroni_dunn_test(
        TABLE, control="1", **options
    )["0", "1"],
    "table": lambda **options: fm.comparison.compare_table(TABLE, **options).friedman,
    "table, Wilcoxon": lambda **options: fm.comparison.compare_table(
        TABLE, post_hoc="wilcoxon-holm", **options
    ).post_hoc["0", "1"],
}
every_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)


@every_test
def test_the_direction_names_the_winner(test):
    for yes, no in ((True, False), (np.True_, np.False_)):
        assert _first(test(higher_is_better=yes).better) == "A"
        assert _first(test(higher_is_better=no).better) == "B"


# --- what a result says of itself ---------------------------------------------------------------


def test_better_is_said_where_it_is_shown():
    named = {"higher_is_better": True, "names": ("new", "old")}
    t = partial(fm.comparison.kfold_paired_t_test, **named)
    assert repr(t(GOOD, POOR)).endswith("reject at 0.05, better: new)")
    assert repr(t(GOOD, POOR, alternative="greater")).endswith("reject at 0.05, better: new)")
    assert repr(t([0.3, -0.2, 0.1])).endswith("do not reject at 0.05, ahead: new)")
    assert repr(t(GOOD, POOR, alternative="less")).endswith("do not reject at 0.05, ahead: new)")


def test_several_models_show_no_winner():
    """That some of them differ does not say that the first does."""
    found = fm.comparison.friedman_test([[3, 2, 1]] * 5 + [[3, 1, 2]], higher_is_better=True)
    assert repr(found).endswith("reject at 0.05, ahead: 0)")


def test_no_difference_shown_is_not_called_none():
    table = fm.comparison.compare_table(TABLE[-2:], higher_is_better=True)
    assert not table.post_hoc["0", "1"].reject
    shown = table._repr_html_()
    assert "no difference is shown" in shown
    assert "not differ" not in shown
