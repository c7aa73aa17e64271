from typing import Any

class MorphAnalyzer:
    def parse(self, word: str) -> list[Any]: ...
