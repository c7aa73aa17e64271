from __future__ import annotations

import pytest

from patterns.matching.pattern_tree import Choice, Edge, Letter, Repeat, UnreadablePatternError, parse_pattern

A, B = Letter(("a",)), Letter(("b",))
ANY = Letter(())


@pytest.mark.parametrize(
    ("pattern", "nodes"),
    [
        ("ab", (A, B)),
        ("a|b", (Choice(((A,), (B,))),)),
        ("a(?:|b)", (A, Choice(((), (B,))))),
        ("(?P<name>ab)", (A, B)),
        ("(?<name>a)(b)", (A, B)),
        ("(?i)a(?s-m:b)", (A, B)),
        ("a?b*", (Repeat((A,), 0, 1), Repeat((B,), 0, None))),
        ("a+?(?:ab){2}", (Repeat((A,), 1, None), Repeat((A, B), 2, 2))),
        ("a{2,}b{1,3}", (Repeat((A,), 2, None), Repeat((B,), 1, 3))),
        ("a{,3}", (A, Letter(("{",)), Letter((",",)), Letter(("3",)), Letter(("}",)))),
        ("[ab]", (Letter(("a", "b")),)),
        ("[a-c]", (Letter(("a", "b", "c")),)),
        ("[a-z]", (ANY,)),
        ("[^a]", (ANY,)),
        ("[]a-]", (Letter(("-", "]", "a")),)),
        (r"[\pLa]", (ANY,)),
        (r"[[:alpha:]]", (ANY,)),
        (r"\pL\p{Arabic}\d.", (ANY, ANY, ANY, ANY)),
        (r"^a\b$", (Edge(), A, Edge(), Edge())),
        (r"\(\.\n", (Letter(("(",)), Letter((".",)), Letter(("\n",)))),
        (r"\x61\x{62}", (A, B)),
    ],
)
def test_a_pattern_is_read_as_re2_reads_it(pattern: str, nodes: object) -> None:
    assert parse_pattern(pattern) == nodes


@pytest.mark.parametrize("pattern", ["(?=a)", "a)", "(a", "[a", "\\", r"\Qa\E", r"\1", "(?'a'b)", "(" * 5000])
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises(UnreadablePatternError):
        parse_pattern(pattern)
