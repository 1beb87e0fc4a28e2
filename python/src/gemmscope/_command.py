"""Runs the command that this package brings."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import warnings

NAME = "gemmscope.exe" if os.name == "nt" else "gemmscope"
# The command's exit code where its command line was wrong.
MISUSE = 2


class Error(Exception):
    """The command refused, or could not be asked: ``code``, ``file`` and ``line`` as in its messages, where it gave them."""

    def __init__(self, messages):
        errors = [m for m in messages if m.get("level") == "error"] or messages
        first = errors[0] if errors else {}
        self.code = first.get("code")
        self.file = first.get("file")
        self.line = first.get("line")
        super().__init__("\n".join(text(m) for m in errors) or "gemmscope failed without a word")


def failure(code, why, file=None):
    """What Python raised, as an :class:`Error`."""
    return Error([{"level": "error", "code": code, "file": file, "message": printable(f"{type(why).__name__}: {why}")}])


def printable(said):
    """Text that every encoding of Unicode can hold: a lone surrogate as its escape."""
    return said.encode("utf-8", "backslashreplace").decode("utf-8")


class Warning(UserWarning):
    """What the command says beside a result, such as skipped rows."""


def text(message):
    """A message in one line."""
    parts = [message.get("file"), message.get("line") and f"line {message['line']}", message["message"]]
    return ": ".join(part for part in parts if part)


def program():
    """The path of the command: that of GEMMSCOPE, this environment's, else the one on PATH."""
    own = os.environ.get("GEMMSCOPE")
    if own:
        return own
    beside = os.path.dirname(sys.executable)
    user = sysconfig.get_path("scripts", os.name + "_user")
    for folder in (sysconfig.get_path("scripts"), beside, user):
        path = os.path.join(folder, NAME)
        if os.path.isfile(path):
            return path
    found = shutil.which(NAME)
    if not found:
        raise FileNotFoundError("the command gemmscope is not installed: pip install --force-reinstall gemmscope")
    return found


def arguments(options):
    """Keyword arguments as options of the command: a dict for --column and --answer, True for a switch."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield option
        elif isinstance(value, dict):
            for key, what in value.items():
                yield f"{option}={key}={what}"
        else:
            yield f"{option}={value}"


def run(command, *files, **options):
    """Runs ``gemmscope command files... --options`` and gives back what it prints.

    Raises :class:`Error` where it gives no result; what it says beside one becomes warnings.
    """
    words = [program(), command, "--json", *arguments(options), "--", *files]
    try:
        ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    except (OSError, ValueError) as why:  # No program there; a word that no command line can hold.
        raise failure("usage", why) from why
    # Not splitlines(): a line of JSON may hold what else Python takes for the end of a line.
    messages = [message(line) for line in ran.stderr.split("\n") if line]
    # Where one of several files cannot be read there is a result all the same.
    if ran.returncode == MISUSE or ran.returncode and not ran.stdout:
        raise Error(messages)
    for said in messages:
        warnings.warn(text(said), Warning, stacklevel=3)
    return ran.stdout


def message(line):
    """A line of standard error as a message."""
    try:
        found = json.loads(line)
        if isinstance(found, dict) and "message" in found:
            return found
    except ValueError:
        pass
    return {"level": "error", "code": None, "message": line}
