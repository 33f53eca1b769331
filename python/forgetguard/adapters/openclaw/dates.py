"""`--since`, read as the host reads it: JavaScript's `Date.parse`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d:?\d\d)?)?$",
    re.IGNORECASE,
)
_NAMED = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%m/%d/%Y", "%Y/%m/%d")


def parse(text: str) -> float | None:
    """Unix seconds, or None for what is no date. A date alone is UTC, a time without a zone is local."""
    given = text.strip()
    match = _ISO.match(given)
    try:
        if match:
            return _iso(match)
        for form in _NAMED:
            try:
                return datetime.strptime(given, form).timestamp()
            except ValueError:
                continue
        moment = parsedate_to_datetime(given)
        return moment.timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _iso(match: re.Match[str]) -> float:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    moment = datetime(
        int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0),
        int((fraction or "0")[:6].ljust(6, "0")),
    )  # fmt: skip
    if zone and zone.upper() != "Z":
        return datetime.fromisoformat(f"{moment.isoformat()}{zone[:3]}:{zone[-2:]}").timestamp()
    return (moment.replace(tzinfo=UTC) if zone or hour is None else moment).timestamp()
