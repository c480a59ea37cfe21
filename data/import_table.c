/* import_table.c - all importers, in the order in which a document is offered to them. */
#include "data/import.h"

#include <string.h>

extern const struct importer import_fio;
extern const struct importer import_smartctl;
extern const struct importer import_nvme;

const struct importer *const importer_table[] = {
	&import_fio,
	&import_smartctl,
	&import_nvme,
	NULL,
};

const struct importer *importer_find(const char *name)
{
	for (size_t i = 0; importer_table[i]; i++)
		if (strcmp(importer_table[i]->name, name) == 0)
			return importer_table[i];
	return NULL;
}

const struct importer *importer_for(const struct json *doc)
{
	for (size_t i = 0; importer_table[i]; i++)
		if (importer_table[i]->recognises(doc))
			return importer_table[i];
	return NULL;
}
