# SPDX-License-Identifier: BSD-2-Clause
# What tools with commands share.
noinst_LTLIBRARIES += tools/cli/libcli.la
tools_cli_libcli_la_SOURCES = tools/cli/cli.h tools/cli/cli.c tools/cli/names.h tools/cli/names.c
