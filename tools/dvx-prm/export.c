/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "dvx-prm.h"

/* prm/prm.json of this build, compiled in: no file is needed, and its version is the program's. */
static const char text[] =
#include "tools/dvx-prm/export.inc"
	;

int prm_cmd_export(const struct prm_args *a)
{
	(void)a;
	return fputs(text, stdout) < 0 ? EXIT_INPUT : EXIT_DONE;
}
