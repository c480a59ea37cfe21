/* decode.h - the parts of `ssdqual decode`. Each decoder sets keys of @o: 0, or as its probe's. */
#ifndef SSDQUAL_CLI_DECODE_H
#define SSDQUAL_CLI_DECODE_H

#include "cli/command.h"

struct decode_cfg {
	const char *model; /* smart: whose attributes; NULL: an unknown vendor's */
	bool six;          /* mode-08: the answer has the four-byte header of MODE SENSE(6) */
};

struct decode_input {
	const uint8_t *buf;
	size_t len;
	const struct decode_cfg *cfg;
};

/* decode_health.c: health, with the keys of smart.before and smart.after. */
int decode_log_02(const struct decode_input *in, struct json *o, struct err *reterr);
int decode_log_c0(const struct decode_input *in, struct json *o, struct err *reterr);
int decode_log_page(const struct decode_input *in, struct json *o, struct err *reterr);
int decode_devstat(const struct decode_input *in, struct json *o, struct err *reterr);
int decode_smart(const struct decode_input *in, struct json *o, struct err *reterr);

#endif
