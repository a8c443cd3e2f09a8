/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_GOLDEN_VERBS_SIG_H
#define TESTS_GOLDEN_VERBS_SIG_H

#include <infiniband/mlx5dv.h>
#include "cases.h"

/* A case's mkey, and its key of encryption. */
struct verbs_sig {
	struct mlx5dv_mkey *mkey;
	struct mlx5dv_dek *dek; /* NULL: no encryption */
};

void verbs_sig_open(struct verbs_sig *, struct ibv_pd *pd, const struct golden_case *);
void verbs_sig_close(struct verbs_sig *);
/* By mlx5dv's builder of mkeys, between ibv_wr_start() and ibv_wr_complete(). */
void verbs_sig_post(const struct verbs_sig *, struct ibv_qp_ex *ex, const struct golden_case *,
		    struct ibv_sge *sge, uint16_t n);

#endif
