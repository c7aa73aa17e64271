"""Pages of the console that are not lists of a model. They come before the admin's own paths."""

from __future__ import annotations

from django.urls import path

from config.console import authorization, extraction, imports, purposes, quality, retention, tenant_settings, tenants
from config.console.knowledge import urls as knowledge_urls
from config.console.projects import urls as project_urls
from config.console.review import urls as review_urls
from config.console.rules import (
    backtests,
    bench,
    editing,
    facts,
    lifecycle,
    lists,
    overview,
    packs,
    publishing,
    refusals,
    replies,
)
from config.console.user import actions as user_actions
from config.console.user import explorer
from config.console.user import pages as user_pages

app_name = "console"

_USER = "memory/user/<uuid:user_id>/"
_VERSION = "patterns/<str:kind>/version/<uuid:version_id>/"
_ROW = "patterns/<str:kind>/row/<uuid:row_id>/"

urlpatterns = [
    *review_urls.urlpatterns,
    *knowledge_urls.urlpatterns,
    *project_urls.urlpatterns,
    path("patterns/bench/", bench.show_bench, name="bench"),
    path("patterns/replies/", replies.show_reply_bench, name="reply_bench"),
    path("patterns/rule/new/", editing.edit_rule, name="new_rule"),
    path("patterns/rule/check/", editing.check_rule, name="check_rule"),
    path("patterns/rule/<uuid:rule_id>/", editing.edit_rule, name="edit_rule"),
    path("patterns/rule/<uuid:rule_id>/facts/close/", facts.close_facts, name="close_rule_facts"),
    path("patterns/rule/<uuid:rule_id>/facts/preview/", facts.preview_reading, name="preview_reading"),
    path("patterns/facts/<uuid:job_id>/", facts.show_work, name="rule_work"),
    path("patterns/facts/<uuid:job_id>/stop/", facts.stop_work, name="stop_work"),
    path("patterns/facts/<uuid:job_id>/continue/", facts.continue_work, name="continue_work"),
    path("patterns/facts/<uuid:job_id>/undo/", facts.undo_closing, name="undo_closing"),
    path("patterns/facts/<uuid:job_id>/read/", facts.read_anew, name="read_anew"),
    path("patterns/replyphrases/new/", editing.edit_new_phrases, name="new_phrases"),
    path("patterns/replyphrases/check/", editing.check_phrases, name="check_phrases"),
    path("patterns/lexiconentry/new/", editing.edit_entry, name="new_entry"),
    path("patterns/lexiconentry/check/", editing.check_entry, name="check_entry"),
    path("patterns/lexiconentry/<uuid:entry_id>/", editing.edit_entry, name="edit_entry"),
    path("patterns/lists/", lists.show_lists, name="word_lists"),
    path("patterns/lists/<slug:name>/", lists.show_list, name="word_list"),
    path("patterns/lists/<slug:name>/<str:language>/", editing.edit_new_listed, name="new_listed"),
    path("patterns/changes/", overview.show_changes, name="rule_changes"),
    path("patterns/refusals/", refusals.show_refusals, name="refusals"),
    path("patterns/packs/", packs.show_packs, name="packs"),
    path("patterns/packs/bring-in/", packs.bring_in_pack, name="bring_in_pack"),
    path("patterns/packs/<str:scope>.zip", packs.download_pack, name="download_pack"),
    path(f"{_VERSION}canary/", lifecycle.try_version, name="try_version"),
    path(f"{_VERSION}publish/", publishing.publish_version, name="publish_version"),
    path(f"{_VERSION}publish/approve/", publishing.approve_plan, name="approve_plan"),
    path(f"{_VERSION}publish/cancel/", publishing.cancel_plan, name="cancel_plan"),
    path(f"{_VERSION}give-up/", lifecycle.give_up_version, name="give_up_version"),
    path(f"{_VERSION}backtest/", backtests.start_backtest, name="start_backtest"),
    path(f"{_ROW}versions/<int:number>/", lifecycle.restore_version, name="restore_version"),
    path(f"{_ROW}quarantine/", lifecycle.quarantine, name="quarantine"),
    path("patterns/backtests/<uuid:backtest_id>/", backtests.show_backtest, name="backtest"),
    path("patterns/backtests/<uuid:backtest_id>/stop/", backtests.stop_backtest, name="stop_backtest"),
    path("patterns/backtests/<uuid:backtest_id>/continue/", backtests.continue_backtest, name="continue_backtest"),
    path(
        "patterns/backtests/<uuid:backtest_id>/samples/<uuid:sample_id>/",
        backtests.unmask_sample,
        name="unmask_sample",
    ),
    path("extraction/", extraction.show_extraction, name="extraction"),
    path("extraction/switch/", extraction.switch, name="switch_extraction"),
    path("imports/<uuid:import_id>/cancel/", imports.cancel, name="cancel_import"),
    path("quality/", quality.show_quality, name="quality"),
    path("quality/warnings/<uuid:warning_id>/keep/", quality.keep_warned_rule, name="keep_warned_rule"),
    path("quality/<uuid:action_id>/<str:verb>/", quality.end_governor_action, name="end_governor_action"),
    path("settings/authorization/", authorization.show_authorization, name="authorization"),
    path("settings/", tenant_settings.show_settings, name="settings"),
    path("purposes/", purposes.show_purposes, name="purposes"),
    path("purposes/new/", purposes.edit_purpose, name="new_purpose"),
    path("purposes/<slug:key>/", purposes.edit_purpose, name="edit_purpose"),
    path("purposes/<slug:key>/end/", purposes.close_purpose, name="end_purpose"),
    path("retention/", retention.show_retention, name="retention"),
    path("retention/switch/", retention.switch, name="switch_retention"),
    path("tenant/", tenants.switch_tenant, name="switch_tenant"),
    path(_USER, user_pages.show_facts, name="user_facts"),
    path(f"{_USER}messages/", user_pages.show_messages, name="user_messages"),
    path(f"{_USER}episodes/", user_pages.show_episodes, name="user_episodes"),
    path(f"{_USER}episodes/<uuid:episode_id>/<str:verb>/", user_actions.anchor_episode, name="anchor_episode"),
    path(f"{_USER}actions/", user_pages.show_actions, name="user_actions"),
    path(f"{_USER}corrections/", user_pages.show_corrections, name="user_corrections"),
    path(f"{_USER}corrections/<uuid:correction_id>/", user_actions.judge_correction, name="judge_correction"),
    path(f"{_USER}sources/", user_pages.show_sources, name="user_sources"),
    path(f"{_USER}sources/forget/", user_actions.forget_source_of, name="forget_source"),
    path(f"{_USER}consents/", user_pages.show_consents, name="user_consents"),
    path(f"{_USER}consents/<slug:key>/<str:verb>/", user_actions.change_consent, name="change_consent"),
    path(f"{_USER}packs/", user_pages.show_packs, name="user_packs"),
    path(f"{_USER}packs/explore/", explorer.explore_pack, name="explore_pack"),
    path("memory/receipt/<uuid:receipt_id>/replay/", explorer.replay_receipt, name="replay_receipt"),
    path(f"{_USER}erase/", user_actions.erase_user, name="erase_user"),
    path(f"{_USER}facts/<uuid:fact_id>/<str:verb>/", user_actions.change_fact, name="change_fact"),
    path(f"{_USER}messages/<uuid:message_id>/forget/", user_actions.forget_message, name="forget_message"),
    path(f"{_USER}messages/<uuid:message_id>/restore/", user_actions.restore_message, name="restore_message"),
]
