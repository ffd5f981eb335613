"""Many pairs of versions as one run that nothing ends for good.

    LIST.toml, A..B  --lists, histories-->  tasks  --engine-->  results  --store-->  show, site

A task is a call of ``csgtest build`` in a process of its own (``fleet.tasks``); the engine is
dask.distributed (``fleet.engine``); results are kept by SQLAlchemy in SQLite or PostgreSQL
(``fleet.store``). docs/fleets.md has the contracts. The libraries are installed with
``csgtest[fleet]``, and imported when a command needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from csg.errors import UsageError

_STORE = ("sqlalchemy", "alembic", "fsspec")
_ENGINE = ("distributed", "cryptography")


def require_workers(wanted: bool) -> bool:
    """Can one search have workers? Raises UsageError where they are ``wanted`` and cannot be."""
    missing = _missing(_ENGINE)
    if missing and wanted:
        raise UsageError(
            f"--jobs needs {' and '.join(missing)}", hint="pip install 'csgtest[fleet]'"
        )
    return not missing


def require(command: str, engine: bool = False) -> None:
    """Raise UsageError where libraries that a command needs are not installed."""
    missing = _missing((*_STORE, *_ENGINE) if engine else _STORE)
    if missing:
        raise UsageError(
            f"csgtest {command} needs {', '.join(missing)}, which "
            f"{'is' if len(missing) == 1 else 'are'} not installed",
            hint="pip install 'csgtest[fleet]'",
        )


def _missing(names: Sequence[str]) -> list[str]:
    return [name for name in names if find_spec(name) is None]
