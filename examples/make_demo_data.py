"""Make the data of ``fastmetrics demo``: out-of-fold scores of three models on real data.

The data are the Breast Cancer Wisconsin (Diagnostic) measurements that scikit-learn ships:
569 tumours, of which 212 are malignant. Malignant is the positive class, ``label`` 1
(scikit-learn's own coding has malignant as 0). Each score is the probability of malignancy
of a model that was not fitted on the tumour, from ten-fold stratified cross-validation.

Run from the root of the repository, with scikit-learn installed:

    python examples/make_demo_data.py

It is deterministic: the same scikit-learn writes the same file. Scores keep nine
significant digits.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

TARGET = Path(__file__).parents[1] / "fastmetrics" / "data" / "breast_cancer_scores.csv"

# Three that differ in the shape of their scores: smooth, heavily tied (sixteen values), and
# pushed towards 0 and 1.
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=15)),
    "naive_bayes": GaussianNB(),
}


def main() -> None:
    """Fit the models and write the file."""
    features, benign = load_breast_cancer(return_X_y=True)
    malignant = 1 - benign
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    scores = [
        cross_val_predict(model, features, malignant, cv=folds, method="predict_proba")[:, 1]
        for model in MODELS.values()
    ]
    with TARGET.open("w", newline="", encoding="ascii") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "label", *MODELS])
        for row, (label, *values) in enumerate(zip(malignant, *scores, strict=True)):
            writer.writerow([row, int(label), *(f"{value:.9g}" for value in values)])


if __name__ == "__main__":
    main()
