/* verdict_rotation.h - what the medium is: claimed, reported, measured, and what follows. */
#ifndef SSDQUAL_POLICIES_VERDICT_ROTATION_H
#define SSDQUAL_POLICIES_VERDICT_ROTATION_H

#include "policies/verdict.h"

enum medium { MEDIUM_UNKNOWN, MEDIUM_SSD, MEDIUM_HDD, MEDIUM_VOLUME };

struct rotation_verdict {
	int claimed, reported;  /* the kernel's, the drive's word: 1 rotates, 0 not, -1 unknown */
	enum medium measured;   /* of random reads; MEDIUM_VOLUME never */
	bool measured_high;     /* over a span that no cache holds, with its growth */
	double small_ns, large_ns; /* median random read, smallest and largest span; or NAN */
	char rows[80];          /* the rows that were used; "": none */
	enum medium medium;     /* the verdict */
	bool high;              /* confidence */
	bool claim_wrong;       /* the kernel's flag contradicts the verdict */
	bool doubtful;          /* a RAID controller's virtual disk: nothing here is the drive's */
};

void verdict_rotation_judge(const struct verdict_input *in, struct rotation_verdict *ret);
const char *medium_word(enum medium m); /* "unknown" "ssd" "hdd" "volume" */

/* What OSDs that were created under the wrong flag need, step by step; NULL-terminated. */
extern const char *const rotation_osd_mend[];

#endif
