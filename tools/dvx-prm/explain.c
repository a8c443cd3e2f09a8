/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-prm.h"

int cmd_explain(const struct args *a)
{
	(void)a;
	return EXIT_NO;
}
