"""Tables of the room: the correction log with its trials, and the review queue with its cases."""

from corrections.models.log import Backtest, BacktestSample, CorrectionLog
from corrections.models.review import GoldenCase, MessageCase, ReviewItem, ReviewVerdict

__all__ = ["Backtest", "BacktestSample", "CorrectionLog", "GoldenCase", "MessageCase", "ReviewItem", "ReviewVerdict"]
