#include "adapters/catalog/labels.h"

const char *const plm_catalog_labels[PLM_LABEL_COUNT] = {
#define PLM_CATALOG_LABEL_TEXT(name, text) text,
	PLM_CATALOG_LABELS(PLM_CATALOG_LABEL_TEXT)
#undef PLM_CATALOG_LABEL_TEXT
};
