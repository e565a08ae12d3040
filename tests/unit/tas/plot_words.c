#include "plot_words.h"

#include <stdlib.h>

/* ---- words ------------------------------------------------------------------------------------- */

char *plot_keep(struct plot *p, const char *text)
{
	struct plm_slice bytes = s(text);
	char *copy = plm_arena_take(&p->texts, bytes.size + 1);

	PLM_ASSERT(bytes.ptr != NULL);
	memcpy(copy, bytes.ptr, bytes.size);
	return copy;
}

/* The next piece of '*rest' between 'separators', cut off in place; NULL at the end. */
char *plot_piece(char **rest, const char *separators)
{
	char *piece = *rest + strspn(*rest, separators);
	size_t size = strcspn(piece, separators);

	if (size == 0) {
		return NULL;
	}
	*rest = piece + size;
	if (**rest != 0) {
		*(*rest)++ = 0;
	}
	return piece;
}

struct plot_words plot_split(char *line)
{
	struct plot_words words = {{NULL}, 0};

	for (char *word = plot_piece(&line, " \t"); word != NULL; word = plot_piece(&line, " \t")) {
		assert_true(words.count < PLOT_WORDS_MAX);
		words.at[words.count++] = word;
	}
	return words;
}

bool plot_has(const struct plot_words *words, const char *word)
{
	for (uint32_t i = 0; i < words->count; i++) {
		if (strcmp(words->at[i], word) == 0) {
			return true;
		}
	}
	return false;
}

/* The n-th value of "key=value", NULL. */
char *plot_nth(const struct plot_words *words, const char *key, uint32_t n)
{
	size_t size = strlen(key);

	for (uint32_t i = 0; i < words->count; i++) {
		if (strncmp(words->at[i], key, size) == 0 && words->at[i][size] == '=' &&
		    n-- == 0) {
			return words->at[i] + size + 1;
		}
	}
	return NULL;
}

struct plm_slice plot_text(const struct plot_words *words, const char *key)
{
	return s(plot_nth(words, key, 0));
}

int64_t plot_number(const struct plot_words *words, const char *key, int64_t otherwise)
{
	const char *value = plot_nth(words, key, 0);

	return value == NULL ? otherwise : strtoll(value, NULL, 10);
}

/* Split "left:right" in place; "" when there is no colon. */
const char *plot_right_of(char *pair)
{
	char *colon = strrchr(pair, ':');

	if (colon == NULL) {
		return "";
	}
	*colon = 0;
	return colon + 1;
}

const char *plot_label(const char *level)
{
	return strcmp(level, "host") == 0 ? "kubernetes.io/hostname" : level;
}

/* Sort a few pairs by key. */
void plot_sort_pairs(struct plm_w_kv *list, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct plm_w_kv pair = list[i];
		size_t at = i;

		for (; at > 0 && plm_slice_compare(list[at - 1].key, pair.key) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = pair;
	}
}

/* "key=K:V" words as a sorted list of pairs. */
struct plm_vec plot_pairs(struct plot *p, const struct plot_words *words, const char *key)
{
	struct plm_w_kv *list = plm_arena_array(&p->texts, PLOT_WORDS_MAX, sizeof(*list));
	size_t count = 0;

	for (char *pair = plot_nth(words, key, 0); pair != NULL;
	     pair = plot_nth(words, key, (uint32_t)count)) {
		const char *value = NULL;

		pair = plot_keep(p, pair);
		value = plot_right_of(pair);
		list[count++] = (struct plm_w_kv){s(pair), s(value)};
	}
	plot_sort_pairs(list, count);
	return (struct plm_vec){list, count};
}

/* Amounts: words of known resources. "pods" comes from 'pods' when it is not given and >= 0. */
struct plm_vec plot_amounts(struct plot *p, const struct plot_words *words, int64_t pods)
{
	static const char *const names[] = {"cpu", "gpu", "mem", "pods"};
	struct plm_w_amount *list = plm_arena_array(&p->texts, 4, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		int64_t amount = plot_number(words, names[i], i == 3 ? pods : -1);

		if (amount >= 0) {
			list[count++] = (struct plm_w_amount){s(names[i]), amount};
		}
	}
	return (struct plm_vec){list, count};
}

struct plm_vec plot_tolerations(struct plot *p, const struct plot_words *words)
{
	struct plm_w_toleration *list = plm_arena_array(&p->texts, PLOT_LIST_MAX, sizeof(*list));
	size_t count = 0;

	for (char *pair = plot_nth(words, "tolerate", 0); pair != NULL;
	     pair = plot_nth(words, "tolerate", (uint32_t)count)) {
		const char *value = NULL;

		pair = plot_keep(p, pair);
		value = plot_right_of(pair);
		list[count++] = (struct plm_w_toleration){
			.key = s(pair),
			.op = *value == 0 ? PLM_TOLERATION_EXISTS : PLM_TOLERATION_EQUAL,
			.value = s(value),
			.seconds = PLM_UNSET,
		};
	}
	return (struct plm_vec){list, count};
}

/* "b1/r1:3" words as domains. */
struct plm_vec plot_domains(struct plot *p, const struct plot_words *words, uint32_t from)
{
	struct plm_w_topology_domain *list =
		plm_arena_array(&p->texts, PLOT_WORDS_MAX, sizeof(*list));
	size_t count = 0;

	for (uint32_t i = from; i < words->count; i++) {
		struct plm_slice *values = NULL;
		char *path = plot_keep(p, words->at[i]);
		const char *pods = plot_right_of(path);
		size_t parts = 0;
		char *rest = path;

		if (*pods == 0 || strchr(path, '=') != NULL) {
			continue;
		}
		values = plm_arena_array(&p->texts, PLM_LIMIT_TOPOLOGY_LEVELS, sizeof(*values));
		for (char *part = plot_piece(&rest, "/"); part != NULL;
		     part = plot_piece(&rest, "/")) {
			values[parts++] = s(part);
		}
		list[count].values = (struct plm_vec){values, parts};
		list[count++].count = strtoll(pods, NULL, 10);
	}
	return (struct plm_vec){list, count};
}
