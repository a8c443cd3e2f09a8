#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that completion in bash and zsh offers the tools' own commands, options, values, structures and fields.
if ! command -v bash >/dev/null; then
	echo "1..0 # SKIP there is no bash"
	exit 0
fi
exec bash -s <<'B'
top=${top_srcdir:?}
for t in prm info sim flow perf copy; do
	export PATH=$(cd "${top_builddir:?}" && pwd)/tools/dvx-$t:$PATH
done
. "$top/tools/completion/dvx.bash"
n=0
# offers WORD...: completes the last word, as bash would call it; each of $want is offered, nothing of $not is
offers() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_dvx "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
	n=$((n + 1)) ok=ok
	for w in $want; do
		[[ " ${COMPREPLY[*]} " == *" $w "* ]] || { ok="not ok"; echo "# not offered: $w"; }
	done
	for w in $not; do
		[[ " ${COMPREPLY[*]} " != *" $w "* ]] || { ok="not ok"; echo "# offered: $w"; }
	done
	echo "$ok $n - $*"
	[ "$ok" = ok ] || echo "# offered: ${COMPREPLY[*]:0:20}"
}
want="list show decode encode explain diff export" not="" offers dvx-prm ""
want="explain export encode" not="show" offers dvx-prm e
want="--json --as= --words= --all" not="--format=" offers dvx-prm explain --
want="be le" not="" offers dvx-prm explain --words = ""
want="wqe cqe rwqe err_cqe" not="" offers dvx-prm diff --as ""
want="dump hex c bin" not="" offers dvx-prm encode --format = ""
want="err_cqe" not="cqe64" offers dvx-prm decode err_
want="opcode= opmod= qpn=" not="opcode" offers dvx-prm encode wqe_ctrl_seg ""
want="qpn=" not="opcode=" offers dvx-prm encode wqe_ctrl_seg opcode=NOP q
want="REQ REQ_ERR RESP_ERR" not="" offers dvx-prm encode err_cqe opcode = R
want="L3_CSUM L4_CSUM" not="" offers dvx-prm encode wqe_eth_seg cs_flags = ""
want="list gids caps why-not doctor help" not="" offers dvx-info ""
want="GENERAL" not="list" offers dvx-info caps mlx5_0 G
want="list" not="--json" offers dvx-info help l
want="--count= --json --quiet --warmup=" not="--slots= --once" offers dvx-perf --
want="serve threads rules help" not="" offers dvx-perf ""
want="--listen= --once" not="--count=" offers dvx-perf serve --
want="--connections= --queues= --plot=" not="--op=" offers dvx-perf threads --
want="--key= --batch= --plot=" not="--op=" offers dvx-perf rules --
want="5tuple 5tuple6 ipv4" not="all" offers dvx-perf rules --key = ""
want="send write_imm all" not="libdvx" offers dvx-perf --op = ""
want="--slots= --key-file=" not="--root=" offers dvx-copy pull --
want="in out" not="" offers dvx-flow explain ""
want="cross-vhca-export dma-copy" not="" offers dvx-info why-not ""
want="--save= --diff --json" not="" offers dvx-info caps --
want="run up exec ls down" not="" offers dvx-sim ""
want="host dpu vf0" not="vf9" offers dvx-sim run --function = ""
want="check daemon apply list stats del explain dump draw import export" not="drop" offers dvx-flow ""
want="apply" not="daemon" offers dvx-flow a
want="--queues= --capture= --fresh --device=" not="--watch" offers dvx-flow daemon --
want="--watch --interval= --json --wait=" not="--queues=" offers dvx-flow stats --
want="bash" not="" offers dvx-sim run -- bas
want="" not="list" offers dvx-prm decode err_cqe ""
export XDG_RUNTIME_DIR=$(mktemp -d)
dvx-sim up lab </dev/null >/dev/null
want="lab" not="host dpu" offers dvx-sim down ""
want="" not="lab" offers dvx-sim up ""
dvx-sim down lab </dev/null
rm -r "$XDG_RUNTIME_DIR"
if ! command -v zsh >/dev/null; then
	n=$((n + 1))
	echo "ok $n - zsh # SKIP there is no zsh"
	echo "1..$n"
	exit 0
fi
# What zsh's own functions would be given, by stand-ins for them.
zsh_offers() {
	n=$((n + 1)) got=$(zsh -f -c 'compadd() { while [[ $1 != -- ]]; do shift; done; print -r -- "${@:2}" }
		compset() { [[ $1 = -P ]] }; _files() { print FILES }; _command_names() { print PROGRAMS }
		file=$1; shift; words=("$@") CURRENT=$#; source $file' zsh "$top/tools/completion/_dvx" "$@" | xargs)
	case " $got " in
	*" $want "*) echo "ok $n - zsh: $*" ;;
	*) echo "not ok $n - zsh: $*"; echo "# offered: $got" ;;
	esac
}
want="encode explain export" zsh_offers dvx-prm e
want="be le" zsh_offers dvx-prm explain --words=
want="opcode=" zsh_offers dvx-prm encode err_cqe opc
want="REQ REQ_ERR" zsh_offers dvx-prm encode err_cqe opcode=REQ
want="PROGRAMS" zsh_offers dvx-sim run -- ba
want="FILES" zsh_offers dvx-prm decode err_cqe ""
echo "1..$n"
B
