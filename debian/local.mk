# SPDX-License-Identifier: BSD-2-Clause
# Debian's packages: by name, as a build in the source folder leaves more there (doc/design/0080).
EXTRA_DIST += debian/changelog debian/control debian/copyright debian/rules debian/source/format debian/not-installed \
	debian/libdvx0.install debian/libdvx0.symbols debian/libdvx-dev.install \
	debian/dvx-tools.install debian/dvx-tools.prerm debian/dvx-tools.postrm debian/dvx-tools.README.Debian \
	debian/dvx-sim.install debian/dvx-sim.prerm \
	debian/dvx-doc.install debian/dvx-doc.docs debian/dvx-doc.examples debian/dvx-doc.doc-base \
	debian/tests/control debian/tests/main-jobs debian/tests/build-against
EXTRA_DIST += packaging/dvx.spec packaging/check packaging/in-root
