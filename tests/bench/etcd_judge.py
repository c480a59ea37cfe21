"""Rounds of etcd and the battery into figures and a verdict."""
import os
import random

PASS, FAIL, UNSURE = "PASS", "FAIL", "UNSURE"
TOLERANCE = 0.25        # of the ratio of means
MIN_SHARE_ABOVE = 0.05  # of etcd's samples above its first bucket, for a p99 to be judged
BOOTSTRAPS = 400
QUIET_CPUS = 0.3 * os.cpu_count()  # busy in the whole machine; etcd and its load: 0.1 to 0.3
MIN_QUIET = 5           # rounds
FAR = 1 / 3             # a ratio of means that other work on the machine does not explain


class Round:
    """A phase of etcd, one of the battery alone, one of it beside commits such as bbolt's."""

    def __init__(self):
        self.load = self.alone = self.beside = None
        self.busy = 0.0  # CPUs' worth of work in the whole machine, in the busiest phase

    def ratio(self):
        return self.load.fsync.mean_s() / self.alone.mean_s()


def say(text=""):
    print(text, flush=True)


def ms(seconds):
    return f"{seconds * 1e3:.3g} ms"


def bucket_text(bucket):
    return f"({ms(bucket[0])}, {ms(bucket[1])}]"


def place(bucket, p99, buckets, interval):
    """Is @p99 in etcd's @bucket, or are the two apart by no more than the rounds' spread?"""
    if bucket[0] < p99 <= bucket[1]:
        return "same bucket"
    if any(low < interval[1] and interval[0] <= high for low, high in buckets):
        return "same within the spread"
    return "DIFFERENT"


def pooled(rounds):
    """(etcd's histogram, samples of the battery alone, and beside commits) over all rounds."""
    fsync, alone, beside = rounds[0].load.fsync, rounds[0].alone, rounds[0].beside
    for r in rounds[1:]:
        fsync, alone, beside = fsync.plus(r.load.fsync), alone.plus(r.alone), beside.plus(r.beside)
    return fsync, alone, beside


def span(values):
    v = sorted(values)
    return v[len(v) // 20], v[-1 - len(v) // 20]


class Bootstrap:
    """Rounds drawn anew (fixed seed): 90 % intervals, and the buckets that etcd's p99 falls into
    in more than 5 % of the draws."""

    def __init__(self, rounds):
        rng = random.Random(1)
        ratios, buckets, alone99, beside99 = [], {}, [], []
        for _ in range(BOOTSTRAPS):
            drawn = rng.choices(rounds, k=len(rounds))
            fsync, alone, beside = pooled(drawn)
            ratios.append(median(r.ratio() for r in drawn))
            bucket = fsync.bucket_of_rank(99)
            buckets[bucket] = buckets.get(bucket, 0) + 1
            alone99.append(alone.percentile_s(99))
            beside99.append(beside.percentile_s(99))
        self.ratio, self.alone99, self.beside99 = span(ratios), span(alone99), span(beside99)
        self.buckets = [b for b in sorted(buckets) if buckets[b] > BOOTSTRAPS // 20]


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def quiet_count(rounds):
    return sum(r.busy <= QUIET_CPUS for r in rounds)


def quiet_rounds(rounds):
    """Without the rounds in which the machine had other work to do: a sync's time is then how long
    the threads wait for a CPU. Chosen by the CPUs' load, never by a latency. All, where too few
    are left. Returns (rounds, whether they are the quiet ones)."""
    quiet = [r for r in rounds if r.busy <= QUIET_CPUS]
    if len(quiet) < MIN_QUIET:
        say(f"    BUSY MACHINE: {len(rounds) - len(quiet)} of {len(rounds)} rounds ran beside "
            f"other work (over {QUIET_CPUS:g} CPUs busy); all are used")
        return rounds, False
    if len(quiet) < len(rounds):
        say(f"    {len(rounds) - len(quiet)} of {len(rounds)} rounds put aside: other work on the "
            f"machine (over {QUIET_CPUS:g} CPUs busy)")
    return quiet, True


def say_battery(what, samples):
    say(f"    {what + ':':24}{samples.count} syncs, {samples.count / samples.seconds:.1f}/s, "
        f"{samples.bytes:.0f} B a sync, mean {ms(samples.mean_s())}, "
        f"p99 {ms(samples.percentile_s(99))}")


def say_etcd(fsync, rounds):
    seconds = sum(r.load.seconds for r in rounds)
    commits = sum(r.load.commit.count for r in rounds)
    say(f"    {'etcd:':24}{fsync.count} syncs, {fsync.count / seconds:.1f}/s, "
        f"{median(r.load.write_bytes for r in rounds):.0f} B a sync, mean {ms(fsync.mean_s())}, "
        f"p99 in {bucket_text(fsync.bucket_of_rank(99))}, {fsync.share_above_first():.1%} above "
        f"{ms(fsync.edges[0])}")
    if commits:
        spent = sum(r.load.commit.sum_s for r in rounds)
        say(f"      its bbolt commits: {commits / seconds:.1f}/s, {ms(spent / commits)} each, "
            f"{spent / seconds:.0%} of the time")


def report(rounds):
    """Print the figures of one load. Returns (PASS, FAIL or UNSURE, text for the verdict)."""
    rounds, quiet = quiet_rounds(rounds)
    fsync, alone, beside = pooled(rounds)
    boot = Bootstrap(rounds)
    each = sorted(r.ratio() for r in rounds)
    ratio, whole_ratio = median(each), fsync.mean_s() / alone.mean_s()
    say_etcd(fsync, rounds)
    say_battery("battery alone", alone)
    say_battery("battery beside commits", beside)
    beside_ratio = median(r.load.fsync.mean_s() / r.beside.mean_s() for r in rounds)
    say(f"    mean, etcd / battery alone: {ratio:.3f}, median of {len(rounds)} rounds (drawn anew, "
        f"90 %: {boot.ratio[0]:.3f} to {boot.ratio[1]:.3f}; single rounds {each[0]:.3f} to "
        f"{each[-1]:.3f}); of all samples {whole_ratio:.3f}; / battery beside commits "
        f"{beside_ratio:.3f}")
    if abs(whole_ratio - 1) > TOLERANCE >= abs(ratio - 1):
        say("    the means of all samples are further apart than the rounds': single stalls")
    bucket = fsync.bucket_of_rank(99)
    apart = place(bucket, alone.percentile_s(99), boot.buckets, boot.alone99)
    word = place(bucket, beside.percentile_s(99), boot.buckets, boot.beside99)
    say(f"    p99, rounds drawn anew: etcd in {', '.join(map(bucket_text, boot.buckets))}; battery "
        f"beside commits {ms(boot.beside99[0])} to {ms(boot.beside99[1])}: {word}; alone "
        f"{ms(boot.alone99[0])} to {ms(boot.alone99[1])}: {apart}")
    if fsync.share_above_first() < MIN_SHARE_ABOVE:
        word = f"not judged, fewer than {MIN_SHARE_ABOVE:.0%} above {ms(fsync.edges[0])}"
    text = f"etcd / battery {ratio:.3f}, p99 {word}"
    if abs(ratio - 1) <= TOLERANCE and word != "DIFFERENT":
        return PASS, text
    # Where CPUs are short, etcd's threads keep the scheduler going, so that the journal's thread
    # gets its turn sooner: the ratio falls, it does not rise.
    if not quiet and FAR < ratio <= 1 + TOLERANCE:
        return UNSURE, text + ", busy machine: repeat on a quiet one"
    return FAIL, text
