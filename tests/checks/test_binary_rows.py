"""What the first look takes on trust, and what `BinaryRows` verifies when it is read."""

from typing import Any

import numpy as np
import pytest

from fastmetrics._input.rows import BinaryRows, check_binary

RULES = ("strict", "curve", "sorted", "average_precision")


def split_counts(rows: BinaryRows) -> tuple[int, int]:
    """Count as the pass that splits the classes does."""
    labels, negative, _ = rows.unverified
    return int((labels == 1).sum()), int((labels == negative).sum())


def test_rows_are_verified_when_they_are_read() -> None:
    labels, scores = np.zeros(100_000, np.int8), np.zeros(100_000)
    labels[777] = 5
    for name in ("labels", "negative", "scores"):
        rows = check_binary(labels, scores)
        with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
            getattr(rows, name)
    with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
        check_binary(labels, scores).replace(scores=scores)
    with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
        check_binary(labels, scores).accept(False)
    rows = check_binary(labels, scores)
    assert rows.accept(True)
    assert rows.labels is rows.unverified[0]  # a pass over all rows has said so


def test_the_first_look_reads_almost_nothing() -> None:
    """Faults deep in one-byte labels or in scores pass the first look: the split will meet them."""
    labels, scores = np.zeros(100_000, np.int8), np.zeros(100_000)
    labels[777], scores[777] = 5, np.nan
    rows = check_binary(labels, scores)
    assert sum(split_counts(rows)) == 99_999
    with pytest.raises(ValueError, match=r"values in \{0, 5\}"):
        rows.verify()
    labels[777] = 0
    with pytest.raises(ValueError, match=r"^`y_score` must be finite: nan at index 777, 1 in all$"):
        rows.verify()


@pytest.mark.parametrize("rule", RULES)
def test_a_wrong_guess_shows_in_the_counts_and_is_mended(rule: str) -> None:
    labels = np.ones(100_000, np.int8)
    labels[777] = -1  # not among the rows that the guess looks at
    rows = check_binary(labels, np.zeros(len(labels)), label_rule=rule)
    assert rows.unverified[1] == 0
    assert split_counts(rows) == (99_999, 0)
    assert rows.negative == -1
    assert split_counts(rows) == (99_999, 1)
    assert np.shares_memory(rows.labels, labels)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_])
@pytest.mark.parametrize("rule", RULES)
def test_no_byte_passes_for_another(rule: str, dtype: Any) -> None:
    """Whatever two bytes the labels are: the counts miss rows, or they are right as they stand."""
    for low in range(256):
        for high in (0, 1, 2, 127, 128, 254, 255):
            labels = np.array([low, high, high], np.uint8).view(dtype)
            rows = check_binary(labels, np.zeros(3), label_rule=rule)
            if sum(split_counts(rows)) != 3:
                continue
            assert {low, high} <= {0, 1} or (dtype is np.int8 and {low, high} <= {1, 255})
            np.testing.assert_array_equal(rows.labels == 1, labels.view(np.uint8) == 1)


def test_odd_bytes_of_booleans_are_true() -> None:
    labels = np.array([0, 2, 255, 1], np.uint8).view(np.bool_)
    assert check_binary(labels, np.zeros(4)).labels.tolist() == [0, 1, 1, 1]


def test_sorted_rule_encodes_what_the_first_look_left() -> None:
    labels = np.array([5, 7, 5], np.int8)
    rows = check_binary(labels, np.zeros(3), label_rule="sorted")
    assert sum(split_counts(rows)) == 0
    assert split_counts(rows.verify()) == (1, 2)


def test_pos_label_of_one_byte_labels() -> None:
    labels = np.array([0, 1, 2, 1], np.int8)
    assert split_counts(check_binary(labels[:2], np.zeros(2), pos_label=0)) == (1, 1)
    rows = check_binary(labels, np.zeros(4), pos_label=1, label_rule="curve")
    assert sum(split_counts(rows)) == 3
    assert split_counts(rows.verify()) == (2, 2)


def test_labels_come_before_scores() -> None:
    with pytest.raises(ValueError, match="`y_true`"):
        check_binary(np.array([0, 3], np.int8), np.array([np.nan, 0])).verify()


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match="`label_rule` must be one of strict, curve"):
        check_binary([0, 1], [0.1, 0.2], label_rule="loose")
