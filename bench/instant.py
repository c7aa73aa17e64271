"""CPU time of the instant step on messages never seen before, at the shipped size and padded to 2,000 rules.

    .venv/bin/python bench/instant.py [--messages 2000] [--rules 2000] [--seed 7]

Prints a table of percentiles in microseconds: the whole step (normalise, gate, match, grammar), the gate alone, and
Python's `re` run over the same rules one by one. Messages are put together from the packs' own words, so they are
denser in triggers than people's; "ordinary" has the length of chat, "hostile" is 4,000 characters of triggers without a
stop. `--kinds` shows other hostile texts one kind a line: words that nobody ever wrote, spellings of Arabizi,
vocabulary, people, dates, numbers, lists, questions, marks, signs that are not seen, and triggers behind talk.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from patterns.rule import Rule  # noqa: E402
from patterns.rules.pack import Pack, compile_packs, load_pack  # noqa: E402
from patterns.rules.ruleset import RuleSet  # noqa: E402
from patterns.rules.selftest import list_failed_examples  # noqa: E402
from patterns.text.normaliser import normalise  # noqa: E402

SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
ALPHABETS = ("abcdefghiklmnoprstuv", "абвгдежзиклмнопрстуф", "ابتثجحخدرزسشصضطعفقكلمنهوي")


def make_messages(pack: Pack, *, count: int, length: tuple[int, int], random_source: random.Random) -> list[str]:
    """Messages of so many words, half of them from the pack's vocabulary and examples, half made up."""
    words = [word for entry in pack.entries for alias in entry.aliases for word in alias.split()]
    examples = [text for rule in pack.rules for text in (*rule.positive, *rule.negative)]
    messages = []
    for _ in range(count):
        if random_source.random() < 0.3:
            messages.append(f"{random_source.choice(examples)} {make_word(random_source)}")
            continue
        size = random_source.randint(*length)
        messages.append(
            " ".join(
                random_source.choice(words) if random_source.random() < 0.5 else make_word(random_source)
                for _ in range(size)
            )
        )
    return messages


def make_word(random_source: random.Random) -> str:
    letters = random_source.choice(ALPHABETS)
    return "".join(random_source.choice(letters) for _ in range(random_source.randint(2, 9)))


