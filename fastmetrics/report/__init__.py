"""Whole evaluations: every measure of every model, from one sort a model."""

from __future__ import annotations

from fastmetrics.report.evaluation import evaluate
from fastmetrics.report.evaluation_result import Evaluation, EvaluationBootstrap, ModelEvaluation

__all__ = ["Evaluation", "EvaluationBootstrap", "ModelEvaluation", "evaluate"]
