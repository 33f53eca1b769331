"""memory forget: the host's own command on a state directory, with the same keys, and proof. Parse, call, print."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from forgetguard.cli.console import tell, write
from forgetguard.cli.memory_state import hold, tombstone, verify
from forgetguard.errors import ForgetGuardError, InvalidInput, Refused
from forgetguard.purge import Home, Order, Selection, read_plan, write_plan
from forgetguard.purge.receipts import codes
from forgetguard.purge.selection import origin_classes

if TYPE_CHECKING:
    from forgetguard.adapters.openclaw import Outcome, Planned

NO_SELECTOR = "Memory forget requires --session <id-or-key>, --hook-source <source>, or --participant <actor-id>."
NO_DATE = "Memory forget failed: Invalid memory session date: "
USAGE = 2


@dataclass(frozen=True, slots=True)
class Call:
    """One call: where, and how."""

    state_dir: Path
    agent: str | None
    all_agents: bool
    dry_run: bool
    as_json: bool
    yes: bool
    strict: bool
    plan_file: Path | None
    apply_file: Path | None
    home: Home
    codes: tuple[str, str, str]


@click.group()
def memory() -> None:
    """Memory of a host that forgetguard knows: OpenClaw."""


for _command in (verify, hold, tombstone):
    memory.add_command(_command)


@memory.command("forget")
@click.option("--state-dir", required=True, envvar="OPENCLAW_STATE_DIR", type=click.Path(path_type=Path),
              help="The host's state directory; by default what OPENCLAW_STATE_DIR says.")  # fmt: skip
@click.option("--agent", help="Agent id; by default main, or the only one.")
@click.option("--all-agents", is_flag=True, help="Every agent of the directory, in one report.")
@click.option("--session", multiple=True, help="Session id or key, exact.")
@click.option("--hook-source", multiple=True, help="Source of hook content, such as gmail.")
@click.option("--participant", multiple=True, help="Id of someone who took part, exact.")
@click.option("--channel", multiple=True, help="Channel, exact.")
@click.option("--chat-type", multiple=True, help="direct, group or channel.")
@click.option("--origin-class", multiple=True, help="owner, agent, untrusted or system.")
@click.option("--since", help="Only sessions that began at this date or later.")
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.option("--json", "as_json", is_flag=True, help="JSON with the host's keys; ours under `forgetguard`.")
@click.option("--yes", is_flag=True, help="Do it.")
@click.option("--strict", is_flag=True, help="Refuse when an id or a value is known to nobody.")
@click.option("--plan", "plan_file", type=click.Path(path_type=Path), help="Write the plan to a new file, 0600.")
@click.option("--apply", "apply_file", type=click.Path(path_type=Path), help="Purge what a written plan says.")
@click.option("--home", type=click.Path(path_type=Path), help="Directory of key, journal and receipts.")
@click.option("--operator", default="", help="Who, as a code for the receipt.")
@click.option("--basis", default="", help="On what legal or other basis, as a code.")
@click.option("--request-id", default="", help="Of what request, as a code.")
def forget_(
    session: tuple[str, ...],
    hook_source: tuple[str, ...],
    participant: tuple[str, ...],
    channel: tuple[str, ...],
    chat_type: tuple[str, ...],
    origin_class: tuple[str, ...],
    since: str | None,
    home: Path | None,
    operator: str,
    basis: str,
    request_id: str,
    **given: Any,
) -> int:
    """Purge every memory of sessions, sources or people from an OpenClaw state directory, and prove it.

    Exit codes: 0 done, 1 residue or failed, 2 usage, 3 cannot prove, 4 refused or confirmation missing, 5 an id or
    value that nobody knows (it is barred all the same, unless --strict).
    """
    where = Home(home) if home is not None else Home.default()
    call = Call(home=where, codes=(operator, basis, request_id), **given)
    try:
        wanted = (session, participant, hook_source, channel, chat_type, origin_class)
        start = None if since is None else _moment(since)
        if since is not None and start is None:
            return _usage(call, NO_DATE + since)
        if call.apply_file is None and not any(wanted):
            return _usage(call, NO_SELECTOR)
        if call.apply_file is not None and (any(wanted) or since is not None):
            raise InvalidInput("give either selectors or --apply")
        codes(*call.codes)
        selection = None
        if call.apply_file is None:
            selection = Selection(
                sessions=_once(session),
                participants=_once(participant),
                hook_sources=_once(hook_source),
                channels=_once(channel),
                chat_types=_once(chat_type),
                origin_classes=origin_classes(_once(origin_class)),
                since=start,
                union=True,
            )
        return _run(call, selection)
    except ForgetGuardError as error:
        return _failed(call, error)


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _moment(text: str) -> float | None:
    from forgetguard.adapters.openclaw import dates

    return dates.parse(text)


def _run(call: Call, selection: Selection | None) -> int:
    from forgetguard.adapters.openclaw import State, forget, forget_all, from_plan, plan_forget, preview_forget

    if (call.all_agents and (call.agent or call.plan_file or call.apply_file)) or (call.plan_file and call.apply_file):
        raise InvalidInput("--all-agents, --agent, --plan and --apply exclude each other")
    preview_only = call.dry_run or call.plan_file is not None
    if not preview_only:
        _confirmed(call)
    state = State.at(call.state_dir)
    if call.all_agents:
        assert selection is not None
        return _show(
            call, forget_all(state, selection, call.home, dry_run=preview_only, strict=call.strict, codes=call.codes)
        )
    if selection is None:
        assert call.apply_file is not None
        plan = read_plan(call.apply_file, call.home.operator())
        if call.agent not in (None, plan.agent_id):
            raise InvalidInput("the plan was made for another agent")
        made = from_plan(state.agent(plan.agent_id), plan, call.home)
    else:
        operator = call.home.operator(create=True) if call.plan_file is not None else None
        made = plan_forget(state.agent(call.agent), selection, operator, home=call.home, strict=call.strict)
    if call.plan_file is not None:
        assert selection is not None
        write_plan(call.plan_file, made.plan, call.home.operator())
    if preview_only:
        return _show(call, preview_forget(made), made)
    order = Order(*call.codes, observe=lambda name, status: tell(f"{name}: {status}"))
    return _show(call, forget(made, call.home, order), made)


def _confirmed(call: Call) -> None:
    """Ask at a terminal. Raises Refused where there is none, or the answer is no."""
    if call.yes:
        return
    agreed = False
    if sys.stdin.isatty():
        with suppress(click.Abort):
            agreed = click.confirm("Purge these memories? This cannot be undone.", err=True)
    if not agreed:
        raise Refused(
            "a purge needs a confirmation; nothing was changed",
            code="not-confirmed",
            advice="Look with --dry-run, then repeat with --yes.",
        )


def _usage(call: Call, message: str) -> int:
    """An error in the host's own words."""
    if call.as_json:
        _write({"ok": False, "error": {"type": "cli_error", "message": message}})
    tell(f"error: {message}")
    return USAGE


