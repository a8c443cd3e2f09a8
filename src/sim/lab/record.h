/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_RECORD_H
#define SIM_LAB_RECORD_H

/* Appends all that the device does to a recording (src/record/record.h). Returns 0 or -errno. */
int lab_record_to(const char *path);

#endif
