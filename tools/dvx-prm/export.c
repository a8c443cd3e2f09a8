/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "dvx-prm.h"

/* prm/prm.json of this build: the program needs no file, and the versions agree.
 */
static const char text[] =
#include "tools/dvx-prm/export.inc"
	;

int prm_cmd_export(const struct prm_args *a)
{
	(void)a;
	return fputs(text, stdout) < 0 ? EXIT_INPUT : EXIT_DONE;
}
