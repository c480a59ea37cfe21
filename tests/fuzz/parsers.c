/* parsers.c - each parser of other people's bytes, called as the program calls it. */
#include "tests/fuzz/parsers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/backend.h"
#include "data/fio_jobfile.h"
#include "data/fio_workload.h"
#include "data/hextext.h"
#include "data/import.h"
#include "data/result.h"
#include "data/workload.h"
#include "policies/package.h"
#include "policies/perf_dump.h"
#include "policies/rbd_info.h"
#include "policies/rbd_input.h"
#include "policies/rbd_status.h"
#include "policies/settings.h"
#include "policies/vm_config.h"
#include "probes/ata.h"
#include "probes/controller.h"
#include "probes/drive.h"
#include "probes/mountinfo.h"
#include "probes/nvme.h"
#include "probes/scsi.h"
#include "probes/smart.h"
#include "probes/target.h"

/* -- JSON ---------------------------------------------------------------------------------------- */

static int run_import(const char *kind, const char *text, size_t len)
{
	struct import_list list;
	struct err e = ERR_INIT;
	struct json *doc;

	if (import_text(text, len, "fuzz", importer_find(kind), &list, &e) < 0)
		return 0;
	/* what was made must be a document that the program reads again */
	for (size_t i = 0; i < list.count; i++) {
		struct complaints wrong = COMPLAINTS_INIT;

		doc = result_to_json(list.result[i]);
		if (!doc || result_validate(doc, &wrong, &e) < 0 || wrong.count) {
			(void)fprintf(stderr, "an imported document is not valid: %s\n",
				wrong.count ? wrong.line[0] : e.msg);
			abort();
		}
		complaints_done(&wrong);
		json_free(doc);
	}
	import_list_done(&list);
	return 1;
}

static int run_fio(const char *text, size_t len, const char *scratch)
{
	(void)scratch;
	return run_import("fio", text, len);
}

static int run_smartctl(const char *text, size_t len, const char *scratch)
{
	(void)scratch;
	return run_import("smartctl", text, len);
}

static int run_nvme(const char *text, size_t len, const char *scratch)
{
	(void)scratch;
	return run_import("nvme", text, len);
}

static int run_result(const char *text, size_t len, const char *scratch)
{
	struct result *r;
	struct json *doc;

	(void)scratch;
	if (json_parse(text, len, "fuzz", &doc, NULL) < 0 ||
		result_from_json(doc, "fuzz", &r, NULL) < 0)
		return 0;
	result_free(r);
	return 1;
}

static int run_workload(const char *text, size_t len, const char *scratch)
{
	struct workload *w;
	struct json *doc;

	(void)scratch;
	if (json_parse(text, len, "fuzz", &doc, NULL) < 0 ||
		workload_from_json(doc, "fuzz", &w, NULL) < 0)
		return 0;
	workload_free(w);
	return 1;
}

static int run_rbd_config(const char *text, size_t len, const char *scratch)
{
	struct image_config config;
	struct json *doc;
	int r;

	(void)scratch;
	if (json_parse(text, len, "fuzz", &doc, NULL) < 0)
		return 0;
	image_config_defaults(&config, (struct release){ 18, 2, 7 });
	r = image_config_from_json(&config, doc, "fuzz", NULL);
	json_free(doc);
	return r == 0;
}

static int run_rbd_status(const char *text, size_t len, const char *scratch)
{
	struct rbd_status status;
	struct json *doc;
	char words[256];
	int r;

	(void)scratch;
	if (json_parse(text, len, "fuzz", &doc, NULL) < 0)
		return 0;
	r = rbd_status_parse(doc, "fuzz", &status, NULL);
	if (r == 0)
		rbd_status_text(&status, words, sizeof(words));
	json_free(doc);
	return r == 0;
}

static int run_rbd_info(const char *text, size_t len, const char *scratch)
{
	struct rbd_info info;
	struct json *doc;
	int r;

	(void)scratch;
	if (json_parse(text, len, "fuzz", &doc, NULL) < 0)
		return 0;
	r = rbd_info_parse(doc, "fuzz", &info, NULL);
	json_free(doc);
	return r == 0;
}

static int run_perf_dump(const char *text, size_t len, const char *scratch)
{
	struct perf_diagnosis d;
	struct perf_dump dump;
	struct json *doc;
	int r;

	(void)scratch;
	if (json_parse(text, len, "fuzz", &doc, NULL) < 0)
		return 0;
	r = perf_dump_parse(doc, NULL, "fuzz", &dump, NULL);
	json_free(doc);
	if (r < 0 || perf_diagnose(NULL, &dump, &d, NULL) < 0)
		return 0;
	perf_diagnosis_done(&d);
	return 1;
}

/* -- other people's configurations ----------------------------------------------------------------- */

static int run_vm_config(const char *text, size_t len, const char *scratch)
{
	struct vm_config config;

	(void)scratch;
	if (vm_config_parse(text, len, "fuzz", &config, NULL) < 0)
		return 0;
	(void)vm_config_find(&config, "rbd/vm-100-disk-0"); /* that it looks is the point */
	return 1;
}

