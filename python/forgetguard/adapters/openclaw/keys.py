"""The host's own formulas for keys and hashes, and the text of a claim without what the host wraps around it."""

from __future__ import annotations

import re
from hashlib import sha1, sha256

# JavaScript's \s: Python's has the control characters 1C to 1F and NEL in addition, and lacks U+FEFF.
_SPACE = re.compile("[\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
_CITATION = re.compile(r"^\s*(?:[-*+]\s+)*(?:`[+-]\s+-\s+)?\[[^\]\n]*#L\d+\]\s*")
_BULLET = re.compile(r"^\s*(?:[-*+]\s+)*(?:`[+-]\s+-\s+)?")
_CANDIDATE = re.compile(r"^Candidate:\s*")
_ROLE = re.compile(r"^(?:Assistant|User):\s*")
_TAIL = re.compile(
    r"\s*(?:\[(?:score|confidence)=[^\]]*\]|Source: \S+#L\d+(?:-L?\d+)?|<!--.*?-->|<!--[^>]*$|`$)\s*", re.DOTALL
)
CLAIM = "memory:claim:"


def normal(snippet: str) -> str:
    """Blanks as the host collapses them."""
    return _SPACE.sub(" ", snippet).strip(" ")


def claim_hash(snippet: str) -> str:
    """The 12 hex digits that name a claim."""
    return sha1(normal(snippet).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]


def claim_keys(claim: str, path: str | None, start: int, end: int) -> set[str]:
    """Every key that the host may have given to a claim with this evidence."""
    hashes = {claim_hash(claim), claim_hash(without_role(claim))}
    found = {CLAIM + digest for digest in hashes}
    if path is not None:
        found |= {f"memory:{path}:{start}:{end}:{digest}" for digest in hashes} | {f"memory:{path}:{start}:{end}"}
    return found


def without_role(claim: str) -> str:
    """The claim without `User: ` or `Assistant: `."""
    return _ROLE.sub("", claim)


def claim_of(line: str) -> str:
    """What a line of memory says: without bullet, citation, score, source and comments."""
    text = _CITATION.sub("", line)
    if text == line:
        text = _BULLET.sub("", line)
    return _TAIL.sub(" ", _CANDIDATE.sub("", text)).strip()


def workspace_key(directory: str) -> str:
    """What plugin state of a workspace is kept under: the hash of its absolute path, written with `/`."""
    return sha256(directory.replace("\\", "/").encode()).hexdigest()


def state_key(workspace: str, logical: str) -> str:
    """The `entry_key` of a logical key of a workspace."""
    return f"{workspace}:{sha256(logical.encode()).hexdigest()}"


def text_hash(text: str) -> str:
    """How chunks, their cached embeddings and backups are named by content."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_TRANSCRIPT = re.compile(r"^(.+?)\.jsonl(?:\.(?:deleted|reset)\..*)?$")
_STAMP = re.compile(r"\.(?:deleted|reset)\.\d{4}-\d\d-\d\dT.*$")


def session_of_file(name: str) -> str:
    """The session id in the name of a transcript or an archive; any other name is an id itself."""
    match = _TRANSCRIPT.match(name)
    return match.group(1) if match else _STAMP.sub("", name)


def session_of_path(path: str, agent: str) -> str | None:
    """The session of an indexed transcript: `sessions/<agent>/<file>`."""
    head = f"sessions/{agent}/"
    return session_of_file(path[len(head) :]) if path.startswith(head) else None


def session_of_scope(scope: str, agent: str) -> str | None:
    """The session of an ingestion scope: `<agent>:sessions/<agent>/<file>`, in old state `<agent>:<file>`."""
    if not scope.startswith(f"{agent}:"):
        return None
    rest = scope[len(agent) + 1 :]
    return session_of_path(rest, agent) or (None if rest.startswith("sessions/") else session_of_file(rest))


def code_units(text: str) -> bytes:
    """A sort key: JavaScript's default order."""
    return text.encode("utf-16-be", "surrogatepass")


def locale_order(text: str) -> tuple[str, str]:
    """A sort key: near to `localeCompare`, lower case before upper where nothing else parts two names."""
    return text.casefold(), text.swapcase()
