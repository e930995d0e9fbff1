"""Whole evaluations: every metric of every model, from one sort a model.

May import every floor below; the command line calls what is public here, and lays it out.
"""

from __future__ import annotations

from fastmetrics._report.evaluation import evaluate
from fastmetrics._report.evaluation_result import Evaluation, EvaluationBootstrap, ModelEvaluation

__all__ = ["Evaluation", "EvaluationBootstrap", "ModelEvaluation", "evaluate"]
