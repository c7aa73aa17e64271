"""Counters of the room under the names of the KSP document. Labels are codes; no user text."""

from typing import Final

from prometheus_client import Counter

CORRECTIONS = Counter("unde_memory_correction_total", "Messages that corrected memory", ["type", "lang"])
FACTS_DEACTIVATED = Counter(
    "unde_memory_correction_uk_deactivated_total", "Facts that a correction closed or superseded", ["lang"]
)
FACTS_DISPUTED = Counter("unde_memory_correction_uk_disputed_total", "Facts that a correction put in doubt")
REVIEWED = Counter("unde_review_verdicts_total", "Verdicts of reviewers on samples", ["source", "verdict", "lang"])
RULES_WARNED = Counter("unde_review_rules_warned_total", "Warnings that an instant rule is to be held back")
RULES_HELD_BACK = Counter("unde_review_rules_quarantined_total", "Instant rules held back by reviewers' verdicts")
ADJUSTED = Counter("unde_calibration_adjustments_total", "Confidences that a night moved, by rule", ["rule"])
ITEMS_MERGED = Counter("unde_calibration_items_merged_total", "Tastes and habits made of several that are alike")
CALIBRATION_RULES: Final = ("positive_uses", "corrected_uses", "few_positive_uses")
for _rule in CALIBRATION_RULES:
    ADJUSTED.labels(_rule)

LANGUAGES: Final = ("ru", "en", "ar", "arabizi", "mixed")
TYPES: Final = ("user_denied", "wrong_subject", "outdated", "ambiguous")
for _language in LANGUAGES:
    FACTS_DEACTIVATED.labels(_language)
    for _type in TYPES:
        CORRECTIONS.labels(_type, _language)
