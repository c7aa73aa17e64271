"""Statements in the ways people put them: orders of words, answers to their own questions, and what only looks alike."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("crop tops? never.", {"hard_ban/crop_tops"}),
        ("jumpsuits? don't suggest those ever again pls", {"hard_ban/jumpsuits"}),
        ("каблуки — никогда", {"hard_ban/high_heels"}),
        ("الجلد؟ أبداً", {"hard_ban/leather"}),
        ("keep leopard print out of my feed", {"hard_ban/leopard_print"}),
        ("no more leopard print suggestions", {"hard_ban/leopard_print"}),
        ("терпеть не могу кружево и не ношу его", {"hard_ban/lace"}),
        ("водолазки терпеть не могу, не показывай их", {"hard_ban/turtlenecks"}),
        ("أنا نباتية، بدون فرو وبدون جلد", {"hard_ban/fur", "hard_ban/leather"}),
        ("ma albas short abadan w la jumpsuit", {"hard_ban/shorts", "hard_ban/jumpsuits"}),
        ("ما ألبس كاروهات ولا منقط", {"hard_ban/polka_dots"}),
        ("Убери из подборки шорты", {"hard_ban/shorts"}),
        ("could you please stop showing me polyester?", {"hard_ban/polyester"}),
    ],
)
def test_bans_in_other_orders_of_words(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "late? never",
        "my mom in heels? never.",
        "leather? never mind, show me silk",
        "keep lace in my wishlist",
        "keep zara out of my sister's recommendations",
        "my mom hates fur, don't show it to her",
        "I don't wear red on first dates",
        "I don't wear heels at my sister's wedding",
        "never put silk in the dryer",
        "не клади кожу в стирку",
        "remove the leather bag from my wishlist",
        "я не против кожи",
        "кожаные перчатки не ношу",
    ],
)
def test_what_only_looks_like_a_ban_is_none(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("does this have nickel? i'm allergic", {"allergy/nickel"}),
        ("от металлических пуговиц чешусь", {"allergy/metal"}),
        ("покрываюсь пятнами от льна", {"allergy/linen"}),
        ("врач сказал, что у меня аллергия на никель", {"allergy/nickel"}),
        ("doctor says I'm allergic to latex", {"allergy/latex"}),
        ("أختي تتحسس من الحرير وأنا من الكشمير", {"allergy/cashmere"}),
        ("okhti 7asasiya min el soof w ana min el kashmeer", {"allergy/cashmere"}),
        ("كل ما ألبس صوف يطلع لي حبوب", {"allergy/wool"}),
        ("у меня дерматит от никеля, никаких металлических пряжек с ним", {"allergy/nickel"}),
        ("акрил исключено, у меня на него аллергия!!", {"allergy/acrylic"}),
        ("doctor says my sister is allergic to latex", set()),
        ("the doctor asked if I'm allergic to latex", set()),
        ("my doctor thinks I'm allergic to nickel", set()),
        ("от жары покрываюсь пятнами", set()),
    ],
)
def test_allergies_in_other_wordings(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("1000 aed max, that's my budget", {"budget/general=1000"}),
        ("Максимум 2,5 тыс, бюджет такой", {"budget/general=2500"}),
        ("my budget went up: it used to be 500, it's 750 now", {"budget/general=750"}),
        ("كانت ميزانيتي ٥٠٠ والحين صارت ٨٠٠", {"budget/general=800"}),
        ("bajti 2alf", {"budget/general=1000"}),
        ("платье за 900, мой бюджет плачет", set()),
        ("my budget was 500 and now the dress is 700", set()),
        ("my company's budget is 50,000", set()),
        ("800 дирхам и крутись как хочешь, это весь мой бюджет", {"budget/general=800"}),
        ("бюджет стал 400 вместо 700", {"budget/general=400"}),
        ("бюджет опустился до 800", {"budget/general=800"}),
        ("Сколько я готова потратить? Ну, восемьсот дирхам", {"budget/general=800"}),
        ("про деньги: 200-250 bucks за вещь, that's my budget", {"budget/general=200-250 USD"}),
        ("el salary nizal so budget sar nos alf", {"budget/general=500"}),
        ("сумка за 900, мой бюджет плачет", set()),
        ("secret santa again, budget is 100", set()),
        ("готова выложить всё как есть, мне 50", set()),
    ],
)
def test_budgets_in_other_orders_of_words(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("somewhere between M and L, so M/L works for me", {"body_params/size=M-L"}),
        ("I'm usually between a small and a medium", {"body_params/size=S-M"}),
        ("2XL girl here, dont you forget it", {"body_params/size=XXL"}),
        ("مقاس الجينز عندي ٣٢", {"body_params/size_bottom=32"}),
        ("بنطلوني مقاس ٣٨", {"body_params/size_bottom=38"}),
        ("вешу 63 кг при росте 170", {"body_params/weight=63", "body_params/height=170"}),
        ("وزني حالياً ٨٢ كيلو وأحاول أنزل", {"body_params/weight=82"}),
        ("wazni 7aliyan 82 w a7awel anazzel", {"body_params/weight=82"}),
        ("وزني أحاول يصير ٨٢ كيلو", set()),
        ("البناطيل مقاسي فيها ٤٢", {"body_params/size_bottom=42"}),
        ("gyas ban6aloonati 40", {"body_params/size_bottom=40"}),
        ("I'm an XS at that one shop and nowhere else", set()),
        ("at Zara, I'm an M", set()),
        ("min mango bas akhith large", set()),
        ("my usual shop is Zara, I'm an M", {"body_params/size=M"}),
        ("I weighed myself, 62 kg", {"body_params/weight=62"}),
        ("взвесила чемодан, 32 кг", set()),
        ("وزنت الكرتون، طلع ٣٥ كيلو", set()),
        ("our new bookcase is 190 cm", set()),
        ("кактус уже 130 см", set()),
        ("You asked for numbers so here goes: I weigh 71 kilos", {"body_params/weight=71"}),
        ("по ощущениям я эмка, а может и элька", set()),
        ("size 40 by 60 cm", set()),
        ("this L fits me weird", set()),
        ("save size M for me", set()),
    ],
)
def test_sizes_in_other_wordings(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("племяннице исполняется 18, день рождения 10 мая", {"life_event/birthday_niece@69"}),
        ("khotobat rafeejti ba3ad 10 ayyam", {"life_event/engagement_friend@10"}),
        ("housewarming... we're moving in 12 days", {"life_event/move@12"}),
        ("3ers ukhti ba3d 3 asabee3 w el khayya6a e3tatharat", {"life_event/wedding_sister@21"}),
        ("rfeejti 3ersha yom el yem3a w ma lagait fustan", {"life_event/wedding_friend@4"}),
        ("свадьбу сестры не отменили, она 5 мая", {"life_event/wedding_sister@64"}),
        ("День рождения в этом году отменяю, сил нет", set()),
        ("my cousin's wedding is on Friday, but I already said no", set()),
        ("wedding on Friday and I already said no heels", {"life_event/wedding@4"}),
        ("wedding on Friday, but I already said no to sequins", {"life_event/wedding@4"}),
        ("خطوبة بنت خالي يوم الجمعة ما بحضرها", set()),
        ("there's a wedding saturday at the hotel and I'll be on my back under the Steinway", set()),
        ("أخوي مسافر إجازة في مايو", set()),
        ("my boss مسافر on vacation في يونيو", set()),
        ("the company is moving to a new office next month", set()),
        ("public party on the beach this Friday, tickets at the door", set()),
        ("يوم الجمعة بروح السوق", set()),
    ],
)
def test_events_and_what_only_looks_like_one(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm no longer an XL, now a Large", {"body_params/size=L"}),
        ("мой размер не S, а M", {"body_params/size=M"}),
        ("my clothing size went from 46 to 44", {"body_params/size=44"}),
        ("I wear EU 38, that's UK 10", {"body_params/size=38"}),
        ("my budget isn't 500 it's 800", {"budget/general=800"}),
        ("ghayri mizaniyti la 900", {"budget/general=900"}),
    ],
)
def test_what_is_denied_beside_what_is_so_gives_way(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("if I wear wool I break out in hives", {"allergy/wool"}),
        ("كل ما لبست بوليستر يطلع لي طفح", {"allergy/polyester"}),
        ("doctor confirmed I'm allergic to nickel", {"allergy/nickel"}),
        ("врач подтвердил аллергию на никель", {"allergy/nickel"}),
        ("I'm not allergic to wool but I am to mohair", {"allergy/mohair"}),
        ("ما عندي حساسية إلا من اللاتكس", {"allergy/latex"}),
        ("nickel free only please, I'm allergic", {"allergy/nickel"}),
    ],
)
def test_allergies_told_by_what_is_worn_found_or_denied(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Zara — don't show it to me", {"hard_ban/zara"}),
        ("зара — не показывай мне её", {"hard_ban/zara"}),
        ("زارا لا تورينيها", {"hard_ban/zara"}),
        ("heels hurt, I never wear them", {"hard_ban/high_heels"}),
        ("убери из подборок всю зару", {"hard_ban/zara"}),
        ("la t2tire7i 3alaya zara", {"hard_ban/zara"}),
        ("مبلبسش جلد خالص", {"hard_ban/leather"}),
        ("mat2tar7eesh gild", {"hard_ban/leather"}),
        ("الجينز المقطع لا تورونه لي", {"hard_ban/ripped_jeans"}),
        ("el jeans el mgatta3 la twarroni eyyah", {"hard_ban/ripped_jeans"}),
        ("я никогда не ношу crop tops, даже в жару", {"hard_ban/crop_tops"}),
        ("я никогда не ношу crop tops, в жару", set()),
        ("Stop showing me leopard print please 😩 I was after something plain", {"hard_ban/leopard_print"}),
    ],
)
def test_bans_that_point_back_or_wrap_their_verb(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize("tail", [", ok?", ", got it?", " 🙏", " thank you", " for the record"])
def test_politeness_changes_nothing(read, tail: str) -> None:
    assert read(f"I'm allergic to latex{tail}") == {"allergy/latex"}
    assert read(f"my size is M{tail}") == {"body_params/size=M"}


@pytest.mark.parametrize("text", ["for my daughter. size 38", "сыну 10 лет! рост 140", "هذا لأختي. مقاس M"])
def test_a_clause_without_a_person_goes_on_about_the_one_before(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I dont wear brown. Or orange.", {"hard_ban/brown", "hard_ban/orange"}),
        ("аллергия на шерсть. И никель.", {"allergy/wool", "allergy/nickel"}),
        ("عندي حساسية من الصوف. والنيكل.", {"allergy/wool", "allergy/nickel"}),
        ("I dont wear brown. Or orange?", {"hard_ban/brown"}),
        ("I dont wear brown. And orange is my favourite.", {"hard_ban/brown"}),
        ("I dont wear leather. Or suede jackets.", {"hard_ban/leather"}),
        ("My sister doesn't wear brown. Or orange.", set()),
    ],
)
def test_a_list_goes_on_in_a_sentence_that_says_nothing_else(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("latex allergy, confirmed by my dermatologist", {"allergy/latex"}),
        ("аллергия на латекс подтверждена врачом", {"allergy/latex"}),
        ("аллергия на латекс не подтверждена врачом", set()),
        ("у мамы аллергия на латекс, подтверждена врачом", set()),
    ],
)
def test_who_confirmed_an_allergy_is_not_who_has_it(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("замша — нет, никогда не предлагай её мне", {"hard_ban/suede"}),
        ("leopard print and neon, never show me either", {"hard_ban/leopard_print", "hard_ban/neon"}),
        ("this suede bag - no, never show it to me", set()),
        ("leopard and neon, never show my mom either", set()),
    ],
)
def test_it_and_either_point_back_over_a_bare_no(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


def test_he_between_a_size_and_its_word_is_the_arabic_is(read) -> None:
    assert read("مقاسي هو XL") == {"body_params/size=XL"}
    assert read("مقاسي هو نفس مقاس أختي L") == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I have a wool allergy and silk is my favourite", {"allergy/wool"}),
        ("I have a latex allergy and a nickel allergy", {"allergy/latex", "allergy/nickel"}),
        ("what I can't have on my skin is wool: it's an allergy", {"allergy/wool"}),
        ("low rise, mini skirts: I wear none of them", {"hard_ban/low_rise", "hard_ban/mini_skirts"}),
        ("never предлагай мне леопард", {"hard_ban/leopard_print"}),
        ("I never show cleavage", {"hard_ban/deep_neckline"}),
        ("don't show me shorts right now", set()),
        ("the doctor is testing me for a nickel allergy", set()),
        ("The Silk Allergy, what a boring novel", set()),
        ("never show me dresses that are black", set()),
    ],
)
def test_what_an_english_sentence_is_built_of_decides(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("budget's doubled! 1000 now", {"budget/general=1000"}),
        ("my budget isn't big – 350 aed", {"budget/general=350"}),
        ("BUDGET\n500 AED", {"budget/general=500"}),
        ("What's my limit? 600.", {"budget/general=600"}),
        ("budget 800 -> 500", {"budget/general=500"}),
        ("update!! my budget went up to 850 from 650", {"budget/general=850"}),
        ("Budget min 300 max 600", {"budget/general=300-600"}),
        ("I've saved up 2000 for a new wardrobe", {"budget/general=2000"}),
        ("anything over 500 is out of my budget", {"budget/general=500"}),
        ("I'm one sixty nine centimeters", {"body_params/height=169"}),
        ("Lanolin. That's the culprit behind my eczema flare ups.", {"allergy/lanolin"}),
        ("I will not, under any circumstances, wear ruffles", {"hard_ban/ruffles"}),
        ("my boss is turning 50, party on Thursday", {"life_event/birthday_boss@3"}),
    ],
)
def test_a_value_is_found_where_people_put_it(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Sarah's budget: 800",
        "I can't go below 500 on this, it's a designer piece",
        "I've set aside 1200 for rent",
        "my budget? no idea yet, dresses here are 500",
        "Nickel. That's the culprit behind my sister's rash.",
        "one hundred fifty centimeters of lace",
    ],
)
def test_what_stands_alike_but_is_not_the_writers_is_none(read, text: str) -> None:
    assert read(text) == set()
