"""Tables of the room: the correction log with its trials, the review queue with its cases, proposals, quality."""

from corrections.models.calibration import CalibrationNight
from corrections.models.log import Backtest, BacktestSample, CorrectionLog
from corrections.models.promotion import PromotionEvidence, PromotionProposal
from corrections.models.quality import GovernorAction, QualityRun, QualityTrend
from corrections.models.review import GoldenCase, MessageCase, ReviewItem, ReviewVerdict, RuleWarning

__all__ = [
    "Backtest",
    "BacktestSample",
    "CalibrationNight",
    "CorrectionLog",
    "GoldenCase",
    "GovernorAction",
    "MessageCase",
    "PromotionEvidence",
    "PromotionProposal",
    "QualityRun",
    "QualityTrend",
    "ReviewItem",
    "ReviewVerdict",
    "RuleWarning",
]
