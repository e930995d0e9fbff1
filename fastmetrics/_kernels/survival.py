"""Shares of rows that remain, how each row moves them, and pairs of events and later rows.

Keys are twice the rank of a time, and one more for censorings: see ``FollowUp``.
"""

from fastmetrics._kernels._compile import kernel


@kernel
def remaining_shares(leaving, of_events, at_risk, before):
    """Write the share that remains just before each key, and after the last.

    ``leaving`` is the weight of the rows of a key, ``at_risk`` becomes that of all not gone before;
    keys of the other kind then leave nothing: events are even keys, and 1 of ``of_events``.
    """
    total = 0.0
    for k in range(leaving.size - 1, -1, -1):
        total += leaving[k]
        at_risk[k] = total
        if k & 1 == of_events:
            leaving[k] = 0.0
    share = 1.0
    before[0] = 1.0
    for k in range(leaving.size):
        if leaving[k] > 0.0:
            share *= 1.0 - leaving[k] / at_risk[k]
        before[k + 1] = share


@kernel
def moves_of_logs(of_logs, leaving, at_risk, moves):
    """Write what `Remaining.moves` returns."""
    end = of_logs.size - 1
    while end > 0 and of_logs[end] == 0.0:  # nothing moves beyond it
        end -= 1
    later = 0.0
    for k in range(end - 1, -1, -1):
        later += of_logs[k + 1]
        moves[k] = later / at_risk[k] if leaving[k] > 0.0 else 0.0
    gained = 0.0
    for k in range(end):
        own = moves[k]
        moves[k] = gained - own
        staying = at_risk[k] - leaving[k]
        if staying > 0.0:
            gained += own * leaving[k] / staying
    for k in range(end, moves.size):
        moves[k] = gained


@kernel
def weights_across(ranks, cut, leads, beyond, by_rank, across):
    """Write the weight that each row meets on the other side of a time.

    The first ``cut`` rows, of weights ``leads``, meet those ``beyond`` of lower rank, and those
    beyond meet the first ones of higher rank; of equal rank half. ``by_rank`` comes zeroed, with a
    column for each side.
    """
    for j in range(cut):
        by_rank[ranks[j], 0] += leads[j]
    for j in range(cut, ranks.size):
        by_rank[ranks[j], 1] += beyond[j - cut]
    total = 0.0
    for r in range(by_rank.shape[0]):
        total += by_rank[r, 1]
        by_rank[r, 1] = total - by_rank[r, 1] / 2.0
    total = 0.0
    for r in range(by_rank.shape[0] - 1, -1, -1):
        total += by_rank[r, 0]
        by_rank[r, 0] = total - by_rank[r, 0] / 2.0
    for j in range(cut):
        across[j] = by_rank[ranks[j], 1]
    for j in range(cut, ranks.size):
        across[j] = by_rank[ranks[j], 0]
