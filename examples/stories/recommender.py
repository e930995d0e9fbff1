"""
A recommender: which list is better, and for whom?
==================================================

Two recommenders rank 400 titles for each of 300 people. One learns the likes of each person, the
other ranks by popularity. The likes are simulated from tastes, so there is something to learn.
"""

import matplotlib.pyplot as plt
import numpy as np

import fastmetrics as fm

rng = np.random.default_rng(3)
people, titles, tastes = 300, 400, 8
person = rng.normal(size=(people, tastes))
title = rng.normal(size=(titles, tastes))
fame = rng.normal(0, 1.0, titles)
log_odds = person @ title.T * 0.8 + fame - 4.5
liked = rng.random((people, titles)) < 1 / (1 + np.exp(-log_odds))
earlier = rng.random((people, titles)) < 1 / (1 + np.exp(-log_odds))

# %%
# Two recommenders, fitted to earlier likes
# -----------------------------------------

u, s, v = np.linalg.svd(earlier - earlier.mean(axis=0), full_matrices=False)
scores = {
    "personal": earlier.mean(axis=0) + (u[:, :tastes] * s[:tastes]) @ v[:tastes],
    "popular": np.tile(earlier.mean(axis=0), (people, 1)),
}

# %%
# Which ranks better?
# -------------------
# People are the sampling units, not titles. The intervals describe other people like these. Tied
# titles have no order, so the mean over all orders counts.

query = np.repeat(np.arange(people), titles)
flat = {name: each.ravel() for name, each in scores.items()}
metrics = ["ndcg@10", "recall@10", "mrr"]
relevance = liked.ravel().astype(int)
print(fm.evaluate(relevance, flat, query=query, metrics=metrics))

# %%
# For whom is it worse?
# ---------------------
# The mean hides differences between people. The values per person, by the number of earlier likes:

few = earlier.sum(axis=1) < np.median(earlier.sum(axis=1))
options = {"query": query, "k": 10, "per_query": True}
each = {name: fm.ranking.ndcg(relevance, values, **options) for name, values in flat.items()}
for label, these in (("liked little before", few), ("liked much before", ~few)):
    subset = {name: values[these & ~np.isnan(values)] for name, values in each.items()}
    pair = fm.compare(np.zeros(len(subset["popular"])), subset, metrics="mean_error")
    (difference,) = pair["mean_error"].pairs
    gain, limits = difference.estimate, difference.confidence_interval
    print(f"{label}: personal less popular {gain:+.3f} [{limits.low:+.3f}, {limits.high:+.3f}]")

# %%
# The same for all people, as a figure:

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.hist(list(each.values()), bins=20, range=(0, 1), label=list(each))
ax.set(xlabel="ndcg@10 of a person", ylabel="people")
ax.legend(frameon=False)
