/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limits qp|cq|mkey [COMMAND [ARG...]]: makes objects until the device refuses one, prints how many
 * and why, runs COMMAND meanwhile; makes one more after each one destroyed, then destroys all.
 * Returns COMMAND's exit code, or 1 on any other result.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dvx/dvx.h>

#define MOST 200u

static struct dvx_dev *dev;
static struct dvx_pd *pd;
static struct dvx_uar *uar;
static struct dvx_cq *cq;
static _Alignas(4096) char memory[4096];

static void must(int err, const char *what)
{
	if (!err)
		return;
	printf("%s: %s\n", what, dvx_strerror(dvx_last_error()->err));
	exit(1);
}

static int make_qp(void **o)
{
	struct dvx_qp_attr a = {
		.size = sizeof(a), .pd = pd, .send_cq = cq, .uar = uar, .sq_blocks = 16};

	if (!cq) {
		struct dvx_cq_attr ca = {.size = sizeof(ca),
					 .entries = 16,
					 .uar = uar,
					 .flags = DVX_CQ_OVERCOMMIT};

		must(dvx_cq_create(dev, &ca, &cq), "cq");
		a.send_cq = cq;
	}
	return dvx_qp_create(dev, &a, (struct dvx_qp **)o);
}

static int free_qp(void *o)
{
	return dvx_qp_destroy(o);
}

static int make_cq(void **o)
{
	struct dvx_cq_attr a = {.size = sizeof(a), .entries = 16, .uar = uar};

	return dvx_cq_create(dev, &a, (struct dvx_cq **)o);
}

static int free_cq(void *o)
{
	return dvx_cq_destroy(o);
}

static int make_mkey(void **o)
{
	struct dvx_mkey_attr a = {
		.size = sizeof(a), .pd = pd, .addr = memory, .len = sizeof(memory)};

	return dvx_mkey_create(dev, &a, (struct dvx_mkey **)o);
}

static int free_mkey(void *o)
{
	return dvx_mkey_destroy(o);
}

static const struct kind {
	const char *name;
	int (*make)(void **);
	int (*free)(void *);
} kinds[] = {
	{"qp", make_qp, free_qp},
	{"cq", make_cq, free_cq},
	{"mkey", make_mkey, free_mkey},
};

static int run(char **argv)
{
	pid_t child = fork();
	int status;

	if (!child) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

/* Checks that each destroyed object makes room for exactly one. */
static void again(const struct kind *k, void **all, unsigned int n)
{
	void *over;

	for (unsigned int i = 0; i < n; i++) {
		must(k->free(all[i]), "destroy");
		must(k->make(&all[i]), "make again");
		if (k->make(&over) != -ENOMEM) {
			printf("one more than %u fits after all\n", n);
			exit(1);
		}
	}
}

static int fill(const struct kind *k, char **command)
{
	void *all[MOST];
	unsigned int n = 0;
	int rc = 0, err = 0;

	while (n < MOST && !(err = k->make(&all[n])))
		n++;
	printf("%u made, then %d: %s\n", n, err, dvx_strerror(err));
	fflush(stdout);
	if (err != -ENOMEM)
		return 1;
	if (*command)
		rc = run(command);
	again(k, all, n);
	while (n)
		must(k->free(all[--n]), "destroy");
	return rc;
}

int main(int argc, char **argv)
{
	int rc = 1;

	must(dvx_dev_open(NULL, &dev), "open");
	must(dvx_pd_alloc(dev, &pd), "pd");
	must(dvx_uar_alloc(dev, DVX_UAR_ANY, &uar), "uar");
	for (unsigned int i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			rc = fill(&kinds[i], argv + 2);
	if (cq)
		must(dvx_cq_destroy(cq), "destroy");
	must(dvx_uar_free(uar), "free");
	must(dvx_pd_free(pd), "free");
	must(dvx_dev_close(dev), "close");
	return rc;
}
