"""`unjudged completion`."""

from __future__ import annotations

from typing import Literal

from unjudged.base.errors import InputError, UsageError, reason_of
from unjudged.cli.commands import LOOK_UP, command
from unjudged.cli.options.arguments import Output
from unjudged.cli.shell.output import show

Shell = Literal["zsh", "bash", "fish", "powershell"]


@command("completion", LOOK_UP, 4, "[SHELL]", "Let the shell complete commands and options.")
def completion(
    shell: Shell | None = None,
    /,
    *,
    install: bool = False,
    output: Output = None,
) -> None:
    """Print the script with which a shell completes the commands and options of unjudged, or install it.

    Parameters
    ----------
    shell
        The shell. Default: the one that runs this command.
    install
        Write the script where the shell looks for it, and load it at startup. Then start a new shell.
    output
        Write the script to this file.
    """
    from cyclopts.completion.detect import ShellDetectionError

    from unjudged.cli.shell.parser import make_app

    app = make_app()
    try:
        if install:
            show(f"{app.install_completion(shell=shell, output=output)}: start a new shell to use it\n")
        else:
            show(app.generate_completion(shell=shell), output)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"the script cannot be written: {reason_of(error)}") from None
    except (ShellDetectionError, ValueError):
        raise UsageError("this shell is not known: name one, as in `unjudged completion bash`") from None
