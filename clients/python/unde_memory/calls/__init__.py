"""Every call of the service as a declaration: both clients have them all."""

from unde_memory.calls.events import EventsCalls as EventsCalls
from unde_memory.calls.knowledge import KnowledgeCalls as KnowledgeCalls
from unde_memory.calls.messages import MessagesCalls as MessagesCalls
from unde_memory.calls.projects import ProjectsCalls as ProjectsCalls
from unde_memory.calls.users import UsersCalls as UsersCalls
