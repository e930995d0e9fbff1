"""
Language models on repeated items: is the new one better?
=========================================================

Two models answered 120 questions on 40 documents, four times each. 480 tries a model are not 480
independent rows: tries of one question agree, and so do questions on one document. The log is made
up; in practice it is read by ``read_evaluation_log`` from files of lm-evaluation-harness or
Inspect.
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
# One table, a row for each try
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
# Documents are what varies. Beside the mean: the chance that one of four tries is right, that all
# four are, and that two tries disagree.

groups = [int(document[k]) for k in item]
found = fm.evaluate_log(**rows, group=groups, pass_at=[4], pass_hat=[4])
print(found)

# %%
# What counting tries would have said
# -----------------------------------
# The same numbers with every try taken for a row of its own: an interval that is too narrow, since
# it counts agreement as evidence.

naive = fm.compare(
    np.ones(questions * tries),
    {name: each.ravel().astype(float) for name, each in solved.items()},
    metrics="mean_absolute_error",
)
(pair,) = naive["mean_absolute_error"].pairs
(honest,) = found.comparisons["solved"].pairs
figure, ax = plt.subplots(figsize=(6.4, 1.9), layout="constrained")
for name, low, high in (
    ("documents", -honest.confidence_interval.high, -honest.confidence_interval.low),
    ("every try", *pair.confidence_interval),
):
    print(f"{name}: new less old between {low:+.3f} and {high:+.3f}")
    ax.plot([low, high], [name, name], marker="|", linewidth=2)
ax.axvline(0, color="0.6", linestyle="--")
ax.set(xlabel="gain of the new model, 95 % interval", ylim=(-0.6, 1.6))

# %%
# May it be released?
# -------------------
# Not "is it better" but "is it shown not to be worse by more than ten points": a gate on the same
# items, documents as groups. A question is right in a share of its tries, so the mean absolute
# error from "always right" is the loss.

told = {name: each.mean(axis=1) for name, each in solved.items()}
gate = fm.gate(
    np.ones(questions),
    {"baseline": told["old"], "candidate": told["new"]},
    margins={"mean_absolute_error": 0.1},
    groups=document,
)
print(gate)
