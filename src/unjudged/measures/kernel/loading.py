"""Measures of your own: from a file of Python, which is run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.data.streams import without_links
from unjudged.measures.kernel.measure import MEASURES, SOURCES, Measure


def load_measures(source: str) -> list[str]:
    """Run a file, and return the names of the measures that it registers.

    A file that was loaded before is not run again. A measure must not have the name of another one.
    """
    place = without_links(source)
    known = [name for name, loaded in SOURCES.items() if loaded == place]
    if known:
        return known
    before = dict(MEASURES)
    try:
        _run_file(source, place)
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
