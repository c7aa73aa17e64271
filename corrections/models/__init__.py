"""Tables of the room: the correction log with its trials, the review queue with its cases, and proposals."""

from corrections.models.log import Backtest, BacktestSample, CorrectionLog
from corrections.models.promotion import PromotionEvidence, PromotionProposal
from corrections.models.review import GoldenCase, MessageCase, ReviewItem, ReviewVerdict

__all__ = [
    "Backtest",
    "BacktestSample",
    "CorrectionLog",
    "GoldenCase",
    "MessageCase",
    "PromotionEvidence",
    "PromotionProposal",
    "ReviewItem",
    "ReviewVerdict",
]
