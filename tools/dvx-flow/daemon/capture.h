/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of one queue as a pcap file, which ends with a complete packet even on a full disk. */
#ifndef DVX_FLOW_CAPTURE_H
#define DVX_FLOW_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

struct queue_capture;

/* Opens DIR/queueN.pcap. Returns 0 or -errno. */
int queue_capture_open(const char *dir, unsigned int queue, struct queue_capture **out);
/* Returns 0 or -errno. After a failure nothing more is written. */
int queue_capture_packet(struct queue_capture *c, const void *bytes, size_t len);
int queue_capture_flush(struct queue_capture *c);
/* Returns how many packets are in the file. Exact after queue_capture_flush() and a failure. */
uint64_t queue_capture_packets(const struct queue_capture *c);
const char *queue_capture_path(const struct queue_capture *c);
void queue_capture_close(struct queue_capture *c);

#endif
