"""An agent with a memory of its own: the forgotten fact comes back without the server, stays away with it, until the
user asks to remember it."""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as changed

from hosts.mcp.talking import Server, Talk, forget

FACT = "User is vegetarian"
TURNS = (FACT, "User lives in Porto")
AFTER = ("The user does not eat meat, being a vegetarian", "User is a vegetarian", "User works at a harbour")


@dataclass
class Agent:
    """Stores every extracted fact that is not there yet, as agents do; asks the server where it has one."""

    talk: Talk | None = None
    memory: dict[str, str] = field(default_factory=dict)

    async def hears(self, *facts: str) -> None:
        kept = range(len(facts))
        if self.talk is not None:
            kept = (await self.talk("filter", items=[{"text": one} for one in facts]))["store"]
        for at in kept:
            if facts[at] not in self.memory.values():
                self.memory[f"m-{len(self.memory)}-{at}"] = facts[at]

    async def forgets(self, fact: str) -> None:
        found = [key for key, text in self.memory.items() if text == fact]
        if self.talk is not None:
            stored = [{"id": key, "text": text} for key, text in self.memory.items()]
            found = [one["id"] for one in (await forget(self.talk, fact, stored=stored))["stored"]]
        for key in found:
            del self.memory[key]

    async def remembers(self, fact: str, user_asked: bool) -> None:
        answer = {"store": True} if self.talk is None else await self.talk("remember", text=fact, user_asked=user_asked)
        if answer["store"]:
            self.memory["m-remembered"] = fact

    @property
    def knows(self) -> set[str]:
        return set(self.memory.values())


async def story(agent: Agent) -> None:
    await agent.hears(*TURNS)
    assert agent.knows == set(TURNS)
    await agent.forgets(FACT)
    assert agent.knows == {TURNS[1]}
    await agent.hears(FACT, *AFTER, "User asked me to forget that they are vegetarian")


def test_without_the_guard_it_comes_back(server: Server):
    async def conversation(talk: Talk) -> None:
        agent = Agent()
        await story(agent)
        assert {FACT, *AFTER} <= agent.knows

    server.talk(conversation)


def test_with_the_guard_it_stays_away_until_it_is_remembered(server: Server):
    async def conversation(talk: Talk) -> None:
        agent = Agent(talk)
        await story(agent)
        assert agent.knows == {TURNS[1], AFTER[2]}
        # A new value, another subject and a negation still store.
        others = ("User is vegan", "User's sister is vegetarian", "User is not vegetarian")
        await agent.hears(*others)
        assert set(others) <= agent.knows
        await agent.remembers(FACT, user_asked=False)
        assert FACT not in agent.knows
        await agent.remembers(FACT, user_asked=True)
        assert FACT in agent.knows
        await agent.hears(AFTER[1])
        assert AFTER[1] in agent.knows

    server.talk(conversation)
    # What was dropped was kept for its owner.
    with server.guard() as guard:
        assert len(guard.review()) == 5


def test_two_vaults_are_apart(server: Server):
    other = changed(server, options=("--ledger", str(server.home / "other" / "ledger.sqlite")))
    other.guard(create=True).close()

    async def forgets(talk: Talk) -> None:
        await forget(talk, FACT)
        assert (await talk("check", text=FACT))["action"] == "drop"

    async def knows_nothing_of_it(talk: Talk) -> None:
        assert (await talk("check", text=FACT))["action"] == "keep"
        assert (await talk("forgotten"))["total"] == 0

    server.talk(forgets)
    other.talk(knows_nothing_of_it)


def test_two_servers_of_one_vault_see_each_other_at_once(server: Server):
    async def first(talk: Talk) -> None:
        server.forget(FACT)
        assert (await talk("check", text=FACT))["action"] == "drop"

    server.talk(first)
