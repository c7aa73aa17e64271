"""Every weight and size by which episodes are cut and put into words. A change of them is a new VERSION."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

VERSION: Final = 2
"""Of boundaries and contents together: episodes of an older version are made anew by a rebuild."""

# --- boundaries -----------------------------------------------------------------------------------------------------
MAX_TURNS: Final = 30
READ_CHARACTERS: Final = 600  # of a message: what it opens or answers stands at its beginning
SHIFT_WEIGHT: Final = 4.0  # "another thing": more than everything else can say against it
# Fitted on half of the SuperDialseg validation set, F1 .805 and Pk .19 on the other half (bench/episodes.py). Above 0 a
# topic begins.
BOUNDARY: Final = {
    "base": 0.69,
    "asks": 1.00,
    "was_asked": -2.74,
    "was_thanked": -0.30,
    "thanks": 0.32,
    "opens": 0.20,
    "replies": -0.55,
    "is_short": -1.09,
    "likeness": -2.99,
    "is_second": 0.37,
    "is_third": -0.68,
    "is_asked_back": 0.17,
}

# --- contents -------------------------------------------------------------------------------------------------------
CONTENT_CHARACTERS: Final = 4_000  # of a message that are read for its sentences
LONGEST_SENTENCE: Final = 300  # characters; a longer one is read as several pieces
CONSIDERED: Final = 60  # sentences of an episode that may become points: the best of them
SUMMARY_SIZES: Final = ((6, 2), (12, 3))  # messages under which so many sentences are a summary
LONGEST_SUMMARY: Final = 4
MOST_STEMS: Final = 24
MOST_POINTS: Final = 12
MOST_TAGS: Final = 5
SHORT_WORD: Final = 2  # letters of a word that is no tag
MOST_ENTITIES: Final = 16
MOST_DECISIONS: Final = 8
HEADLINE_CHARACTERS: Final = 160
MIN_WORDS: Final = 3  # content words of a sentence that says something
USER_SHARE: Final = 1.6  # what the user says says more about the user
DECISION_SHARE: Final = 1.6
NUMBER_SHARE: Final = 1.15
FIRST_SHARE: Final = 1.2  # the first request says what the rest is about
QUESTION_SHARE: Final = 0.8
LENGTH_OFFSET: Final = 6  # words added to a sentence's length before its weight is divided by the root of it
ANCHOR_CUE: Final = "forever"  # the kind of phrase that makes an episode an anchor

# --- layers (D-44) --------------------------------------------------------------------------------------------------
WARM_AFTER: Final = timedelta(days=14)  # of rest
COLD_AFTER: Final = timedelta(days=90)
HOT_ABOVE: Final = 0.7  # a priority above it lifts one layer; reached by anchors alone
RECENCY_PART: Final = 0.3
HALF_LIFE_DAYS: Final = 14
FREQUENCY_PART: Final = 0.2
FREQUENCY_FULL_AT: Final = 10  # accesses
ANCHOR_PART: Final = 0.3
LIKENESS_PART: Final = 0.2
GRADE_FIRST: Final = 0.7  # share of the information that is shown after WARM_AFTER
GRADE_LAST: Final = 0.3  # and before COLD_AFTER

# --- links (worked out at night) ------------------------------------------------------------------------------------
RELATED_AT: Final = 0.25  # cosine of rare words and names from which two episodes speak of the same
CONTINUES_AT: Final = 0.40  # and from which the later one goes on with the earlier
MOST_RELATED: Final = 3
COMMON_SHARE: Final = 0.2  # a word that more of a user's episodes have says nothing about two of them
COMMON_LEAST: Final = 4  # episodes that may share a word, however few there are
NAME_WEIGHT: Final = 2.0  # of a shared name beside a shared word
PROJECT_EPISODES: Final = 5  # episodes in a chain of continuations, and
PROJECT_SPAN: Final = timedelta(days=30)  # the time between the first and the last of them, that make it a long project
PROFILE_TYPES: Final = ("allergy", "hard_ban", "body_params")  # facts on whose words a profile rests
LIKENESS_WINDOW: Final = timedelta(days=30)  # of what the user said lately
LIKENESS_MESSAGES: Final = 300  # the latest of them
