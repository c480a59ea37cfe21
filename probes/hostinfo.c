/* hostinfo.c - the document's "host" section. */
#include "probes/hostinfo.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"
#include "probes/drive.h"
#include "probes/sysfs.h"
#include "probes/target.h"

#define CPUS "/sys/devices/system/cpu"

/* Value of the first line "KEY : VALUE" of a /proc file; false when there is none. */
static bool find_line(const char *text, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key);
	const char *line = text;

	while (line && *line) {
		const char *value = NULL, *end = strchrnul(line, '\n');

		if (strncmp(line, key, key_len) == 0)
			value = line + key_len + strspn(line + key_len, " \t");
		if (value && *value == ':') {
			value++;
			value += strspn(value, " \t");
			(void)snprintf(buf, len, "%.*s", (int)(end - value), value);
			drive_clean_string(buf);
			return true;
		}
		line = *end ? end + 1 : NULL;
	}
	return false;
}

/* x86 has a CPU flag that only hypervisors set; elsewhere it is not known. */
static void set_virtual_machine(struct json *o, const char *text)
{
	const char *flags = strstr(text, "\nflags"), *end, *found;

	if (!flags) {
		(void)json_set_null(o, "virtual_machine");
		return;
	}
	end = strchrnul(flags + 1, '\n');
	found = strstr(flags, " hypervisor");
	(void)json_set_bool(o, "virtual_machine", found && found < end);
}

static void set_cpu(struct json *o, const struct sysroot *root)
{
	static const char *const keys[] = { "model name", "Model", "cpu", "Hardware", NULL };
	char model[200], *text;
	bool found = false;

	if (sysroot_slurp(root, "/proc/cpuinfo", (size_t)4 << 20, &text, NULL) == 0) {
		for (size_t i = 0; keys[i] && !found; i++)
			found = find_line(text, keys[i], model, sizeof(model));
		set_virtual_machine(o, text);
		free(text);
	} else {
		(void)json_set_null(o, "virtual_machine");
	}
	(void)json_set_str(o, "cpu_model", found ? model : NULL);
}

/* CPUs of a list such as "0-3,8"; 0 when it cannot be read. */
static uint64_t count_list(const char *list)
{
	uint64_t count = 0;
	char *end;

	while (*list >= '0' && *list <= '9') {
		unsigned long first = strtoul(list, &end, 10), last = first; /* a kernel's list */

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first)
			return 0;
		count += last - first + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return *list == '\0' ? count : 0;
}

static void set_cpus(struct json *o, const struct sysroot *root)
{
	char list[256];
	uint64_t count = 0;

	if (sysfs_read(root, list, sizeof(list), CPUS "/online") > 0)
		count = count_list(list);
	if (count > 0)
		(void)json_set_u64(o, "cpus", count);
	else
		(void)json_set_null(o, "cpus");
}

/* One word when all CPUs agree, else "mixed": a run may have been on any of them. */
static void set_governor(struct json *o, const struct sysroot *root)
{
	char first[64] = "", word[64];
	struct sysfs_names cpus;
	bool mixed = false;

	if (sysfs_list(root, &cpus, CPUS) == 0) {
		for (size_t i = 0; i < cpus.count; i++) {
			if (sysfs_read(root, word, sizeof(word), CPUS "/%s/cpufreq/scaling_governor",
					cpus.name[i]) <= 0)
				continue;
			mixed |= first[0] && strcmp(first, word) != 0;
			strcpy(first, word);
		}
		sysfs_names_done(&cpus);
	}
	drive_clean_string(first);
	(void)json_set_str(o, "governor", mixed ? "mixed" : first[0] ? first : NULL);
}

