/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PCIe model: which TLPs a message takes, and their bytes on the link. Sizes of headers are
 * those of Neugebauer et al., "Understanding PCIe performance for end host networking" (SIGCOMM
 * 2018), with 64-bit addresses: 8 bytes of framing and data link, 16 of a request, 12 of a
 * completion. Where public sources don't say what a NIC does, there are a least and a most
 * (doc/design/0102, doc/hardware-to-verify.md).
 */
#include "stat.h"

#include <math.h>

#define BLOCK	 64.0
#define REGISTER 8.0
#define RECORD	 4.0

/* Quantities of a line. */
struct model {
	const struct stat_line *l;
	struct bounds registers, blueflame; /* blocks of the latter */
	struct bounds fetched;		    /* blocks */
	struct bounds fetch_reads, fetch_completions;
	double calls; /* doorbells of either kind, at most */
};

static struct bounds model_exact(double n)
{
	return (struct bounds){n, n};
}

static double model_pieces(double parts, double bytes, double size)
{
	return parts > 0 ? parts * ceil(bytes / parts / size) : 0;
}

/* [I] One read at least fetches all WQEs of a doorbell, one for each block at most. */
static void model_fetch(struct model *m, const struct stat_pcie *pcie)
{
	const double blocks = m->fetched.most, doorbells = m->registers.least;

	m->fetch_reads =
		(struct bounds){model_pieces(doorbells, blocks * BLOCK, pcie->mrrs), blocks};
	m->fetch_completions =
		(struct bounds){model_pieces(doorbells, blocks * BLOCK, pcie->mps), blocks};
	if (!m->l->known)
		m->fetch_reads.least = 0; /* all WQEs may have come by BlueFlame */
}

/* A program's calls that were not seen are one for all messages at least, one for each at most. */
static void model_doorbells(struct model *m, const struct stat_pcie *pcie)
{
	const struct stat_line *l = m->l;
	const double messages = l->n[STAT_MESSAGES], small = l->n[STAT_SMALL];
	const double blueflame = l->blueflame < small ? l->blueflame : small;
	/* Requests of a queue that failed are posted, and no messages. */
	const double calls = l->calls < messages ? l->calls : messages;
	const double blocks = messages > 0 ? l->n[STAT_BLOCKS] / messages : 0;

	m->registers = l->known ? model_exact(calls > blueflame ? calls - blueflame : 0)
				: (struct bounds){messages > 0, messages};
	m->calls = l->known ? calls : messages;
	m->blueflame = model_exact(blueflame * blocks);
	m->fetched = model_exact(l->n[STAT_BLOCKS] - m->blueflame.most);
	model_fetch(m, pcie);
}

static void model_add(struct stat_traffic *t, enum stat_side side, enum stat_way way, double header,
		      struct bounds tlps, struct bounds bytes)
{
	struct bounds *n = &t->tlps[side][way], *b = &t->bytes[side][way];

	n->least += tlps.least;
	n->most += tlps.most;
	b->least += tlps.least * header + bytes.least;
	b->most += tlps.most * header + bytes.most;
}

static void model_lines(struct stat_traffic *t, enum stat_side side, enum stat_way way,
			double least, double most)
{
	t->lines[side][way].least += least;
	t->lines[side][way].most += most;
}

/* Memory that the NIC reads: requests up, completions down. */
static void model_read(struct stat_traffic *t, enum stat_side side, struct bounds reads,
		       struct bounds completions, struct bounds bytes)
{
	model_add(t, side, STAT_UP, STAT_REQUEST, reads, model_exact(0));
	model_add(t, side, STAT_DOWN, STAT_COMPLETION, completions, bytes);
}

/* Memory of data segments or behind a remote key. */
static void model_data(struct stat_traffic *t, enum stat_side side, const double *dma, bool written)
{
	if (written)
		model_add(t, side, STAT_UP, STAT_REQUEST, model_exact(dma[STAT_DMA_MPS]),
			  model_exact(dma[STAT_DMA_BYTES]));
	else
		model_read(t, side, model_exact(dma[STAT_DMA_MRRS]), model_exact(dma[STAT_DMA_MPS]),
			   model_exact(dma[STAT_DMA_BYTES]));
	model_lines(t, side, written ? STAT_UP : STAT_DOWN, dma[STAT_DMA_LINES],
		    dma[STAT_DMA_LINES]);
}

