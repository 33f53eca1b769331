"""What the host's client says: whose it is, and what it has stored under an id."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

from forgetguard.errors import InvalidVector, TextUnreadable
from forgetguard.values import Vector


@dataclass(frozen=True, slots=True)
class Stored:
    """A fact of the host's vault: its text, and its vector with the id of the host's model."""

    text: str = field(repr=False)
    vector: Vector | None = field(default=None, repr=False)


def account(client: Any) -> str:
    """Whose memory it is: the address of the account's key, in lower case. It needs no network, and never changes."""
    return str(client.eoa_address).lower()


async def stored(client: Any, fact_id: str) -> Stored:
    """The fact behind an id, read from the host's server and deciphered here. Raises TextUnreadable."""
    from totalreclaw.claims_helper import read_claim_from_blob
    from totalreclaw.crypto import decrypt
    from totalreclaw.operations import FACT_BY_ID_QUERY

    try:
        await client.ensure_address()
        await client._ensure_registered()
        answer = await client.relay.query_subgraph(FACT_BY_ID_QUERY, {"id": fact_id})
        fact, key = answer["data"]["fact"], client.keys.encryption_key
        blob = bytes.fromhex(fact["encryptedBlob"].removeprefix("0x"))
        text = read_claim_from_blob(decrypt(base64.b64encode(blob).decode(), key))["text"]
    except Exception:  # noqa: BLE001 - whatever client, network and cipher raise; the message may quote
        raise TextUnreadable("the text of a fact could not be read, so nothing was deleted") from None
    return Stored(text, _vector(fact.get("encryptedEmbedding"), key))


def _vector(sealed: object, key: object) -> Vector | None:
    """The vector of a fact; None where there is none of the host's present model: words alone will do."""
    from totalreclaw.crypto import decrypt_embedding
    from totalreclaw.embedding import EMBEDDING_DIMS, MODEL_ID

    if not sealed:
        return None
    try:
        numbers = decrypt_embedding(sealed, key)
        return Vector.quantise(numbers, MODEL_ID) if len(numbers) == EMBEDDING_DIMS else None
    except (InvalidVector, ValueError):
        return None
