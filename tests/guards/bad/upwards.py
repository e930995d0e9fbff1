"""Bad: a low floor that reaches up through the public face."""

from __future__ import annotations

import fastmetrics
from fastmetrics import roc_auc_score

value = fastmetrics.ScoreTable, roc_auc_score
