# ssdqual - one Makefile, no recursion into folders.
#
#   make            build/ssdqual                 make demo    see it work (installs what is missing)
#   make test       unit, CLI, VM, Ceph tests     make check   layers, headers, linters, sanitizers
#   make bench      side by side with fio, etcd   make install DESTDIR= PREFIX=
#   make accuracy   the simulator against measured runs (MEASURED=DIR)
#
# Yours: CC CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR, WERROR=1, V=1, SANITIZE=address,undefined.
# Each configuration builds in a folder of its own, so that none needs `make clean`.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

CC ?= cc
ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
SANITIZE ?=
WERROR ?=
V ?=

comma := ,
# What test and check build, they build on all processors, unless told how many jobs to run.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
config := $(if $(SANITIZE),$(subst $(comma),-,$(SANITIZE)),release)$(if $(findstring clang,$(CC)),-clang)
B := build/$(config)
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' "$(1)" "$(2)")

VERSION := 0.1.0

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wformat=2
override CPPFLAGS += -I. -D_GNU_SOURCE -DSSDQUAL_VERSION='"$(VERSION)"'
override CFLAGS += -std=gnu17 $(warnings) $(if $(WERROR),-Werror) -pthread \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
override LDFLAGS += -pthread $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# What each layer needs of other people's libraries, and nothing more.
libs_data := -lcjson -lm
libs_probes := -laio -lblkid -lnvme -latasmart -ldl
libs_policies := -lm
libs_cli := -lxlsxwriter -lncursesw -ltinfo

resources := $(sort $(wildcard data/workloads/*.json data/backends/*.json data/drives/*.json \
	data/attributes/*.json \
	data/schema/*.json))

src_data := $(wildcard data/*.c)
src_probes := $(wildcard probes/*.c)
src_policies := $(wildcard policies/*.c)
src_cli := $(filter-out cli/main.c,$(wildcard cli/*.c))
headers := $(wildcard data/*.h probes/*.h policies/*.h cli/*.h)

obj_data := $(src_data:%.c=$(B)/%.o) $(B)/gen/resources.o
obj_probes := $(src_probes:%.c=$(B)/%.o)
obj_policies := $(src_policies:%.c=$(B)/%.o)
obj_cli := $(src_cli:%.c=$(B)/%.o)

unit_src := $(wildcard tests/data/test_*.c tests/probes/test_*.c tests/policies/test_*.c \
	tests/cli/test_*.c)
unit_bin := $(unit_src:%.c=$(B)/%)
# accuracy is one program of several files.
accuracy_src := $(wildcard tests/bench/accuracy*.c)
tool_src := $(filter-out tests/bench/accuracy_%.c,$(wildcard tests/bench/*.c))
tool_bin := $(tool_src:%.c=$(B)/%)
fuzz_src := $(wildcard tests/fuzz/*.c)
fuzz_bin := $(B)/tests/fuzz/mutate
vm_src := $(wildcard tests/vm/*.c)
vm_bin := $(vm_src:%.c=$(B)/%)

.PHONY: all
all: build/ssdqual

build/ssdqual: $(B)/ssdqual
	$(Q)cp -f $< $@

# The flags of the last build of this configuration: other flags, other objects.
flags := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
$(B)/flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' '$(subst ','\'',$(flags))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(flags))' > $@
.PHONY: FORCE
FORCE:

$(B)/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Millions of events a second: the simulator is worth the compiler's time.
$(B)/policies/sim%.o: override CFLAGS += $(if $(SANITIZE),,-O3)

$(B)/gen/resources.c: data/embed.sh $(resources)
	$(call say,EMBED,data/*/*.json)
	$(Q)mkdir -p $(@D)
	$(Q)sh data/embed.sh $(resources) > $@
$(B)/gen/resources.o: $(B)/gen/resources.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

define archive
$(call say,AR,$@)
$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)
endef
$(B)/libdata.a: $(obj_data)
	$(archive)
$(B)/libprobes.a: $(obj_probes)
	$(archive)
$(B)/libpolicies.a: $(obj_policies)
	$(archive)
$(B)/libcli.a: $(obj_cli)
	$(archive)

archives := $(B)/libcli.a $(B)/libpolicies.a $(B)/libprobes.a $(B)/libdata.a
libs := $(libs_cli) $(libs_policies) $(libs_probes) $(libs_data)

$(B)/ssdqual: $(B)/cli/main.o $(archives)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs)

