#include "adapters/ec2/tree.h"

#include "core/event.h"
#include "core/quantity.h"
#include "core/timefmt.h"

const struct plm_aws_node *plm_aws_get(const struct plm_aws_node *node, const char *name)
{
	if (node == NULL) {
		return NULL;
	}
	for (const struct plm_aws_node *child = node->child; child != NULL; child = child->next) {
		if (plm_slice_is(child->name, name)) {
			return child;
		}
	}
	return NULL;
}

struct plm_slice plm_aws_text(const struct plm_aws_node *node, const char *name)
{
	const struct plm_aws_node *child = plm_aws_get(node, name);

	return child == NULL ? (struct plm_slice){0} : child->text;
}

int64_t plm_aws_number(const struct plm_aws_node *node, const char *name, int64_t otherwise)
{
	int64_t value = 0;

	return plm_integer_parse(plm_aws_text(node, name), &value) ? value : otherwise;
}

bool plm_aws_true(const struct plm_aws_node *node, const char *name)
{
	return plm_slice_is(plm_aws_text(node, name), "true");
}

int64_t plm_aws_time_ms(const struct plm_aws_node *node, const char *name)
{
	int64_t ms = 0;

	return plm_time_parse(plm_aws_text(node, name), &ms, NULL) == PLM_OK ? ms : PLM_UNSET;
}