static void model_send(struct stat_traffic *t, const struct model *m)
{
	const struct bounds records = {0, m->calls};

	model_add(t, STAT_AT_HERE, STAT_DOWN, STAT_REQUEST, m->registers,
		  (struct bounds){m->registers.least * REGISTER, m->registers.most * REGISTER});
	model_add(t, STAT_AT_HERE, STAT_DOWN, STAT_REQUEST, m->blueflame,
		  model_exact(m->blueflame.most * BLOCK));
	model_read(t, STAT_AT_HERE, m->fetch_reads, m->fetch_completions,
		   model_exact(m->fetched.most * BLOCK));
	/* [I] whether a NIC reads the doorbell record for each doorbell */
	model_read(t, STAT_AT_HERE, records, records, (struct bounds){0, m->calls * RECORD});
	model_lines(t, STAT_AT_HERE, STAT_DOWN, m->fetched.least, m->fetched.most + m->calls);
}

/* [I] Entries are read one by one: their bytes at least, a line at most. */
static void model_receive(struct stat_traffic *t, const struct stat_line *l)
{
	const struct bounds n = model_exact(l->n[STAT_MESSAGES]);
	const double lines = n.most * BLOCK;

	model_read(t, STAT_AT_HERE, n, n,
		   (struct bounds){l->n[STAT_ENTRIES],
				   l->n[STAT_ENTRIES] > lines ? l->n[STAT_ENTRIES] : lines});
	model_lines(t, STAT_AT_HERE, STAT_DOWN, n.least, n.most);
}

/* [I] An atomic at its target is one AtomicOp, or a read and a write. */
static void model_atomic(struct stat_traffic *t, const struct stat_line *l)
{
	const double n = l->n[STAT_MESSAGES], bytes = l->n[STAT_TARGET + STAT_DMA_BYTES];

	model_add(t, STAT_AT_TARGET, STAT_UP, STAT_REQUEST, (struct bounds){n, 2 * n},
		  model_exact(bytes));
	model_add(t, STAT_AT_TARGET, STAT_DOWN, STAT_COMPLETION, model_exact(n),
		  model_exact(bytes));
	model_lines(t, STAT_AT_TARGET, STAT_UP, n, n);
	model_lines(t, STAT_AT_TARGET, STAT_DOWN, n, n);
}

static void model_cqes(struct stat_traffic *t, const struct stat_line *l)
{
	const double lines = l->n[STAT_CQE_BYTES] / BLOCK;

	model_add(t, STAT_AT_HERE, STAT_UP, STAT_REQUEST, model_exact(l->n[STAT_CQES]),
		  model_exact(l->n[STAT_CQE_BYTES]));
	model_lines(t, STAT_AT_HERE, STAT_UP, lines, lines);
}

void stat_model(struct stat_line *l, const struct stat_pcie *pcie)
{
	struct stat_traffic *t = &l->traffic;
	const bool receives = l->class == STAT_RECEIVE,
		   answered = l->class == STAT_READ || l->class == STAT_ATOMIC;
	struct model m = {.l = l};

	*t = (struct stat_traffic){0};
	if (receives) {
		model_receive(t, l);
	} else {
		model_doorbells(&m, pcie);
		model_send(t, &m);
	}
	model_data(t, STAT_AT_HERE, l->n + STAT_HERE, receives || answered);
	if (l->class == STAT_ATOMIC)
		model_atomic(t, l);
	else
		model_data(t, STAT_AT_TARGET, l->n + STAT_TARGET, l->class == STAT_WRITE);
	model_cqes(t, l);
}

struct bounds stat_bytes_of(const struct stat_line *l)
{
	struct bounds sum = {0, 0};

	for (unsigned int side = 0; side < STAT_SIDES; side++)
		for (unsigned int way = 0; way < STAT_WAYS; way++) {
			sum.least += l->traffic.bytes[side][way].least;
			sum.most += l->traffic.bytes[side][way].most;
		}
	return sum;
}
