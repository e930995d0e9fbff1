"""What a confusion matrix is for NumPy, and how it is shown: by its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.weights import as_given
from fastmetrics._plots.confusion import draw_confusion
from fastmetrics.tables.confusion._label_counts import Cells, Labels

if TYPE_CHECKING:
    from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: A matrix of more classes is summed up in HTML, not shown.
_SHOWN: Final = 20
_SIDES: Final = ("true", "predicted")


class CountsAsArray(Shown):
    """Base of matrices that are an array for NumPy, a table when printed, and a figure."""

    __slots__ = ()
    if TYPE_CHECKING:

        @property
        def counts(self) -> NDArray[Any]: ...

    @documented()
    def plot(
        self,
        ax: Any = None,
        *,
        normalize: Literal["true", "pred", "all"] | None = None,
        **image_options: Any,
    ) -> Any:
        """Draw the matrix: true classes by row, predicted ones by column, the greater the darker.

        What is right is blue, errors are orange, each by its own scale, so that a few errors among
        many examples can be seen; with `cmap`, `norm`, `vmin` or `vmax` all cells have one scale.

        Parameters
        ----------
        normalize : {"true", "pred", "all"}, optional
            Show shares of each true class (a row sums to 1), of each predicted one, or of all
            examples; counts by default. A share of nothing is a dash.
        **image_options
            Of ``ax.imshow``: `cmap`, `vmax` and so on.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ax = ConfusionMatrix.binary(tp=35, fp=10, fn=5, tn=50).plot(normalize="true")
        >>> [text.get_text() for text in ax.texts]
        ['0.833', '0.167', '0.125', '0.875']
        """
        check_choice("normalize", normalize, ("true", "pred", "all", None))
        counts, labels, exponent = Cells.of(cast("ConfusionMatrix", self))
        given = as_given(counts, exponent)  # what is beyond float64 is inf, and refused
        cells = given
        if normalize is not None:
            sums = {
                "true": counts.sum(1, keepdims=True),
                "pred": counts.sum(0),
                "all": counts.sum(),
            }
            with np.errstate(invalid="ignore"):  # 0 / 0: a class without examples
                cells = counts / sums[normalize]
        said = _text_of_share if normalize is not None else _text_of_count
        return draw_confusion(
            cells,
            [str(label) for label in labels],
            [[said(cell) for cell in row] for row in cells.tolist()],
            ax,
            shades=_SHADES[normalize or counts.dtype.kind],
            options=image_options,
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype=dtype, copy=copy)


_SHADES: Final = {
    "true": "share of the true class",
    "pred": "share of the predicted class",
    "all": "share of all examples",
    "i": "examples",
    "f": "weight of examples",
}


def _text_of_count(cell: float) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"


def _text_of_share(cell: float) -> str:
    if cell != cell:
        return "–"
    return f"{cell:g}" if cell in (0.0, 1.0) else f"{cell:.3f}"


def as_text(labels: Labels, counts: Any, exponent: int) -> str:
    """Return the line that ``repr`` shows."""
    scaled = f", weight_exponent={exponent}" if exponent else ""
    k = len(labels)
    if k == 2:
        (tn, fp), (fn, tp) = counts.tolist()
        return f"ConfusionMatrix({tp=}, {fp=}, {fn=}, {tn=}, labels={labels!r}{scaled})"
    shown = ", ".join(map(repr, labels if k <= 5 else [*labels[:4], ...]))
    shown = shown.replace("Ellipsis", "...")
    n, correct = counts.sum().item(), counts.diagonal().sum().item()
    classes = "class" if k == 1 else "classes"
    return (
        f"ConfusionMatrix({k:,} {classes}{' ' if k else ''}{shown}; n={n:.10g}, "
        f"{correct:.10g} correct{scaled})"
    )


def displayed(labels: Labels, counts: Any, exponent: int) -> Display:
    """Return the true classes by the predicted ones; of many classes the pairs that occur."""
    title = "true class by row, predicted by column"
    scaled = [f"Weights are times 2**{exponent}."] if exponent else []
    if len(labels) <= _SHOWN:
        at, across = np.indices(counts.shape).reshape(2, -1).tolist(), "predicted"
        cells = counts.ravel().tolist()
    else:
        title, across = as_text(labels, counts, exponent), ""
        rows, columns = counts.nonzero()
        at, cells = [rows.tolist(), columns.tolist()], counts[rows, columns].tolist()
    places = {name: [labels[k] for k in each] for name, each in zip(_SIDES, at, strict=True)}
    table = Table(places | {"count": cells}, words={"true": ""} if across else {}, across=across)
    return Display([table], title, scaled)
