"""Lists of values end where another statement begins."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("never show me fur, velvet on the other hand is gorgeous", {"hard_ban/fur"}),
        ("never show me velvet, corduroy and linen make my day", {"hard_ban/velvet"}),
        ("I don't wear synthetic, cotton for the win", {"hard_ban/synthetic"}),
        ("не предлагай мне мех, бархат показывай смело", {"hard_ban/fur"}),
        ("никогда не ношу каблуки, балетки наше всё", {"hard_ban/high_heels"}),
        ("لا تعرضي علي فرو، المخمل يجنن", {"hard_ban/fur"}),
        ("ma albas polyester, el gotn 3ish8i", {"hard_ban/polyester"}),
        ("لا تعرضين علي فرو والمخمل هاتي منه كل شي", {"hard_ban/fur"}),
        ("الكعب ما البسه ابدا والباليرينا حياتي", {"hard_ban/high_heels"}),
        ("la ta3redheen 3alay faroo w el mukhmal hati minna kil shay", {"hard_ban/fur"}),
    ],
)
def test_praise_behind_a_refusal_bans_nothing(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("never show me denim, leather, or suede please", {"hard_ban/denim", "hard_ban/leather", "hard_ban/suede"}),
        ("never show me fur, velvet is banned too", {"hard_ban/fur", "hard_ban/velvet"}),
        ("не предлагай мне мех, бархат тоже", {"hard_ban/fur", "hard_ban/velvet"}),
        ("allergic to nickel, gold and I don't care who knows", {"allergy/nickel", "allergy/gold"}),
        ("عندي حساسية من النيكل، الذهب، صبغة الشعر", {"allergy/nickel", "allergy/gold", "allergy/dye"}),
    ],
)
def test_a_list_goes_on_over_commas(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts
