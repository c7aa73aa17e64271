"""Django's entry to the wing: its tables, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "memory.projects"
    label = "projects"
    verbose_name = "Projects"

    def ready(self) -> None:
        from memory import registries
        from memory.projects.erasing import ProjectEraser, note_hidden
        from memory.projects.exporting import export_projects
        from memory.projects.rebuilding import compare_user, rebuild_user

        eraser = ProjectEraser()
        registries.erasers.register(eraser.name, eraser)
        registries.forget_steps.register("projects", registries.ForgetStep(forget=note_hidden, restore=note_hidden))
        registries.exporters.register("projects", export_projects)
        registries.comparers.register("projects", compare_user)
        registries.rebuilders.register("projects", rebuild_user)
