"""Django's entry to the wing: its table, and what it gives to the registries of `memory`."""

from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "config.chat"
    label = "chat"
    verbose_name = "Chat"

    def ready(self) -> None:
        from config.chat.ledger import export_turns
        from memory.erasure.erasers import TableEraser
        from memory.registries import erasers, exporters

        eraser = TableEraser(
            name="chat_turns", models=("chat.ChatTurn",), table="chat_turn", message_columns=("message_id", "reply_id")
        )
        erasers.register(eraser.name, eraser)
        exporters.register("chat_turns", export_turns)