/* What the package's version says; the texts of `rbd` without --format json, besides. */
static int run_package(const char *text, size_t len, const char *scratch)
{
	char *copy = strndup(text, len), version[64];
	struct release release;

	(void)scratch;
	if (!copy)
		return 0;
	(void)rbd_input_of_text(text, len);
	package_version(copy, "librbd1", version, sizeof(version));
	free(copy);
	return version[0] != '\0' && release_find(version, &release, NULL) == 0;
}

/* -- a file that is opened by name ----------------------------------------------------------------- */

static int write_file(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : write(fd, text, len);

	if (fd >= 0)
		(void)close(fd);
	return n == (ssize_t)len ? 0 : -1;
}

static int run_controller(const char *text, size_t len, const char *scratch)
{
	struct controller_file *file;
	struct json *identity;
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/controller.json", scratch);
	if (write_file(path, text, len) < 0 || controller_load(path, &file, NULL) < 0)
		return 0;
	identity = json_new_object();
	(void)controller_apply(file, identity); /* a refusal is as good */
	json_free(identity);
	controller_free(file);
	return 1;
}

static int run_workload_fio(const char *text, size_t len, const char *scratch)
{
	struct json *profile;
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/job", scratch);
	if (write_file(path, text, len) < 0 || fio_workload_load(path, NULL, &profile, NULL) < 0)
		return 0;
	json_free(profile);
	return 1;
}

static int run_jobfile(const char *text, size_t len, const char *scratch)
{
	struct json *doc, *profile;

	(void)scratch;
	if (fio_jobfile_parse(text, len, "fuzz", &doc, NULL) < 0)
		return 0;
	for (const struct json *job = json_first(json_get(doc, "jobs")); job; job = json_next(job))
		if (fio_workload(doc, "fuzz", json_str(json_get(job, "jobname")), &profile, NULL) == 0)
			json_free(profile);
	json_free(doc);
	return 1;
}

/* -- a tree of small files -------------------------------------------------------------------------- */

static const char *const attributes[] = { "size", "removable", "ro",
	"queue/logical_block_size", "queue/physical_block_size", "queue/write_cache",
	"queue/rotational", "device/scsi_disk/0:0:0:0/cache_type", "device/model", "device/vendor",
	"device/rev", "device/wwid", "dev", "uevent", "queue/scheduler", "queue/nr_requests" };
#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

static void make_folders(char *path, size_t from)
{
	for (char *p = path + from; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		(void)mkdir(path, 0700); /* there is it or not: the write tells */
		*p = '/';
	}
}

/* Line n of the text is the content of attribute n. */
static int run_sysfs(const char *text, size_t len, const char *scratch)
{
	struct sysroot root = { .prefix = "" };
	struct json *identity = NULL;
	struct sysfs_names names;
	char path[700], buf[512];
	size_t from;

	(void)snprintf(root.prefix, sizeof(root.prefix), "%s/root", scratch);
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		(void)snprintf(path, sizeof(path), "%s/sys/block/sda/%s", root.prefix, attributes[i]);
		from = strlen(scratch) + 1;
		make_folders(path, from);
		if (write_file(path, text, n) < 0)
			return 0;
		text += end ? n + 1 : n;
		len -= end ? n + 1 : n;
	}
	if (drive_scan(&root, true, &names, NULL) == 0)
		sysfs_names_done(&names);
	(void)drive_wwn(&root, "sda", buf, sizeof(buf));
	(void)drive_serial(&root, "sda", buf, sizeof(buf));
	if (drive_identity(&root, "sda", &identity, NULL) < 0)
		return 0;
	json_free(identity);
	return 1;
}

/* -- text ------------------------------------------------------------------------------------------- */

static int run_mountinfo(const char *text, size_t len, const char *scratch)
{
	struct mountinfo m;
	char *copy = strndup(text, len);

	(void)scratch;
	if (!copy || mountinfo_parse(copy, "fuzz", &m, NULL) < 0)
		return 0;
	mountinfo_done(&m);
	return 1;
}

static int run_stated(const char *text, size_t len, const char *scratch)
{
	struct backend b;
	struct drive_lat d;
	struct err e = ERR_INIT;
	char *copy = strndup(text, len), *save = NULL;
	int accepted = 0;

	(void)scratch;
	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save)) {
		accepted |= backend_parse(line, &b, &e) == 0;
		accepted |= drive_parse(line, &d, &e) == 0;
	}
	free(copy);
	return accepted;
}

/* -- bytes of devices, as hexadecimal text ---------------------------------------------------------- */

