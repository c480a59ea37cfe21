/* dist.h - arithmetic on latency distributions known by three quantiles (data/backend.h).
 *
 * Between the quantiles a distribution is taken as lognormal in pieces: ln x is linear in the
 * normal score z through (0, p50), (2.3263, p99), (3.0902, p999); below the median the first piece
 * is mirrored, above p99.9 the last goes on.
 *   Sum of independent parts: Fenton-Wilkinson, once for each tail quantile q: every part is the
 *   lognormal through its (p50, q), mean and variance add up, the result's q is read off. A sum is
 *   never below one of its parts at the same quantile, which is enforced.
 *   Constant parts shift, which is exact. Mixtures are solved on the distribution function.
 * Source: L. F. Fenton, "The sum of log-normal probability distributions in scatter transmission
 * systems", IRE Trans. Commun. Syst. 8 (1960). Checked by tests/policies/test_dist.c against sums
 * that were worked out by hand and against sampling.
 * Unknown (NAN) in any input gives NAN. Pure functions, no state.
 */
#ifndef SSDQUAL_POLICIES_DIST_H
#define SSDQUAL_POLICIES_DIST_H

#include "data/backend.h"

#define DIST_UNKNOWN ((struct dist){ NAN, NAN, NAN })

struct dist dist_const(double ns);                      /* all three equal */
struct dist dist_scale(struct dist d, double factor);   /* factor >= 0 */
struct dist dist_shift(struct dist d, double ns);       /* adds a constant; not below 0 */
struct dist dist_sum(struct dist a, struct dist b);     /* independent */
struct dist dist_part(struct dist d, double n);         /* of n >= 1 independent copies that add up to @d */
/* A share @w (0 to 1) of the operations is @b, the rest @a. */
struct dist dist_mix(struct dist a, struct dist b, double w);
double dist_mean(struct dist d);                        /* of the lognormal through p50, p99 */
double dist_quantile(struct dist d, double z);          /* value at the normal score @z */
double dist_cdf(struct dist d, double ns);              /* share not above @ns */
bool dist_known(struct dist d);

#endif
