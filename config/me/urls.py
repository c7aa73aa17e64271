"""Paths of the memory page."""

from django.urls import path

from config.me import pages, passages

app_name = "page"
urlpatterns = [
    path("open/<str:link>", passages.open_page, name="open"),
    path("leave", passages.leave, name="leave"),
    path("erased/<str:signed>", passages.show_erasure, name="erased"),
    path("erased/<str:signed>/certificate.json", passages.show_certificate, name="certificate"),
    path("colours/<str:colour>.css", passages.show_colours, name="colours"),
    path("", pages.show_known, name="known"),
    path("facts/<uuid:fact_id>/<str:verb>", pages.change_fact, name="change-fact"),
    path("said", pages.show_said, name="said"),
    path("episodes", pages.show_episodes, name="episodes"),
    path("kept", pages.show_kept, name="kept"),
    path("kept/<uuid:item_id>/remove", pages.remove_kept, name="remove-kept"),
    path("forget", pages.preview_forget, name="preview"),
    path("forget/do", pages.forget, name="forget"),
    path("forget/<uuid:batch_id>/undo", pages.undo, name="undo"),
    path("control", pages.show_control, name="control"),
    path("pause", pages.pause, name="pause"),
    path("resume", pages.resume, name="resume"),
    path("consents/<slug:key>", pages.say_to_purpose, name="consent"),
    path("memory.html", pages.export_html, name="export-html"),
    path("memory.jsonl", pages.export_lines, name="export-lines"),
    path("erase", pages.erase, name="erase"),
    path("sources/<uuid:receipt_id>", pages.show_sources, name="sources"),
]