/* Every decoder gets every answer: which it is, only the caller knows. */
static void decode_all(const uint8_t *b, size_t n)
{
	struct ata_identity ata;
	struct ata_registers registers;
	struct nvm_ctrl ctrl;
	struct nvm_ns ns;
	struct scsi_inquiry inquiry;
	struct scsi_vpd_pages pages;
	struct scsi_id id;
	struct scsi_rotation rotation;
	struct scsi_caching caching;
	struct scsi_sense sense;
	struct smart_health h;
	uint8_t bits;

	smart_init(&h);
	(void)ata_identify_decode(b, n, &ata, NULL); /* refusals are as good */
	(void)ata_sense_decode(b, n, &registers, NULL);
	(void)nvm_ctrl_decode(b, n, &ctrl, NULL);
	(void)nvm_ns_decode(b, n, &ns, NULL);
	(void)nvm_critical_decode(b, n, &bits, NULL);
	(void)scsi_inquiry_decode(b, n, &inquiry, NULL);
	(void)scsi_vpd_pages_decode(b, n, &pages, NULL);
	(void)scsi_id_decode(b, n, &id, NULL);
	(void)scsi_rotation_decode(b, n, &rotation, NULL);
	(void)scsi_caching_decode(b, n, true, &caching, NULL);
	(void)scsi_caching_decode(b, n, false, &caching, NULL);
	(void)scsi_sense_decode(b, n, &sense, NULL);
	(void)smart_decode_log_02(b, n, &h, NULL);
	(void)smart_decode_log_c0(b, n, &h, NULL);
	(void)smart_decode_statistics(b, n, &h, NULL);
	(void)smart_decode_scsi_page(b, n, &h, NULL);
	if (n >= 512)
		(void)smart_decode_attributes(b, b, NULL, &h, NULL);
	smart_finish(&h);
	}

static int run_hex(const char *text, size_t len, const char *scratch)
{
	uint8_t *bytes;
	size_t n;

	(void)scratch;
	if (hextext_parse(text, len, "fuzz", &bytes, &n, NULL) < 0)
		return 0;
	decode_all(bytes, n);
	free(bytes);
	return 1;
}

static int run_raw(const char *text, size_t len, const char *scratch)
{
	(void)scratch;
	decode_all((const uint8_t *)text, len);
	return 1;
}

const struct fuzz_parser fuzz_parsers[] = {
	{ .name = "fio", .run = run_fio, .seeds = { "tests/cases/C*/*.json",
		"tests/measured/fio/rw4k-qd1-none.json", "tests/measured/device/dev-etcd8000.json" } },
	{ .name = "smartctl", .run = run_smartctl, .seeds = { "tests/cases/E*/smartctl*.json",
		"tests/cases/G11/*.json", "tests/fuzz/seeds/smartctl*.json" } },
	{ .name = "nvme", .run = run_nvme, .seeds = { "tests/cases/E*/nvme*.json",
		"tests/fuzz/seeds/nvme*.json" } },
	{ .name = "result", .run = run_result, .seeds = { "tests/fixtures/results/*.json" } },
	{ .name = "workload", .run = run_workload, .seeds = { "data/workloads/*.json" } },
	{ .name = "workload-from-fio", .run = run_workload_fio,
		.seeds = { "tests/cases/C05/*.json", "tests/fuzz/seeds/*.fio" } },
	{ .name = "fio-jobfile", .run = run_jobfile, .seeds = { "tests/fuzz/seeds/*.fio" } },
	{ .name = "rbd-config", .run = run_rbd_config, .seeds = { "tests/fuzz/seeds/rbd-config*.json",
		"tests/cases/F*/rbd_config.json" } },
	{ .name = "rbd-status", .run = run_rbd_status, .seeds = { "tests/cases/F*/rbd_status.json",
		"tests/cases/G07/*.json" } },
	{ .name = "rbd-info", .run = run_rbd_info, .seeds = { "tests/cases/F*/rbd_info.json" } },
	{ .name = "perf-dump", .run = run_perf_dump, .seeds = { "tests/measured/perf/*.json" } },
	{ .name = "vm-config", .run = run_vm_config, .seeds = { "tests/cases/F22/vm.txt",
		"tests/cases/F23/*.conf", "tests/fuzz/seeds/vm-*" } },
	{ .name = "package", .run = run_package, .seeds = { "tests/fuzz/seeds/dpkg-status.txt" } },
	{ .name = "controller", .run = run_controller, .seeds = { "tests/fixtures/controller/*.json" } },
	{ .name = "sysfs", .run = run_sysfs, .seeds = { "tests/fuzz/seeds/sysfs.txt" } },
	{ .name = "mountinfo", .run = run_mountinfo,
		.seeds = { "tests/cases/*/root/proc/self/mountinfo" } },
	{ .name = "stated", .run = run_stated, .seeds = { "tests/fuzz/seeds/stated.txt" } },
	{ .name = "hex", .run = run_hex, .seeds = { "tests/fixtures/device/*.hex",
		"tests/cases/*/*.hex", "tests/cases/*/replay/*/*.hex" } },
	{ .name = "raw-answers", .run = run_raw, .seeds = { "tests/fixtures/device/*.hex" } },
	{ .name = NULL },
};
