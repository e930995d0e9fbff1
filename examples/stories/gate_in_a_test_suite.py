"""
A gate in a test suite: is the retrained model good enough to ship?
===================================================================

A team retrains its model every night and runs its tests before the model is released. One test
compares the scores of the new model with those of the old one, on the same rows. The fixture
``metric_gate`` comes with fastmetrics: pytest finds it by itself. The scores are simulated.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(7)
n = 3000
churned = (rng.random(n) < 0.3).astype(int)
old = churned + rng.normal(size=n)
scores = {
    "retrained": old + 0.05 * rng.normal(size=n),  # the same model, on newer rows
    "distilled": old + 0.45 * rng.normal(size=n),  # a smaller model
    "broken": np.where(rng.random(n) < 0.2, 0.0, old),  # a feature is missing in a fifth of rows
}
folder = Path(tempfile.mkdtemp())
table = np.column_stack([churned, old, *scores.values()])
header = ",".join(["churned", "old", *scores])
np.savetxt(folder / "scores.csv", table, delimiter=",", header=header, comments="")

# %%
# The tests
# ---------
# The margin is the largest loss of AUC that the team accepts. It stands in the test, under version
# control, before anyone has seen a score.

suite = """
import pytest

@pytest.mark.parametrize("model", ["retrained", "distilled", "broken"])
def test_model_is_not_worse(model, metric_gate):
    metric_gate(
        file="scores.csv",
        label="churned",
        candidate=model,
        baseline="old",
        margins={"roc_auc": 0.02},
    )
"""
(folder / "test_release.py").write_text(suite)

# %%
# The run
# -------
# A model that is clearly not worse passes, and one that is worse by more than the margin fails with
# its interval. If the rows cannot tell, the outcome is INCONCLUSIVE, and the run goes on. With
# ``--gate-strict`` it fails too.

command = [sys.executable, "-m", "pytest", "-q", "--gate-json", "gates.json", "test_release.py"]
run = subprocess.run(
    [*command, "-p", "no:cacheprovider"], cwd=folder, capture_output=True, text=True, check=False
)
print(run.stdout)

# %%
# What is left of it
# ------------------
# The file has the fields of every gate: enough for a figure beside the release.

gates = json.loads((folder / "gates.json").read_text())["gates"]
figure, ax = plt.subplots(figsize=(6.4, 1.9), layout="constrained")
for gate in gates:
    (rule,) = gate["rules"]
    low, high = rule["confidence_interval"].values()
    print(f"{gate['candidate']}: {gate['verdict']}, difference {low:+.3f} to {high:+.3f}")
    ax.plot([low, high], [gate["candidate"]] * 2, marker="|", linewidth=2)
ax.axvline(-0.02, color="0.6", linestyle="--")
ax.set(xlabel="AUC of the model less that of the old one, 90 % interval", ylim=(-0.6, 2.6))
