"""
Fraud: which payments to stop, and the money saved
==================================================

A shop scores its card payments and decides which to stop. A missed fraud costs its amount. A
payment stopped without reason costs a phone call. The payments are simulated, so the truth is
known: one in sixty is a fraud, and frauds have larger amounts.
"""

import numpy as np
import pandas as pd

import fastmetrics as fm

CALL = 4.0  # the cost of a call to an honest customer


def payments(n: int, seed: int) -> pd.DataFrame:
    """Simulate payments with the scores of the present rule and of a new model."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 1 / 60
    amount = rng.lognormal(np.where(fraud, 4.6, 3.4), 0.9).round(2)
    signal = 1.5 * fraud + rng.normal(size=n)
    country = rng.choice(["DE", "FR", "NO", "PL"], n, p=[0.5, 0.3, 0.12, 0.08])
    at_home = np.where((country == "PL") & fraud, 0.9, 0.0)  # the new model fails there
    rule = signal + rng.normal(0, 1.0, n)
    model = signal + 0.6 * np.log(amount) - at_home * 1.6 + rng.normal(0, 0.3, n)
    columns = {"fraud": fraud.astype(int), "amount": amount, "country": country}
    return pd.DataFrame(columns | {"rule": rule, "model": model})


past, now = payments(60_000, 0), payments(60_000, 1)

# %%
# Is the model better at all?
# ---------------------------
# ``evaluate`` answers in words. Accuracy would be misleading: stopping nothing is correct for 59 of
# 60 payments.

models = {"rule": past.rule, "model": past.model}
print(fm.evaluate(past.fraud, models, metrics=["roc_auc", "average_precision"]))

# %%
# At which threshold should it act?
# ---------------------------------
# Each row has its own cost: the amount of a missed fraud. The cost at the cheapest threshold is
# optimistic on the rows that chose it. So the rows of the next month evaluate it.

prices = {"cost_fn": past.amount.to_numpy(), "cost_fp": CALL}
chosen = {
    name: fm.best_threshold(past.fraud, score, **prices).threshold for name, score in models.items()
}


def cost(rows: pd.DataFrame, name: str) -> np.ndarray:
    """Compute the cost of each payment at the chosen threshold."""
    stopped = rows[name] >= chosen[name]
    fraud = rows.fraud == 1
    return np.where(fraud & ~stopped, rows.amount, 0) + np.where(~fraud & stopped, CALL, 0)


costs = {name: cost(now, name) for name in models}
nothing = float((now.amount * now.fraud).sum())
for name in models:
    print(f"{name}: {costs[name].sum():,.0f} instead of {nothing:,.0f} by stopping nothing")

# %%
# Is the difference significant? The mean cost per payment, compared on the same payments:

saved = fm.compare(np.zeros(len(now)), costs, metrics="mean_absolute_error")
print(saved.verdict)

# %%
# The cost at every threshold:

ax = fm.costs.threshold_costs(past.fraud, past.model, **prices).plot()

# %%
# Where does it fail?
# -------------------
# The overall result is good. Slices show where the model is worse. Their intervals hold for all
# countries simultaneously, and differences are to the other rows.

result = fm.evaluate(
    now.fraud, {"model": now.model}, metrics="roc_auc", slices={"country": now.country}
)
worst = result.slices.worst()
print(worst)