def _failed(call: Call, error: ForgetGuardError) -> int:
    if call.as_json:
        ours = {"code": error.code, "advice": error.advice, "exitCode": error.exit_code}
        message = f"Memory forget failed: {error}"
        _write({"ok": False, "error": {"type": "cli_error", "message": message}, "forgetguard": ours})
    tell(f"error: {error} [{error.code}]")
    tell(f"  {error.advice}")
    return error.exit_code


def _write(body: Mapping[str, object]) -> None:
    write(json.dumps(body, indent=2, ensure_ascii=False) + "\n")


def _show(call: Call, outcome: Outcome, made: Planned | None = None) -> int:
    if call.as_json:
        _write(outcome.body)
        return outcome.exit_code
    for body in outcome.body.get("agents", [outcome.body]):
        write("\n".join(_lines(body)) + "\n")
    if made is not None and made.unknown:
        tell(f"{len(made.unknown)} id(s) or value(s) are known to nobody")
    return outcome.exit_code


def _lines(body: Mapping[str, Any]) -> list[str]:
    ours = body["forgetguard"]
    if "artifacts" not in body:
        return [f"agent {body['agentId']}: {ours['error']['message']} [{ours['error']['code']}]"]
    lines = [
        f"agent {body['agentId']}: {'would purge' if body['dryRun'] else 'purged'} {len(body['sessionIds'])} session(s)"
    ]
    lines += [f"  {name:22} {count}" for name, count in {**body["artifacts"], **ours["beyond"]}.items() if count]
    found = ours.get("verification") or {"findings": [], "retained": []}
    kept = dict.fromkeys((_at(one), one["count"]) for one in (*ours.get("kept", ()), *found["retained"]))
    lines += [f"  {one['standing']:13} {one['surface']}/{one['place']}: {one['code']}" for one in found["findings"]]
    lines += [f"  kept          {place} ({count})" for place, count in kept]
    lines += [f"  not judged    archive {one}" for one in ours["unjudgedArchives"]]
    lines += [f"  to review     {one['relativePath']}" for one in body["curatedWrites"]]
    lines.append(f"  result        {ours['result']}")
    return lines


def _at(finding: Mapping[str, Any]) -> str:
    return f"{finding['surface']}/{finding['place']}: {finding['code']}"
