# SPDX-License-Identifier: BSD-2-Clause
# Completion in bash for the tools of dvx. "TOOL --complete WORD..." answers out of the tool's own tables.
_dvx() {
	mapfile -t COMPREPLY < <("$1" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	case ${COMPREPLY[0]} in
	' program') mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}") ;;
	*=) compopt -o nospace 2>/dev/null ;;
	esac
}

complete -o default -F _dvx dvx-prm dvx-info dvx-sim dvx-perf dvx-copy dvx-flow dvx-check dvx-verify
