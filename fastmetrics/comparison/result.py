"""``ComparisonTest``: what every test between models returns, its figures, the models' names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_decision_level,
    check_direction,
    complement,
)
from fastmetrics._plots.tests import draw_binomial, draw_t
from fastmetrics._results import ConfidenceInterval, Result, equals
from fastmetrics.errors import InputError, InputTypeError

#: Parameters of most tests between models, beside their data.
MODELS: Final = """
Parameters
----------
confidence_level : float, default=0.95
    Level of the decision, which errs in the rest of cases at most, and of the interval where there
    is one.
names : (str, str), default=("A", "B")
    What the models are called.
"""

#: The parameter that is the error rate under the null hypothesis.
NULL_RATE: Final = "error_rate"
#: The effect of several models: that some differ does not say that the first is better.
_UNSIGNED: Final = "Kendall's W"

_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonTest(Result):
    """One test: its statistic, its p-value and the decision at a level.

    Attributes
    ----------
    method : str
        The name of the test, with the variant and how the p-value was found.
    statistic : float
        The test statistic; nan where the test is not defined, inf where a difference other than 0
        has no variance.
    statistic_name : str
        What it is called: "t", "F", "chi2", "W", "errors" …
    df : float, tuple of float, or None
        Degrees of freedom; two of an F; None where there are none.
    pvalue : float
        Probability, under the null hypothesis, of a statistic at least as extreme.
        Of random permutations and signs ``pvalue.is_bound`` says that none is: p is at most that.
    confidence_level : float
        Level of the decision.
    critical_value : float
        The statistic from which on (beyond which, for counts) the test rejects; nan
        where the p-value alone decides.
    reject : bool
        Whether the null hypothesis is rejected: where p <= 1 - `confidence_level`, and of the
        binomial test where p is below it; False where the test is not defined.
    alternative : str
        What holds if the null hypothesis does not.
    effect_size : float
        How large the difference is, in the units that `effect_size_name` names.
    effect_size_name : str
        "mean difference", "Cohen's d", "odds ratio" …
    confidence_interval : ConfidenceInterval or None
        Of the effect or of the difference, as `details` says; None where there is none.
    better : str or None
        The name of the model that is better in these data, by however little, whether the test
        rejects or not; None if neither is. The repr says "ahead" where the test does not show it.
    details : mapping from str to float
        More numbers of the test by name.

    Examples
    --------
    >>> test = ComparisonTest("a test", 2.5, "t", 9, 0.034, 0.95, 2.262, True)
    >>> test
    ComparisonTest(a test: t(9)=2.5, pvalue=0.034, reject at 0.05)
    """

    method: str
    statistic: float
    statistic_name: str
    df: float | tuple[float, float] | None
    pvalue: float
    confidence_level: float
    critical_value: float
    reject: bool
    alternative: str = "two-sided"
    effect_size: float = float("nan")
    effect_size_name: str = ""
    confidence_interval: ConfidenceInterval | None = None
    better: str | None = None
    details: Mapping[str, float] = field(default_factory=lambda: _NOTHING)

    @property
    def estimate(self) -> float:
        """The effect, by the name that every result with an interval has."""
        return self.effect_size

    @property
    def standard_error(self) -> float | None:
        """Standard error of the effect; None for tests of ranks, signs and odds ratios."""
        return self.details.get("standard_error")

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the distribution under the null hypothesis, where the test rejects, what was seen.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If the statistic is neither a number of errors nor a t.

        Examples
        --------
        >>> from fastmetrics.comparison import binomial_test
        >>> ax = binomial_test(6, 10, error_rate=0.3).plot()
        >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()][1]
        ('errors of 10', 'rejected: more than 5 errors (size 0.0473)')
        """
        draw = {"errors": _draw_binomial, "t": draw_t}.get(self.statistic_name)
        if draw is None:
            raise InputError(
                f"there is a figure of binomial and t tests, none of {self.statistic_name!r}: "
                f"{self.method}"
            )
        return draw(self, ax)

    def _lead(self) -> str:
        """Return "better" where the test shows it, of two models that it says to differ."""
        return "better" if self.reject and self.effect_size_name != _UNSIGNED else "ahead"

    def _display(self) -> Display:
        record = {
            "statistic": self.statistic,
            "df": self.df,
            "critical_value": self.critical_value,
            "pvalue": self.pvalue,
            "effect_size": self.effect_size,
            "confidence_interval": self.confidence_interval,
            "alternative": self.alternative,
        }
        unseen = tuple(n for n, each in record.items() if each is None or each != each)
        headers = {
            "statistic": self.statistic_name,
            "df": "degrees of freedom",
            "effect_size": self.effect_size_name or "effect size",
        }
        alpha = complement(self.confidence_level)
        facts = [f"{'Rejects' if self.reject else 'Does not reject'} at level {alpha:g}"]
        if self.better is not None:
            lead = "better" if self._lead() == "better" else "ahead in these data"
            facts.append(f"{lead}: {self.better}")
        if not self.reject:
            facts.append("no difference is shown")
        details = {"metric": tuple(self.details), "value": tuple(self.details.values())}
        tables = [
            Table.record(record, words=headers, level=self.confidence_level, unseen=unseen),
            Table(details, words={"metric": "detail"}, framed=False),
        ]
        return Display(tables, self.method, [f"{'; '.join(facts)}."])

    def __repr__(self) -> str:
        if self.df is None:
            df = ""
        else:
            both = self.df if isinstance(self.df, tuple) else (self.df,)
            df = f"({', '.join(f'{each:g}' for each in both)})"
        decision = "reject" if self.reject else "do not reject"
        alpha = complement(self.confidence_level)
        lead = "" if self.better is None else f", {self._lead()}: {self.better}"
        return (
            f"{type(self).__name__}({self.method}: {self.statistic_name}{df}={self.statistic:.6g}, "
            f"pvalue{equals(self.pvalue)}{self.pvalue:.6g}, {decision} at {alpha:g}{lead})"
        )


