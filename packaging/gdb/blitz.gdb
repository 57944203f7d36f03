# For gdb: `step` does not enter functions of blitz. In gdb, or in ~/.gdbinit:
#
#   source /usr/local/share/blitz/blitz.gdb
skip -rfunction ^blitz::
