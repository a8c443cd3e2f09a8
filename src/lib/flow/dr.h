/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dr_errors.c: why libmlx5 or the kernel refuses, which give only an errno. All but the first fail
 * with the sentence.
 */
#ifndef DVX_FLOW_DR_H
#define DVX_FLOW_DR_H

#include "backend.h"

bool dvx_flow_dr_software_owned(const struct dvx_flow_domain *domain);
int dvx_flow_dr_domain_refused(const struct dvx_flow_domain *domain, int err);
int dvx_flow_dr_table_refused(const struct dvx_flow_table *table, int err);
int dvx_flow_dr_matcher_refused(const struct dvx_flow_trial *trial, int err);
int dvx_flow_dr_action_refused(const struct dvx_flow_action *action, const char *call, int err);
int dvx_flow_dr_no_anchor(const char *call, int err);
int dvx_flow_dr_rule_refused(const struct dvx_flow_rule *rule, const uint8_t *value, int err);

/* Checks what libmlx5 or the kernel would refuse without a usable errno. */
int dvx_flow_dr_check_vlan(const struct dvx_flow_action *action, const char *call);
int dvx_flow_dr_check_encap(const struct dvx_flow_action *action, const char *call);
int dvx_flow_dr_check_root(const struct dvx_flow_action *action);
/* dr_fdb.c: the limits of the FDB. The first two return 0 in other domains. */
int dvx_flow_fdb_check_domain(const struct dvx_flow_domain *domain);
int dvx_flow_fdb_check_mask(const struct dvx_flow_domain *domain, const uint8_t *mask);
int dvx_flow_fdb_check_rule(const struct dvx_flow_rule *rule, const uint8_t *value);
int dvx_flow_fdb_root_refused(struct dvx_dev *dev, int err);
int dvx_flow_fdb_lacks_vport(struct dvx_dev *dev, const char *what, uint32_t vport, int err);

/* Refuses fields that libmlx5 would ignore below the root. */
int dvx_flow_dr_check_mask(const struct dvx_flow_domain *domain, const uint8_t *mask);

#endif
