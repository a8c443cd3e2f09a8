/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of one queue as a pcap file, which ends with a whole packet even on a full disk. */
#ifndef DVX_FLOW_CAPTURE_H
#define DVX_FLOW_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

struct capture;

/* DIR/queueN.pcap. -errno. */
int capture_open(const char *dir, unsigned int queue, struct capture **out);
/* 0 or -errno. After one failure there is nothing more to write to. */
int capture_packet(struct capture *c, const void *bytes, size_t len);
int capture_flush(struct capture *c);
/* Packets that are in the file: exact after capture_flush() and after a failure. */
uint64_t capture_packets(const struct capture *c);
const char *capture_path(const struct capture *c);
void capture_close(struct capture *c);

#endif
