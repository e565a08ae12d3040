/*
 * sched_words.h - a state whose words are made as they are named: for tests of reducers/sched
 *
 * Owns: one state and one arena per test program, ended by words_end(). Texts such as "In a,b" or
 * "NoSchedule key=value" become the spans that state keeps.
 */
#ifndef PLM_TEST_SCHED_WORDS_H
#define PLM_TEST_SCHED_WORDS_H

#include "plm_test.h"

#include "core/state.h"
#include "reducers/sched/affinity.h"

struct words {
	struct plm_state st;
	struct plm_arena arena;
	struct plm_sched sched;
};

void words_begin(struct words *w);
void words_end(struct words *w);
plm_sym word(struct words *w, const char *text);
/* "In a,b", "Exists", "Gt 5": an expression on 'key'. */
struct plm_expr words_expr(struct words *w, const char *key, const char *text);
struct plm_req words_req(struct words *w, const char *key, const char *text);
/* "zone In a; cpu Gt 4": a set of requirements. Empty = none. */
struct plm_reqs words_reqs(struct words *w, const char *text);
/* "a=1 b=2" as a span of plm_kv. */
plm_sym words_labels(struct words *w, const char *text);
/* The inverse of words_req(): values sorted, bounds as ">=6 <=9". */
const char *words_show(struct words *w, const struct plm_req *req);

#endif
