from .metrics.curves.roc import (
    roc_curve,
    det_curve as detection_error_tradeoff,
)
from .metrics import roc_auc_score as roc_auc_score
from .metrics.curves.roc_auc import roc_auc_score as roc_auc_score