# A unit test links its own layer and data only: a call into another layer is a link error, even
# where a hand-written declaration got past check-layers.
define unit_rule
$(B)/tests/$(1)/test_%: $(B)/tests/$(1)/test_%.o $(2)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ $(3) -lcmocka $$(ldflags_test_$$*)
endef
$(eval $(call unit_rule,data,$(B)/libdata.a,$(libs_data)))
$(eval $(call unit_rule,probes,$(B)/libprobes.a $(B)/libdata.a,$(libs_probes) $(libs_data)))
$(eval $(call unit_rule,policies,$(B)/libpolicies.a $(B)/libdata.a,$(libs_policies) $(libs_data)))
$(eval $(call unit_rule,cli,$(archives),$(libs)))

# The simulator's programs do without devices.
$(B)/tests/bench/sim-%: $(B)/tests/bench/sim-%.o $(B)/libpolicies.a $(B)/libdata.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs_policies) $(libs_data)

$(B)/tests/bench/accuracy: $(accuracy_src:%.c=$(B)/%.o) $(B)/libpolicies.a $(B)/libdata.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs_policies) $(libs_data)

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(B)/libprobes.a $(B)/libdata.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs_probes) $(libs_data)

$(B)/tests/vm/%: $(B)/tests/vm/%.o $(B)/libdata.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs_data)

$(fuzz_bin): $(fuzz_src:%.c=$(B)/%.o) $(B)/libpolicies.a $(B)/libprobes.a $(B)/libdata.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(libs_policies) $(libs_probes) $(libs_data)

.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: unit-programs bench-programs vm-programs fuzz-programs
unit-programs: $(unit_bin)
fuzz-programs: $(fuzz_bin)
vm-programs: $(vm_bin)
bench-programs: $(tool_bin)

# -- see it work ---------------------------------------------------------------------------------
# The packages may bring the compiler itself, so what needs them is a make of its own, afterwards.
.PHONY: demo
demo:
	@sh packaging/deps.sh build
	@$(MAKE) --no-print-directory all
	@sh tests/demo.sh build/ssdqual build/demo

# -- tests ---------------------------------------------------------------------------------------
# The packages of the VM and of Ceph may be missing: then tests/vm and tests/ceph say so in a skip of
# that name.
.PHONY: test test-unit test-cli test-vm test-ceph
test test-unit test-cli test-vm test-ceph:
	@sh tests/timed.sh reset
	@sh tests/timed.sh packages 300 sh packaging/deps.sh build test
	@$(if $(filter test test-vm,$@),sh tests/timed.sh "packages of the VM" 300 \
		sh packaging/deps.sh vm || true)
	@$(if $(filter test test-ceph,$@),sh tests/timed.sh "packages of Ceph" 300 \
		sh packaging/deps.sh ceph || true)
	@$(MAKE) --no-print-directory $(jobs) $(if $(filter test test-unit,$@),unit-programs) \
		$(if $(filter test test-cli,$@),fuzz-programs) \
		$(if $(filter test test-vm,$@),vm-programs) $(B)/ssdqual
	@sh tests/timed.sh tests $(if $(filter test,$@),1500,720) sh tests/run-tests --build $(B) \
		--program $(B)/ssdqual $(if $(filter test,$@),unit cli cases vm ceph,$(@:test-%=%))

# The field cases alone; `sh tests/run-cases DIR` runs other folders of them.
.PHONY: test-cases
test-cases:
	@$(MAKE) --no-print-directory $(B)/ssdqual
	@SSDQUAL=$(B)/ssdqual sh tests/run-cases

# -- checks --------------------------------------------------------------------------------------
.PHONY: check check-layers check-headers check-cppcheck check-clang check-tidy check-sanitize
check:
	@sh packaging/deps.sh build test check
	@$(MAKE) --no-print-directory $(jobs) -Otarget check-layers check-headers check-cppcheck \
		check-clang check-tidy
	@$(MAKE) --no-print-directory check-sanitize

check-layers:
	@sh tests/check-layers.sh

# Each header compiles alone.
check-headers: $(headers:%=$(B)/check/%.ok)
	@echo "check-headers: $(words $(headers)) headers compile alone"
$(B)/check/%.h.ok: %.h $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-unused-function -fsyntax-only -x c $< && touch $@

