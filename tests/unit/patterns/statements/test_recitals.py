"""Words that are translated, repeated, read out or played are not the writer's own."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "Translate this sentence: my size is XXL",
        "Please translate the following into French. My budget is 500 dirhams.",
        "my size is M, translate that to Arabic please",
        "переведи: мой размер XXL",
        "ترجمي هالجملة: مقاسي XXL",
        "tarjimi hal jumla: ma2asi XXL",
        "Repeat after me: I am allergic to mohair",
        "Задали придумать диалог. Придумали: я никогда не ношу чёрное",
        "Example of a profile: allergic to wool, size M, budget 500",
        "Let's role play. I'm a customer: my size is M and I'm allergic to wool",
        "песня: у меня аллергия на шёлк",
        "Как в том анекдоте, у меня аллергия на никель и на понедельники.",
        "Типа такого: allergic to silk, size S, budget 300",
        "Par exemple: allergique au latex, taille M, pas de fourrure",
        "في البطاقة مكتوب لا تعرضوا الفرو والميزانية 1000",
        "rad 3alay el bot inna size mali xl w inni ma albes mokhmal",
    ],
)
def test_words_that_are_passed_on_state_nothing(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Do not believe that I am allergic to latex",
        "не записывай, что мой размер XXL",
        "لا تصدقي إن عندي حساسية من اللاتكس",
        "la tiktibin inna ma2asi XXL",
    ],
)
def test_what_is_not_to_be_believed_or_noted_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "The note reads: never show me fur",
        "the brochure states: I never wear fur",
        "My friend wrote: I'm allergic to wool. My size is M too.",
        "в записке: никогда не показывай мне мех",
        "مكتوب هنا: مقاسي M",
    ],
)
def test_a_text_that_is_read_out_is_not_the_writers(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I'm stuck on the phrase I never wear fur",
        "Try the prompt my size is M and look",
        "На плакате надпись я не ношу мех",
        "احفظ جملة مقاسي لارج",
        "The form on the desk has the line I am allergic to lanolin, size 40",
        "ajarrib jumlat 3indi 7asasiya min el soof",
        "Most visitors write something like I'm a size L",
        "The usual answers are e.g. size S, budget 300",
    ],
)
def test_behind_the_name_of_a_text_nobody_speaks(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "my size is M, what is that in Korean?",
        "عندي حساسية من الصوف بالفرنسي شنو",
        "мой размер M, как это по-французски?",
    ],
)
def test_what_is_to_be_put_into_another_language_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("As I said in my last message my size is M", {"body_params/size=M"}),
        ("Sorry for the long message, I never wear fur", {"hard_ban/fur"}),
        ("Please note my size is M", {"body_params/size=M"}),
        ("My size is M, do you answer in Arabic?", {"body_params/size=M"}),
        ("I translate from Korean and my size is M", {"body_params/size=M"}),
        ("Translate this please. By the way, my size is XXL", {"body_params/size=XXL"}),
        ("Переведи это пожалуйста. Кстати, мой размер XXL", {"body_params/size=XXL"}),
        ("I'm a size M. Translate this: hello", {"body_params/size=M"}),
        ("I translate books and my size is M", {"body_params/size=M"}),
        ("Don't forget that I'm allergic to nickel", {"allergy/nickel"}),
        ("my size is M, for example in jeans too", {"body_params/size=M"}),
        ("моя анкета: аллергия на шерсть, размер M", {"allergy/wool", "body_params/size=M"}),
        ("medical note: latex allergy", {"allergy/latex"}),
    ],
)
def test_the_writer_speaks_before_and_after_what_is_passed_on(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        # examples and entries of a test
        "A model reply could look as follows - size M, budget 300",
        "Тестовая анкета. Рост 170, размер M",
        "مثال على بروفايل عندي حساسية من الصوف ومقاسي M",
        "mithal 3ala jawab ma2asi XL w mizaniyti 500",
        # played
        "my character in the game is size M and never wears fur, size M",
        "Ты продавец, а я покупательница: мой размер S",
        "شخصيتي في اللعبة مقاسها M وعندها حساسية من الصوف",
        "ana zboona wahmiya, ma2asi L w mizaniyti 400",
        # actors and assistants
        "the actress said my budget is 900",
        "актриса говорит: мой бюджет 900",
        "تقول الممثلة ميزانيتي ٩٠٠ درهم",
        "galat el momathla mizaniyti 900",
        "siri say my size is L",
        "сири, скажи мой размер L",
        "يا سيري قولي مقاسي L",
        "siri gooli ma2asi L",
        # written on something
        "saw a tee that says my size is XL",
        "футболка с надписью мой размер XL",
        "شفت تيشيرت مكتوب عليه مقاسي XL",
        "shift tshirt maktoob 3aleh ma2asi XL",
        "Comme disait ma soeur, je suis allergique au latex",
        # a card of goods
        "suede lining, size 38, made in Italy",
        "замша, размер 38, сделано в Италии",
        "شامواه، مقاس ٣٨، صناعة تركية",
        "shamwa, size 38, 9ina3a turkiya",
    ],
)
def test_examples_roles_screens_prints_and_cards_of_goods_state_nothing(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "au cas où je serais allergique au latex, prévois autre chose",
        "будь я 44 размера, какой фасон взять?",
        "لو كنت مقاس XL شو ألبس؟",
        "law kint size XL shu albas?",
        "боюсь, что окажется у меня аллергия на латекс",
        "أخاف يطلع عندي حساسية من اللاتكس",
        "akhaf y6la3 3indi 7asasiya min el latex",
        "shakhs ma yilbis denim, shu yilbis?",
        "wala 7asasiya min el wool wala shay",
    ],
)
def test_what_might_be_and_what_nobody_has_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I like actors and my size is M", {"body_params/size=M"}),
        ("футболки люблю с надписью. Мой размер M", {"body_params/size=M"}),
        ("مقاسي L وأحب الكتابة على الملابس", {"body_params/size=L"}),
        ("ana ma2asi L w 3indi tshirt", {"body_params/size=L"}),
        ("the note on my card is right, I'm allergic to wool", {"allergy/wool"}),
        ("عندي حساسية من الحرير والنيكل، الاثنين", {"allergy/nickel", "allergy/silk"}),
    ],
)
def test_beside_such_words_the_writer_still_speaks(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "remove the wool allergy from my profile",
        "please delete my wool allergy",
        "удали мою аллергию на шерсть",
        "احذفي حساسية الصوف من ملفي",
        "شيلوا حساسية القطن من ملفي، سويت فحص",
        "sheelo 7asasiyat el qotn men malaffi",
        "удалите мою wool allergy",
    ],
)
def test_an_allergy_that_is_to_be_deleted_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "please remove wool, I'm allergic to it",
        "I'm allergic to wool, remove it",
        "уберите шерсть, у меня на неё аллергия",
    ],
)
def test_what_is_to_be_removed_for_an_allergy_is_one(read, text: str) -> None:
    assert "allergy/wool" in read(text)
