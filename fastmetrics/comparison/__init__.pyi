"""The names of `fastmetrics.comparison`, read by `_lazy`."""

from ..inference.proportions import (
    newcombe_interval as newcombe_interval,
    proportion_interval as proportion_interval,
)
from ..inference.units import effective_sample_size as effective_sample_size
from .binomial import binomial_test as binomial_test, mcnemar_test as mcnemar_test
from .friedman import friedman_test as friedman_test
from .paired import (
    sign_flip_test as sign_flip_test,
    wilcoxon_signed_rank_test as wilcoxon_signed_rank_test,
)
from .post_hoc import (
    adjust_pvalues as adjust_pvalues,
    compare_table as compare_table,
    nemenyi_test as nemenyi_test,
)
from .t_tests import (
    five_by_two_cv_test as five_by_two_cv_test,
    kfold_paired_t_test as kfold_paired_t_test,
    one_sample_t_test as one_sample_t_test,
)
from .timings import compare_timings as compare_timings, read_timings as read_timings

__all__: list[str]
