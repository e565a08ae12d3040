#include "plm_test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "access.h"
#include "core/limits.h"

/* A loop of its own: whoever asks is answered on this thread, as 'verdicts' says. */
struct world {
	struct plm_access *access;
	_Atomic int64_t now_ms;
	_Atomic int reviews;
	_Atomic bool woken, silent, ending;
	_Atomic int verdict;
	struct plm_review *kept; /* not answered yet */
	pthread_t loop;
	char seen[64];
};

static int64_t boot(void *self)
{
	const struct world *w = self;

	return w->now_ms;
}

static void wake(void *self)
{
	struct world *w = self;

	w->woken = true;
}

static void review(void *self, struct plm_slice token, struct plm_review *asked)
{
	struct world *w = self;

	w->reviews++;
	(void)snprintf(w->seen, sizeof(w->seen), "%.*s", (int)token.size, (const char *)token.ptr);
	if (w->silent) {
		w->kept = asked;
	} else {
		plm_review_end(asked, (enum plm_verdict)w->verdict);
	}
}

static void *loop_main(void *self)
{
	struct world *w = self;

	while (!w->ending) {
		if (w->woken) {
			w->woken = false;
			plm_access_turn(w->access);
		}
		(void)usleep(1000);
	}
	return NULL;
}

static void begin(struct world *w, bool with_port)
{
	const struct plm_access_options options = {
		.port = {.review = with_port ? review : NULL, .self = w},
		.clock = {.self = w, .boot_ms = boot},
		.wake = wake,
		.self = w,
	};

	*w = (struct world){.now_ms = 1000, .verdict = PLM_VERDICT_ALLOWED};
	w->access = plm_access_new(&options);
	assert_int_equal(pthread_create(&w->loop, NULL, loop_main, w), 0);
}

static void end(struct world *w)
{
	plm_access_stop(w->access);
	w->ending = true;
	(void)pthread_join(w->loop, NULL);
	plm_access_free(w->access);
}

static enum plm_verdict ask(struct world *w, const char *token)
{
	return plm_access_check(w->access, plm_slice_str(token));
}

static void a_yes_is_believed_for_a_minute(void **state)
{
	struct world w;

	(void)state;
	begin(&w, true);
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_ALLOWED);
	assert_string_equal(w.seen, "a");
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_ALLOWED);
	assert_int_equal(w.reviews, 1);
	w.verdict = PLM_VERDICT_FORBIDDEN;
	w.now_ms += PLM_LIMIT_ACCESS_YES_MS - 1;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_ALLOWED);
	w.now_ms += 2;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_FORBIDDEN);
	assert_int_equal(w.reviews, 2);
	end(&w);
}

static void a_no_is_believed_for_five_seconds(void **state)
{
	struct world w;

	(void)state;
	begin(&w, true);
	w.verdict = PLM_VERDICT_STRANGER;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_STRANGER);
	assert_int_equal(ask(&w, "b"), PLM_VERDICT_STRANGER);
	w.verdict = PLM_VERDICT_ALLOWED;
	w.now_ms += PLM_LIMIT_ACCESS_NO_MS - 1;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_STRANGER);
	w.now_ms += 2;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_ALLOWED);
	assert_int_equal(w.reviews, 3);
	end(&w);
}

static void what_nobody_knows_is_not_remembered(void **state)
{
	struct world w;

	(void)state;
	begin(&w, true);
	w.verdict = PLM_VERDICT_UNKNOWN;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_UNKNOWN);
	w.verdict = PLM_VERDICT_ALLOWED;
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_ALLOWED);
	end(&w);
}

static void without_a_port_or_a_token_nobody_is_let_in(void **state)
{
	char *large = malloc(PLM_LIMIT_TOKEN_BYTES + 2);
	struct world w;

	(void)state;
	assert_non_null(large);
	memset(large, 'x', PLM_LIMIT_TOKEN_BYTES + 1);
	large[PLM_LIMIT_TOKEN_BYTES + 1] = '\0';
	begin(&w, false);
	assert_int_equal(ask(&w, "a"), PLM_VERDICT_UNKNOWN);
	assert_int_equal(ask(&w, ""), PLM_VERDICT_STRANGER);
	end(&w);
	begin(&w, true);
	assert_int_equal(ask(&w, ""), PLM_VERDICT_STRANGER);
	assert_int_equal(ask(&w, large), PLM_VERDICT_STRANGER);
	assert_int_equal(w.reviews, 0);
	end(&w);
	free(large);
}

