# SPDX-License-Identifier: BSD-2-Clause
# bash-completion looks for a file of the command's name: each of these reads dvx.bash.
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = tools/completion/dvx.bash
nodist_completion_DATA = tools/completion/dvx-prm tools/completion/dvx-info tools/completion/dvx-sim \
	tools/completion/dvx-perf tools/completion/dvx-copy tools/completion/dvx-flow
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = tools/completion/_dvx
CLEANFILES += $(nodist_completion_DATA)

$(nodist_completion_DATA): tools/completion/local.mk
	$(AM_V_GEN)$(MKDIR_P) tools/completion && \
	printf '%s\n' '. "$${BASH_SOURCE[0]%/*}/dvx.bash"' > $@
