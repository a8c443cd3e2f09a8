/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_EMBEDDED_H
#define SIM_EMBEDDED_H

struct transport;

#define EMBEDDED_TREE "dvx-sim-sysfs."

/* The chip as a thread of the program, for a preload without a server. */
extern const struct transport transport_embedded;

/* At exit: removes the private sysfs tree, if this process made one. */
void embedded_fini(void);

#endif
