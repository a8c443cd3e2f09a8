/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads health reports: lines in which the kernel (or devlink) prints firmware's health buffer. */
#ifndef DVX_PRM_HEALTH_H
#define DVX_PRM_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct health {
	uint32_t has; /* a bit for each row of the table of lines */
	uint8_t bytes[64];
	char device[24]; /* "0000:0d:00.0", or "" */
	char firmware[24];
};

/*
 * Takes a line if it belongs to a report of its device. With `open`, a report has begun, so lines
 * without the driver's name count, too. Refuses a line that the report has already: it may begin
 * another report.
 */
bool health_take(struct health *h, const char *line, bool open);

/* Whether a line with this field of health_buffer was taken. */
bool health_has(const struct health *h, const char *field);

/* Returns the device that the line names, or "". */
void health_device(char *device, size_t size, const char *line);

#endif
