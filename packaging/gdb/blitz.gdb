# For gdb: `step` does not enter functions of blitz. In gdb, or in ~/.gdbinit:
#
#   source /usr/share/blitz/blitz.gdb
skip -rfunction ^blitz::
