#include "adapters/manifest/item.h"
#include "adapters/manifest/reader.h"

#include <stdio.h>

static void head_of(const struct plm_manifest_item *item, struct plm_list_head *head)
{
	(void)snprintf(head->kind, sizeof(head->kind), "%sList", item->kind);
	(void)snprintf(head->version, sizeof(head->version), "%s", item->version);
}

enum plm_code plm_manifest_item(struct plm_manifest *reader, const struct plm_manifest_item *item,
				struct plm_error *err)
{
	struct plm_list_head head;
	struct plm_piece piece = {
		.bytes = item->text,
		.line = 1,
		.values = &item->values,
		.list = &head,
	};
	enum plm_code code = plm_manifest_source(reader, item->source, &piece.file, err);

	if (code != PLM_OK) {
		return code;
	}
	head_of(item, &head);
	return plm_manifest_piece(reader, &piece, err);
}
