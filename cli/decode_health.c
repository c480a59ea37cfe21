/* decode_health.c - SMART data and health logs for `ssdqual decode`. */
#include "cli/decode.h"

#include <errno.h>
#include <string.h>

#include "data/smart_table.h"
#include "probes/smart.h"

static int set_health(struct json *o, struct smart_health *h, const struct decode_cfg *cfg,
	struct err *reterr)
{
	struct json *keys;
	int rc = h->attribute_count ? smart_table_apply(h, cfg->model, 0, false, reterr) : 0;

	if (rc < 0)
		return rc;
	smart_finish(h);
	keys = smart_to_json(h);
	for (const struct json *m = json_first(keys); m; m = json_next(m))
		if (strcmp(json_key(m), "kind") != 0) /* that of the answer is there */
			(void)json_set(o, json_key(m), json_copy(m)); /* the caller checks memory */
	json_free(keys);
	return keys ? 0 : err_nomem(reterr);
}

int decode_log_02(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct smart_health h;
	int rc;

	smart_init(&h);
	rc = smart_decode_log_02(in->buf, in->len, &h, reterr);
	if (rc < 0)
		return rc;
	(void)json_set(o, "data_units_written", json_new_u128(u128_le(in->buf + 48)));
	(void)json_set(o, "data_units_read", json_new_u128(u128_le(in->buf + 32)));
	return set_health(o, &h, in->cfg, reterr);
}

int decode_log_c0(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct smart_health h;
	int rc;

	smart_init(&h);
	rc = smart_decode_log_c0(in->buf, in->len, &h, reterr);
	return rc < 0 ? rc : set_health(o, &h, in->cfg, reterr);
}

int decode_log_page(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct smart_health h;
	int rc;

	smart_init(&h);
	h.kind = SMART_KIND_SCSI;
	rc = smart_decode_scsi_page(in->buf, in->len, &h, reterr);
	return rc < 0 ? rc : set_health(o, &h, in->cfg, reterr);
}

int decode_devstat(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct smart_health h;
	int rc;

	smart_init(&h);
	h.kind = SMART_KIND_ATA;
	rc = smart_decode_statistics(in->buf, in->len, &h, reterr);
	return rc < 0 ? rc : set_health(o, &h, in->cfg, reterr);
}

int decode_smart(const struct decode_input *in, struct json *o, struct err *reterr)
{
	struct smart_health h;
	int rc;

	if (in->len < 512)
		return err_set(reterr, ERR_DEVICE, -EBADMSG,
			"SMART READ DATA: %zu of 512 bytes; the answer is cut", in->len);
	smart_init(&h);
	rc = smart_decode_attributes(NULL, in->buf, NULL, &h, reterr);
	return rc < 0 ? rc : set_health(o, &h, in->cfg, reterr);
}
