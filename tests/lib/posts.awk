# SPDX-License-Identifier: BSD-2-Clause
# Of each function ring_* of a compiler's output: its name, how many calls it makes, and its
# barriers in their order.
/^ring_[a-z0-9_]+:/ {
	sub(/:.*/, "")
	name = $0
	calls = 0
	order = ""
	next
}
!name { next }
/^\t(call|callq|bl|blr)[ \t]/ || /^\t(jmp|b)[ \t]+[a-z_]/ { calls++ }
/^[ \t]*([slm]fence|dmb|dsb)/ { order = order $1 ($2 == "" ? "" : " " $2) "," }
/^\t\.size/ {
	print name, calls, order
	name = ""
}
