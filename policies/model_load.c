/* model_load.c - what is left of closed forms: for rwl, and how long a log takes to drain. */
#include "policies/model.h"

#include <math.h>
#include <stdio.h>

/* An acknowledgement from memory spreads: p99 4 x, p99.9 8 x its median (measured: 2.5 to 6). */
#define ACK_P99   4.0
#define ACK_P999  8.0
/* Acknowledgements pass one finisher thread; four in flight before they queue (measured: 16 in
 * flight take 0.26 to 0.46 ms where one takes 0.02 to 0.06). */
#define ACK_DEPTH 4.0

struct dist model_write(const struct model_backend *b, double bytes)
{
	return bytes <= 4096 ? b->write :
		dist_shift(b->write, (bytes - 4096) * 1e9 / MODEL_STREAM_BPS);
}

double model_pause(const struct model_input *in)
{
	return in->load->burst_bytes > 0 ? 0 : in->load->think_ns;
}

double model_long_run(const struct model_input *in, double iops)
{
	double writes = in->load->burst_bytes / in->load->write_bytes;

	return writes > 0 ? writes / (writes / iops + in->load->burst_gap_ns / 1e9) : iops;
}

double model_drain_bps(const struct model_input *in)
{
	double b = dist_mean(model_write(in->backend, in->load->write_bytes));

	return in->backend->concurrency / in->images * in->load->write_bytes * 1e9 / b;
}

struct dist model_ack(const struct model_input *in, double hops)
{
	double ns = hops * in->backend->hop_ns * fmax(1, in->load->depth / ACK_DEPTH);

	return (struct dist){ ns, ns * ACK_P99, ns * ACK_P999 };
}
