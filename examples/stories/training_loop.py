"""
A training loop: the AUC of each epoch, within certain bounds
=============================================================

A small network learns to tell two classes apart. After each epoch it is evaluated on 200,000 rows,
in batches. ``BinaryScores`` is a metric of torchmetrics that keeps counts in bins instead of the
scores. Its bounds contain the exact value. Data are simulated.
"""

import numpy as np

import fastmetrics as fm

try:
    import torch

    from fastmetrics.torch import BinaryScores
except ImportError as error:
    torch = None
    print(f"Skipped ({error}): this story needs `pip install 'fastmetrics-eval[torch]'`.")


# %%
# Rows of two classes
# -------------------
# The classes differ in the distance from the origin, so a linear model would not do.


def simulate(n_rows, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 8))
    y = (x**2).sum(axis=1) + rng.normal(0, 1.5, n_rows) > 8
    return torch.from_numpy(x.astype(np.float32)), torch.from_numpy(y.astype(np.float32))


# %%
# Train, and evaluate after each epoch
# ------------------------------------
# The metric takes logits: no sigmoid is needed. It learns its bins from the first batch of each
# epoch, since the scores of a network move while it learns. On several ranks the loop is the same:
# ``compute`` returns the bounds of the rows of all ranks.


def train(n_epochs=3, batch_size=1000):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loss = torch.nn.BCEWithLogitsLoss()
    x, y = simulate(50_000, seed=0)
    x_test, y_test = simulate(200_000, seed=1)
    metric = BinaryScores()
    for epoch in range(1, n_epochs + 1):
        for rows in torch.randperm(len(x)).split(batch_size):
            optimizer.zero_grad()
            loss(model(x[rows])[:, 0], y[rows]).backward()
            optimizer.step()
        metric.reset()
        with torch.no_grad():
            for features, labels in zip(x_test.split(50_000), y_test.split(50_000), strict=True):
                metric.update(model(features)[:, 0], labels)
        values = metric.compute()
        low, high = values["roc_auc_low"], values["roc_auc_high"]
        print(f"epoch {epoch}: AUC between {low:.6f} and {high:.6f}")
    return metric, y_test, model(x_test)[:, 0].detach()


# %%
# The exact value lies between the bounds
# ---------------------------------------
# The state is a ``BinnedScoreTable``, which has the other metrics of a threshold. Its size does not
# grow: it would be the same after a billion rows.

if torch is not None:
    metric, labels, logits = train()
    print(f"exact AUC of its rows: {fm.roc_auc_score(labels, logits):.6f}")
    print(metric.table)
