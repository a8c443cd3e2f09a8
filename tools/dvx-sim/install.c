/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include "tools/cli/install.h"

const char *preload_path(void)
{
	static char path[PATH_MAX];

	return install_find(path, "../../src/sim/.libs/libdvx-sim.so",
			    PKGLIB_FROM_BIN "/libdvx-sim.so", PKGLIBDIR "/libdvx-sim.so");
}

const char *server_path(void)
{
	static char path[PATH_MAX];

	return install_find(path, "../../src/sim/dvx-sim-server",
			    PKGLIBEXEC_FROM_BIN "/dvx-sim-server", PKGLIBEXECDIR "/dvx-sim-server");
}

const char *install_check_path(void)
{
	static char path[PATH_MAX];

	return install_find(path, "../dvx-check/dvx-check", "dvx-check", BINDIR "/dvx-check");
}

const char *check_preload_path(void)
{
	static char path[PATH_MAX];

	return install_find(path, "../../src/check/.libs/libdvx-check.so",
			    PKGLIB_FROM_BIN "/libdvx-check.so", PKGLIBDIR "/libdvx-check.so");
}
