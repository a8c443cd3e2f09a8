/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion for shells: "TOOL --complete WORD..." prints the completions of the last WORD, one per
 * line. No output means that a file name belongs there; COMPLETE_PROGRAM means a program.
 */
#ifndef DVX_TOOLS_COMPLETE_H
#define DVX_TOOLS_COMPLETE_H

#include "cli.h"

#define COMPLETE_PROGRAM " program"

int cli_complete(const struct cli *cli, int argc, char **argv);

/*
 * Prints a word with its suffix if it begins with the text typed so far; struct cli_words calls it.
 */
void complete_offer(const char *word, const char *suffix);

#endif
