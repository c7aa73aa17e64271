"""Lists of grammar in the console: found by a word or by what they are asked for, and written like other words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from memory.types import TenantRef
from patterns.grammar.grammar import list_grammar
from patterns.grammar.kinds import WORDS
from patterns.models import EntryVersion, LexiconEntry
from patterns.registry import get_rule_set, refresh_rule_sets
from tests.api.console.rules.conftest import backtest, publish

pytestmark = pytest.mark.django_db

PURPOSE = list_grammar()["nobody"].purpose
TOLD = "no1 told me, i'm allergic to nickel"


def get_shared(language: str = "en") -> LexiconEntry:
    return LexiconEntry.objects.get(category=WORDS, canonical="nobody", language=language, tenant_id=None)


def make_words(**changed: Any) -> dict[str, Any]:
    words = "\n".join([*get_shared().aliases, "no1"])
    fields = {"category": WORDS, "canonical": "nobody", "language": "en", "aliases": words}
    return fields | {"note": "heard in chats", "scope": "own"} | changed


def read_page(browser: Client, name: str, *args: Any, **query: str) -> str:
    return browser.get(reverse(name, args=args), query).content.decode()


def show_lexicon(browser: Client, **query: str) -> str:
    return read_page(browser, "admin:patterns_lexiconentry_changelist", **query)


def list_found(browser: Client, query: str) -> list[str]:
    sections = browser.get(reverse("console:word_lists"), {"q": query}).context["sections"]
    return [shown.name for _, lists in sections for shown in lists]


@pytest.mark.parametrize("query", ["nobody", "noone", "NOONE", "by which nobody says it"])
def test_a_list_is_found_by_its_name_a_word_in_it_or_what_it_is_asked_for(editor: Client, query: str) -> None:
    assert "nobody" in list_found(editor, query)
    assert "told_to" not in list_found(editor, query)
    assert PURPOSE in show_lexicon(editor, q=query)


def test_without_a_question_every_list_is_there_with_its_sentence(editor: Client) -> None:
    assert sorted(list_found(editor, "")) == sorted(list_grammar())
    assert PURPOSE in read_page(editor, "console:word_lists")


def test_the_lexicon_shows_a_category_of_grammar_alone_with_the_languages_of_a_list_together(editor: Client) -> None:
    answer = editor.get(reverse("admin:patterns_lexiconentry_changelist"), {"category": WORDS, "q": "nobody"})
    rows = [(row.category, row.canonical) for row in answer.context["cl"].result_list]
    assert {category for category, _ in rows} == {WORDS}
    assert rows == sorted(rows)
    assert rows.count((WORDS, "nobody")) == LexiconEntry.objects.filter(canonical="nobody").count() > 1
    assert reverse("console:word_list", args=["nobody"]) in answer.content.decode()


def test_a_lists_page_has_its_languages_together_and_a_way_to_those_it_lacks(editor: Client) -> None:
    page = read_page(editor, "console:word_list", "nobody")
    assert PURPOSE in page
    assert "никто" in page
    assert "ma7ad" in page
    assert reverse("console:new_listed", args=["nobody", "other"]) in page
    assert reverse("console:new_listed", args=["nobody", "en"]) not in page


def test_one_click_leads_to_words_in_another_language_with_the_list_filled_in(
    editor: Client, tenant: TenantRef
) -> None:
    url = reverse("console:new_listed", args=["nobody", "other"])
    answer = editor.get(url)
    shown = answer.context["form"].initial
    assert (shown["category"], shown["canonical"], shown["language"]) == (WORDS, "nobody", "other")
    assert PURPOSE in answer.content.decode()
    editor.post(url, make_words(language="other", aliases="nahi\nनहीं", seen="0"))
    row = LexiconEntry.objects.get(category=WORDS, language="other", tenant_id=tenant.id)
    assert (row.aliases, row.state) == (["nahi", "नहीं"], "draft")
    assert editor.get(url)["Location"] == reverse("console:edit_entry", args=[row.id])


def test_a_language_that_the_list_has_leads_to_its_words(editor: Client) -> None:
    answer = editor.get(reverse("console:new_listed", args=["nobody", "en"]))
    assert answer["Location"] == reverse("console:edit_entry", args=[get_shared().id])


@pytest.mark.parametrize("args", [("bygone_words", "en"), ("nobody", "klingon")])
def test_a_list_or_language_that_is_not_there_is_not_found(editor: Client, args: tuple[str, str]) -> None:
    assert editor.get(reverse("console:new_listed", args=args)).status_code == 404
    assert editor.get(reverse("console:word_list", args=["bygone_words"])).status_code == 404


def test_the_page_of_a_row_says_what_its_list_is_asked_for_and_not_what_facts_carry(editor: Client) -> None:
    page = read_page(editor, "console:edit_entry", get_shared().id)
    assert PURPOSE in page
    assert "the value that is stored in facts" not in page
    assert "Inflected forms" not in page
    assert "никто" in page


def test_a_new_entry_for_a_list_that_is_not_there_is_refused_at_the_field(editor: Client) -> None:
    answer = editor.post(reverse("console:new_entry"), make_words(canonical="nobodies"))
    (error,) = answer.context["form"].errors["canonical"]
    assert error.startswith("there is no list “nobodies”; did you mean “nobody”")
    tried = editor.post(reverse("console:check_entry"), make_words(canonical="nobodies"))
    assert "List: there is no list" in tried.content.decode()
    assert not LexiconEntry.objects.filter(canonical="nobodies").exists()


def test_typed_messages_show_what_another_word_in_a_list_changes(editor: Client) -> None:
    answer = editor.post(reverse("console:check_entry"), make_words(messages=f"{TOLD}\ni'm allergic to wool"))
    assert answer.context["problems"] == []
    changed, same = answer.context["typed"]
    assert ([one.reading.value for one in changed.found], changed.was) == (["nickel"], ())
    assert same.was is None


def test_words_of_a_list_that_break_an_example_are_refused_with_its_text(editor: Client) -> None:
    words = make_words(canonical="asking_verbs", aliases="allergic\nim\ni\nnickel")
    answer = editor.post(reverse("console:new_entry"), words)
    assert "must match but does not" in answer.content.decode()
    assert not LexiconEntry.objects.filter(canonical="asking_verbs", tenant_id__isnull=False).exists()


def test_the_page_says_which_words_messages_never_have_when_they_are_read(editor: Client) -> None:
    answer = editor.post(reverse("console:check_entry"), make_words(aliases="nobody\nnoone"))
    assert answer.context["problems"] == []
    (advice,) = answer.context["advice"]
    assert "“noone” is normalised to “none”" in advice


def test_names_of_values_are_no_words_of_messages_and_are_advised_nothing(editor: Client) -> None:
    names = make_words(canonical="women", aliases="sister\nmother_in_law\nnoone")
    answer = editor.post(reverse("console:check_entry"), names)
    assert answer.context["advice"] == []


def test_an_earlier_version_is_put_back_and_not_the_one_that_switched_it_off(editor: Client, tenant: TenantRef) -> None:
    editor.post(reverse("console:quarantine", args=["entry", get_shared().id]), {"reason": "a test"})
    row = LexiconEntry.objects.get(category=WORDS, tenant_id=tenant.id)
    page = read_page(editor, "console:edit_entry", row.id)
    assert reverse("console:restore_version", args=["entry", row.id, row.version]) not in page


def test_more_than_one_word_a_line_is_refused_at_the_words(editor: Client) -> None:
    answer = editor.post(reverse("console:edit_entry", args=[get_shared().id]), make_words(aliases="no one"))
    assert answer.context["form"].errors["aliases"] == [
        "“no one” is more than one word, and single words are looked for"
    ]


def test_a_tenants_own_list_goes_from_draft_over_its_backtest_to_everybody_and_back(
    editor: Client, tenant: TenantRef
) -> None:
    editor.post(reverse("console:edit_entry", args=[get_shared().id]), make_words(seen="1"))
    draft = EntryVersion.objects.get(entry__tenant_id=tenant.id)
    editor.post(reverse("console:publish_version", args=["entry", draft.id]))
    draft.refresh_from_db()
    assert draft.state == "draft"
    assert backtest(editor, draft, tenant).state == "done"
    publish(editor, draft, tenant)
    row = LexiconEntry.objects.get(id=draft.entry_id)
    assert (row.state, row.aliases[-1]) == ("published", "no1")
    (words,) = editor.get(reverse("console:edit_entry", args=[row.id])).context["versions"][0].differences
    assert [(line.tone, line.text) for line in words.lines] == [("added", "no1")]
    assert has_word(tenant)
    assert "replaced by this tenant" in read_page(editor, "console:word_list", "nobody")

    editor.post(reverse("console:edit_entry", args=[row.id]), make_words(aliases="nobody\nnoone", seen=row.version))
    publish(editor, EntryVersion.objects.get(entry=row, state="draft"), tenant)
    assert not has_word(tenant)
    editor.post(reverse("console:restore_version", args=["entry", row.id, row.version]))
    assert has_word(tenant)
    editor.post(reverse("console:quarantine", args=["entry", row.id]), {"reason": "a test"})
    assert not has_word(tenant)


def has_word(tenant: TenantRef) -> bool:
    refresh_rule_sets()
    return "no1" in get_rule_set(tenant_id=tenant.id).lexicon.grammar.nobody


def test_the_installations_staff_write_words_for_all_and_no_tenants_editor_does(root: Client, editor: Client) -> None:
    url = reverse("console:edit_entry", args=[get_shared().id])
    assert "Select a valid choice" in editor.post(url, make_words(scope="shared")).content.decode()
    root.post(url, make_words(scope="shared", seen="1"))
    assert EntryVersion.objects.get(state="draft").entry_id == get_shared().id


def test_a_list_that_nothing_asks_for_any_more_is_marked_and_takes_no_words(editor: Client, tenant: TenantRef) -> None:
    row = LexiconEntry.objects.create(
        category=WORDS, canonical="bygone_words", language="en", tenant_id=tenant.id, aliases=["x"]
    )
    assert [one.id for one in editor.get(reverse("console:word_lists")).context["unasked"]] == [row.id]
    assert "this list is no longer used" in show_lexicon(editor, q="bygone")
    page = read_page(editor, "console:edit_entry", row.id)
    assert "This list is no longer used" in page
    assert "Add words" not in page
    answer = editor.post(reverse("console:edit_entry", args=[row.id]), make_words(canonical="bygone_words", seen="1"))
    assert "there is no list" in answer.context["form"].errors["canonical"][0]


def test_lists_that_no_row_has_are_named_at_the_top_of_the_pages(editor: Client) -> None:
    LexiconEntry.objects.filter(canonical="nobody").delete()
    refresh_rule_sets()
    page = read_page(editor, "console:word_lists")
    assert "grammar lists have no rows (nobody)" in page


def test_another_tenants_words_of_a_list_show_nowhere(editor: Client, other_tenant: TenantRef) -> None:
    row = LexiconEntry.objects.create(
        category=WORDS, canonical="nobody", language="other", tenant_id=other_tenant.id, aliases=["zanzibar"]
    )
    for page in ("console:word_lists", "admin:patterns_lexiconentry_changelist"):
        assert "zanzibar" not in read_page(editor, page)
    assert "zanzibar" not in read_page(editor, "console:word_list", "nobody")
    assert editor.get(reverse("console:edit_entry", args=[row.id])).status_code == 404
