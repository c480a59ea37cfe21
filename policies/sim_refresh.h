/* sim_refresh.h - the header object of an image: metadata writes, notifies, and the refresh gate.
 *
 * A change of the image's metadata (PWL rewrites its state on every clean/dirty turn and every 5 s)
 * is an omap write of the header, then a header-update notify. The image's sequence number goes up
 * when the write commits (own notify_update()) and again when the own watch callback has run: the
 * client is a watcher of its own header, and there is no filter for its own notifies.
 * Every read, write and flush of the client first compares the number with that of the last
 * refresh; where they differ it waits for a whole refresh: k serial reads of the header. A refresh
 * that started at number s ends with last = s; those who waited for it go on without a second look,
 * those who came when the number had grown wait for the next one.
 * An omap write of the header holds the object: a read that comes meanwhile waits for the commit,
 * a write waits for the reads under way (several writes go side by side).
 * Sources: ceph 18.2.7 src/librbd/io/RefreshImageDispatch.cc, ImageState.cc (refresh actions),
 * ImageWatcher.cc (handle_payload), cache/pwl/ImageCacheState.cc, image/RefreshRequest.cc (k = 5;
 * 6 with a snapshot); src/osd/PrimaryLogPG.cc and object_state.h (RWState). The acknowledgement of a
 * notify is left out: nothing waits for it.
 */
#ifndef SSDQUAL_POLICIES_SIM_REFRESH_H
#define SSDQUAL_POLICIES_SIM_REFRESH_H

#include "policies/sim_model.h"

/* State writes under way at most; a further one joins the last that still waits. */
#define SIM_HEADER_MAX 64u

struct sim_refresh {
	/* Called for an operation that may go on; from arrive() or from done(). */
	void (*pass)(struct sim_handle *h, struct sim_op *op);
	uint64_t seq, last, running_seq;
	unsigned reads, left;             /* k; of the running refresh */
	bool running;
	struct sim_fifo now, next;        /* waiting for the running refresh; for the one after */
	uint8_t queue[SIM_HEADER_MAX];    /* waiting for the object, in order */
	unsigned first, queued, readers, writers, under_way;
};

/* @reads: k; 0: the default. */
void sim_refresh_init(struct sim_refresh *r, unsigned reads,
	void (*pass)(struct sim_handle *h, struct sim_op *op));
/* sim_refresh_arrive - a client's operation: passed at once, or held. Uses op->b. */
void sim_refresh_arrive(struct sim_handle *h, struct sim_refresh *r, struct sim_op *op);
/* sim_refresh_change - the metadata are rewritten. */
void sim_refresh_change(struct sim_handle *h, struct sim_refresh *r);
/* sim_refresh_done - for the model's done(): SIM_B_META_READ, _META_WRITE, _NOTIFY. */
void sim_refresh_done(struct sim_handle *h, struct sim_refresh *r, uint64_t cookie);
/* What it may have under way, for the model's bound(). */
#define SIM_REFRESH_SUBMITS (SIM_HEADER_MAX + 2u)

#endif
