# Everything that is done with this tree, by name. `make` alone lists the names; each is explained beside it.

PREFIX      ?= /usr/local
SYSCONFDIR  ?= /etc
DESTDIR     ?=
SWIFT       ?= swift

# Release binaries carry the Swift runtime in themselves, no symbols and no search path for libraries, so that they run
# where no Swift is, and load nothing but Debian's own. Every symbol is bound at the start: what may be written to later on
# is no way into the program, and nothing is looked up while secrets are at hand.
RELEASE_DIR   := .build/release
RELEASE_FLAGS := -c release --static-swift-stdlib --disable-local-rpath -Xlinker -s -Xlinker -z -Xlinker now
SWIFT_SOURCES := Package.swift Sources Tests

bin_dir      = $(DESTDIR)$(PREFIX)/bin
sbin_dir     = $(DESTDIR)$(PREFIX)/sbin
unit_dir     = $(DESTDIR)$(PREFIX)/lib/systemd/system
sysusers_dir = $(DESTDIR)$(PREFIX)/lib/sysusers.d
tmpfiles_dir = $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
share_dir    = $(DESTDIR)$(PREFIX)/share
doc_dir      = $(share_dir)/doc/kith
data_dir     = $(share_dir)/kith
config_dir   = $(DESTDIR)$(SYSCONFDIR)/kith

# Pages and units say where they are installed.
prefixed = sed 's|/usr/local/|$(PREFIX)/|g'
# As they lie here, because they link to each other.
doc_pages = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE $(wildcard docs/*.md docs/decisions/*.md docs/examples/*) \
  systemd/kithd.service systemd/kith.json5.example

.DEFAULT_GOAL := help
# One thing after the other: the Swift build already uses every core.
.NOTPARALLEL:

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## install the Debian packages that Kith needs (root or sudo)
	scripts/setup

.PHONY: build
build: ## build stripped release binaries that need no Swift: .build/release/kithd and .build/release/kith
	scripts/without-warnings $(SWIFT) build $(RELEASE_FLAGS) --product kithd
	scripts/without-warnings $(SWIFT) build $(RELEASE_FLAGS) --product kith
	scripts/without-warnings $(SWIFT) build $(RELEASE_FLAGS) --product kith-bench

.PHONY: demo
demo: build ## walk through signing people in, on an embedded database; leaves nothing running
	scripts/demo

.PHONY: test
test: ## run every test: Swift (Swift Testing, real PostgreSQL, real sockets), then SQL
	scripts/tested-tree begin
	scripts/without-warnings $(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest --skip FaultTests --experimental-maximum-parallelization-width 8
	$(SWIFT) test --skip-build --disable-xctest --filter FaultTests
	$(MAKE) --no-print-directory test-sql
	scripts/tested-tree passed

.PHONY: test-sql
test-sql: ## run the pgTAP tests and compare the schema with sql/schema.sql
	scripts/with-postgres pg_prove sql/tests/*_test.sql
	scripts/with-postgres scripts/check-schema

.PHONY: test-systemd
test-systemd: build ## boot a real systemd, install into it, sign somebody in through the socket (root)
	scripts/test-systemd

.PHONY: check
check: ## all that CI checks: format, scripts, units, warnings, tests, release binaries, demo, systemd, quick benchmark
check: lint check-units
	scripts/tested-tree already || $(MAKE) --no-print-directory test
	$(MAKE) --no-print-directory build
	scripts/release-check
	scripts/demo
	$(MAKE) --no-print-directory test-systemd
	$(MAKE) --no-print-directory bench-quick

.PHONY: check-units
check-units: ## check the systemd units and what they expose
	scripts/check-units

.PHONY: bench
bench: build ## measure kithd against pgbench in one run (about 7 minutes); USERS=n to load other than 200000
	$(RELEASE_DIR)/kith-bench $(if $(USERS),--users $(USERS))

.PHONY: bench-quick
bench-quick: build ## only prove that the benchmark runs
	$(RELEASE_DIR)/kith-bench --quick

.PHONY: format
format: ## format the Swift sources in place
	$(SWIFT) format --in-place --recursive --parallel $(SWIFT_SOURCES)

.PHONY: lint
lint: ## check the format of the Swift sources, the shell scripts, and that the documentation is complete
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	shellcheck --exclude=SC2317 scripts/* .ci/run # SC2317: takes what a trap calls for unreachable
	scripts/check-docs

.PHONY: install
install: ## install what `make build` built, under DESTDIR and PREFIX (default /usr/local)
	install -d $(bin_dir) $(sbin_dir) $(unit_dir) $(sysusers_dir) $(tmpfiles_dir) $(data_dir) $(config_dir)
	install -d $(doc_dir)/docs/decisions $(doc_dir)/docs/examples $(doc_dir)/systemd
	install -m 0755 $(RELEASE_DIR)/kith $(bin_dir)/kith
	install -m 0755 $(RELEASE_DIR)/kithd $(sbin_dir)/kithd
	for unit in kithd.service kithd-app.socket kithd-admin.socket; do \
	  $(prefixed) systemd/$$unit > $(unit_dir)/$$unit && chmod 0644 $(unit_dir)/$$unit || exit 1; \
	done
	install -m 0644 systemd/sysusers.d/kith.conf $(sysusers_dir)/kith.conf
	install -m 0644 systemd/tmpfiles.d/kith.conf $(tmpfiles_dir)/kith.conf
	install -m 0644 systemd/kith.json5.example $(config_dir)/kith.json5.example
	install -m 0644 sql/roles.sql $(data_dir)/roles.sql
	for page in $(doc_pages); do \
	  $(prefixed) $$page > $(doc_dir)/$$page && chmod 0644 $(doc_dir)/$$page || exit 1; \
	done
	install -d $(share_dir)/bash-completion/completions $(share_dir)/zsh/site-functions
	install -d $(share_dir)/fish/vendor_completions.d
	$(RELEASE_DIR)/kith completion bash > $(share_dir)/bash-completion/completions/kith
	$(RELEASE_DIR)/kith completion zsh > $(share_dir)/zsh/site-functions/_kith
	$(RELEASE_DIR)/kith completion fish > $(share_dir)/fish/vendor_completions.d/kith.fish
