"""What a client gave, checked against a tool's schema. An error names a parameter of ours and quotes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from forgetguard.adapters.mcp.schemas import Schema
from forgetguard.errors import InvalidInput, InvalidText

if TYPE_CHECKING:
    from jsonschema import ValidationError

Arguments = Mapping[str, Any]

ADVICE: Final = "Call the tool again with arguments that fit its input schema."
_FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    "additionalProperties": ("unknown-parameter", "is unknown, or holds a name that is"),
    "required": ("missing-parameter", "is missing"),
    "type": ("wrong-type", "has another type"),
    "enum": ("not-a-choice", "is not one of the words that it can be"),
    "maxLength": ("too-long", "is too long"),
    "maxItems": ("too-long", "has too many items"),
    "minLength": ("empty", "is empty"),
    "minItems": ("empty", "is empty"),
    "maximum": ("out-of-range", "is out of range"),
    "minimum": ("out-of-range", "is out of range"),
}


def checker(schema: Schema) -> Callable[[Arguments], None]:
    """A function that raises InvalidInput for arguments that do not fit, and InvalidText for what is no text."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema)

    def check(arguments: Arguments) -> None:
        for string in _strings(arguments):
            _check_text(string)
        fault = next(validator.iter_errors(arguments), None)
        if fault is not None:
            raise _error(str(fault.validator), _parameter(fault))

    return check


def _parameter(fault: ValidationError) -> str:
    """Which parameter a fault is in, or which is missing ("items.text"): names of the schema alone, which is closed."""
    names = [part for part in fault.absolute_path if isinstance(part, str)]
    if fault.validator == "required":
        names += [name for name in fault.validator_value if name not in fault.instance][:1]
    return ".".join(names)


def _error(keyword: str, parameter: str) -> InvalidInput:
    code, fault = _FAULTS.get(keyword, ("invalid-input", "cannot be used"))
    subject = f"the parameter {parameter}" if parameter else "a parameter"
    return InvalidInput(f"{subject} {fault}", code=code, advice=ADVICE)


def _check_text(string: str) -> None:
    if "\0" in string:
        raise InvalidText("a text holds NUL characters", advice="Give plain text.")
    if any("\ud800" <= char <= "\udfff" for char in string):
        raise InvalidText("a text holds half a character (a lone surrogate)", advice="Give valid Unicode.")


def _strings(value: object) -> Iterator[str]:
    """Every string of a JSON value, names of members too. Without recursion: nesting is the client's to choose."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
