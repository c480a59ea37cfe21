/* cmd_advise.c - ssdqual advise: which cache setting an image should have for a load. */
#include "cli/advise.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static const char *const distributions[] = { "unknown", "debian", "ubuntu", "upstream", NULL };
static const char *const plp_words[] = { "unknown", "yes", "no", NULL };
static const char *const qemu_words[] = { "unknown", "none", "writeback", "writethrough",
	"directsync", "unsafe", NULL };
static const char *const flush_words[] = { "unknown", "no", "yes", NULL };

static const struct opt opts[] = {
	{ .type = OPT_STRING, .short_name = 'w', .name = "workload",
	  .off = offsetof(struct advise_cfg, workload), .arg = "NAME|FILE",
	  .help = "what the image is used for; names: ssdqual workload list" },
	{ .type = OPT_STRING, .name = "backend", .off = offsetof(struct advise_cfg, backend),
	  .arg = "STATED|FILE",
	  .help = "latencies of the cluster: write=MEDIAN[:P99],... or a result of rbd:POOL/IMAGE" },
	{ .type = OPT_STRING, .name = "drive", .off = offsetof(struct advise_cfg, drive),
	  .arg = "STATED|FILE",
	  .help = "latencies of the local SSD: sync=MEDIAN[:P99],... or its result" },
	{ .type = OPT_CHOICE, .name = "plp", .off = offsetof(struct advise_cfg, plp), .arg = "WORD",
	  .choices = plp_words, .help = "does the local SSD have power-loss protection" },
	{ .type = OPT_U64, .name = "images", .off = offsetof(struct advise_cfg, images), .arg = "N",
	  .min = 1, .max = 10000, .help = "images in use on this host, instead of the profile's" },
	{ .type = OPT_BYTES, .name = "memory", .off = offsetof(struct advise_cfg, memory_bytes),
	  .arg = "SIZE", .min = 1, .help = "memory of this host that the caches may take together" },
	{ .type = OPT_STRING, .name = "image", .off = offsetof(struct advise_cfg, image),
	  .arg = "POOL/IMAGE", .help = "name of the image, for the commands" },
	{ .type = OPT_STRING, .name = "image-config",
	  .off = offsetof(struct advise_cfg, image_config), .arg = "FILE",
	  .help = "its present settings: rbd config image list POOL/IMAGE --format json" },
	{ .type = OPT_STRING, .name = "image-status",
	  .off = offsetof(struct advise_cfg, image_status), .arg = "FILE",
	  .help = "who has it open, and its log: rbd status POOL/IMAGE --format json" },
	{ .type = OPT_STRING, .name = "image-info",
	  .off = offsetof(struct advise_cfg, image_info), .arg = "FILE",
	  .help = "its features: rbd info POOL/IMAGE --format json" },
	{ .type = OPT_FLAG, .name = "live", .off = offsetof(struct advise_cfg, live),
	  .help = "ask the rbd command for these three where --image names the image" },
	{ .type = OPT_STRING, .name = "ceph-conf", .off = offsetof(struct advise_cfg, ceph_conf),
	  .arg = "FILE", .help = "configuration of the cluster, for rbd" },
	{ .type = OPT_STRING, .name = "id", .off = offsetof(struct advise_cfg, id), .arg = "NAME",
	  .help = "Ceph user, for rbd" },
	{ .type = OPT_FLAG, .name = "host", .off = offsetof(struct advise_cfg, host),
	  .help = "look at this host: running QEMUs, their librbd, the PWL plugin, krbd" },
	{ .type = OPT_STRING, .name = "client-host",
	  .off = offsetof(struct advise_cfg, client_host), .arg = "HOST",
	  .help = "name of the host that opens the image" },
	{ .type = OPT_U64, .name = "clients", .off = offsetof(struct advise_cfg, clients),
	  .arg = "N", .min = 1, .max = 10000,
	  .help = "clients that have this one image open at once" },
	{ .type = OPT_LIST, .name = "current", .off = offsetof(struct advise_cfg, current),
	  .arg = "OPTION=VALUE", .help = "one present setting of the image, set at its level" },
	{ .type = OPT_CHOICE, .name = "qemu-cache", .off = offsetof(struct advise_cfg, qemu),
	  .arg = "WORD", .choices = qemu_words, .help = "cache mode of the VM's disk" },
	{ .type = OPT_STRING, .name = "qemu", .off = offsetof(struct advise_cfg, vm),
	  .arg = "FILE", .help = "cache modes from a Proxmox VM configuration, libvirt XML, "
	  "nova.conf or a QEMU command line" },
	{ .type = OPT_CHOICE, .name = "guest-flushes",
	  .off = offsetof(struct advise_cfg, guest_flushes), .arg = "WORD",
	  .choices = flush_words, .help = "does the guest send flushes at all" },
	{ .type = OPT_FLAG, .name = "krbd", .off = offsetof(struct advise_cfg, krbd),
	  .help = "the image is mapped by the kernel, not opened by librbd" },
	{ .type = OPT_STRING, .name = "pwl-path", .off = offsetof(struct advise_cfg, pwl_path),
	  .arg = "DIR", .help = "where a persistent write log would lie" },
	{ .type = OPT_STRING, .name = "release", .off = offsetof(struct advise_cfg, release),
	  .arg = "VERSION", .help = "librbd of the running QEMU, as 17.2.6" },
	{ .type = OPT_STRING, .name = "ceph-version",
	  .off = offsetof(struct advise_cfg, ceph_version), .arg = "TEXT|FILE",
	  .help = "the same as ceph --version or rbd --version print it" },
	{ .type = OPT_CHOICE, .name = "distribution",
	  .off = offsetof(struct advise_cfg, distribution), .arg = "WORD",
	  .choices = distributions, .help = "who built that librbd" },
	{ .type = OPT_U64, .name = "osd-mclock", .off = offsetof(struct advise_cfg, mclock_iops),
	  .arg = "IOPS", .min = 1, .max = 1000000000,
	  .help = "stored osd_mclock_max_capacity_iops_ssd of an OSD, to be checked" },
	{ .type = OPT_STRING, .name = "perf-dump", .off = offsetof(struct advise_cfg, perf_dump),
	  .arg = "FILE|SOCKET",
	  .help = "what does a running client wait for: a perf dump of it, and a second one behind" },
	{ .type = OPT_DURATION, .name = "seconds",
	  .off = offsetof(struct advise_cfg, seconds_ns), .arg = "TIME", .min = 100000000,
	  .max = 3600000000000, .help = "time between the two dumps of a socket; 6 by default" },
	{ .type = OPT_FLAG, .name = "strict", .off = offsetof(struct advise_cfg, strict),
	  .help = "end with 1 when the limit is not met, with 5 when it is unsure" },
	{ .type = OPT_FLAG, .name = "explain", .off = offsetof(struct advise_cfg, explain),
	  .help = "show the sources, and the regime of every setting" },
	OPT_END
};

