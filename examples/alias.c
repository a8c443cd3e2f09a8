/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DMA between two functions of a chip, a host and its DPU for example, without a network: the host
 * allows others to use its memory (ALLOW_OTHER_VHCA_ACCESS), the DPU makes an alias of the key, and
 * its copy engine moves the bytes both ways.
 *
 *	dvx-sim up nic
 *	mkfifo pipe
 *	dvx-sim exec nic --function host -- ./alias host <pipe |
 *		dvx-sim exec nic --function dpu -- ./alias dpu >pipe
 *
 * The host prints a ticket, which lets its reader use the memory. Send it over an authenticated
 * channel, as dvx-copy(1) does.
 */
#include "example.h"

enum { BYTES = 1 << 20, NOTE = BYTES / 2 };

static _Alignas(4096) char memory[BYTES];

/* Reads a line of standard input, without its end. */
static void read_line(char *line, int size)
{
	if (!fgets(line, size, stdin)) {
		fprintf(stderr, "the other end is gone\n");
		exit(1);
	}
	line[strcspn(line, "\n")] = '\0';
}

static void say(const char *line)
{
	printf("%s\n", line);
	fflush(stdout);
}

static void be_host(struct example *x)
{
	struct dvx_mkey_attr attr = {.size = sizeof(attr),
				     .pd = x->pd,
				     .addr = memory,
				     .len = sizeof(memory),
				     .access =
					     DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ};
	char text[DVX_TICKET_TEXT + 1];
	struct dvx_ticket ticket;
	struct dvx_mkey *mkey;

	strcpy(memory, "the host's bytes");
	must(dvx_mkey_create(x->dev, &attr, &mkey), "mkey");
	must(dvx_mkey_export(mkey, &ticket), "export");
	dvx_ticket_to_text(&ticket, text);
	dvx_ticket_wipe(&ticket);
	say(text);
	read_line(text, sizeof(text)); /* the DPU has copied */
	fprintf(stderr, "host: the DPU wrote \"%s\"\n", memory + NOTE);
	must(dvx_mkey_destroy(mkey), "revoke"); /* accesses by aliases fail from now on */
	say("revoked");
}

static struct dvx_qp *make_engine(struct example *x, struct dvx_cq *cq)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .flags = DVX_QP_MMO,
				   .pd = x->pd,
				   .uar = x->uar,
				   .send_cq = cq,
				   .sq_blocks = 64};
	struct dvx_qp *qp;

	must(dvx_qp_create(x->dev, &attr, &qp), "qp");
	must(dvx_qp_connect_self(qp, 0), "connect");
	return qp;
}

/* Makes a copy by the copy engine; returns its syndrome. */
static uint8_t copy(struct dvx_qp *qp, struct dvx_cq *cq, const struct dvx_sge *to,
		    const struct dvx_sge *from)
{
	struct dvx_wc wc = {0};

	must(dvx_post_dma(dvx_qp_sq(qp), to->addr, to->lkey, from->addr, from->lkey, to->length, 1,
			  DVX_SIGNALED),
	     "copy");
	dvx_sq_ring(dvx_qp_sq(qp));
	return example_next(cq, &wc) == 1 ? 0 : wc.syndrome;
}

static void must_copy(uint8_t syndrome, const char *what)
{
	if (!syndrome)
		return;
	fprintf(stderr, "DPU: %s: %s\n", what, dvx_cqe_strerror(syndrome));
	exit(1);
}

static void be_dpu(struct example *x)
{
	struct dvx_cq *cq = example_cq(x);
	struct dvx_qp *qp = make_engine(x, cq);
	uint32_t key = example_key(x, memory, sizeof(memory), DVX_LOCAL_WRITE);
	char text[DVX_TICKET_TEXT + 1];
	struct dvx_ticket ticket;
	struct dvx_mkey *alias;

	read_line(text, sizeof(text));
	must(dvx_ticket_from_text(text, &ticket), "ticket");
	must(dvx_mkey_import(x->dev, x->pd, &ticket, &alias), "import");
	dvx_ticket_wipe(&ticket);

	struct dvx_sge mine = {(uintptr_t)memory, NOTE, key};
	struct dvx_sge hosts = {dvx_mkey_addr(alias), NOTE, dvx_mkey_key(alias)};

	must_copy(copy(qp, cq, &mine, &hosts), "copy from the host");
	fprintf(stderr, "DPU: copied %u bytes, \"%s\"\n", mine.length, memory);
	strcpy(memory, "the DPU's bytes");
	hosts.addr += NOTE;
	must_copy(copy(qp, cq, &hosts, &mine), "copy to the host");
	say("copied");
	read_line(text, sizeof(text)); /* "revoked" */
	fprintf(stderr, "DPU: after that: %s\n", dvx_cqe_strerror(copy(qp, cq, &mine, &hosts)));
	must(dvx_mkey_destroy(alias), "alias");
}

int main(int argc, char **argv)
{
	const char *role = argc > 1 ? argv[1] : "";
	struct example x;

	if (strcmp(role, "host") && strcmp(role, "dpu")) {
		fprintf(stderr, "usage: alias host|dpu [DEVICE]\n");
		return 2;
	}
	example_open(&x, argc > 2 ? argv[2] : NULL);
	if (!strcmp(role, "dpu"))
		be_dpu(&x);
	else
		be_host(&x);
	return 0;
}
