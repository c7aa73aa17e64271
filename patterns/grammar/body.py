"""Lists on sizes, measures, allergies and bans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from patterns.grammar.kinds import Affixes, Words


@dataclass(frozen=True, kw_only=True)
class BodyLists:
    """Lists on sizes, measures, allergies and bans."""

    # allergies
    also_to: Annotated[Words, "“I have a silk allergy, also to wool”: small words before an allergen that is added"]
    what_reacts: Annotated[Words, "“от шерсти чешется кожа”: behind a reaction what reacts, and no leather"]
    it_is: Annotated[Words, "“earrings make my ears itch, it's the nickel”: words that say “it is” in one"]
    they_word: Annotated[Words, "“mohair jumpers are out, they make me itch”: the things named before, if no person is"]
    allergic_to: Annotated[Words, "“шерсть нельзя, аллергия на неё”: words between an allergy and a pronoun"]
    refusing: Annotated[Words, "“allergic to nickel, leather I never wear”: a “not” that makes a value no allergen"]
    does_nothing: Annotated[Words, "“от никеля сыпь, от серебра ничего”: words behind what is borne well"]
    not_it: Annotated[Words, "“it isn't the wool that makes me itch”: a “not” by which what is named is no cause"]
    it_that: Annotated[Words, "“it isn't the wool that makes me itch”: words between what is denied and what happens"]
    asked_of: Annotated[Words, "“аллергия на никель — это лечится?”: words by which a question is about the allergy"]
    causing: Annotated[Affixes, "“ma ysawwi li el polyester 7asasiya”: beginnings of verbs of causing, behind a “not”"]
    what_about: Annotated[Words, "“тест на аллергию”: words between a thing and the allergen or allergy it is about"]
    caused_by: Annotated[Words, "“от ценников на кашемир чешусь”: words before what brings a reaction about"]
    because_words: Annotated[Words, "“I need L because I'm an L”: words that begin a reason, which is read by itself"]
    as_word: Annotated[Words, "“anything but cotton, as wool makes me itch”: a word of a reason, and of more than that"]
    ago_word: Annotated[Words, "“confirmed two years ago”: the end of a past that only says when"]
    past_days: Annotated[Words, "“confirmed last month”: the beginning of a past that only says when"]
    begun: Annotated[Words, "“I became allergic to latex two years ago”: words of how an allergy began"]
    # what is banned
    object_endings: Annotated[Affixes, "“لا تعرضينها”: endings of a verb that stand for what was named before"]
    given_up_by: Annotated[Words, "“heels and I broke up, never again”: words right behind what is given up"]
    will_words: Annotated[Words, "“I despise yellow and will never wear it”: words between an “and” and the ban"]
    i_wear: Annotated[Words, "“ألبس حرير وما ألبس جينز”: verbs right before what is worn, and so not banned"]
    so_words: Annotated[Words, "“I broke my ankle, so I don't wear heels”: words before what follows from a reason"]
    showing: Annotated[Words, "“you keep showing me fur, I never wear it”: verbs of showing what the next remark bans"]
    heading_verbs: Annotated[Words, "“my ban list is fur”, “мини это не моё”: words behind which it is said what it is"]
    again_word: Annotated[Words, "“never again”: the word by which a “never” gives up what was there"]
    # bans
    refusing_verbs: Annotated[Words, "“لا أرفض الدانتيل”: verbs that refuse by themselves and with a “not” ban nothing"]
    asked_that: Annotated[Words, "“I hope you never show me fur”: words by which the “you” is asked and not blamed"]
    who_does: Annotated[Words, "“you never show me leather”: who does it, right before a “never” that is no order then"]
    order_nots: Annotated[Words, "“you never show me leather”: a “not” of orders, which behind a “you” is a complaint"]
    shop_verb_endings: Annotated[Affixes, "“мех не предлагаем”: endings of verbs by which others tell what they do"]
    bare_verdicts: Annotated[Words, "“fur is banned”: single words, which are the writer's own if nothing follows them"]
    only_when: Annotated[Words, "“I don't wear suede when it's raining”: words that limit a habit to some days"]
    impersonal_needs: Annotated[Words, "“тётя просит 54, без рукавов не надо”: words of need that do not say whose"]
    ones_own_bans: Annotated[Words, "“сестра запретила мех”: words of a ban that is of the nearest person"]
    given_up: Annotated[Words, "“I gave up heels years ago”: words of giving up, which a past beside them only dates"]
    even_words: Annotated[Words, "“never fur, not even in summer”: words before a time or place that limits nothing"]
    person_links: Annotated[Words, "“don't show fur to my sister”: words between a ban and another whom it is for"]
    goes_on: Annotated[Words, "“no fur, I look like my aunt”: words behind a ban with which another statement begins"]
    offered_to: Annotated[Words, "“don't suggest zara to tourists”: words between a ban and strangers whom it is for"]
    ever_word: Annotated[Words, "“don't ever stop showing me lace”: words between a “not” and the order it turns round"]
    never_words: Annotated[Words, "“никогда не показывай мех”: words before a “not” of an order that do not undo it"]
    cried_orders: Annotated[Words, "“хватит мини критиковать”: orders of one word, which a verb further on completes"]
    its_verb_letters: Annotated[Affixes, "“mabi lace yban”: first letters of a verb that says more of what is before"]
    bought_or_worn: Annotated[Words, "“guys, please never wear skinny jeans”: what others can be asked never to do"]
    calling: Annotated[Words, "“ya okhti”: words before one who is called to, and not spoken of"]
    # sizes
    moved_from: Annotated[Words, "“moved from M to L”: the word behind which the size of before stands"]
    size_for: Annotated[Words, "“L for clothes is my size”: words between a size and the anchor behind it"]
    words_too: Annotated[Words, "“it 42”: size systems that are words as well, which count only beside a word of size"]
    after_it: Annotated[Words, "“44 it is”: words behind a word that is a system as well, which say that it is none"]
    in_system: Annotated[Words, "“38 in EU”: words between a size and its system"]
    either_words: Annotated[Words, "“a 42 or a 44”: words between two sizes one of which is meant"]
    size_letters: Annotated[Words, "“XXL”, “ХЛ”: letters that sizes in letters are made of; others are in words"]
    letter_or_word: Annotated[Words, "“с”: a letter of a size that is a word as well, and a size where nothing follows"]
    # what is no size
    feet_of_height: Annotated[Words, "“five foot six”: behind a number, the measure and no shoes"]
    of_feet: Annotated[Affixes, "“размер 37, узкая стопа”: beginnings of words of feet, so the size is of shoes"]
    length_letter: Annotated[Words, "“W30 L32”: the letter right before a length"]
    times_letters: Annotated[Words, "“40x60”: letters between the two sides of a thing"]
    class_letters: Annotated[Words, "“an S-Class”: letters that with a word tied to them name something else"]
    ish_words: Annotated[Words, "“large-ish”: words behind a size by which it is only about that"]
    in_what_way: Annotated[Words, "“I'm XS in patience”: words between a size and something that is no clothes"]
    # sizes of things
    at_shop: Annotated[Words, "“в Lime беру S”: words before the name of a shop"]
    owning: Annotated[Words, "“I have 30 jeans”: verbs behind which a number counts clothes"]
    plural_endings: Annotated[Affixes, "“платья L”: endings of clothes in the plural, which are no single piece"]
    one_piece: Annotated[Words, "“the t-shirt is M now”: words by which one piece of clothes is pointed at"]
    some_size: Annotated[Words, "“a guard in size M”: words before a word of size by which it is a thing's"]
    own_letters: Annotated[Affixes, "“بنطلوني M”: endings by which clothes are the writer's"]
    left_over_beginnings: Annotated[Affixes, "“остался только 44 размер”: beginnings of verbs of what a shop has left"]
    in_shade: Annotated[Words, "“size M in the red”: words between a size and the colour in which a thing is asked for"]
    in_the_red: Annotated[Words, "“size M in the red”: a word that begins a phrase which elsewhere names no colour"]
    the_word: Annotated[Words, "“I'll take the medium”, “in the red”: the article of a thing that is picked"]
    el_word: Annotated[Words, "“akhith el M”: the article of a thing that is picked, behind a verb of taking"]
    taking: Annotated[Affixes, "“akhith el M”: beginnings of verbs of taking one thing"]
    came_out: Annotated[Words, "“البنطلون طلع لارج”: verbs by which the size is of what came"]
    came_for_me: Annotated[Words, "“طلعت لي M بالسحب”: words by which the writer got a thing of that size"]
    asks_which: Annotated[Words, "“آخذ M ولا L”: words between two sizes that ask which of them"]
    only_first: Annotated[Words, "“they sent me an M”: words that say whose size it is only at the head of a segment"]
    one_word: Annotated[Words, "“size forty one”: behind a number, a part of it and no thing"]
    # measures
    weighing: Annotated[Words, "“I weighed the suitcase, 32 kg”: it is what was put on the scales"]
    then_endings: Annotated[Affixes, "“в 55 кг я влезала во всё”: endings of a verb by which a weight was of then"]
    and_half: Annotated[Words, "“طولي متر ونص”: words behind a metre that add half of one"]
    remarking: Annotated[Words, "“5'8 is tall for a girl”: words behind a measure that is nobody's own"]
    height_beginnings: Annotated[Affixes, "“рост и вес 168 и 58”: beginnings of words of height, told first"]
    inches: Annotated[Words, "“five foot six inches”: words of inches behind their number"]
    of_cloth: Annotated[Words, "“five feet six inches of lace”: words behind a length by which it is no body's"]
    of_goods: Annotated[Words, "“60 kg of wool”: words right behind a measure that lead to what is measured"]
    says_tall: Annotated[Words, "“five foot six tall”: words beside feet by which they are somebody's height"]
    hundred_unsaid: Annotated[Words, "“one sixty nine”: the hundred of a height that only says how many"]
