"""Lists on events and dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from patterns.grammar.kinds import Affixes, Names, Words


@dataclass(frozen=True, kw_only=True)
class EventLists:
    """Lists on events and dates."""

    # dates
    opens_phrase: Annotated[Words, "“I have 5 in the next month”: words of a time behind a number that is no day of it"]
    day_words: Annotated[Words, "“يوم ٢٠”: words right before a number that make it a day of the month"]
    numbered_day: Annotated[Words, "“on the 13th”: the word before a day of the month that names no month"]
    ordinal_endings: Annotated[Affixes, "“on the 13th”, “my 30th parcel”: endings of a number that counts in order"]
    day_endings: Annotated[Affixes, "“20го”: endings of a number by which alone it is a day of the month"]
    week_word: Annotated[Words, "“a week on Saturday”, “Saturday week”: the word that puts a weekday off"]
    week_on: Annotated[Words, "“a week on Saturday”: words between “week” and the weekday that is put off"]
    # which date is an event's
    until_words: Annotated[Words, "“until the wedding: two weeks”: words before an event to which a length counts down"]
    counted_over: Annotated[Words, "“за неделю до свадьбы”: right before a time, words by which it tells of that time"]
    # whose an event is
    own_events: Annotated[Names, "“my boss's trip”: events by their names, of which another's is none of the writer's"]
    women: Annotated[Names, "“my dad came, her wedding is on Friday”: relations by their names whom “his” cannot mean"]
    men: Annotated[Names, "“my sister came, her graduation”: relations by their names whom “her” cannot mean"]
    month_events: Annotated[Names, "“vacation in July”: events by their names, whose key carries the month they are in"]
    my_event: Annotated[Words, "“my brother flies in for my birthday”: right before an event, it is the writer's"]
    my_event_endings: Annotated[Affixes, "“3irsi”: endings of an event by which it is the writer's"]
    our_event_endings: Annotated[Affixes, "“ذكرى زواجنا الخامسة”: endings of any word of an event that make it our own"]
    no_our_event: Annotated[Words, "“الحنا”: words of an event that only look as if they ended in “our”"]
    of_him: Annotated[Words, "“my dad retires, his party is on Friday”: “his” beside an event, who is no woman"]
    of_her: Annotated[Words, "“my sister finishes school, her graduation”: “her” beside an event, who is no man"]
    company_leads: Annotated[Words, "“with all my kids”: words between “with” and those who come along"]
    listeners: Annotated[Words, "“a presentation for my boss”: words before those who listen to it"]
    in_front: Annotated[Words, "“a presentation in front of my boss”: the word before “of” and those who listen"]
    visited: Annotated[Words, "“еду к маме”: words before one who is visited, of whom the trip is not"]
    became_engaged: Annotated[Words, "“my sister got engaged, wedding in June”: words that say whose wedding follows"]
    # events at which the writer works
    trade_deeds: Annotated[Words, "“I'm filming a wedding”, “a wedding gig”: what is done at an event by trade alone"]
    making: Annotated[Words, "“I bake cakes for a wedding”: verbs that are a trade with goods behind them"]
    trade_goods: Annotated[Words, "“I bake cakes for a wedding”: goods of a trade behind a verb of making"]
    trade_names: Annotated[Words, "“I'm a florist, wedding on Friday”: trades behind an “I”"]
    trade_groups: Annotated[Words, "“my agency runs a gala”: those for whom the writer works, behind a “my”"]
    working: Annotated[Words, "“I work at a clinic, nickel allergy all day”: verbs of working"]
    treating: Annotated[Words, "“I treated a wool rash today”: verbs of treating others"]
    trade_gear: Annotated[Words, "“a wedding on Friday, three cameras to carry”: what is brought to an event for work"]
    clients: Annotated[Words, "“my clients have a graduation today”: whom one works for, before their event"]
    workplaces: Annotated[Words, "“I work at a clinic, nickel allergy all day”: where people work"]
    possessing: Annotated[Words, "“I'm a nurse with a latex allergy”: words of having, by which it is the writer's"]
    wedded: Annotated[Words, "“makeup for a bride, wedding on Friday”: those whose event it is"]
    guest_deeds: Annotated[Words, "“I'm dreading a wedding”: what guests do, in words that no other list knows"]
    own_words: Annotated[Words, "“I'm a florist, my own wedding is on Friday”: words by which it is the writer's"]
    # events that are only spoken of
    source_words: Annotated[Words, "“the dress from the party goes back”: words between a thing and where it is from"]
    source_leads: Annotated[Words, "“the dress from that party”: words between “from” and the event"]
    he_did: Annotated[Affixes, "“отпуск всё съел”: endings of what a masculine event has done"]
    she_did: Annotated[Affixes, "“свадьба всё съела”: endings of what a feminine event has done"]
    she_events: Annotated[Affixes, "“свадьба”: endings by which an event is feminine"]
    parents: Annotated[Affixes, "“у родителей годовщина”: beginnings of words behind “у” that are no stranger's name"]
    her_endings: Annotated[Affixes, "“حفل تخرجها”, “3irs-ha”: “her” or “their” attached to an event of somebody else"]
    kin_beginnings: Annotated[Affixes, "“3ala 3irs binta”: beginnings of words of family behind an event"]
    their_endings: Annotated[Affixes, "“3ala 3irs binta”: “his” or “her” attached to a word of family"]
    my_kin_endings: Annotated[Affixes, "“عرس صديقة أختي”: endings of a person who is the writer's own"]
    the_letters: Annotated[Affixes, "“رحلة الباص”: letters of “the” that are written together with the word"]
    the_apart: Annotated[Words, "“3irs el jeeran”: words of “the” in Arabizi, which stand apart"]
    my_doing_endings: Annotated[Affixes, "“اجازتي الصيفية”: endings of an event of the writer, and of no thing"]
    # words that are no person
    size_wearers: Annotated[Words, "“as a size L woman”: right behind a size, the writer and nobody else"]
    day_no_person: Annotated[Words, "“الأحد”: days that are spelt like a person"]
    all_of_it: Annotated[Words, "“الميزانية هي كل 800”: words between an “is” and the figure"]
