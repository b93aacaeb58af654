"""The command ``remap``, as ``python -m remapping``."""

import sys
from typing import NoReturn

from . import _remapping


def main() -> NoReturn:
    """Runs the command with the arguments of this process and ends the process with its exit code."""
    sys.exit(_remapping.command(["remap", *sys.argv[1:]])[0])


if __name__ == "__main__":
    main()
