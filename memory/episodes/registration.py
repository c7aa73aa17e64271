"""What the wing gives to the registries of `memory` (D-31)."""

from __future__ import annotations

from memory.episodes import exporting, forgetting, rebuilding
from memory.episodes.claims import count_uncut
from memory.registries import (
    ForgetStep,
    QueueProbe,
    comparers,
    erasers,
    exporters,
    forget_steps,
    queue_probes,
    rebuilders,
)


def register_episodes() -> None:
    """Called once at start."""
    for eraser in (forgetting.EpisodeEraser(), forgetting.ACCESSES):
        erasers.register(eraser.name, eraser)
    forget_steps.register("episodes", ForgetStep(forget=forgetting.forget_step, restore=forgetting.forget_step))
    exporters.register("episodes", exporting.export_episodes)
    exporters.register("episode_accesses", exporting.export_accesses)
    comparers.register("episodes", rebuilding.compare_user)
    rebuilders.register("episodes", rebuilding.rebuild_user)
    queue_probes.register("episodes_pending", QueueProbe(count_uncut, "conversations that wait for being cut"))
