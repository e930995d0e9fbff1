from .measures.curves.roc import (
    roc_curve,
    det_curve as detection_error_tradeoff,
)
from .measures import roc_auc_score as roc_auc_score
from .measures.curves.roc_auc import roc_auc_score as roc_auc_score
