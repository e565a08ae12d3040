/*
 * plot_words.h - the words of plot.h's lines, taken apart
 *
 * Owns: nothing; texts and lists live in the plot's arena. For plot*.c only.
 */
#ifndef PLM_TESTS_TAS_PLOT_WORDS_H
#define PLM_TESTS_TAS_PLOT_WORDS_H

#include "plot.h"

#define PLOT_WORDS_MAX 32
#define PLOT_LIST_MAX 64

struct plot_words {
	char *at[PLOT_WORDS_MAX];
	uint32_t count;
};

static inline struct plm_slice s(const char *text)
{
	return plm_slice_str(text);
}

char *plot_keep(struct plot *p, const char *text);
/* The next piece of '*rest' between 'separators', cut off in place; NULL at the end. */
char *plot_piece(char **rest, const char *separators);
struct plot_words plot_split(char *line);
bool plot_has(const struct plot_words *words, const char *word);
/* The n-th value of "key=value", NULL. */
char *plot_nth(const struct plot_words *words, const char *key, uint32_t n);
struct plm_slice plot_text(const struct plot_words *words, const char *key);
int64_t plot_number(const struct plot_words *words, const char *key, int64_t otherwise);
/* Split "left:right" in place; "" when there is no colon. */
const char *plot_right_of(char *pair);
const char *plot_label(const char *level);
void plot_sort_pairs(struct plm_w_kv *list, size_t count);
/* "key=K:V" words as a sorted list of pairs. */
struct plm_vec plot_pairs(struct plot *p, const struct plot_words *words, const char *key);
/* Amounts: words of known resources. "pods" comes from 'pods' when it is not given and >= 0. */
struct plm_vec plot_amounts(struct plot *p, const struct plot_words *words, int64_t pods);
struct plm_vec plot_tolerations(struct plot *p, const struct plot_words *words);
/* "b1/r1:3" words as domains. */
struct plm_vec plot_domains(struct plot *p, const struct plot_words *words, uint32_t from);
void plot_add_flavor(struct plot *p, const char *name, const struct plot_words *words);

/* ---- verbs of plot_place.c ---- */
void plot_use(struct plot *p, const struct plot_words *words);
void plot_ask(struct plot *p, const struct plot_words *words);
void plot_print_places(struct plot *p, const struct plot_words *words);
void plot_rank(struct plot *p, const struct plot_words *words);

#endif
