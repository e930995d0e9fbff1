"""Rows of four labels that go together, and two models whose errors do."""

import numpy as np

N, K = 90, 4
AT = 0.55


def made(n: int = N) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(n, 1))  # labels of a row go together
    y = (shared + rng.normal(size=(n, K)) > [-0.5, 0.0, 0.3, 0.6]).astype(int)
    models = {}
    for name, pull in (("a", 1.6), ("b", 1.0)):
        noise = rng.normal(size=(n, 1)) + rng.normal(size=(n, K))  # as do errors of a model
        logits = pull * (y - 0.5) + noise
        models[name] = np.round(1.0 / (1.0 + np.exp(-logits)), 2)
    return y, models


Y, MODELS = made()
