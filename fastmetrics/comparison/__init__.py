"""Is one model really better? Tests between models, each on numbers that exist already.

- right and wrong by row: `mcnemar_test`, `binomial_test`
- losses by row or by fold: `wilcoxon_signed_rank_test`, `sign_flip_test`, `one_sample_t_test`,
  `kfold_paired_t_test`, `five_by_two_cv_test`
- algorithms over data sets: `compare_table`, `friedman_test`, `nemenyi_test`, `adjust_pvalues`
- published numbers: `proportion_interval`, `newcombe_interval`

In here: ``result`` is what all tests return, with the names of models; tests over
tables may use those of two models.
"""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
