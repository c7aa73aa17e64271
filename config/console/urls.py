"""Pages of the console that are not lists of a model. They come before the admin's own paths."""

from __future__ import annotations

from django.urls import path

from config.console import bench, rules, tenants, user_actions, user_pages

app_name = "console"

_USER = "memory/user/<uuid:user_id>/"

urlpatterns = [
    path("patterns/bench/", bench.show_bench, name="bench"),
    path("patterns/rule/new/", rules.edit_rule, name="new_rule"),
    path("patterns/rule/check/", rules.check_rule, name="check_rule"),
    path("patterns/rule/<uuid:rule_id>/", rules.edit_rule, name="edit_rule"),
    path("patterns/rule/<uuid:rule_id>/versions/<int:version>/", rules.restore_rule, name="restore_rule"),
    path("patterns/lexiconentry/new/", rules.edit_entry, name="new_entry"),
    path("patterns/lexiconentry/<uuid:entry_id>/", rules.edit_entry, name="edit_entry"),
    path("tenant/", tenants.switch_tenant, name="switch_tenant"),
    path(_USER, user_pages.show_facts, name="user_facts"),
    path(f"{_USER}messages/", user_pages.show_messages, name="user_messages"),
    path(f"{_USER}actions/", user_pages.show_actions, name="user_actions"),
    path(f"{_USER}corrections/", user_pages.show_corrections, name="user_corrections"),
    path(f"{_USER}corrections/<uuid:correction_id>/", user_actions.judge_correction, name="judge_correction"),
    path(f"{_USER}packs/", user_pages.show_packs, name="user_packs"),
    path(f"{_USER}erase/", user_actions.erase_user, name="erase_user"),
    path(f"{_USER}facts/<uuid:fact_id>/<str:verb>/", user_actions.change_fact, name="change_fact"),
    path(f"{_USER}messages/<uuid:message_id>/forget/", user_actions.forget_message, name="forget_message"),
    path(f"{_USER}messages/<uuid:message_id>/restore/", user_actions.restore_message, name="restore_message"),
]
