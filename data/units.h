/* units.h - checked parsing of sizes, times and ratios, and their one way of being shown.
 *
 * Sizes are read as fio and rbd read them: k, M, G, T and Ki, KiB, Mi, ... are powers of 1024;
 * kB, MB, GB, TB are powers of 1000. Shown are always KiB, MiB, GiB, TiB (drive capacities, which
 * vendors print decimal: GB, TB). Letters may be of either case except that "kB" ends in B.
 * The C locale is used throughout, whatever the user's is. Nothing here allocates.
 */
#ifndef SSDQUAL_DATA_UNITS_H
#define SSDQUAL_DATA_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* All parsers: 0 and *ret set; -EINVAL for anything but one whole value (empty, sign, trailing
 * text, NaN); -ERANGE when it does not fit. *ret is untouched on failure. */
int units_parse_u64(const char *s, uint64_t *ret);
int units_parse_bytes(const char *s, uint64_t *ret);       /* "4k" "1.5G" "4096" "100MB" */
int units_parse_duration_ns(const char *s, uint64_t *ret); /* "60" (seconds) "1.5ms" "20us" "5m" "2h" "300ns" */
int units_parse_ratio(const char *s, double *ret);         /* "10%" -> 0.1, "0.1" */
int units_parse_f64(const char *s, double *ret);           /* finite */

/* Formatters write at most @len bytes with the final NUL and return @buf. NAN gives "unknown". */
char *units_format_bytes(char *buf, size_t len, double bytes);    /* "512 B" "64 KiB" "3.5 GiB" */
char *units_format_capacity(char *buf, size_t len, double bytes); /* decimal: "3.84 TB" */
char *units_format_rate(char *buf, size_t len, double bytes_s);   /* "505 MiB/s" */
char *units_format_ns(char *buf, size_t len, double ns);          /* "812 ns" "44.3 us" "1.42 ms" "2.05 s" */
char *units_format_count(char *buf, size_t len, double n);        /* "97" "1,931" -> "1931"; "19.7k" "1.2M" */
char *units_format_span(char *buf, size_t len, double seconds);   /* "45 s" "3 min 20 s" "1 h 05 min" */
#define UNITS_BUF 32

#endif
