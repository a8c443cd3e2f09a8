/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <dvx/dvx.h>
#include <dvx/prm/cap.h>
#include "site.h"
#include "tools/cli/exit.h"
#include "tools/cli/library.h"
#include "tools/cli/message.h"

#define PORT 1

static int site_gid_choose(struct perf_site *s)
{
	struct dvx_gid_choice choice;

	if (dvx_gid_choose(s->dev, PORT, NULL, &choice)) {
		message_print("%s", library_error());
		return EXIT_DEVICE;
	}
	memcpy(s->gid, choice.gid.gid, sizeof(s->gid));
	return EXIT_DONE;
}

static int site_gid_take(struct perf_site *s, uint32_t index)
{
	if (dvx_dev_gid(s->dev, PORT, index, s->gid)) {
		message_print("--gid-index: port %d of %s has no GID %u", PORT, site_name(s),
			      index);
		return EXIT_INPUT;
	}
	s->local.gid_index = (uint8_t)index;
	return EXIT_DONE;
}

int site_open(struct perf_site *s, const char *device, uint32_t gid_index)
{
	struct dvx_ident ident;
	struct dvx_port port;

	*s = (struct perf_site){0};
	if (dvx_dev_open(device, &s->dev)) {
		message_print("%s", library_error());
		return EXIT_INPUT;
	}
	if (dvx_dev_ident(s->dev, &ident) || dvx_dev_port(s->dev, PORT, &port) ||
	    dvx_qp_local_init(s->dev, PORT, &s->local)) {
		message_print("%s", library_error());
		return EXIT_DEVICE;
	}
	if (port.state != DVX_PORT_ACTIVE)
		message_print("port %d of %s is not active: messages may fail", PORT, site_name(s));
	s->local.q_key = SITE_Q_KEY;
	if (dvx_events_open(s->dev, &s->events))
		s->events = NULL;
	snprintf(s->board, sizeof(s->board), "%s", ident.board);
	s->lid = port.lid;
	return gid_index == SITE_ANY_GID ? site_gid_choose(s) : site_gid_take(s, gid_index);
}

void site_close(struct perf_site *s)
{
	dvx_events_close(s->events);
	s->events = NULL;
	dvx_dev_close(s->dev);
	s->dev = NULL;
}

bool site_gone(const struct perf_site *s)
{
	struct dvx_event event;
	int err = s->events ? 0 : -ETIMEDOUT;

	while (!err)
		err = dvx_events_wait(s->events, 0, &event);
	if (err != -EIO)
		return false;
	message_print("%s", library_error());
	return true;
}

int site_failed(const char *what, const struct dvx_wc *wc)
{
	message_print("a %s failed: %s (vendor 0x%x)", what, dvx_cqe_strerror(wc->syndrome),
		      wc->vendor);
	return -1;
}

/* Bits of atomic_operations: masked compare and swap, masked fetch and add. */
#define SITE_MASKED_CAS (1u << 2)
#define SITE_MASKED_FAA (1u << 3)

static bool site_atomics(const struct perf_site *s, uint32_t bits)
{
	const void *page;

	return !dvx_dev_cap_page(s->dev, PRM_HCA_CAP_TYPE_ATOMIC, &page) &&
	       (prm_atomic_caps_get_atomic_operations(page) & bits) == bits;
}

const char *site_lacks(const struct perf_site *s, enum perf_op op)
{
	if (op == PERF_DMA && !dvx_dev_caps(s->dev)->dma_mmo)
		return "DMA engine (dma_mmo_qp)";
	if (op == PERF_MASKED_FAA && !site_atomics(s, SITE_MASKED_FAA))
		return "masked fetch and add (atomic_operations)";
	if (op == PERF_MASKED_CAS && !site_atomics(s, SITE_MASKED_CAS))
		return "masked compare and swap (atomic_operations)";
	return NULL;
}

const char *site_name(const struct perf_site *s)
{
	return dvx_dev_name(s->dev);
}

bool site_is_emulator(const struct perf_site *s)
{
	return !strcmp(s->board, "dvx-sim");
}

struct perf_ends site_ends(const struct perf_site *s, uint32_t n, uint32_t *qpn)
{
	struct perf_ends e = {.n = n,
			      .qpn = qpn,
			      .lid = s->lid,
			      .mtu_log = s->local.mtu_log,
			      .psn = s->local.psn};

	memcpy(e.gid, s->gid, sizeof(e.gid));
	return e;
}

struct dvx_qp_peer site_peer(const struct perf_ends *responder, uint32_t i)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer),
				   .qpn = responder->qpn[i],
				   .psn = responder->psn,
				   .lid = responder->lid,
				   .mtu_log = responder->mtu_log,
				   .q_key = SITE_Q_KEY};

	memcpy(peer.gid, responder->gid, sizeof(peer.gid));
	return peer;
}

int site_connect(struct dvx_qp *qp, const struct perf_transport *t,
		 const struct dvx_qp_local *local, const struct perf_ends *responder, uint32_t i)
{
	struct dvx_qp_peer peer = site_peer(responder, i);

	return dvx_qp_connect(qp, local, t->addressed ? NULL : &peer);
}

uint32_t site_mtu(const struct perf_site *s)
{
	return 1u << s->local.mtu_log;
}