def make_hostile(pack: Pack, *, count: int, random_source: random.Random) -> list[str]:
    """4,000 characters of triggers and values in one clause."""
    pieces = [text.rstrip("?!.") for rule in pack.rules for text in rule.positive]
    texts = []
    for _ in range(count):
        text = ""
        while len(text) < 4000:
            text += random_source.choice(pieces).replace(".", " ").replace("?", " ").replace("\n", " ") + " "
        texts.append(text[:4000])
    return [
        *texts,
        *[(word + " ") * (4000 // (len(word) + 1)) for word in ("in 2 days", "не хочу", "allergic to", "my size")],
    ]


def make_hostile_kinds(pack: Pack, *, count: int, random_source: random.Random) -> dict[str, list[str]]:
    """Other texts of 4,000 characters that cost much, `count` of each kind."""
    latin, arabic = ALPHABETS[0], ALPHABETS[2]
    examples = [text.rstrip("?!.").replace("\n", " ") for rule in pack.rules for text in rule.positive]
    aliases: dict[str, list[str]] = {}
    for entry in pack.entries:
        aliases.setdefault(entry.category, []).extend(entry.aliases)
    vocabulary = [alias for name, words in aliases.items() if not name.startswith("grammar") for alias in words]
    people = [word for name in ("self", "both", "relation", "other") for word in aliases.get(name, ())]
    dates = [
        w for name in ("month", "weekday", "day_word", "within", "period", "number") for w in aliases.get(name, ())
    ]
    fabrics = aliases.get("fabric", vocabulary)
    arabizi = [w for entry in pack.entries if entry.language == "arabizi" for a in entry.aliases for w in a.split()]

    def pick(*lists: Sequence[str], share: float = 0.7) -> str:
        return random_source.choice(lists[0] if random_source.random() < share else lists[-1])

    def spell(letters: str, low: int = 5, high: int = 9) -> str:
        return "".join(random_source.choice(letters) for _ in range(random_source.randint(low, high)))

    kinds: dict[str, tuple[Callable[[], str], str]] = {
        "never-met words": (lambda: spell(latin), " "),
        "never-met words, two alphabets": (lambda: spell(latin + ALPHABETS[1]), " "),
        "never-met Arabic": (lambda: spell(arabic), " "),
        "Arabizi, other vowels": (lambda: "".join(c + pick("aeh", ("",), share=0.3) for c in pick(arabizi)), " "),
        "Arabizi behind articles": (lambda: pick(("el", "bil", "wel")) + pick(arabizi) + pick("aeiy"), " "),
        "vocabulary": (lambda: pick(vocabulary), " "),
        "vocabulary and stops": (lambda: pick(vocabulary) + pick(".,!?;"), " "),
        "people and triggers": (lambda: pick(people, examples), " "),
        "dates and triggers": (lambda: pick(dates, examples), " "),
        "triggers behind talk": (lambda: pick((spell(latin),), examples, share=0.94), " "),
        "questions answered at once": (lambda: pick(fabrics) + "? " + pick(examples) + ".", " "),
        "a list over lines": (lambda: pick(fabrics), ";\n"),
        "numbers": (lambda: str(random_source.randint(1, 9999)), " "),
        "marks": (lambda: pick(",.!?:-()\"'"), ""),
        "signs that are not seen": (lambda: "\u200b".join(spell(latin)), " "),
    }
    return {
        name: [joint.join(make() for _ in range(4000))[:4000] for _ in range(count)]
        for name, (make, joint) in kinds.items()
    }


def pad_pack(pack: Pack, *, rules: int, random_source: random.Random) -> Pack:
    """The pack with copies of its rules whose words are made up, as other tenants and languages would bring."""
    padded = list(pack.rules)
    patterned = [rule for rule in pack.rules if rule.pattern]
    while len(padded) < rules:
        rule = random_source.choice(patterned)
        words = [make_word(random_source) + make_word(random_source) for _ in range(3)]
        padded.append(
            replace(
                rule, slug=f"padding-{len(padded)}", purpose="extract", kind="padding",
                pattern=f"(?:{'|'.join(words)}) (?:{make_word(random_source)}|{make_word(random_source)})?",
            )
        )  # fmt: skip
    return Pack(pack.name, tuple(padded), pack.entries, pack.settings)


def measure(step: Callable[[str], object], messages: Sequence[str]) -> list[float]:
    """Thread CPU time of each call, in microseconds, sorted."""
    times = []
    for message in messages:
        before = time.thread_time_ns()
        step(message)
        times.append((time.thread_time_ns() - before) / 1000)
    return sorted(times)


def make_re_step(rules: Sequence[Rule]) -> Callable[[str], object]:
    """What the seed document does: every rule's expression on every message."""
    compiled = [re.compile(re.sub(r"\\p[LN]", r"\\w", rule.pattern)) for rule in rules if rule.pattern]
    return lambda text: [list(pattern.finditer(text.lower())) for pattern in compiled]


def make_gate_step(rule_set: RuleSet) -> Callable[[str], object]:
    """Normalising, the literal gate and RE2 alone."""
    return lambda text: rule_set.finder.list_triggers(normalise(text, spelling=rule_set.spelling).text)


def print_row(name: str, times: Sequence[float]) -> None:
    p50, p95, p99 = (times[min(len(times) - 1, int(len(times) * share))] for share in (0.5, 0.95, 0.99))
    print(f"{name:42}{p50:10.0f}{p95:10.0f}{p99:10.0f}{times[-1]:10.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2000, help="ordinary messages a row; default: %(default)s")
    parser.add_argument("--rules", type=int, default=2000, help="padded size; default: %(default)s")
    parser.add_argument("--seed", type=int, default=7, help="of the made-up messages; default: %(default)s")
    parser.add_argument("--kinds", action="store_true", help="other hostile texts, one kind a line")
    options = parser.parse_args()
    pack = load_pack(ROOT / "patterns" / "packs" / "fashion")
    random_source = random.Random(options.seed)
    ordinary = make_messages(pack, count=options.messages, length=(2, 12), random_source=random_source)
    long = make_messages(pack, count=options.messages // 10, length=(30, 45), random_source=random_source)
    hostile = make_hostile(pack, count=20, random_source=random_source)
    kinds = make_hostile_kinds(pack, count=20, random_source=random_source) if options.kinds else {}
    print(f"{'CPU microseconds':42}{'p50':>10}{'p95':>10}{'p99':>10}{'max':>10}")
    for size in (len(pack.rules), options.rules):
        sized = pack if size == len(pack.rules) else pad_pack(pack, rules=size, random_source=random_source)
        before = time.perf_counter()
        rule_set = compile_packs([sized], version=1)
        list_failed_examples(rule_set)  # as a process does before a set comes into force: it warms the expressions
        gc.collect()
        gc.freeze()
        print(f"{size} rules, built in {time.perf_counter() - before:.1f} s")
        steps = (
            ("whole step", lambda text, rule_set=rule_set: rule_set.read(text, said_at=SAID_AT)),
            ("normalise, gate, RE2", make_gate_step(rule_set)),
            ("Python's re, one by one", make_re_step(sized.rules)),
        )
        for name, step in steps:
            few = 10 if name.startswith("Python") else 1
            for kind, messages in (("ordinary", ordinary), ("200 characters", long), ("hostile 4,000", hostile)):
                print_row(f"  {name}, {kind}", measure(step, messages[: max(5, len(messages) // few)]))
        for kind, messages in kinds.items():
            print_row(f"  whole step, {kind}", measure(steps[0][1], messages))


if __name__ == "__main__":
    main()
