"""How many machine-code versions of each kernel are allowed.

Labels are int8, scores float32, float64, int64 or uint64, weights float64, counts int64, all
contiguous and in native order: floor 1 sees to that, so a kernel over scores has four versions
and a kernel over counts has one. A larger number here needs a reason beside it.

The key is ``module:kernel``, the module below ``fastmetrics._kernels``.
"""

from __future__ import annotations

ALLOWED: dict[str, int] = {
    "bins:bin_numbers": 2,  # scores here are float32 or float64
    "bins:count_rows": 4,  # the same, and counts or weights
    "bins:even_cells": 2,
    "bins:is_clean": 2,
    "bins:least_precision_sums": 1,
    "bins:octave_cells": 2,
    "buckets:count_buckets": 4,
    "buckets:gather": 5,  # scores of each dtype, numbers of rows
    "buckets:gather_class": 4,
    "buckets:index_blocks": 1,
    "buckets:range_cells": 4,
    "buckets:scatter": 8,  # with weights, and without
    "buckets:short_keys": 4,
    "buckets:splitter_cells": 4,
    "cells:count_cells": 6,  # labels of int8, int32 or int64, a table of int32 or int64
    "cells:count_margins": 3,  # the same labels
    "cells:count_two": 3,
    "cells:text_codes": 1,
    "concordance:_lower_by_half": 1,
    "concordance:_sort_few": 1,
    "concordance:combine_partners": 1,
    "concordance:lower_by_digit": 1,
    "concordance:lower_in_segments": 1,
    "concordance:rising_by_digit": 1,
    "concordance:rising_in_segments": 1,
    "concordance:scatter_by_digit": 1,
    "concordance:scatter_with_sums": 1,
    "concordance:sums_of_later": 1,
    "curve_kernels:concordant_pairs_by_row": 2,  # scores here are float32 or float64
    "curve_kernels:corner_count": 1,
    "curve_kernels:placement_sums": 1,
    "curve_kernels:sums_of_products": 2,  # counts of int64, or the rows of a class as int8
    "curve_kernels:turns_of_lines": 2,  # corners of counts or of shares of weights
    "curve_kernels:write_precision_recall": 1,
    "curve_kernels:write_precision_steps": 1,
    "curve_kernels:write_roc": 4,
    "deviances:add": 1,
    "deviances:add_terms": 1,
    "deviances:count_abnormal": 1,
    "deviances:deviance_sums": 2,  # targets and predictions both float64, or both float32
    "deviances:gamma_by_product": 1,
    "deviances:lane_sum": 1,
    "deviances:mend_logs": 1,
    "deviances:powers_of_two": 1,
    "deviances:split_logs": 1,
    "deviances:split_powers": 1,
    "differences:add_signed_sums": 1,
    "differences:count_pair_sums": 1,
    "differences:sums_of_choices": 1,
    "differences:write_pair_sums": 1,
    "errors:add_row": 1,
    "errors:centred": 1,
    "errors:error_sums": 2,  # targets and predictions both float64, or both float32
    "errors:folded": 1,
    "errors:largest_weighed": 1,
    "errors:merge_error_sums": 1,
    "errors:two_sum": 1,
    "hulls:is_steeper": 1,
    "hulls:sums_of_blocks": 1,
    "hulls:upper_hull": 1,
    "hulls:upper_hull_of_large_counts": 1,
    "hulls:upper_hull_of_weights": 1,
    "isotonic:pool_adjacent": 1,
    "isotonic:squares_lost": 1,
    "key_counts:count_stream": 1,
    "key_counts:deal": 1,
    "key_counts:rows_between": 1,
    "key_counts:table_between": 1,
    "logits:moments_of_runs": 2,  # counts or weights
    "logits:terms_of_rows": 2,  # the same
    "losses:add": 1,
    "losses:binary_losses": 4,  # int8 and int64 labels, float32 and float64 scores
    "losses:class_losses": 2,  # scores here, and in its parts, are float32 or float64
    "losses:count_faults": 2,
    "losses:count_labels": 2,
    "losses:hinge_terms": 4,
    "losses:lane_sum": 1,
    "losses:log_of_product": 1,
    "losses:restore_complements": 4,
    "losses:row_hinge": 2,
    "losses:row_square": 2,
    "losses:row_total": 2,
    "losses:shares_of_labels": 4,
    "losses:square_terms": 4,
    "losses:take_logs": 1,
    "losses:weigh": 1,
    "losses:weights_of_class": 2,
    "merges:cumulative_pair": 1,
    "merges:cumulative_weights": 1,
    "merges:lost_pairs": 1,
    "merges:merge_descending": 4,
    "merges:merge_tables": 8,  # counts or weights
    "merges:pairs_of_few": 4,
    "merges:pairs_of_sorted": 4,
    "merges:split_classes": 4,
    "merges:weigh_pairs": 1,
    "orders:ascends": 4,
    "orders:order_floats": 1,
    "orders:pack": 1,
    "orders:place_words": 1,
    "orders:spread": 3,  # entries of int32, int64 or float64
    "orders:spread_by_class": 2,  # entries of int64 or float64
    "orders:unpack": 1,
    "orders:weigh_runs": 4,
    "range_kernels:add_by_code": 1,
    "range_kernels:add_precisions": 1,
    "range_kernels:add_products": 1,
    "range_kernels:auc_influences": 2,  # counts, or weights
    "range_kernels:gap_ends": 1,
    "range_kernels:precision_influences": 1,
    "range_kernels:precision_shares": 2,
    "ranking_gains:expected_cascade": 1,
    "ranking_gains:expected_gains": 1,
    "ranking_gains:ideal_gains": 1,
    "ranking_gains:mean_products": 1,
    "ranking_gains:sort_down": 1,
    "ranking_values:concordant_items": 1,
    "ranking_values:expected_first": 1,
    "ranking_values:expected_hits": 1,
    "ranking_values:expected_precision_sums": 1,
    "ranking_values:expected_preference": 1,
    "ranking_values:expected_reading": 1,
    "ranking_values:relevant_counts": 1,
    "rankings:count_relevant": 2,  # relevance is int8 or float64
    "rankings:count_unjudged": 8,  # those, and four kinds of scores
    "rankings:gather_queries": 1,
    "rankings:order_items": 1,
    "rankings:place_relevant": 8,
    "rankings:places_by_name": 2,
    "rankings:settle_ties": 1,
    "replicate_curves:class_totals": 1,
    "replicate_curves:entry": 1,
    "replicate_curves:follow": 1,
    "replicate_curves:nearest_count": 1,
    "replicate_curves:to_lead_and_value": 1,
    "replicate_curves:values_along": 1,
    "replicate_curves:values_of_rows": 1,
    "replicate_pairs:byte_products": 1,
    "replicate_pairs:column_sums": 2,  # counts or weights
    "replicate_pairs:exchange_rows": 1,
    "replicate_pairs:gather_counts": 1,
    "replicate_pairs:pair_counts": 1,
    "replicate_pairs:step_areas": 1,
    "replicate_pairs:take": 6,  # scores of each dtype, labels, places
    "replicate_points:add_areas": 1,
    "replicate_points:area_of_points": 1,
    "replicate_points:areas_of_rows": 1,
    "replicate_points:best_of_points": 1,
    "replicate_points:break_even_of_points": 1,
    "replicate_points:chosen_points": 1,
    "replicate_points:measure_points": 1,
    "replicate_points:nobody": 1,
    "replicate_points:merit": 1,
    "replicate_points:points_of_rows": 1,
    "replicate_points:precision_area_of_points": 1,
    "replicate_points:thresholds_of_rows": 1,
    "replicate_weights:exponentials": 1,
    "replicate_weights:pairs_of_replicate": 1,
    "replicate_weights:split_block": 1,
    "replicate_weights:weigh_rows": 2,  # counts or weights
    "replicate_weights:weighted_pairs": 1,
    "replicate_weights:weighted_points": 1,
    "resampling:binomials": 1,
    "resampling:draw_windows": 1,
    "resampling:draw_windows_by_class": 1,
    "resampling:is_kept": 1,
    "resampling:multinomial_totals": 1,
    "resampling:philox": 1,
    "resampling:poisson": 1,
    "resampling:poisson_numbers": 1,
    "resampling:scatter_accepted": 1,
    "resampling:scatter_full": 1,
    "resampling:stirling_rest": 1,
    "resampling:uniform": 1,
    "resampling:words_of_rows": 1,
    "top_k:top_k_hits": 4,
}
