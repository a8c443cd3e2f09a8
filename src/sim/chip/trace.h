/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_TRACE_H
#define SIM_CHIP_TRACE_H

/*
 * Writes one line for each event of the probe, decoded by the rows of prm/ (--trace). -1: no trace.
 */
void trace_to(int fd);

#endif
