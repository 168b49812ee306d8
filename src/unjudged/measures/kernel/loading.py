"""Measures of your own: from a file of Python, or from a package that is installed.

A package offers measures by an entry point of the group `unjudged.measures`, whose module registers them with
`@measure`. Loading runs the code of the file or package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.formats.streams import without_links
from unjudged.measures.kernel.measure import MEASURES, SOURCES, Measure

GROUP = "unjudged.measures"


def load_measures(sources: Iterable[str] | None) -> list[str]:
    """Run each file or package, and return the names of the measures that it registers.

    A source that was loaded before is not run again. A measure must not have the name of another one.
    """
    return [name for source in sources or () for name in _load(source)]


def _load(source: str) -> list[str]:
    is_file = source.endswith(".py") or os.path.exists(source)
    place = without_links(source) if is_file else source
    known = [name for name, loaded in SOURCES.items() if loaded == place]
    if known:
        return known
    before = dict(MEASURES)
    try:
        if is_file:
            _run_file(source, place)
        else:
            _run_package(source)
        own = _new(source, before)
    except BaseException:
        MEASURES.clear()
        MEASURES.update(before)
        raise
    SOURCES.update(dict.fromkeys(own, place))
    return own


def _new(source: str, before: Mapping[str, Measure]) -> list[str]:
    """Return the names of what was registered; the name of another measure is refused."""
    own = [name for name, measure in MEASURES.items() if before.get(name) is not measure]
    replaced = [name for name in own if name in before]
    if replaced:
        problem = f"{source}: a measure is called {quoted(replaced[0])} already"
        raise UsageError(f"{problem}: choose another name for yours")
    if not own:
        problem = f"{source}: registers no measure"
        raise UsageError(f"{problem}: decorate a function of rankings with @measure()")
    return own


def _run_file(source: str, place: str) -> None:
    """Run a file as a module of its own."""
    if not os.path.isfile(place):
        raise InputError("no such file, expected a file of Python with measures", source=source)
    import importlib.util
    from traceback import extract_tb

    name = f"unjudged_loaded_{os.path.basename(place).removesuffix('.py')}"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise InputError("not a file of Python: its name must end in .py", source=source)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(error.msg, source=source, line=error.lineno) from error
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from error
    except Exception as error:
        own = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == place]
        problem = f"{type(error).__name__}: {error}"
        raise InputError(problem, source=source, line=own[-1] if own else None) from error


def entry_points(group: str) -> Any:
    """Return what installed packages offer to a group; the module that knows is slow to import."""
    from importlib import metadata

    return metadata.entry_points(group=group)


def _run_package(name: str) -> None:
    """Import the module of an entry point."""
    offered = {point.name: point for point in entry_points(GROUP)}
    if name not in offered:
        known = f"; packages offer: {', '.join(sorted(offered))}" if offered else ""
        raise UsageError(
            f"--load {name}: no such file, and no installed package offers measures by it{known}"
        )
    try:
        offered[name].load()
    except ImportError as error:
        raise InputError(f"--load {name}: {offered[name].value} cannot be imported: {error}") from error
