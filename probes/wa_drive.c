/* wa_drive.c - how much a drive says that its host wrote, and that it programmed. */
#include "probes/wa.h"

#include <stdio.h>
#include <string.h>

#include "probes/smart.h"

/* Only an exact total gives a difference: one that was rounded or cut on the way here does not. */
static void take(const struct smart_health *h, const struct smart_bytes *b, const char *disk,
	const char *what, struct wa_reading *ret)
{
	(void)snprintf(ret->whose, sizeof(ret->whose), "%.64s serial %.64s", h->model, h->serial);
	if (!b->known)
		wa_reading_lack(ret, "%s: its SMART data have no counter of %s that is known (%s)",
			disk, what, h->model[0] ? h->model : "model unknown");
	else if (b->at_least || b->bytes > UINT64_MAX)
		wa_reading_lack(ret, "%s: its counter of %s is beyond 64 bits", disk, what);
	else
		wa_reading_set(ret, (uint64_t)b->bytes, b->step_bytes > 1 ? b->step_bytes : 0,
			"%s: %s", disk, b->source);
}

static bool fits(const struct smart_count *c, uint64_t *ret)
{
	if (!c->known || c->value > UINT64_MAX)
		return false;
	*ret = (uint64_t)c->value;
	return true;
}

/* NAND from pages: Micron's attributes 247 and 248 and their like. */
static void take_pages(const struct smart_health *h, const struct wa_reading *host,
	struct wa_drive_base *base, bool after, struct wa_reading *nand)
{
	struct wa_drive_base now = { .pages = host->known, .host_bytes = host->bytes };
	uint64_t written, for_host, in_all;
	double ratio;

	if (!host->known || !fits(&h->host_pages, &now.host_pages) ||
		!fits(&h->nand_pages, &now.nand_pages))
		return;
	strcpy(now.whose, nand->whose);
	if (!after) {
		*base = now;
		wa_reading_set(nand, 0, 0, "%s", "pages of flash since the first reading");
		return;
	}
	if (!base->pages || strcmp(base->whose, now.whose) != 0 ||
		now.host_pages <= base->host_pages || now.nand_pages < base->nand_pages ||
		now.host_bytes < base->host_bytes) {
		wa_reading_lack(nand, "its counters of pages did not simply go up");
		return;
	}
	written = now.host_bytes - base->host_bytes;
	for_host = now.host_pages - base->host_pages;
	in_all = now.nand_pages - base->nand_pages;
	ratio = (double)in_all / (double)for_host;
	/* One page more or less of each, beside the step of the host's counter. */
	wa_reading_set(nand, (uint64_t)((double)written * ratio + 0.5),
		(uint64_t)((double)host->step * ratio +
			(double)written * (ratio + 1) / (double)for_host + 1),
		"%s", "host writes x pages in all / pages for the host");
}

void wa_drive_read(const struct sysroot *root, const char *disk, bool after,
	struct wa_drive_base *base, struct wa_reading *ret_host, struct wa_reading *ret_nand)
{
	struct smart_health h;
	struct err e = ERR_INIT;

	memset(ret_host, 0, sizeof(*ret_host));
	memset(ret_nand, 0, sizeof(*ret_nand));
	if (smart_read(root, disk, &h, &e) < 0) {
		wa_reading_lack(ret_host, "%s", e.msg);
		wa_reading_lack(ret_nand, "%s", e.msg);
		return;
	}
	take(&h, &h.host_writes, disk, "host writes", ret_host);
	take(&h, &h.nand_writes, disk, "flash writes", ret_nand);
	if (!h.nand_writes.known)
		take_pages(&h, ret_host, base, after, ret_nand);
}
