"""The supervisor's program as it is, and on other systems, where control groups are missing or old."""

from __future__ import annotations

import bowerbird.harness.referee.process.supervisor_handle

PROGRAM = bowerbird.harness.referee.process.supervisor_handle.PROGRAM
_PATCHED = (
    "import sys; sys.path.append(sys.argv.pop(1)); "
    "from bowerbird.harness.referee.process import cgroups, supervisor_main; "
    "{patch}; supervisor_main.main()"
)

UNGROUPED = _PATCHED.format(patch="supervisor_main.CgroupFactory.detect = classmethod(lambda cls: None)")
"""On a system where control groups cannot be made."""

ONLY_V1 = _PATCHED.format(patch="cgroups._v2_parents = lambda paths, mounts: []")
"""On a system with control groups of version 1 alone."""

ONE_KEYRING = _PATCHED.format(patch="supervisor_main.join_new_session_keyring = lambda: False")
"""As it would be if no process got a keyring of its own."""