struct asker {
	struct world *world;
	enum plm_verdict verdict;
};

static void *asker_main(void *self)
{
	struct asker *asker = self;

	asker->verdict = ask(asker->world, "shared");
	return NULL;
}

/* Ten ask at once, one review answers all. */
static void who_asks_meanwhile_waits_for_the_same_answer(void **state)
{
	struct asker askers[10];
	pthread_t threads[10];
	struct world w;

	(void)state;
	begin(&w, true);
	w.silent = true;
	for (size_t i = 0; i < PLM_COUNTOF(askers); i++) {
		askers[i] = (struct asker){&w, PLM_VERDICT_UNKNOWN};
		assert_int_equal(pthread_create(&threads[i], NULL, asker_main, &askers[i]), 0);
	}
	while (w.reviews == 0) {
		(void)usleep(1000);
	}
	(void)usleep(50000);
	w.ending = true;
	(void)pthread_join(w.loop, NULL);
	plm_review_end(w.kept, PLM_VERDICT_ALLOWED);
	for (size_t i = 0; i < PLM_COUNTOF(askers); i++) {
		(void)pthread_join(threads[i], NULL);
		assert_int_equal(askers[i].verdict, PLM_VERDICT_ALLOWED);
	}
	assert_int_equal(w.reviews, 1);
	plm_access_free(w.access);
}

/* The answer comes when nobody wants it any more, and even when the access is gone. */
static void an_answer_may_come_too_late(void **state)
{
	struct asker asker;
	pthread_t thread;
	struct world w;

	(void)state;
	begin(&w, true);
	w.silent = true;
	asker = (struct asker){&w, PLM_VERDICT_ALLOWED};
	assert_int_equal(pthread_create(&thread, NULL, asker_main, &asker), 0);
	while (w.reviews == 0) {
		(void)usleep(1000);
	}
	plm_access_stop(w.access);
	(void)pthread_join(thread, NULL);
	assert_int_equal(asker.verdict, PLM_VERDICT_UNKNOWN);
	w.ending = true;
	(void)pthread_join(w.loop, NULL);
	plm_access_free(w.access);
	plm_review_end(w.kept, PLM_VERDICT_ALLOWED);
}

/* More tokens than places: the oldest is forgotten and asked for again, nothing else happens. */
static void many_tokens_push_out_the_oldest(void **state)
{
	char token[16];
	struct world w;

	(void)state;
	begin(&w, true);
	for (int i = 0; i <= PLM_LIMIT_ACCESS_TOKENS; i++) {
		(void)snprintf(token, sizeof(token), "t%d", i);
		w.now_ms++;
		assert_int_equal(ask(&w, token), PLM_VERDICT_ALLOWED);
	}
	assert_int_equal(w.reviews, PLM_LIMIT_ACCESS_TOKENS + 1);
	assert_int_equal(ask(&w, token), PLM_VERDICT_ALLOWED);
	assert_int_equal(w.reviews, PLM_LIMIT_ACCESS_TOKENS + 1);
	assert_int_equal(ask(&w, "t0"), PLM_VERDICT_ALLOWED);
	assert_int_equal(w.reviews, PLM_LIMIT_ACCESS_TOKENS + 2);
	end(&w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, a_yes_is_believed_for_a_minute);
	PLM_TEST_ADD(&tests, a_no_is_believed_for_five_seconds);
	PLM_TEST_ADD(&tests, what_nobody_knows_is_not_remembered);
	PLM_TEST_ADD(&tests, without_a_port_or_a_token_nobody_is_let_in);
	PLM_TEST_ADD(&tests, who_asks_meanwhile_waits_for_the_same_answer);
	PLM_TEST_ADD(&tests, an_answer_may_come_too_late);
	PLM_TEST_ADD(&tests, many_tokens_push_out_the_oldest);
	return plm_tests_run(&tests, "access");
}
