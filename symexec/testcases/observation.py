"""All that a native run shows, as a record and as report.json has it.

    {"exit": 0, "signal": null, "stdout": "1\\n", "stderr": "", "returned": "1", "sanitizer": null}

``memory`` (arrays and globals after the call), ``files`` (what the run wrote), ``timed_out`` and
``leaks`` (with ``--leaks``) stand there only when there is something to say.
"""

from __future__ import annotations

import hashlib
from dataclasses import field, fields

from csg.records import record
from symexec.testcases.encoding import (
    Json,
    Value,
    bytes_from_json,
    bytes_to_json,
    value_from_json,
    value_to_json,
)

MOST_KEPT = 64 * 1024  # bytes of one stream


@record
class Observation:
    """``exit`` is None when a signal ended the run. ``signal`` is a name (``SIGSEGV``),
    ``sanitizer`` a kind (``heap-buffer-overflow``) with ``report`` its full text, ``returned`` the
    entry function's value as C would print it (``void`` when it has none)."""

    exit: int | None = None
    signal: str | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    returned: str | None = None
    sanitizer: str | None = None
    timed_out: bool = False
    memory: tuple[tuple[str, Value], ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    report: str = ""
    leaks: int | None = None  # objects lost at the end; None: nobody looked
    cpu_s: float | None = field(
        default=None, compare=False
    )  # processor time; at least the limit, when cut off

    @property
    def failed(self) -> bool:
        """Ended as no program should: killed by a signal, stopped by a sanitizer, or not at all."""
        return self.signal is not None or self.sanitizer is not None or self.timed_out


def clipped(data: bytes, total: int, rest: int = 0, allocated: int | None = None) -> bytes:
    """``data`` when it is short; else its beginning and a mark that differs when the rest does, of
    which ``rest`` is a sum, or when the bytes are that a file takes on its disk."""
    if total <= MOST_KEPT and len(data) == total:
        return data
    digest = hashlib.sha256(data + rest.to_bytes(8, "little")).hexdigest()[:16]
    holes = f", {allocated} of them allocated" if allocated not in (None, total) else ""
    text = f"\n[csgtest: {total} bytes in all{holes}, {digest}]\n"
    return data[:MOST_KEPT] + text.encode()


def observation_to_json(seen: Observation) -> Json:
    result: dict[str, Json] = {
        "exit": seen.exit,
        "signal": seen.signal,
        "stdout": bytes_to_json(seen.stdout),
        "stderr": bytes_to_json(seen.stderr),
        "returned": seen.returned,
        "sanitizer": seen.sanitizer,
    }
    if seen.timed_out:
        result["timed_out"] = True
        if seen.cpu_s is not None:
            result["cpu_s"] = round(seen.cpu_s, 1)
    if seen.memory:
        result["memory"] = {name: value_to_json(value) for name, value in seen.memory}
    if seen.files:
        result["files"] = {name: bytes_to_json(data) for name, data in seen.files}
    if seen.report:
        result["report"] = seen.report
    if seen.leaks is not None:
        result["leaks"] = seen.leaks
    return result


def observation_from_json(value: Json) -> Observation:
    memory = value.get("memory", {})
    files = value.get("files", {})
    return Observation(
        exit=value.get("exit"),
        signal=value.get("signal"),
        stdout=bytes_from_json(value.get("stdout", "")),
        stderr=bytes_from_json(value.get("stderr", "")),
        returned=value.get("returned"),
        sanitizer=value.get("sanitizer"),
        timed_out=bool(value.get("timed_out", False)),
        memory=tuple((name, value_from_json(part)) for name, part in memory.items()),
        files=tuple((name, bytes_from_json(data)) for name, data in files.items()),
        report=str(value.get("report", "")),
        leaks=value.get("leaks"),
        cpu_s=value.get("cpu_s"),
    )


COMPONENTS = tuple(
    each.name for each in fields(Observation) if each.name not in ("report", "cpu_s")
)