static const struct advise_cfg defaults = { .live = true, .seconds_ns = 6000000000 };

static int status_of(const struct advise_cfg *cfg, const struct advice *a)
{
	if (!cfg->strict)
		return EXIT_DONE;
	if (a->confidence == CONFIDENCE_UNSURE)
		return EXIT_UNSURE;
	return a->candidate[a->chosen].meets == 0 ? EXIT_VERDICT : EXIT_DONE;
}

/* Without a load the question is whether the image is well set. */
static int image_status(const struct advise_cfg *cfg, const struct advise_inputs *i)
{
	for (size_t k = 0; cfg->strict && k < i->findings.count; k++)
		if (i->findings.item[k].severity >= SEVERITY_ERROR)
			return EXIT_VERDICT;
	return EXIT_DONE;
}

static int run(struct cli *cli, const void *vcfg, int argc, char **argv, struct err *reterr)
{
	const struct advise_cfg *cfg = vcfg;
	struct advise_inputs inputs = { .workload = NULL };
	struct advice *a = NULL;
	int r;

	if (cfg->perf_dump != NULL)
		return advise_perf(cli, cfg, argc, argv, reterr);
	if (argc > 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "unexpected operand '%s'; everything is "
			"an option here", argv[0]);
	r = advise_inputs_load(cli, cfg, &inputs, reterr);
	if (r < 0)
		goto out;
	if (inputs.workload != NULL) {
		a = calloc(1, sizeof(*a));
		r = a == NULL ? err_nomem(reterr) : advise(&inputs.in, a, reterr);
	}
	if (r < 0)
		goto out;
	if (cli->json)
		r = cli_emit_json(cli, advise_to_json(&inputs, a), reterr);
	else
		r = advise_print(cli, &inputs, a, cfg->explain, reterr);
	if (r >= 0)
		r = a != NULL ? status_of(cfg, a) : image_status(cfg, &inputs);
	if (a != NULL)
		advice_done(a);
out:
	free(a);
	advise_inputs_done(&inputs);
	return r;
}

extern const struct command cmd_advise;
const struct command cmd_advise = {
	.name = "advise",
	.summary = "Recommend cache mode, sizes and thresholds for a load",
	.operands = "[DUMP]",
	.opts = opts,
	.cfg_size = sizeof(struct advise_cfg),
	.cfg_defaults = &defaults,
	.details =
		"Stated latencies are MEDIAN or MEDIAN:P99 with a unit, joined by commas.\n"
		"--backend: write (one acknowledged 4 KiB write, required), read, meta (one omap "
		"read of the image header), refresh (the whole stall after a metadata change; "
		"default 5 x meta), flush, concurrency=K, at=image or at=guest (write is then a "
		"whole fdatasync of the guest). Without meta and refresh, PWL is unsure.\n"
		"--drive: sync (one durable write, required), write4k, write12k, read4k.\n"
		"A value with = in it is stated; a file of such a name is written ./a=b.",
	.examples =
		"  ssdqual advise --workload etcd --drive result.json\n"
		"  ssdqual advise -w etcd --backend write=1.2ms:1.4ms,meta=400us,at=guest \\\n"
		"      --drive sync=30us:44us --plp yes --release 17.2.6\n"
		"  ssdqual advise -w vm-fleet --images 70 --memory 8G --json\n"
		"  ssdqual advise --image rbd/vm-1 --host\n"
		"  ssdqual advise --image-config config.json --image-status status.json\n"
		"  ssdqual advise --perf-dump /run/ceph/ceph-client.admin.4711.asok --seconds 6\n"
		"  ssdqual advise --perf-dump first.json second.json",
	.run = run,
};
