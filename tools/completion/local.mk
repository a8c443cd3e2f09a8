# SPDX-License-Identifier: BSD-2-Clause
# Both shells look for a file of the command's name. Each is whole: a package may have one tool alone.
completiondir = $(datadir)/bash-completion/completions
nodist_completion_DATA = tools/completion/dvx-prm tools/completion/dvx-info tools/completion/dvx-sim \
	tools/completion/dvx-perf tools/completion/dvx-copy tools/completion/dvx-flow tools/completion/dvx-check \
	tools/completion/dvx-verify
zshcompletiondir = $(datadir)/zsh/site-functions
nodist_zshcompletion_DATA = $(nodist_completion_DATA:tools/completion/%=tools/completion/_%)
CLEANFILES += $(nodist_completion_DATA) $(nodist_zshcompletion_DATA)
EXTRA_DIST += tools/completion/dvx.bash tools/completion/_dvx

$(nodist_completion_DATA): tools/completion/dvx.bash
	$(AM_V_GEN)$(MKDIR_P) tools/completion && cp $(srcdir)/tools/completion/dvx.bash $@
$(nodist_zshcompletion_DATA): tools/completion/_dvx
	$(AM_V_GEN)$(MKDIR_P) tools/completion && \
	sed '1s/.*/#compdef $(@F:_%=%)/' $(srcdir)/tools/completion/_dvx >$@
