"""
A data frame: are the new scores better, and in every country?
==============================================================

A shop keeps its orders in one table: whether an order was sent back, the scores of two models, the
customer, and the country. No column has to be taken out of it. ``data=`` takes the table, and the
other arguments name its columns. The orders are simulated.
"""

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import fastmetrics as fm

rng = np.random.default_rng(5)
customers, n = 900, 4000
customer = rng.integers(0, customers, n)
country = np.array(["DE", "FR", "PL"])[rng.choice(3, customers, p=[0.5, 0.3, 0.2])[customer]]
log_odds = rng.normal(-1.5, 1.0, customers)[customer] + rng.normal(0, 0.8, n)
learned = np.where(country == "PL", 0.3, 1.0)  # the new model learned little about Poland
orders = pd.DataFrame(
    {
        "returned": (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int),
        "score_v1": 0.7 * log_odds + rng.normal(0, 1.2, n),
        "score_v2": learned * log_odds + rng.normal(0, 0.9, n),
        "customer": customer,
        "country": country,
        "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 90, n), unit="D"),
    }
)
print(orders.head(3))

# %%
# Which model is better?
# ----------------------
# A mapping gives models other names than their columns have. Customers are the sampling units,
# because one customer has several orders.

models = {"old": "score_v1", "new": "score_v2"}
result = fm.evaluate("returned", models, data=orders, groups="customer", slices=["country"])
print(result)

# %%
# Is it better in each country?
# -----------------------------
# The table of slices says that the new model is worse in Poland than elsewhere. Is it better there
# than the old one?

rows = sorted(result.slices, key=lambda row: row.slice)
figure, ax = plt.subplots(figsize=(6.4, 2.4), layout="constrained")
for model, offset in (("old", -0.1), ("new", 0.1)):
    own = [row for row in rows if row.model == model]
    limits = np.array([row.confidence_interval for row in own]).T
    height = np.arange(len(own)) + offset
    ax.hlines(height, *limits, colors="C0" if model == "old" else "C1", label=model)
ax.set_yticks(range(len(own)), [row.slice for row in own])
ax.set(xlabel="AUC, intervals that hold for all slices at once")
ax.legend(frameon=False)

# %%
# The same from a database
# ------------------------
# A relation of DuckDB is a table too. The query reads only the named columns, and the
# connection stays as it is.

connection = duckdb.connect()
connection.register("orders", orders)
recent = connection.sql("SELECT * FROM orders WHERE day >= DATE '2026-02-01'")
gate = fm.gate(
    "returned",
    {"candidate": "score_v2", "baseline": "score_v1"},
    data=recent,
    margins={"roc_auc": 0.03},
    groups="customer",
    slices=["country"],
)
print(gate)
