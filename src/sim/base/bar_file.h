/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_BAR_FILE_H
#define SIM_BASE_BAR_FILE_H

/*
 * The file of a device's registers: made by the chip (host/bar.c), recognized by a preload by its
 * name and size.
 */
#define BAR_FILE_NAME "dvx-sim-bar"
#define BAR_PAGES     4096
#define BAR_BYTES     (BAR_PAGES * 4096)

#endif
