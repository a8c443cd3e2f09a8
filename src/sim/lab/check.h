/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_CHECK_H
#define SIM_LAB_CHECK_H

#include "why.h"

/*
 * Reports to the sink, from now on, what programs do wrong as far as only the device sees it: a
 * subscriber of the probe (doc/design/0100). The sink stays the caller's.
 */
void check_start(struct device *, const struct why_sink *);
void check_stop(void);

#endif
