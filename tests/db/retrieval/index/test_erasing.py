"""What an erasure leaves of the index: nothing of the erased, everything of the rest."""

from memory.tenants.scope import tenant_scope
from patterns.text.lexemes import hash_lexeme
from retrieval.models import MessageEmbedding, MessageIndex, RetrievalReceipt
from tests.cast import Chatter
from tests.db.memory.erasure.helpers import ask, carry_out
from tests.db.retrieval.conftest import build_pack, find_texts


def test_a_part_erasure_leaves_no_row_with_the_words(alice: Chatter):
    said = [alice.say(text) for text in ("cardamom", "secretword", "turmeric")]
    done = carry_out(alice, ask(alice, scope="messages", message_ids=(said[1].message_id,)))
    assert done.status == "completed"
    with tenant_scope(alice.tenant.id):
        rows = list(MessageIndex.objects.values_list("lexemes", flat=True))
    assert len(rows) == 2
    assert all(hash_lexeme("secretword") not in bytes(row) for row in rows)
    assert find_texts(alice, "secretword") == []
    assert find_texts(alice, "cardamom")


def test_a_whole_erasure_leaves_no_row_and_another_user_keeps_theirs(charlie: Chatter, bob: Chatter):
    for person in (charlie, bob):
        person.say("My pearls are from Bahrain", conversation_id="before")
        build_pack(person, "where are my pearls from?")
    gone = charlie.ref.id
    assert carry_out(charlie, ask(charlie)).status == "completed"
    with tenant_scope(charlie.tenant.id):
        for model in (MessageIndex, MessageEmbedding, RetrievalReceipt):
            assert not model.objects.filter(user_id=gone).exists()
            assert model.objects.filter(user_id=bob.ref.id).count() == 1
