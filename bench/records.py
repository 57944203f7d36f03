"""The records that the programs of this folder write with --json."""

import json
import sys


def use(program, path, function):
    """Calls `function` with the record at `path`. Returns its result, an exit status; None counts as 0.

    If the record cannot be read, or is another program's, it prints the reason and returns 2.
    """
    try:
        return function(json.loads(path.read_text(encoding="utf-8"))) or 0
    except (OSError, ValueError) as error:
        print(f"{program}: {error}", file=sys.stderr)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        print(f"{program}: '{path}' is not what --json writes: {error!r}", file=sys.stderr)
    return 2
