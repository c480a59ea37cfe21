# probes/rbd_lib.h has the prototypes of librbd and librados by heart: are they those of the headers?
. tests/cli/lib.sh
[ -e /usr/include/rbd/librbd.h ] || skip_all "needs the headers of librbd-dev"
need_tool cc
cat >"$T/prototypes.c" <<'C'
#include <rados/librados.h>
#include <rbd/librbd.h>
#include "probes/rbd_lib.h"

#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)
SAME_SIZE(rbd_lib_spec, rbd_image_spec_t);
SAME_SIZE(rbd_lib_option, rbd_config_option_t);
SAME_SIZE(rbd_lib_info, rbd_image_info_t);
#define SAME_PLACE(ours, theirs, member) _Static_assert(offsetof(struct ours, member) == \
	offsetof(theirs, member), #theirs "." #member)
SAME_PLACE(rbd_lib_spec, rbd_image_spec_t, name);
SAME_PLACE(rbd_lib_option, rbd_config_option_t, value);
SAME_PLACE(rbd_lib_option, rbd_config_option_t, source);
SAME_PLACE(rbd_lib_info, rbd_image_info_t, obj_size);
SAME_PLACE(rbd_lib_info, rbd_image_info_t, order);
_Static_assert(RBD_LIB_FORMAT == RBD_IMAGE_OPTION_FORMAT, "format");
_Static_assert(RBD_LIB_FEATURES == RBD_IMAGE_OPTION_FEATURES, "features");
_Static_assert(RBD_LIB_ORDER == RBD_IMAGE_OPTION_ORDER, "order");
_Static_assert(RBD_LIB_STRIPE_UNIT == RBD_IMAGE_OPTION_STRIPE_UNIT, "stripe unit");
_Static_assert(RBD_LIB_STRIPE_COUNT == RBD_IMAGE_OPTION_STRIPE_COUNT, "stripe count");
_Static_assert(RBD_LIB_DATA_POOL == RBD_IMAGE_OPTION_DATA_POOL, "data pool");
_Static_assert(sizeof(rbd_linked_image_spec_t) <= 256 && sizeof(rbd_snap_spec_t) <= 256, "parent");

/* With their names for the structures, each of our prototypes must take the function it is for. */
typedef struct timespec timespec_t;
#define struct
#define timespec timespec_t
#define rbd_lib_spec rbd_image_spec_t
#define rbd_lib_option rbd_config_option_t
#define rbd_lib_info rbd_image_info_t
#define ONE(type, name, args) type (*ours_##name) args = name;
RBD_LIB_RADOS(ONE)
RBD_LIB_RBD(ONE)
C
run_cmd cc -std=gnu17 -D_GNU_SOURCE -I. -Wall -Wno-deprecated-declarations -Wno-enum-compare \
	-fno-diagnostics-show-caret -fsyntax-only "$T/prototypes.c"
expect_status 0 "the layouts and numbers are those of the installed headers"
# Lists of which only the length is asked are passed as void pointers: nothing else may differ.
check "and so are the prototypes" python3 - "$T/err" <<'PY'
import re, sys

wrong = []
for line in open(sys.argv[1], encoding="utf-8"):
    if "warning:" not in line:
        continue
    text = re.sub(r" \{aka [^}]*\}", "", line)
    types = re.findall("of \u2018(.*)\u2019 from incompatible pointer type \u2018(.*)\u2019", text)
    ours, theirs = types[0] if types else ("?", "")
    if ours != re.sub(r"rbd_(linked_image_spec|snap_spec|snap_info|image_watcher)_t", "void", theirs):
        wrong.append(line)
assert not wrong, "".join(wrong)
PY
