"""Made-up chat messages for load: sentences of a shop's customers in the languages of the product.

People's messages are mostly talk; a load of nothing but trigger words would measure the rules and little else. Soup is
that other end: words drawn at random from what the rules listen for.
"""

from __future__ import annotations

import random
from typing import Final

# fmt: off
TALK: Final = (
    "Добрый вечер! Подскажите, пожалуйста, есть ли это платье в другом цвете? На фото оно выглядит почти серым.",
    "а когда будет доставка, я завтра целый день дома и могу встретить курьера в любое время",
    "Спасибо, посмотрю вечером с мамой и напишу вам, что мы решили",
    "вчера видела похожее пальто в торговом центре, но там крой совсем другой и ткань тоньше",
    "Мне нравится второй вариант, он как-то спокойнее, только пуговицы хочется попроще",
    "ну не знаю, надо подумать, вроде красиво, но куда я это надену",
    "Покажите ещё что-нибудь на осень, чтобы можно было носить и с джинсами, и на работу",
    "Здравствуйте, заказ пришёл, всё аккуратно упаковано, спасибо большое!",
    "интересно, а как оно сидит на высоких? на модели рукава кажутся коротковаты",
    "у подруги такое же, она говорит, что после стирки совсем не изменилось",
    "hi! do you still have the green one from last week, the one with the long sleeves?",
    "Thanks, that looks lovely. Could you tell me how the fabric feels, is it soft or more on the stiff side?",
    "I walked past your store on Saturday but it was far too crowded to try anything on",
    "not sure yet, let me think about it and come back tomorrow after work",
    "the second picture is closer to what I had in mind, a bit more relaxed and less formal",
    "Can I pick the parcel up myself? I am around the mall most evenings anyway",
    "my flight was late so I missed the courier, could you send him again on Thursday please",
    "ok great, and what would you put together with it for an evening outside?",
    "it arrived today, the colour is a little darker than on the screen but I like it even more",
    "is there a video where somebody walks in it? photos never show how things move",
    "مساء الخير، ممكن أعرف إذا الفستان موجود بلون ثاني غير اللي في الصورة؟",
    "شكرا لكم، وصل الطلب اليوم والتغليف مرتب جدا",
    "ما قررت للحين، بشاور اختي وارد عليكم الليلة ان شاء الله",
    "القماش خفيف ولا ثقيل؟ ابي شي ينفع للصباح والمساء",
    "حلو بس احسه رسمي شوي، عندكم شي ابسط منه؟",
    "متى يوصل الطلب اذا طلبته اليوم؟ انا في البيت طول اليوم",
    "شفت مثله عند رفيجتي والصراحة طالع عليها وايد حلو",
    "الصورة الثانية اقرب للي في بالي، بس الازرار ما عجبتني",
    "salam, fi minnah loon thani? el aswad kil marra albisah",
    "7ilu wayed bas a7isah rasmi shway, 3indkum shay absat?",
    "mashkoora 7abibti, basheel el 6alab bukra inshallah",
    "wain el ma7al bil zab6? ana sakna yam el jam3a",
    "ok спасибо, а photo с другой стороны есть? хочу посмотреть как сзади",
    "shukran كثير, I will check the link later tonight and tell you",
    "Расскажите, пожалуйста, как ухаживать за этой тканью: можно ли гладить или лучше только отпаривать?",
)
FACTS: Final = (
    "у меня {ru_size} размер, обычно беру {letter}",
    "I wear size {letter}, it usually fits me well",
    "مقاسي {letter} وطولي ١{tens}٥",
    "у меня аллергия на {ru_allergen}, пожалуйста, без него",
    "my budget is {money} dirhams for this one",
)
FACTS_IN: Final = 8
WORDS: Final = (
    "платье", "размер", "свадьба", "зимой", "пальто", "шерсть", "бюджет", "туфли", "показать", "красное", "вечер",
    "dress", "size", "wedding", "winter", "coat", "wool", "budget", "shoes", "show", "red", "evening", "linen",
    "summer", "office", "party", "فستان", "مقاس", "عرس", "شتاء", "صوف", "ميزانية", "حذاء", "احمر", "مساء", "كتان",
    "صيف", "مكتب", "7afla", "fustan", "ma2as", "3irs", "wayed", "7ilu", "abi", "shay", "el", "yom", "bukra",
)
# fmt: on


def make_talk(source: random.Random) -> str:
    """What a customer may write: one message in eight states a fact."""
    if source.randrange(FACTS_IN):
        return make_small_talk(source)
    return source.choice(FACTS).format(
        ru_size=source.choice(("42", "44", "46", "48")),
        letter=source.choice(("S", "M", "L", "XL")),
        tens=source.choice("567"),
        ru_allergen=source.choice(("никель", "шерсть", "латекс")),
        money=source.choice((300, 450, 600, 1200)),
    )


def make_small_talk(source: random.Random) -> str:
    """A sentence that states no fact, with a word that no message had before."""
    return f"{source.choice(TALK)} {make_word(source)}"


def make_word(source: random.Random) -> str:
    """A name or a typing slip: people's words never end, so caches of words must not be the whole of the speed."""
    alphabet = source.choice(("aeioulnrstmkd", "аеиоулнрстмкд", "ابتدرسلمنوي"))
    return "".join(source.choice(alphabet) for _ in range(source.randint(4, 9)))


def make_soup(source: random.Random) -> str:
    """4 to 24 words that the rules listen for, in no order."""
    return " ".join(source.choice(WORDS) for _ in range(source.randint(4, 24)))
