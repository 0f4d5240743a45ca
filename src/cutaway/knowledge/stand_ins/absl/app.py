"""absl.app: the main function is called with the words of the command line that are no flags."""

import sys

from absl.flags import FLAGS


def run(main, argv=None, flags_parser=None):
    return main(FLAGS(list(sys.argv if argv is None else argv)))


class UsageError(Exception):
    pass
