# SPDX-License-Identifier: BSD-2-Clause
# What all tools share: command lines, completion, numbers, messages, JSON, TCP; and a checksum.
noinst_LTLIBRARIES += tools/cli/libcli.la tools/cli/libnames.la
tools_cli_libnames_la_SOURCES = tools/cli/names.h tools/cli/names.c
tools_cli_libnames_la_CPPFLAGS = $(AM_CPPFLAGS) # objects with names of their own
tools_cli_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tools_cli_libcli_la_LIBADD = tools/cli/libnames.la $(JANSSON_LIBS)
tools_cli_libcli_la_SOURCES = tools/cli/cli.h tools/cli/exit.h tools/cli/cli.c tools/cli/complete.h tools/cli/complete.c \
	tools/cli/option.h tools/cli/option.c tools/cli/feed.h tools/cli/feed.c tools/cli/number.h tools/cli/number.c tools/cli/replace.h tools/cli/replace.c tools/cli/message.h tools/cli/message.c \
	tools/cli/install.h tools/cli/install.c tools/cli/preload.h tools/cli/preload.c tools/cli/json.h tools/cli/json.c tools/cli/library.h tools/cli/tcp.h tools/cli/tcp.c tools/cli/crc32c.h tools/cli/crc32c.c
