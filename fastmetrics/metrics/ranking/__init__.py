"""Metrics of rankings by query: precision at k, MAP, MRR, NDCG, AUC within groups.

No other room of metrics.
"""
