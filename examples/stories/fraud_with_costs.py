"""
Fraud: where to stop payments, and what that saves
==================================================

A shop scores its card payments and must decide which to stop. A fraud that passes costs the
amount; a payment that is stopped without reason costs a call to the customer. The payments here
are made up, so that the truth is known: one in sixty is a fraud, and frauds are larger.
"""

import numpy as np
import pandas as pd

import fastmetrics as fm

CALL = 4.0  # what it costs to ask a customer who did nothing wrong


def payments(n: int, seed: int) -> pd.DataFrame:
    """Return made-up payments with the scores of today's rule and of a new model."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 1 / 60
    amount = rng.lognormal(np.where(fraud, 4.6, 3.4), 0.9).round(2)
    signal = 1.5 * fraud + rng.normal(size=n)
    country = rng.choice(["DE", "FR", "NO", "PL"], n, p=[0.5, 0.3, 0.12, 0.08])
    at_home = np.where((country == "PL") & fraud, 0.9, 0.0)  # the new model is blind there
    rule = signal + rng.normal(0, 1.0, n)
    model = signal + 0.6 * np.log(amount) - at_home * 1.6 + rng.normal(0, 0.3, n)
    columns = {"fraud": fraud.astype(int), "amount": amount, "country": country}
    return pd.DataFrame(columns | {"rule": rule, "model": model})


past, now = payments(60_000, 0), payments(60_000, 1)

# %%
# Is the model better at all?
# ---------------------------
# ``evaluate`` answers in words. Accuracy is not asked: a rule that stops nothing is right in 59 of
# 60 payments.

models = {"rule": past.rule, "model": past.model}
print(fm.evaluate(past.fraud, models, metrics=["roc_auc", "average_precision"]))

# %%
# From which score on should it act?
# ----------------------------------
# Each row has its own price: the amount where a fraud is missed. Whoever chooses the cheapest
# threshold on the rows it is judged on sees too low a cost, so the rows of the next month are
# asked.

prices = {"cost_fn": past.amount.to_numpy(), "cost_fp": CALL}
chosen = {
    name: fm.best_threshold(past.fraud, score, **prices).threshold for name, score in models.items()
}


def cost(rows: pd.DataFrame, name: str) -> np.ndarray:
    """Return what each payment costs under the threshold that was chosen."""
    stopped = rows[name] >= chosen[name]
    fraud = rows.fraud == 1
    return np.where(fraud & ~stopped, rows.amount, 0) + np.where(~fraud & stopped, CALL, 0)


costs = {name: cost(now, name) for name in models}
nothing = float((now.amount * now.fraud).sum())
for name in models:
    print(f"{name}: {costs[name].sum():,.0f} instead of {nothing:,.0f} by stopping nothing")

# %%
# Is that shown? The mean cost of a payment, compared on the same payments:

saved = fm.compare(np.zeros(len(now)), costs, metrics="mean_absolute_error")
print(saved.verdict)

# %%
# The picture: every threshold and what it costs.

ax = fm.costs.threshold_costs(past.fraud, past.model, **prices).plot()

# %%
# Where does it fail?
# -------------------
# The whole looks fine. Slices say where it does not: limits hold for all countries at once, gaps
# are to the other rows.

found = fm.evaluate(
    now.fraud, {"model": now.model}, metrics="roc_auc", slices={"country": now.country}
)
worst = found.slices.worst()
print(worst)
