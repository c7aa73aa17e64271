"""Everything under /mem0."""

from django.urls import path

from config.mem0.views import answer_mem0

urlpatterns = [path("mem0/<path:path>", answer_mem0, name="mem0")]
