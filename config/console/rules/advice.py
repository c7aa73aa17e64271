"""What an editor may not have meant, in words beside the form. None of it keeps a draft from being saved."""

from __future__ import annotations

from django.conf import settings

from config.console.rules.lists import list_word_advice
from patterns.matching.lexicon import Entry
from patterns.models import LexiconEntry
from patterns.models import Rule as RuleRow
from patterns.rule import Rule
from patterns.rules.lint import list_pattern_advice, list_spelling_advice
from patterns.rules.ruleset import RuleSet
from patterns.services.trials import VALUE_CATEGORIES


def list_rule_advice(typed: str, rule: Rule, live: RuleSet) -> list[str]:
    """About a pattern as it was typed, and about the rule in the spelling that messages are read in. Pure."""
    twins = [one.slug for one in live.rules if one.slug != rule.slug and rule.pattern and one.pattern == rule.pattern]
    return [
        *list_pattern_advice(typed),
        *list_spelling_advice(rule.pattern, live.lexicon.close),
        *(f"the rule {slug} has the same pattern: both would match the same messages" for slug in twins),
    ]


def list_entry_advice(entry: Entry, live: RuleSet) -> list[str]:
    """About words: lines that no message has, a category that nothing asks for, words that mean more. Reads only."""
    return [*list_word_advice(entry, live), *_list_new_category(entry), *_list_other_meanings(entry, live)]


def _list_new_category(entry: Entry) -> list[str]:
    if LexiconEntry.objects.filter(category=entry.category, tenant_id=None).exists():
        return []
    if RuleRow.objects.filter(category=entry.category).exists():
        return []
    return [f"no rule asks for words of a category “{entry.category}” yet, so they change nothing. Check its name"]


def _list_other_meanings(entry: Entry, live: RuleSet) -> list[str]:
    """Words of a value that the grammar has too: "my" as a fabric would be found in half of all messages."""
    if entry.category not in VALUE_CATEGORIES:
        return []
    advice: list[str] = []
    for word in entry.aliases:
        starts = live.analyse(word).starts
        others = sorted(set(starts[0]) - VALUE_CATEGORIES) if len(starts) == 1 else []
        if others:
            advice.append(f"“{word}” has other meanings too ({', '.join(others[:3])}). Look closely at the backtest")
    return advice[: settings.UNDE_TUNING.RULE_EXAMPLES_SHOWN]
