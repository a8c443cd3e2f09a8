/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion for shells: "TOOL --complete WORD..." prints, one a line, what the last WORD may
 * become. Nothing means a file name; COMPLETE_PROGRAM means a program.
 */
#ifndef DVX_TOOLS_COMPLETE_H
#define DVX_TOOLS_COMPLETE_H

#include "cli.h"

#define COMPLETE_PROGRAM " program"

int cli_complete(const struct cli *cli, int argc, char **argv);

/* For cli_words: prints the word, followed by the suffix, if what was typed so far begins it. */
void complete_offer(const char *word, const char *suffix);

#endif
