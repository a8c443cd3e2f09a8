# SPDX-License-Identifier: BSD-2-Clause
# Completion in bash for dvx-prm, dvx-info, dvx-sim, dvx-perf, dvx-copy and dvx-flow. Commands, options and their values
# come from the tools' own --help, so that nothing here can say something else.

# Words after "Commands" (dvx-copy: of the lines of usage).
_dvx_commands() {
	"$1" --help 2>/dev/null | sed -n \
		-e '/^Commands/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' \
		-e "s/^\(Usage:\|  *\) *${1##*/} \([a-z][a-z-]*\) .*/\2/p" | sort -u
}

# Long options: "--words=be|le", "--json".
_dvx_options() {
	"$@" --help 2>/dev/null | grep -o -e '^  *\(-., *\)\?--[a-z-]*\(=[^ ]*\|\[=[^ ]*\)\?' |
		sed -e 's/.*--/--/' -e 's/\[=.*//'
}

_dvx_structs() {
	"$1" list 2>/dev/null | cut -d' ' -f1
}

# Names of the enumeration of a structure's field.
_dvx_names() {
	local enum
	enum=$("$1" show -n "$2" 2>/dev/null | sed -n "s/^  0x.*  $3  *\(enum\|flags\) \([a-z0-9_]*\):.*/\2/p")
	[[ -n $enum ]] && "$1" show "$enum" 2>/dev/null | sed -n 's/^  0x[0-9a-f]*  \([A-Za-z0-9_]*\).*/\1/p'
}

# What an option (or a field) takes, where it is one of a few words.
_dvx_values() {
	local tool=$1 command=$2 option=$3 first=$4 meta
	case $option in
	[a-z]*) [[ $command == encode ]] && _dvx_names "$tool" "$first" "$option" ;;
	--as) _dvx_structs "$tool"; echo cqe mini wqe rwqe in out cap eqe ;;
	--format) echo dump hex c bin ;;
	--device) ls /sys/class/infiniband 2>/dev/null ;;
	*)
		meta=$(_dvx_options "$tool" ${command:+"$command"} | grep -e "^$option=")
		case $meta in *'|'*) tr '|' ' ' <<<"${meta#*=}" ;; esac
		;;
	esac
}

# What stands where no option does: operand number N of a command. Files where nothing is printed.
_dvx_operands() {
	local tool=$1 command=$2 number=$3 first=$4
	case ${tool##*/}:$command:$number in
	dvx-prm:show:1 | dvx-prm:decode:1 | dvx-prm:encode:1) _dvx_structs "$tool" ;;
	dvx-prm:encode:*)
		"$tool" show -n "$first" 2>/dev/null | sed -n 's/^  0x[0-9a-f]* *0x[0-9a-f]* *[0-9]* *..  \([a-z0-9_]*\).*/\1=/p'
		;;
	dvx-info:why-not:1) "$tool" why-not --list 2>/dev/null | cut -d' ' -f1 ;;
	dvx-info:*) ls /sys/class/infiniband 2>/dev/null ;;
	dvx-sim:exec:1 | dvx-sim:down:1 | dvx-sim:replay:1 | dvx-sim:capture:1)
		"$tool" ls 2>/dev/null | sed -n 's/^\([^ ]*\) (pid .*/\1/p'
		;;
	esac
}

_dvx() {
	local tool=$1 cur=$2 prev=$3 command="" first="" number=0 words="" i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			[[ ${tool##*/} == dvx-sim ]] && mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
			;;
		-* | =) ;;
		*)
			if [[ -z $command ]]; then
				command=${COMP_WORDS[i]}
			elif [[ ${COMP_WORDS[i - 1]} != "=" ]]; then
				number=$((number + 1))
				first=${first:-${COMP_WORDS[i]}}
			fi
			;;
		esac
	done
	[[ $cur == "=" ]] && cur="" && prev="="
	if [[ $prev == "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		[[ $prev == "=" ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
		words=$(_dvx_values "$tool" "$command" "$prev" "$first")
	elif [[ $cur == -* ]]; then
		words=$(_dvx_options "$tool" ${command:+"$command"} | sed 's/=.*/=/')
	elif [[ $prev == --* ]]; then
		words=$(_dvx_values "$tool" "$command" "$prev")
	fi
	if [[ -z $words && $cur != -* ]]; then
		if [[ -z $command ]]; then
			words=$(_dvx_commands "$tool")
		else
			words=$(_dvx_operands "$tool" "$command" $((number + 1)) "$first")
		fi
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

complete -o default -F _dvx dvx-prm dvx-info dvx-sim dvx-perf dvx-copy dvx-flow
