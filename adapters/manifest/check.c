#include "adapters/manifest/check.h"

/* ---- texts ------------------------------------------------------------------------------------- */

static bool is_alnum(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9');
}

/* Letters, digits, '-', '_', '.', with a letter or digit at both ends; 63 at most. */
static bool is_word(struct plm_slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		uint8_t byte = text.ptr[i];
		bool edge = i == 0 || i + 1 == text.size;

		if (!is_alnum(byte) && (edge || (byte != '-' && byte != '_' && byte != '.'))) {
			return false;
		}
	}
	return text.size > 0 && text.size <= 63;
}

bool plm_check_is_qualified(struct plm_slice text)
{
	size_t slash = text.size;

	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] == '/') {
			if (slash != text.size) {
				return false;
			}
			slash = i;
		}
	}
	if (slash == text.size) {
		return is_word(text);
	}
	return plm_project_is_name(plm_slice_of(text.ptr, slash)) &&
	       is_word(plm_slice_of(text.ptr + slash + 1, text.size - slash - 1));
}

bool plm_check_is_label_value(struct plm_slice text)
{
	return text.size == 0 || is_word(text);
}

void plm_check_count(struct plm_project *p, struct plm_doc *map, const char *key, size_t low,
		     size_t high)
{
	struct plm_doc *list = plm_doc_get(map, key);
	size_t count = list == NULL ? 0 : list->count;

	if (count < low) {
		plm_doc_fail(p->tree, list == NULL ? map : list, "%s needs at least %zu item%s",
			     key, low, low == 1 ? "" : "s");
	} else if (count > high) {
		plm_doc_fail(p->tree, list, "at most %zu items, there are %zu", high, count);
	}
}

void plm_check_name(struct plm_project *p, struct plm_doc *map, const char *key)
{
	struct plm_slice name = plm_doc_text(p->tree, map, key);

	if (name.size > 0 && !plm_project_is_name(name)) {
		plm_doc_fail(p->tree, plm_doc_get(map, key),
			     "\"%.*s\" is not a name (small letters, digits, '-', '.')",
			     (int)name.size, (const char *)name.ptr);
	}
}

void plm_check_weight(struct plm_project *p, struct plm_doc *fair, int64_t weight_nano)
{
	if (weight_nano == 1) {
		plm_doc_fail(p->tree, plm_doc_get(fair, "weight"),
			     "a weight above 0 must be above 1e-9");
	}
}

/* ---- ResourceFlavor ---------------------------------------------------------------------------- */

static void check_labels(struct plm_project *p, struct plm_doc *spec)
{
	struct plm_doc *labels = plm_doc_get(spec, "nodeLabels");
	struct plm_doc *node = labels == NULL ? NULL : labels->first;

	for (; node != NULL; node = node->next) {
		if (!plm_check_is_qualified(node->key)) {
			plm_doc_fail(p->tree, node, "not a label key");
		} else if (!plm_check_is_label_value(node->text)) {
			plm_doc_fail(p->tree, node, "\"%.*s\" is not a label value",
				     (int)node->text.size, (const char *)node->text.ptr);
		}
	}
	plm_check_count(p, spec, "nodeLabels", 0, 8);
}

static void check_taints(struct plm_project *p, struct plm_doc *spec, struct plm_vec taints)
{
	const struct plm_w_taint *taint = taints.ptr;
	struct plm_doc *node = plm_doc_items(plm_doc_get(spec, "nodeTaints"));

	for (size_t i = 0; node != NULL && i < taints.count; i++, node = node->next) {
		if (!plm_check_is_qualified(taint[i].key)) {
			plm_doc_fail(p->tree, plm_doc_get(node, "key"), "not a label key");
		} else if (!plm_check_is_label_value(taint[i].value)) {
			plm_doc_fail(p->tree, plm_doc_get(node, "value"), "not a label value");
		}
		for (size_t j = 0; j < i; j++) {
			if (plm_slice_equal(taint[i].key, taint[j].key) &&
			    taint[i].effect == taint[j].effect) {
				plm_doc_fail(p->tree, node,
					     "taints must be unique by key and effect");
			}
		}
	}
	plm_check_count(p, spec, "nodeTaints", 0, 8);
}

static void check_tolerations(struct plm_project *p, struct plm_doc *spec, struct plm_vec list)
{
	const struct plm_w_toleration *t = list.ptr;
	struct plm_doc *node = plm_doc_items(plm_doc_get(spec, "tolerations"));

	for (size_t i = 0; node != NULL && i < list.count; i++, node = node->next) {
		if (t[i].key.size > 0 && !plm_check_is_qualified(t[i].key)) {
			plm_doc_fail(p->tree, plm_doc_get(node, "key"), "not a label key");
		} else if (t[i].op != PLM_TOLERATION_EQUAL && t[i].op != PLM_TOLERATION_EXISTS) {
			plm_doc_fail(p->tree, plm_doc_get(node, "operator"),
				     "must be Equal or Exists");
		} else if (t[i].op == PLM_TOLERATION_EXISTS && t[i].value.size > 0) {
			plm_doc_fail(p->tree, plm_doc_get(node, "value"),
				     "must be empty with operator Exists");
		} else if (plm_doc_get(node, "tolerationSeconds") != NULL &&
			   t[i].effect != PLM_EFFECT_NO_EXECUTE) {
			plm_doc_fail(p->tree, plm_doc_get(node, "tolerationSeconds"),
				     "only with effect NoExecute");
		}
	}
	plm_check_count(p, spec, "tolerations", 0, 8);
}

void plm_check_flavor(struct plm_project *p, struct plm_doc *spec,
		      const struct plm_w_flavor *flavor)
{
	check_labels(p, spec);
	check_taints(p, spec, flavor->node_taints);
	check_tolerations(p, spec, flavor->tolerations);
	plm_check_name(p, spec, "topologyName");
	if (flavor->topology.size > 0 && flavor->node_labels.count == 0) {
		plm_doc_fail(p->tree, plm_doc_get(spec, "topologyName"),
			     "needs at least one label in nodeLabels");
	}
}