c_files := $(wildcard data/*.c probes/*.c policies/*.c cli/*.c tests/bench/*.c tests/vm/*.c \
		tests/fuzz/*.c) \
	$(unit_src)

check-cppcheck:
	@mkdir -p $(B)/cppcheck
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability \
		--suppressions-list=tests/cppcheck.suppress --inline-suppr --error-exitcode=1 \
		--cppcheck-build-dir=$(B)/cppcheck -j 2 -I. -D_GNU_SOURCE -DSSDQUAL_VERSION='"x"' \
		$(wildcard data/*.c probes/*.c policies/*.c cli/*.c tests/bench/*.c \
			tests/vm/*.c tests/fuzz/*.c)
	@echo "check-cppcheck: quiet"

# A second compiler's opinion of the same warnings.
check-clang: $(c_files:%=$(B)/check/%.clang-ok)
	@echo "check-clang: $(words $(c_files)) files, no warning"
$(B)/check/%.c.clang-ok: %.c $(headers) $(B)/flags
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) -std=gnu17 $(warnings) -Werror -fsyntax-only $< && touch $@

check-tidy: $(c_files:%=$(B)/check/%.tidy-ok)
	@echo "check-tidy: $(words $(c_files)) files, quiet (.clang-tidy says what is asked)"
$(B)/check/%.c.tidy-ok: %.c $(headers) .clang-tidy $(B)/flags
	@mkdir -p $(@D)
	$(Q)clang-tidy --quiet $< -- $(CPPFLAGS) -std=gnu17 2>$@.err || \
		{ cat $@.err; exit 1; } && touch $@

# The same tests, two kinds side by side, under AddressSanitizer and UndefinedBehaviorSanitizer, in their own folder.
check-sanitize:
	@sh tests/timed.sh reset
	@$(MAKE) --no-print-directory $(jobs) SANITIZE=address,undefined sanitized-tests
.PHONY: sanitized-tests
sanitized-tests: unit-programs fuzz-programs $(B)/ssdqual
	@sh tests/timed.sh sanitizers 900 sh -c ' \
		sh tests/run-tests --build $(B) --program $(B)/ssdqual unit cases >$(B)/unit.log 2>&1 & \
		sh tests/run-tests --build $(B) --program $(B)/ssdqual cli; cli=$$?; \
		wait $$!; unit=$$?; cat $(B)/unit.log; test $$cli = 0 && test $$unit = 0'

# -- side by side with others --------------------------------------------------------------------
.PHONY: bench
bench:
	@sh packaging/deps.sh build bench
	@$(MAKE) --no-print-directory all bench-programs
	@$(B)/tests/bench/sim-speed
	@python3 tests/bench/live-cost.py --program build/ssdqual; test $$? != 1
	@python3 tests/bench/fio-compare.py --loadgen $(B)/tests/bench/loadgen $(BENCH_ARGS)
	@python3 tests/bench/etcd-compare.py --program build/ssdqual

# Measured runs against the simulator: exit status 1 when a bound of design is missed.
MEASURED ?= tests/measured
.PHONY: accuracy
accuracy:
	@$(MAKE) --no-print-directory $(B)/tests/bench/accuracy
	@$(B)/tests/bench/accuracy $(MEASURED)

# -- install -------------------------------------------------------------------------------------
# The program prints its completions and the pages of its commands from its tables; those date as
# docs/ssdqual.8 does.
generated := build/generated
commands = $(shell sed -n 's/^extern const struct command cmd_\(.*\);/\1/p' cli/command_table.c)
pages = $(filter-out ssdqual-decode.8 ssdqual-manpage.8,$(commands:%=ssdqual-%.8))
man8 = $(DESTDIR)$(PREFIX)/share/man/man8
bash_file = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ssdqual
zsh_file = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ssdqual
fish_file = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ssdqual.fish

.PHONY: generate install uninstall clean
generate: all
	$(Q)mkdir -p $(generated)
	$(Q)for shell in bash zsh fish; do \
		XDG_CONFIG_HOME=/nonexistent build/ssdqual completion $$shell \
			> $(generated)/completion.$$shell || exit 1; \
	done
	$(Q)dated=$$(grep '^\.Dd ' docs/ssdqual.8) && for page in $(pages:ssdqual-%.8=%); do \
		build/ssdqual manpage $$page > $(generated)/page || exit 1; \
		sed "s/^\.Dd .*/$$dated/" $(generated)/page > $(generated)/ssdqual-$$page.8 || exit 1; \
	done
	$(Q)rm -f $(generated)/page
install: generate
	install -D -m 0755 build/ssdqual $(DESTDIR)$(PREFIX)/bin/ssdqual
	install -D -m 0644 docs/ssdqual.8 $(man8)/ssdqual.8
	install -m 0644 $(pages:%=$(generated)/%) $(man8)
	install -D -m 0644 docs/ssdqual-result.5 $(DESTDIR)$(PREFIX)/share/man/man5/ssdqual-result.5
	install -D -m 0644 $(generated)/completion.bash $(bash_file)
	install -D -m 0644 $(generated)/completion.zsh $(zsh_file)
	install -D -m 0644 $(generated)/completion.fish $(fish_file)
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ssdqual
	rm -f $(man8)/ssdqual.8 $(pages:%=$(man8)/%)
	rm -f $(DESTDIR)$(PREFIX)/share/man/man5/ssdqual-result.5
	rm -f $(bash_file) $(zsh_file) $(fish_file)
clean:
	rm -rf build