/* The deepest idle state that is not switched off, on the CPU where it is deepest. */
static void set_cstate(struct json *o, const struct sysroot *root)
{
	uint64_t latency_us, deepest_us = 0, off;
	struct sysfs_names states;
	char name[64] = "", word[64];
	struct json *state;

	(void)json_set_null(o, "cstate_deepest");
	if (sysfs_list(root, &states, CPUS "/cpu0/cpuidle") < 0)
		return;
	for (size_t i = 0; i < states.count; i++) {
		const char *dir = states.name[i];

		if (sysfs_read_u64(root, &off, CPUS "/cpu0/cpuidle/%s/disable", dir) == 0 && off)
			continue;
		if (sysfs_read_u64(root, &latency_us, CPUS "/cpu0/cpuidle/%s/latency", dir) < 0 ||
			sysfs_read(root, word, sizeof(word), CPUS "/cpu0/cpuidle/%s/name", dir) <= 0)
			continue;
		if (name[0] == '\0' || latency_us >= deepest_us) {
			strcpy(name, word);
			deepest_us = latency_us;
		}
	}
	sysfs_names_done(&states);
	if (name[0] == '\0')
		return;
	drive_clean_string(name);
	state = json_new_object();
	(void)json_set_str(state, "name", name);
	(void)json_set_u64(state, "latency_ns", deepest_us * 1000);
	(void)json_set(o, "cstate_deepest", state);
}

static void set_memory(struct json *o, const struct sysroot *root)
{
	char line[64], *text;
	uint64_t kib;

	(void)json_set_null(o, "memory_bytes");
	if (sysroot_slurp(root, "/proc/meminfo", (size_t)1 << 20, &text, NULL) < 0)
		return;
	if (find_line(text, "MemTotal", line, sizeof(line))) {
		line[strcspn(line, " ")] = '\0'; /* "kB", which means KiB there */
		if (units_parse_u64(line, &kib) == 0)
			(void)json_set_u64(o, "memory_bytes", kib * 1024);
	}
	free(text);
}

/* The node of the device's bus function: the nearest folder above the disk that says. */
static bool device_node(const struct sysroot *root, const char *disk, uint64_t *ret)
{
	static const char *const places[] = { "device/numa_node", "device/device/numa_node",
		"device/../../../numa_node", "device/../../../../../numa_node",
		"device/../../../../../../../numa_node", NULL };

	for (size_t i = 0; places[i]; i++) {
		/* -1, no node known, is no number here */
		if (sysfs_read_u64(root, ret, "/sys/block/%s/%s", disk, places[i]) == 0)
			return true;
	}
	return false;
}

static struct json *node_distance(const struct sysroot *root, unsigned from, uint64_t to)
{
	char line[512], *word, *save = NULL;
	uint64_t distance;

	if (sysfs_read(root, line, sizeof(line), "/sys/devices/system/node/node%u/distance",
			from) <= 0)
		return json_new_null();
	word = strtok_r(line, " ", &save);
	for (; word && to > 0; to--)
		word = strtok_r(NULL, " ", &save);
	return word && units_parse_u64(word, &distance) == 0 ? json_new_u64(distance) :
							       json_new_null();
}

static void set_numa(struct json *o, const struct sysroot *root, const char *sysname)
{
	char disk[SYSFS_NAME_MAX];
	unsigned cpu, node = 0;
	struct json *numa;
	uint64_t device;

	(void)json_set_null(o, "numa");
	if (!sysname)
		return;
	if (sysfs_block_parent(root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a kernel name: fits */
	if (!device_node(root, disk, &device))
		return;
	numa = json_new_object();
	(void)json_set_u64(numa, "node", device);
	if (sysroot_is_machine(root) && getcpu(&cpu, &node) == 0)
		(void)json_set(numa, "distance", node_distance(root, node, device));
	else
		(void)json_set_null(numa, "distance");
	(void)json_set(o, "numa", numa);
}

int hostinfo_json(const struct sysroot *root, const char *sysname, struct json **ret,
	struct err *reterr)
{
	struct json *o = json_new_object();
	char release[128];

	if (!o)
		return err_nomem(reterr);
	if (sysfs_read(root, release, sizeof(release), "/proc/sys/kernel/osrelease") > 0)
		drive_clean_string(release);
	else
		release[0] = '\0';
	(void)json_set_str(o, "kernel", release[0] ? release : NULL);
	set_cpu(o, root);
	set_cpus(o, root);
	set_governor(o, root);
	set_cstate(o, root);
	set_memory(o, root);
	set_numa(o, root, sysname);
	*ret = o;
	return 0;
}
