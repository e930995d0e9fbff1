"""Whole evaluations: every measure of every model, from one sort a model."""

from __future__ import annotations

from fastmetrics.report.evaluation import Evaluation, ModelEvaluation, evaluate

__all__ = ["Evaluation", "ModelEvaluation", "evaluate"]
