/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The daemon as a service: systemd's protocols of socket activation (sd_listen_fds(3)) and of
 * notification (sd_notify(3)), which are stable, small and documented for such use.
 */
#ifndef DVX_FLOW_SERVICE_H
#define DVX_FLOW_SERVICE_H

#include <stddef.h>

#include "fault.h"

/*
 * Finds the listening socket that the service manager passed, and its path. Returns a descriptor,
 * -1 if none was passed, or -2 with a fault if it is no listening Unix socket.
 */
int service_socket(char *path, size_t size, struct flow_fault *f);
/* Sends the service manager, if there is one, a state such as "READY=1". */
void service_notify(const char *state);

#endif
