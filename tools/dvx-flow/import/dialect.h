/* SPDX-License-Identifier: BSD-2-Clause */
/* The importers: each reads a whole text and adds its rules. */
#ifndef DVX_FLOW_IMPORT_DIALECT_H
#define DVX_FLOW_IMPORT_DIALECT_H

#include "values.h"

void tc_read(struct import *im, struct token_reader *r);
void ethtool_read(struct import *im, struct token_reader *r);
void testpmd_read(struct import *im, struct token_reader *r);
void iptables_read(struct import *im, struct token_reader *r);
void ip6tables_read(struct import *im, struct token_reader *r);
void nft_read(struct import *im, struct token_reader *r);
void ovs_read(struct import *im, struct token_reader *r);
void dpctl_read(struct import *im, struct token_reader *r);

/* Return whether a line is of this dialect. */
bool tc_looks(const struct tokens *line);
bool ethtool_looks(const struct tokens *line);
bool testpmd_looks(const struct tokens *line);
bool iptables_looks(const struct tokens *line);
bool ip6tables_looks(const struct tokens *line);
bool nft_looks(const struct tokens *line);
bool ovs_looks(const struct tokens *line);
bool dpctl_looks(const struct tokens *line);
/* Returns the versions whose words a line of iptables-save has: 1: IPv4, 2: IPv6, 3: both. */
unsigned int iptables_versions(const struct tokens *line);
/* Returns the IP version that the first comment of iptables-save or ip6tables-save names, or 0. */
uint8_t iptables_section(const char *from, const char *end);
/* Leaves out a line that is of no dialect, or of another one. */
void dialect_leave_line(struct import *im, const struct tokens *line);

#endif
