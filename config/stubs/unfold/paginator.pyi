from typing import Any

from django.core.paginator import Paginator

class InfinitePaginator(Paginator[Any]): ...
