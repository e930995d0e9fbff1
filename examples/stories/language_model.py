"""
Language models on repeated items: is the new one better?
=========================================================

Two models answered 120 questions on 40 documents, four times each. The 480 answers of a model are
not independent: answers to one question are correlated, and so are questions on one document. The
log is simulated. In practice ``read_evaluation_log`` reads it from files of lm-evaluation-harness
or Inspect.
"""

import matplotlib.pyplot as plt
import numpy as np

import fastmetrics as fm

rng = np.random.default_rng(11)
documents, per_document, tries = 40, 3, 4
questions = documents * per_document
document = np.repeat(np.arange(documents), per_document)
ease = rng.normal(0.2, 0.9, documents)[document] + rng.normal(0, 1.2, questions)
gain = rng.normal(0.6, 1.0, documents)[document]  # the new model reads some documents better
solved = {
    name: rng.random((questions, tries)) < 1 / (1 + np.exp(-(ease + more)[:, None]))
    for name, more in (("old", 0.0 * gain), ("new", gain))
}

# %%
# One table, one row per answer
# -----------------------------

rows = [
    (name, question, attempt, int(solved[name][question, attempt]))
    for name in solved
    for question in range(questions)
    for attempt in range(tries)
]
model, item, repeat, value = (list(column) for column in zip(*rows, strict=True))
rows = {"item": item, "score": value, "model": model, "repeat": repeat, "name": "solved"}

# %%
# The answer
# ----------
# Documents are the sampling units. Beside the mean there are three probabilities: at least one of
# four answers is correct, all four are, and two answers disagree.

groups = [int(document[k]) for k in item]
result = fm.evaluate_log(**rows, group=groups, pass_at=[4], pass_hat=[4])
print(result)

# %%
# The result if answers were independent
# --------------------------------------
# The same numbers with every answer as a separate row. The interval is too narrow, because it
# ignores the correlation.

naive = fm.compare(
    np.ones(questions * tries),
    {name: each.ravel().astype(float) for name, each in solved.items()},
    metrics="mean_absolute_error",
)
(pair,) = naive["mean_absolute_error"].pairs
(honest,) = result.comparisons["solved"].pairs
figure, ax = plt.subplots(figsize=(6.4, 1.9), layout="constrained")
for name, low, high in (
    ("documents", -honest.confidence_interval.high, -honest.confidence_interval.low),
    ("every answer", *pair.confidence_interval),
):
    print(f"{name}: new less old between {low:+.3f} and {high:+.3f}")
    ax.plot([low, high], [name, name], marker="|", linewidth=2)
ax.axvline(0, color="0.6", linestyle="--")
ax.set(xlabel="gain of the new model, 95 % interval", ylim=(-0.6, 1.6))

# %%
# Can it be released?
# -------------------
# The gate does not ask whether the model is better. It tests whether it is worse by more than ten
# percentage points, on the same items with documents as groups. The loss is the mean absolute error
# from "always correct".

solved_rate = {name: each.mean(axis=1) for name, each in solved.items()}
gate = fm.gate(
    np.ones(questions),
    {"baseline": solved_rate["old"], "candidate": solved_rate["new"]},
    margins={"mean_absolute_error": 0.1},
    groups=document,
)
print(gate)
