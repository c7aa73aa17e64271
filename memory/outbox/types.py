"""Words of events."""

from __future__ import annotations

from typing import Final

EVENT_TYPES: Final = {
    "fact.added": "A fact was made.",
    "fact.superseded": "A fact took the place of `superseded_id`.",
    "fact.renewed": "A fact was said again or confirmed.",
    "fact.restored": "A fact that was disputed or forgotten is active again.",
    "fact.deactivated": "A fact was closed.",
    "fact.disputed": "A fact is doubted by the user and waits for a confirmation or a denial.",
    "fact.stored_inactive": "A fact was stored for the record: it was over already, or something newer is known.",
    "correction.recorded": "The user said that something known or said is wrong.",
    "candidate.waiting": "A proposal waits for a second evidence or for a person.",
    "messages.forgotten": "Messages were hidden, with everything made from them.",
    "messages.restored": "A forget was undone, wholly or in part.",
    "erasure.requested": "An erasure was asked for. Its data is invisible from now on.",
    "erasure.completed": "An erasure is complete and has its certificate.",
    "memory.paused": "The user paused their memory: nothing of it is used in replies.",
    "memory.resumed": "The user's memory is in use again.",
    "consent.changed": "The user said yes or no to a purpose.",
    "import.completed": "An import of a user's memory came to its end.",
    "extraction.paused": "Extraction by a model was paused or switched off.",
    "extraction.resumed": "Extraction by a model is on again.",
    "rule.warned": "A rule will be switched off at `due_at` because its facts were wrong, unless somebody acts.",
    "rule.quarantined": "A rule was switched off because its facts were wrong.",
    "webhook.test": "Sent by hand, to see whether deliveries arrive.",
}
"""Every type of event with what it says. `fact.<change>` are the changes of the action log."""
