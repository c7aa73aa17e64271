"""What stands beside a statement and leaves it a fact at once, by kind and language, and what does not."""

from collections.abc import Callable

import pytest

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge_one
from tests.unit.memory.extraction.conftest import propose

MakeContext = Callable[..., GateContext]

PLAIN = [
    # kind, type, key, value, text
    ("named behind", "body_params", "size", "M", "get me the M, that's my size"),
    ("named behind", "body_params", "size_bottom", "46", "Брюки беру 46, это мой размер"),
    ("named behind", "body_params", "size", "L", "ملابسي لارج، هذا مقاسي"),
    ("named behind", "body_params", "size", "XL", "kil malabsi XL, hatha maqasi"),
    ("named behind", "body_params", "size_bottom", "46", "брюки беру 46, that's my size"),
    ("reminder", "allergy", "nickel", "nickel", "don't forget that I'm allergic to nickel"),
    ("reminder", "allergy", "nickel", "nickel", "не забудь, что у меня аллергия на никель"),
    ("reminder", "allergy", "latex", "latex", "صدقيني عندي حساسية من اللاتكس"),
    ("reminder", "allergy", "latex", "latex", "sadgini 3indi 7asasiya min el latex"),
    ("reminder", "body_params", "size", "XXL", "запиши my size is XXL"),
    ("kept away", "allergy", "fur", "fur", "can't be near fur, I'm allergic"),
    ("kept away", "allergy", "silk", "silk", "I can't do silk, I'm allergic to it"),
    ("nothing to wear", "life_event", "wedding", "wedding", "нечего надеть на wedding в субботу"),
    ("nothing to wear", "life_event", "wedding_sister", "wedding", "3irs o5ti ba3d isboo3ain w ma 3indi fustan"),
    ("and, a verb", "life_event", "wedding", "wedding", "عرسنا ٥ مايو وحجزنا المصورة"),
    ("ahead", "life_event", "presentation", "presentation", "ba3ad bukra 3indi presentation"),
    ("please", "hard_ban", "neon", "neon", "не предлагай розовый, фиолетовый и неон пожалуйста"),
    ("not resumed", "hard_ban", "high_heels", "high_heels", "Каблуки больше не предлагай, после травмы не ношу их"),
    ("owner", "allergy", "wool", "wool", "Аллергия на шерсть у меня с детства и никуда не делась"),
    ("named behind", "budget", "general", "1500", "i've glorped myself at 1500 dirhams for clothes, that's the budget"),
    ("named behind", "body_params", "size", "M", "akhethli M, hatha ma8asi fel malabes"),
    ("month", "budget", "general", "1500", "мой budget 1500 درهم на одежду каждый месяц"),
    ("tall", "body_params", "height", "174", "174 см во мне росту, поэтому брюки вечно коротят"),
    ("taken away", "hard_ban", "leather", "leather", "кожу никогда не ношу, leather شيلوه"),
    ("old size", "body_params", "size", "L", "metent shwayya, gyasi 9ar L mb M"),
    ("but, a size", "body_params", "size", "XS", "والله مقاسي XS بس وايد نحيفة"),
    ("read behind a no", "allergy", "perfume", "perfume", "perfume؟ لا، عندي حساسية منه"),
    ("read behind a no", "hard_ban", "skinny_jeans", "skinny_jeans", "Skinny jeans? Never again, don't suggest them"),
    ("read, no anchor", "hard_ban", "ripped_jeans", "ripped_jeans", "Take ripped jeans off my list for good please"),
    ("taken up", "hard_ban", "orange", "orange", "Orange washes me out, never ever put it in my suggestions"),
    ("taken up", "hard_ban", "shorts", "shorts", "الشورت ممنوع في بيتنا، ما ألبسه"),
    ("taken up", "allergy", "formaldehyde", "formaldehyde", "It's formaldehyde, that stuff on shirts, I'm allergic to it"),
    ("so", "hard_ban", "leather", "leather", "went vegan in January so don't ever suggest leather to me"),
    ("cause", "hard_ban", "leather", "leather", "Из-за убеждений не ношу ничего из натуральной кожи"),
    ("cause", "hard_ban", "high_heels", "high_heels", "После операции на колене каблуки не ношу вообще"),
    ("cause", "hard_ban", "sleeveless", "sleeveless", "I don't wear sleeveless for modesty reasons"),
    ("place", "life_event", "move", "move", "Переезжаем в Питер в следующем месяце, нужны тёплые вещи"),
    ("place", "life_event", "vacation", "vacation", "Maldives vacation in 9 days!! need cover-ups"),
    ("place", "life_event", "move", "move", "بننتقل أبوظبي الشهر الجاي"),
    ("from, to", "budget", "general", "900", "I've cut my clothes budget from 1200 to 900 a month"),
    ("body", "allergy", "wool", "wool", "у меня от шерсти сыпь сразу по рукам и шее"),
    ("exposure", "allergy", "elastane", "elastane", "I get a rash from elastane every single time I work out"),
    ("exposure", "allergy", "acrylic", "acrylic", "يطلع لي طفح من الأكريليك كل شتا"),
    ("which relation", "life_event", "wedding_friend", "wedding", "21 марта у лучшей подруги свадьба"),
    ("place", "life_event", "trip", "trip", "عندي سفرة لتركيا بعد أسبوع"),
    ("more of the dress", "life_event", "graduation_son", "graduation",
     "My boy's graduation is on the 18th of June!! need a dress that says proud mum and survives me crying"),
    ("and, a ban", "hard_ban", "high_heels", "high_heels", "ظهري تعبان من سنين وما ألبس كعب أبداً"),
    ("and, a ban", "hard_ban", "shorts", "shorts", "ana met7ajba w ma albas shortat abad"),
    ("please", "hard_ban", "leopard_print", "leopard_print", "تكفون لا تعرضون علي نقشة النمر أبد"),
    ("month", "budget", "general", "4000", "Бюджет месяца на гардероб 4000 дирхамов, ни копейкой больше"),
    ("emoji", "body_params", "size", "44", "скинула за зиму 🎉 размер у меня теперь 44"),
]  # fmt: skip
TURNED = [

    ("for a month", "hard_ban", "velvet", "velvet", "doing a no-buy month so don't show me velvet"),

    ("another's budget", "budget", "general", "1500", "my sister glorped 1500, that's the budget"),
    ("boasted", "body_params", "size", "M", "get me the M, that's her size"),
    ("lied", "allergy", "wool", "wool", "never say that I'm allergic to wool"),
    ("denied", "allergy", "wool", "wool", "can't say wool is what I'm allergic to"),
    ("not invited", "life_event", "wedding", "wedding", "ما عندي عرس السبت"),
    ("resumed", "hard_ban", "high_heels", "high_heels", "каблуки не ношу, а летом ношу их"),
    ("liked", "hard_ban", "suede", "suede", "кожу не ношу, замшу пожалуйста"),
    ("told of", "allergy", "fur", "fur", "allergic to cats and the fur I have for years"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "type_", "key", "value", "text"), PLAIN, ids=[row[4] for row in PLAIN])
def test_what_leaves_a_statement_as_it_is_makes_nobody_wait(
    kind: str, type_: str, key: str, value: str, text: str, make_context: MakeContext
) -> None:
    assert judge_one(propose(type_, key, value), make_context([text])).is_accepted, kind


@pytest.mark.parametrize(("kind", "type_", "key", "value", "text"), TURNED, ids=[row[4] for row in TURNED])
def test_what_turns_a_statement_round_makes_no_fact(
    kind: str, type_: str, key: str, value: str, text: str, make_context: MakeContext
) -> None:
    assert not judge_one(propose(type_, key, value), make_context([text])).is_accepted, kind