def _draw_binomial(test: ComparisonTest, ax: Any) -> Any:
    """Draw the probability of each number of errors, hatched where the test rejects."""
    n = int(test.details["n"])
    if test.alternative == "two-sided":
        accepted = int(test.details["critical_low"]), int(test.details["critical_high"])
    elif test.alternative == "greater":
        accepted = 0, int(test.critical_value)
    else:
        accepted = int(test.critical_value), n
    return draw_binomial(test, accepted, ax)


class Question(NamedTuple):
    """Options of a test of two models: level, alternative, names."""

    alpha: float
    alternative: Alternative
    names: tuple[str, ...]
    higher_is_better: bool

    def answer(
        self,
        method: str,
        statistic: tuple[str, float],
        pvalue: float,
        effect: tuple[str, float],
        *,
        lead: float = 0.0,
        **fields: Any,
    ) -> ComparisonTest:
        """Return the test; `lead` is the difference, first less second, that says who is better."""
        by_default = {"df": None, "critical_value": math.nan, "alternative": self.alternative}
        return ComparisonTest(
            method=method,
            statistic=statistic[1],
            statistic_name=statistic[0],
            pvalue=pvalue,
            confidence_level=complement(self.alpha),
            effect_size=effect[1],
            effect_size_name=effect[0],
            better=better_model(lead, self.names, self.higher_is_better),
            **by_default | {"reject": bool(pvalue <= self.alpha)} | fields,
        )


def question(
    confidence_level: Any, alternative: Any, names: Any = ("A", "B"), higher_is_better: Any = True
) -> Question:
    """Return validated options of a test."""
    higher = check_direction(higher_is_better)
    alpha = check_decision_level(confidence_level)
    side = check_alternative(alternative)
    return Question(alpha, side, check_names(names), higher)


def check_names(names: Any) -> tuple[str, ...]:
    """Return the names of two models, which are distinct texts."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputTypeError(f"`names` must be a sequence of texts: got {type(names).__name__}")
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise InputTypeError(f"`names` must hold texts: got {name!r} at index {i}")
    if len(names) != 2 or len(set(names)) != 2:
        raise InputError(f"`names` must be 2 distinct texts: got {names!r}")
    return tuple(names)


def better_model(difference: float, names: Sequence[str], higher_is_better: bool) -> str | None:
    """Return the better model by a difference, first less second; None for neither."""
    if difference == 0 or math.isnan(difference):
        return None
    return names[0] if (difference > 0) == higher_is_better else names[1]
