"""What the model does with tools: what it writes is checked first, what it removes is written down first.

1. A write that restates something forgotten is blocked whole: a batch of Hermes is all or nothing. Removing passes.
2. A removal is recorded only in a turn whose user asked to forget; any other is housekeeping, and records nothing.
3. It is written down before Hermes removes, and taken back where Hermes did not. Where it cannot be written down,
   nothing is removed and the model is told so. One that waits for approval stays pending: it protects already.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from forgetguard.adapters.hermes import answers
from forgetguard.adapters.texts import parsed
from forgetguard.guard import ForgetGuard
from forgetguard.rules import ForgottenIndex, scrub
from forgetguard.values import Entry

log = logging.getLogger("forgetguard")

Arguments = Mapping[str, object]

BUILT_IN = "memory"
MEMORY_FILES = ("MEMORY.md", "USER.md")
FILE_TOOLS = ("write_file", "patch")

# Tools of the memory providers that come with Hermes, and that store.
PROVIDER_TOOLS = frozenset(
    "brv_curate fact_store hindsight_retain honcho_conclude honcho_profile mem0_add mem0_update retaindb_remember "
    "supermemory_store viking_remember".split()
)
# The arguments that such a tool stores. What it searches by is called otherwise (query, entity).
STORED = (
    "content", "text", "conclusion", "conclusions", "card", "context", "data", "fact", "facts", "memory", "memories",
    "messages", "note", "notes", "observation", "observations", "summary", "value",
)  # fmt: skip


def written(tool: str, arguments: Arguments) -> tuple[str, ...]:
    """The texts that a call would store: none for what only reads or removes, and for tools that store no memory."""
    if tool == BUILT_IN:
        return words(*(op.get("content") for op in operations(arguments) if op.get("action") != "remove"))
    if tool in PROVIDER_TOOLS:
        return stored(arguments)
    if tool in FILE_TOOLS and _names_memory(arguments):
        return words(arguments.get("content"), arguments.get("new_string"), _added(arguments.get("patch")))
    return ()


def _names_memory(arguments: Arguments) -> bool:
    """Whether a file tool is to write to a memory file: by its path, or by a path in its patch."""
    lines = str(arguments.get("patch") or "").splitlines()
    return any(str(one).strip().endswith(MEMORY_FILES) for one in (arguments.get("path"), *lines))


def _added(patch: object) -> str:
    """What a patch adds; what it takes away restates nothing."""
    return "\n".join(line[1:] for line in str(patch or "").splitlines() if line.startswith("+"))


def stored(arguments: Arguments) -> tuple[str, ...]:
    """The texts that a provider's tool would store."""
    return words(*(arguments.get(name) for name in STORED))


def operations(arguments: Arguments) -> tuple[Arguments, ...]:
    """The operations of one call of the built-in tool: a batch, or a single one."""
    batch = arguments.get("operations")
    if isinstance(batch, list) and batch:
        return tuple(op for op in batch if isinstance(op, dict))
    return (arguments,)


def words(*values: object) -> tuple[str, ...]:
    """The texts among some values, and in lists and structures of them."""
    return tuple(_texts(values))


def _texts(values: Sequence[object]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and value.strip():
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _texts(value)
        elif isinstance(value, Mapping):
            yield from _texts(tuple(value.values()))


def removed(arguments: Arguments, entries: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """What a call of the built-in tool would remove for good; `entries(target)` reads what is stored.

    Of an entry that the same call saves in part, the rest. One that Hermes will not find, or not alone, is left to its
    own refusal.
    """
    sought = [str(op.get("old_text") or "").strip() for op in operations(arguments) if op.get("action") == "remove"]
    if not any(sought):
        return ()
    there = entries(str(arguments.get("target") or "memory"))
    found = [{entry for entry in there if text in entry} for text in sought if text]
    return _without([next(iter(one)) for one in found if len(one) == 1], written(BUILT_IN, arguments))


def _without(texts: Sequence[str], kept: Sequence[str]) -> tuple[str, ...]:
    """The texts without what others say as well; those of which nothing is left are left out."""
    index = ForgottenIndex()
    index.add(Entry(text, str(at)) for at, text in enumerate(kept))
    found = [scrub(text, index) for text in texts]
    return tuple(one.text.strip() for one in found if not one.empty)


def on_disk(target: str) -> Sequence[str]:
    """What lies in MEMORY.md (or USER.md, for the target "user") now."""
    from tools.memory_tool import load_on_disk_store

    store = load_on_disk_store()
    return tuple(store.user_entries if target == "user" else store.memory_entries)


class _NotRemoved(Exception):
    """Hermes did not remove, so the forget is taken back. `result`: its own words to the model."""

    def __init__(self, result: object) -> None:
        super().__init__("not removed")
        self.result = result


def remove(guard: Callable[[], ForgetGuard], texts: Callable[[], Sequence[str]], call: Callable[[], object]) -> object:
    """Let Hermes remove (`call`), with `texts` written down before; its result, or that nothing was removed.

    Only what `call` raises comes out: at anything else Hermes would carry on and remove.
    """
    try:
        with ExitStack() as until:
            try:
                if found := texts():
                    until.enter_context(guard().forgetting(found))
            except Exception as error:  # noqa: BLE001 - whatever it is, it must not come out
                log.warning("nothing was removed, for it could not be written down: %s", type(error).__name__)
                return answers.failure(answers.NOT_REMOVED)
            return _settled(call(), until)
    except _NotRemoved as refused:
        return refused.result


def _settled(result: object, until: ExitStack) -> object:
    answer = _answer(result)
    if answer.get("staged") is True:
        until.pop_all()  # neither confirmed nor called off
    elif answer.get("success") is not True and answer.get("removed") is not True:
        raise _NotRemoved(result)
    return result


def _answer(result: object) -> Mapping[str, object]:
    answer = parsed(result) if isinstance(result, str) else result
    return answer if isinstance(answer, dict) else {}
