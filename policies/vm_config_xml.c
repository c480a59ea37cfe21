/* vm_config_xml.c - RBD disks in a domain XML of libvirt.
 *
 * Not an XML parser: what is looked for are the attributes of <driver>, <source> and <target>
 * inside of each <disk>, which libvirt writes itself (virsh dumpxml). Comments are passed over;
 * entities in names are left as they are.
 */
#include "policies/vm_config.h"

#include <string.h>

struct span {
	const char *at;
	size_t len;
};

/* The tag <@name ...> in @in, up to its '>'. */
static struct span find_tag(struct span in, const char *name)
{
	const char *p = in.at, *end = in.at + in.len;
	size_t n = strlen(name);

	while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
		if ((size_t)(end - p) > 4 && memcmp(p, "<!--", 4) == 0) {
			const char *close = memmem(p, (size_t)(end - p), "-->", 3);

			if (close == NULL)
				break;
			p = close + 3;
			continue;
		}
		if ((size_t)(end - p) > n + 1 && memcmp(p + 1, name, n) == 0 &&
		    strchr(" \t\r\n/>", p[n + 1]) != NULL) {
			const char *close = memchr(p, '>', (size_t)(end - p));

			return (struct span){ p, (size_t)((close != NULL ? close : end) - p) };
		}
		p++;
	}
	return (struct span){ NULL, 0 };
}

static struct span attribute(struct span tag, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 1; tag.at != NULL && i + n + 2 < tag.len; i++) {
		const char *p = tag.at + i, *close;

		if (memcmp(p, name, n) != 0 || p[n] != '=' || strchr(" \t\r\n", p[-1]) == NULL ||
		    (p[n + 1] != '"' && p[n + 1] != '\''))
			continue;
		p += n + 1;
		close = memchr(p + 1, *p, (size_t)(tag.at + tag.len - p - 1));
		if (close != NULL)
			return (struct span){ p + 1, (size_t)(close - p - 1) };
	}
	return (struct span){ NULL, 0 };
}

static bool is(struct span s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.at, word, s.len) == 0;
}

static void take_disk(struct span disk, struct vm_config *ret)
{
	struct span source = find_tag(disk, "source"), driver = find_tag(disk, "driver");
	struct span target = find_tag(disk, "target");
	struct span name = attribute(target, "dev"), image = attribute(source, "name");
	struct span cache = attribute(driver, "cache");

	if (source.at == NULL || !is(attribute(source, "protocol"), "rbd"))
		return;
	/* Without a cache attribute libvirt says nothing to QEMU, whose default is writeback. */
	vm_config_add(ret, name.at, name.len, image.at, image.len, cache.at, cache.len,
		QEMU_CACHE_WRITEBACK);
}

void vm_config_xml(const char *text, struct vm_config *ret)
{
	struct span rest = { text, strlen(text) };

	for (;;) {
		struct span disk = find_tag(rest, "disk");
		const char *end, *stop = rest.at + rest.len;

		if (disk.at == NULL)
			return;
		end = memmem(disk.at, (size_t)(stop - disk.at), "</disk>", 7);
		disk.len = (size_t)((end != NULL ? end : stop) - disk.at);
		/* The tag's own attributes are no part of what is inside. */
		disk.at++;
		disk.len--;
		take_disk(disk, ret);
		rest = (struct span){ disk.at + disk.len, (size_t)(stop - disk.at) - disk.len };
	}
}
