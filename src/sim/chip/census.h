/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CENSUS_H
#define SIM_CENSUS_H

struct link_census;

/* Counts a chip's functions, and its objects by kind and state, for whoever asks over the link. */
extern const struct link_census census;

#endif
