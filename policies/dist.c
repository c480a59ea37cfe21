/* dist.c - sums, mixtures and extremes of latency distributions. */
#include "policies/dist.h"

#include <math.h>

/* Normal scores of 0.99 and 0.999. */
#define Z99  2.326347874040841
#define Z999 3.090232306167814

bool dist_known(struct dist d)
{
	return !isnan(d.p50_ns) && !isnan(d.p99_ns) && !isnan(d.p999_ns);
}

struct dist dist_const(double ns)
{
	return (struct dist){ ns, ns, ns };
}

struct dist dist_scale(struct dist d, double factor)
{
	return (struct dist){ d.p50_ns * factor, d.p99_ns * factor, d.p999_ns * factor };
}

struct dist dist_shift(struct dist d, double ns)
{
	if (!dist_known(d))
		return DIST_UNKNOWN;
	return (struct dist){ fmax(0, d.p50_ns + ns), fmax(0, d.p99_ns + ns),
		fmax(0, d.p999_ns + ns) };
}

static struct dist ordered(struct dist d)
{
	if (d.p99_ns < d.p50_ns)
		d.p99_ns = d.p50_ns;
	if (d.p999_ns < d.p99_ns)
		d.p999_ns = d.p99_ns;
	return d;
}

/* Mean and squared coefficient of variation of the lognormal with this median and quantile. */
struct moments {
	double mean, cv2;
};

static struct moments fit(double p50, double q, double z)
{
	struct moments m = { 0, 0 };
	double sigma;

	if (p50 <= 0)
		return m;
	sigma = log(q / p50) / z;
	m.mean = p50 * exp(sigma * sigma / 2);
	m.cv2 = expm1(sigma * sigma);
	return m;
}

static void unfit(struct moments m, double z, double *ret_p50, double *ret_q)
{
	double var = log1p(m.cv2);

	*ret_p50 = m.mean / sqrt(1 + m.cv2);
	*ret_q = *ret_p50 * exp(z * sqrt(var));
}

static struct moments add(struct moments a, struct moments b)
{
	double mean = a.mean + b.mean;
	double var = a.mean * a.mean * a.cv2 + b.mean * b.mean * b.cv2;

	return (struct moments){ mean, mean > 0 ? var / (mean * mean) : 0 };
}

struct dist dist_sum(struct dist a, struct dist b)
{
	struct dist r;
	double unused;

	if (!dist_known(a) || !dist_known(b))
		return DIST_UNKNOWN;
	/* A constant shifts the other exactly; the fit would smear it. */
	if (a.p50_ns == a.p999_ns)
		return dist_shift(b, a.p50_ns);
	if (b.p50_ns == b.p999_ns)
		return dist_shift(a, b.p50_ns);
	unfit(add(fit(a.p50_ns, a.p99_ns, Z99), fit(b.p50_ns, b.p99_ns, Z99)), Z99, &r.p50_ns,
		&r.p99_ns);
	unfit(add(fit(a.p50_ns, a.p999_ns, Z999), fit(b.p50_ns, b.p999_ns, Z999)), Z999, &unused,
		&r.p999_ns);
	r.p50_ns = fmax(r.p50_ns, fmax(a.p50_ns, b.p50_ns));
	r.p99_ns = fmax(r.p99_ns, fmax(a.p99_ns, b.p99_ns));
	r.p999_ns = fmax(r.p999_ns, fmax(a.p999_ns, b.p999_ns));
	return ordered(r);
}

struct dist dist_part(struct dist d, double n)
{
	struct moments m, t;
	struct dist r;
	double unused;

	if (n <= 1 || !dist_known(d))
		return d;
	m = fit(d.p50_ns, d.p99_ns, Z99);
	unfit((struct moments){ m.mean / n, m.cv2 * n }, Z99, &r.p50_ns, &r.p99_ns);
	t = fit(d.p50_ns, d.p999_ns, Z999);
	unfit((struct moments){ t.mean / n, t.cv2 * n }, Z999, &unused, &r.p999_ns);
	return ordered(r);
}

double dist_quantile(struct dist d, double z)
{
	double low, high;

	if (!dist_known(d) || d.p50_ns <= 0)
		return d.p50_ns;
	low = log(d.p99_ns / d.p50_ns) / Z99;
	high = log(d.p999_ns / d.p99_ns) / (Z999 - Z99);
	if (z <= Z99)
		return d.p50_ns * exp(low * z);
	return d.p99_ns * exp(high * (z - Z99));
}

double dist_cdf(struct dist d, double ns)
{
	double low, high, z;

	if (!dist_known(d))
		return NAN;
	if (ns <= 0)
		return 0;
	if (d.p50_ns == d.p999_ns)
		return ns >= d.p50_ns ? 1 : 0;
	low = log(d.p99_ns / d.p50_ns) / Z99;
	high = log(d.p999_ns / d.p99_ns) / (Z999 - Z99);
	if (ns <= d.p99_ns)
		z = low > 0 ? log(ns / d.p50_ns) / low : (ns >= d.p50_ns ? Z99 : -40);
	else
		z = high > 0 ? Z99 + log(ns / d.p99_ns) / high : 40;
	return 0.5 * erfc(-z / M_SQRT2);
}

static double mix_quantile(struct dist a, struct dist b, double w, double q)
{
	double lo = 0, hi = 8 * fmax(a.p999_ns, b.p999_ns) + 1;

	for (int i = 0; i < 100; i++) {
		double mid = (lo + hi) / 2;

		if ((1 - w) * dist_cdf(a, mid) + w * dist_cdf(b, mid) < q)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

struct dist dist_mix(struct dist a, struct dist b, double w)
{
	if (w <= 0)
		return a;
	if (w >= 1)
		return b;
	if (!dist_known(a) || !dist_known(b))
		return DIST_UNKNOWN;
	return ordered((struct dist){ mix_quantile(a, b, w, 0.5), mix_quantile(a, b, w, 0.99),
		mix_quantile(a, b, w, 0.999) });
}

double dist_mean(struct dist d)
{
	return dist_known(d) ? fit(d.p50_ns, d.p99_ns, Z99).mean : NAN;
}
