/* lease.h against a played API server and played time. */
#include <stdio.h>
#include <stdlib.h>

#include "adapters/kube/lease_record.h"
#include "core/limits.h"
#include "lease_play.h"
#include "plm_test.h"

#include "core/event.h"

#define LEASE(holder, more)                                                                        \
	"{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":"    \
	"\"plimsoll\",\"namespace\":\"ours\"" more "},\"spec\":{\"holderIdentity\":\"" holder      \
	"\",\"leaseDurationSeconds\":15,\"acquireTime\":\"2001-01-01T00:00:00.000000Z\","          \
	"\"renewTime\":\"2001-01-01T00:00:00.000000Z\",\"leaseTransitions\":4}}"
#define HEAD(text) ",\"annotations\":{\"other\":\"kept\",\"plimsoll.dev/head\":\"" text "\"}"

struct one {
	struct plm_lease *lease;
	struct plm_lease_head head;
	enum plm_lease_state state; /* as told last */
	uint32_t changes;
	int64_t told_ms;
	char why[256];
	bool holds;
	uint32_t released; /* times told */
	bool released_well;
};

static void head_of(void *self, struct plm_lease_head *out)
{
	*out = ((struct one *)self)->head;
}

static bool holds(void *self, const struct plm_lease_head *witness)
{
	struct one *one = self;

	assert_true(witness->seq < one->head.seq);
	return one->holds;
}

static void on_change(void *self, enum plm_lease_state state, const char *why)
{
	struct one *one = self;

	one->state = state;
	one->changes++;
	one->told_ms = play_now();
	(void)snprintf(one->why, sizeof(one->why), "%s", why);
}

static void on_released(void *self, bool released)
{
	struct one *one = self;

	one->released++;
	one->released_well = released;
}

static struct plm_lease_options options_of(struct one *one, const char *identity)
{
	*one = (struct one){.head = {.seq = 70, .root = "00112233aabbccdd", .epoch = 3},
			    .holds = true};
	return (struct plm_lease_options){
		.clock = play_clock(),
		.ns = "ours",
		.name = "plimsoll",
		.identity = identity,
		.seed = plm_test_seed(),
		.head = head_of,
		.holds = holds,
		.on_change = on_change,
		.self = one,
	};
}

static void start(struct one *one, const char *identity)
{
	struct plm_lease_options options = options_of(one, identity);

	one->lease = plm_lease_new(&options);
}

static void stop(struct one *one)
{
	plm_lease_free(one->lease);
	play_stop();
}

/* ---- taking it ---- */

static void made_when_there_is_none(void **state)
{
	struct one one;

	(void)state;
	play_start();
	start(&one, "me");
	assert_false(plm_lease_may_act(one.lease));
	play_run(100);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	assert_true(plm_lease_may_act(one.lease));
	assert_string_equal(play_spec("holderIdentity"), "me");
	assert_string_equal(play_spec("leaseDurationSeconds"), "15");
	assert_string_equal(play_spec("leaseTransitions"), "0");
	assert_string_equal(play_spec("renewTime"), "2026-01-01T00:00:05.003123Z");
	assert_string_equal(play_spec("acquireTime"), "2026-01-01T00:00:05.003123Z");
	assert_string_equal(play_annotation("plimsoll.dev/head"), "70:00112233aabbccdd:3");
	assert_non_null(strstr(play_lease(), "\"kind\":\"Lease\""));
	stop(&one);
}

/* It is free, or ours from before a restart: at once. */
static const struct take_case {
	const char *why, *lease, *transitions;
} take_table[] = {
	{"given back", LEASE("", ""), "5"},
	{"ours", LEASE("me", ""), "4"},
	{"ours with a head", LEASE("me", HEAD("70:00112233:3")), "4"},
	{"given back with a head", LEASE("", HEAD("69:ff:2")), "5"},
	{"without a spec",
	 "{\"metadata\":{\"name\":\"plimsoll\",\"annotations\":{\"other\":\"kept\"}}}", "1"},
};

static void take_row(const struct take_case *row)
{
	struct one one;

	play_start();
	play_set_lease(row->lease);
	start(&one, "me");
	play_run(100);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	assert_string_equal(play_spec("holderIdentity"), "me");
	assert_string_equal(play_spec("leaseTransitions"), row->transitions);
	if (strstr(row->lease, "kept") != NULL) {
		assert_string_equal(play_annotation("other"), "kept");
	}
	assert_int_equal(plm_lease_status(one.lease).witnessed,
			 strstr(row->lease, "plimsoll.dev") != NULL);
	stop(&one);
}
PLM_TEST_ROWS(take_row, struct take_case)

/* However old its times are, it has run out when it did not change before our eyes for 15 s. */
static void waits_for_it_to_run_out(void **state)
{
	struct one one;
	int64_t began_ms;

	(void)state;
	play_start();
	play_set_lease(LEASE("other", ""));
	start(&one, "me");
	for (int i = 0; i < 30; i++) {
		play_run(2000);
		play_renew();
		assert_int_equal(one.state, PLM_LEASE_STANDBY);
		assert_string_equal(one.why, "other");
	}
	began_ms = play_now();
	play_run(14900);
	assert_int_equal(one.state, PLM_LEASE_STANDBY);
	play_run(3500);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	assert_true(one.told_ms - began_ms >= 15000);
	assert_true(one.told_ms - began_ms < 18000);
	assert_string_equal(play_spec("leaseTransitions"), "5");
	stop(&one);
}

/* Its holder says for how long. */
static void others_own_duration(void **state)
{
	struct one one;

	(void)state;
	play_start();
	play_set_lease("{\"metadata\":{\"name\":\"plimsoll\"},\"spec\":{\"holderIdentity\":"
		       "\"other\",\"leaseDurationSeconds\":40}}");
	start(&one, "me");
	play_run(39900);
	assert_int_equal(one.state, PLM_LEASE_STANDBY);
	play_run(1000);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	stop(&one);
}

/* ---- the witness ---- */

static const struct witness_case {
	const char *why, *lease;
	bool holds, accept;
	const char *text; /* NULL = taken */
} witness_table[] = {
	{"same", LEASE("", HEAD("70:00112233aabbccdd:3")), true, false, NULL},
	{"older", LEASE("", HEAD("69:ffff:3")), true, false, NULL},
	{"longer", LEASE("", HEAD("71:00112233aabbccdd:3")), true, false, "is shorter"},
	{"longer, ours", LEASE("me", HEAD("71:00112233aabbccdd:3")), true, false, "is shorter"},
	{"newer epoch", LEASE("", HEAD("60:00:4")), true, false, "older epoch"},
	{"another root", LEASE("", HEAD("70:00112234:3")), true, false, "is another one"},
	{"parted before", LEASE("", HEAD("60:00:3")), false, false, "parted"},
	{"cannot be read", LEASE("", HEAD("60-00-3")), true, false, "cannot be read"},
	{"accepted by an operator", LEASE("", HEAD("71:00:9")), false, true, NULL},
};

static void witness_row(const struct witness_case *row)
{
	struct plm_lease_options options;
	struct one one;

	play_start();
	play_set_lease(row->lease);
	options = options_of(&one, "me");
	one.holds = row->holds;
	options.accept_behind = row->accept;
	one.lease = plm_lease_new(&options);
	play_run(60000);
	assert_int_equal(one.state, row->text == NULL ? PLM_LEASE_HELD : PLM_LEASE_BEHIND);
	assert_int_equal(plm_lease_may_act(one.lease), row->text == NULL);
	if (row->text != NULL) {
		assert_non_null(strstr(one.why, row->text));
		assert_int_equal(play_counts().updates, 0);
		assert_int_equal(one.changes, 1);
	}
	stop(&one);
}
PLM_TEST_ROWS(witness_row, struct witness_case)

static const struct head_case {
	const char *text; /* also the name of the row */
	bool good;
} head_table[] = {
	{"0:a:0", true},
	{"18446744073709551615:0123456789abcdef:18446744073709551615", true},
	{"18446744073709551616:a:0", false},
	{"1:0123456789abcdef0:1", false},
	{"1::1", false},
	{":a:1", false},
	{"1:a:", false},
	{"1:a", false},
	{"1:A:1", false},
	{"1:a:1:", false},
	{"1:a:1 ", false},
	{"-1:a:1", false},
};

static void head_row(const struct head_case *row)
{
	struct plm_lease_head head = {0};
	char text[PLM_LEASE_HEAD_SIZE];

	assert_int_equal(plm_lease_head_read(plm_slice_str(row->text), &head), row->good);
	if (row->good) {
		assert_string_equal(plm_lease_head_text(&head, text), row->text);
	}
}
PLM_TEST_ROWS(head_row, struct head_case)

/* ---- keeping it ---- */

static void renews_without_asking(void **state)
{
	struct play_counts before, after;
	struct one one;

	(void)state;
	play_start();
	start(&one, "me");
	play_run(100);
	before = play_counts();
	for (int i = 0; i < 60; i++) {
		one.head.seq += 2;
		play_run(1000);
		assert_true(plm_lease_may_act(one.lease));
	}
	after = play_counts();
	assert_int_equal(after.gets, before.gets);
	assert_int_equal(after.conflicts, 0);
	assert_in_range(after.updates - before.updates, 25, 30);
	assert_int_equal(one.changes, 1);
	assert_string_equal(play_spec("acquireTime"), "2026-01-01T00:00:05.003123Z");
	assert_true(strtol(play_annotation("plimsoll.dev/head"), NULL, 10) > 180);
	stop(&one);
}

/* Nothing leaves 10 s after the sending of the last good renewal; then it is renewed again, or not. */
static const struct late_case {
	const char *why;
	enum play_fault fault;
} late_table[] = {
	{"unsent", PLAY_UNSENT}, {"throttled", PLAY_THROTTLED}, {"broken", PLAY_BROKEN},
	{"silent", PLAY_SILENT}, {"denied", PLAY_DENIED},
};

static void late_row(const struct late_case *row)
{
	struct one one;
	int64_t renewed_ms;

	play_start();
	start(&one, "me");
	play_run(30000);
	renewed_ms = play_now() - plm_lease_status(one.lease).renewed_ms;
	play_fault(row->fault);
	play_run(renewed_ms + 9999 - play_now());
	assert_true(plm_lease_may_act(one.lease));
	assert_int_equal(one.state, PLM_LEASE_HELD);
	play_run(1);
	assert_false(plm_lease_may_act(one.lease));
	play_run(1);
	assert_int_equal(one.state, PLM_LEASE_LATE);
	assert_non_null(strstr(one.why, "ours/plimsoll"));
	play_run(20000);
	play_fault(PLAY_NONE);
	play_run(6000);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	assert_true(plm_lease_may_act(one.lease));
	assert_string_equal(play_spec("leaseTransitions"), "0");
	stop(&one);
}
PLM_TEST_ROWS(late_row, struct late_case)

/* Carried out, but the answer was lost: it asks, and goes on. */
static void lost_answers(void **state)
{
	struct one one;

	(void)state;
	play_start();
	play_fault(PLAY_LOST);
	start(&one, "me");
	play_run(100);
	play_fault(PLAY_NONE);
	play_run(3000);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	for (int i = 0; i < 10; i++) {
		play_fault(PLAY_LOST);
		play_run(2500);
		play_fault(PLAY_NONE);
		play_run(5000);
		assert_int_equal(one.state, PLM_LEASE_HELD);
	}
	assert_int_equal(one.changes, 1);
	assert_int_equal(play_counts().conflicts, 0);
	stop(&one);
}

static void somebody_else_takes_it(void **state)
{
	uint32_t writes;
	struct one one;

	(void)state;
	play_start();
	start(&one, "me");
	play_run(10000);
	play_set_lease(LEASE("other", ""));
	play_run(3000);
	assert_int_equal(one.state, PLM_LEASE_LOST);
	assert_non_null(strstr(one.why, "taken by other"));
	assert_false(plm_lease_may_act(one.lease));
	writes = play_counts().updates;
	play_set_lease(LEASE("", ""));
	play_run(60000);
	assert_int_equal(one.state, PLM_LEASE_LOST); /* it is over, whatever becomes of the Lease */
	assert_int_equal(play_counts().updates, writes);
	stop(&one);
}

/* Somebody edits the Lease, or deletes it: it stays ours. */
static void edited_and_deleted(void **state)
{
	struct one one;

	(void)state;
	play_start();
	start(&one, "me");
	play_run(10000);
	play_renew();
	play_run(3000);
	assert_int_equal(play_counts().conflicts, 1);
	play_set_lease(NULL);
	play_run(3000);
	assert_string_equal(play_spec("holderIdentity"), "me");
	assert_string_equal(play_spec("leaseTransitions"), "0");
	assert_true(play_spec("acquireTime")[0] != '\0');
	assert_true(plm_lease_may_act(one.lease));
	assert_int_equal(one.changes, 1);
	stop(&one);
}

/* ---- giving it back ---- */

static const struct release_case {
	const char *why, *lease;
	int64_t before_ms, delay_ms;
	enum play_fault fault;
	bool well;
	const char *holder;
} release_table[] = {
	{"held", NULL, 10000, 3, PLAY_NONE, true, ""},
	{"while it is renewed", NULL, 10000, 1000, PLAY_NONE, true, ""},
	{"before anything is known", NULL, 0, 3, PLAY_NONE, true, ""},
	{"in standby", LEASE("other", ""), 5000, 3, PLAY_NONE, true, "other"},
	{"nobody answers", NULL, 10000, 3, PLAY_BROKEN, false, "me"},
	{"silence", NULL, 10000, 3, PLAY_SILENT, false, ""},
};

static void release_row(const struct release_case *row)
{
	struct one one;

	play_start();
	play_set_lease(row->lease);
	play_delay(row->delay_ms);
	start(&one, "me");
	play_run(row->before_ms);
	one.head.seq = 99;
	play_fault(row->fault);
	plm_lease_release(one.lease, on_released, &one);
	assert_false(plm_lease_may_act(one.lease));
	assert_int_equal(one.released, 0);
	play_run(2 * PLM_LIMIT_LEASE_CALL_MS);
	assert_int_equal(one.released, 1);
	assert_int_equal(one.released_well, row->well);
	assert_int_equal(one.state, PLM_LEASE_RELEASED);
	assert_string_equal(play_spec("holderIdentity"), row->holder);
	if (row->well && row->before_ms > 0 && row->lease == NULL) {
		assert_string_equal(play_spec("leaseDurationSeconds"), "1");
		assert_string_equal(play_annotation("plimsoll.dev/head"), "99:00112233aabbccdd:3");
	}
	play_run(60000);
	assert_int_equal(one.released, 1);
	stop(&one);
}
PLM_TEST_ROWS(release_row, struct release_case)

/* ---- two of them ---- */

/*
 * Whatever becomes of calls: never do both act, and in good weather one of them acts soon.
 */
static void two_candidates(void **state)
{
	uint64_t seed = plm_test_seed();
	int rounds = getenv("PLM_SHORT") != NULL ? 20 : 200;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		struct one one, two;
		uint32_t acted = 0;

		play_start();
		start(&one, "one");
		start(&two, "two");
		play_weather(plm_test_random(&seed) | 1, 4000);
		for (int i = 0; i < 3000; i++) {
			bool first, second;

			play_run(50);
			first = plm_lease_may_act(one.lease);
			second = plm_lease_may_act(two.lease);
			assert_false(first && second);
			acted += first || second ? 1 : 0;
		}
		assert_true(acted > 0);
		play_weather(0, 3);
		play_run(20000);
		if (one.state != PLM_LEASE_LOST && two.state != PLM_LEASE_LOST) {
			assert_true(plm_lease_may_act(one.lease) != plm_lease_may_act(two.lease));
		}
		plm_lease_free(one.lease);
		plm_lease_free(two.lease);
		play_stop();
	}
}

/* A process that was killed has another name in its last part: its volume's Lease is taken at once. */
static void the_next_process_of_a_volume(void **state)
{
	struct one one;

	(void)state;
	play_start();
	play_set_lease(LEASE("vol_1", ""));
	start(&one, "vol_2");
	play_run(100);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	assert_string_equal(play_spec("holderIdentity"), "vol_2");
	stop(&one);
}

/* A copy of the volume takes the Lease: whoever had it sees that this is not itself, and gives up. */
static void a_copy_of_the_volume_is_another(void **state)
{
	struct one one, two;

	(void)state;
	play_start();
	start(&one, "vol_1");
	play_run(5000);
	assert_int_equal(one.state, PLM_LEASE_HELD);
	start(&two, "vol_2");
	play_run(5000);
	assert_int_equal(one.state, PLM_LEASE_LOST);
	assert_int_equal(two.state, PLM_LEASE_HELD);
	plm_lease_free(two.lease);
	stop(&one);
}

/* What begins alike is not the same volume. */
static void a_longer_name_is_another_volume(void **state)
{
	struct one one;

	(void)state;
	play_start();
	play_set_lease(LEASE("volume_1", ""));
	start(&one, "vol_2");
	play_run(100);
	assert_int_equal(one.state, PLM_LEASE_STANDBY);
	stop(&one);
}

/* ---- peers ---- */

struct looked {
	struct plm_peer *peer;
	uint32_t changes;
	char holder[64];
};

static void on_peer(void *self, enum plm_peer_state state, const char *holder)
{
	struct looked *looked = self;

	(void)state;
	looked->changes++;
	(void)snprintf(looked->holder, sizeof(looked->holder), "%s", holder);
}

static void look(struct looked *looked)
{
	struct plm_peer_options options = {
		.clock = play_clock(),
		.ns = "kueue-system",
		.name = "c1f6bfd2.kueue.x-k8s.io",
		.seed = plm_test_seed(),
		.on_change = on_peer,
		.self = looked,
	};

	*looked = (struct looked){0};
	looked->peer = plm_peer_new(&options);
}

static void peer_comes_and_goes(void **state)
{
	struct looked looked;

	(void)state;
	play_start();
	look(&looked);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_UNKNOWN);
	play_run(100);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_ABSENT);
	play_set_lease(LEASE("kueue_1", ""));
	play_run(3000);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_FRESH);
	assert_string_equal(plm_peer_holder(looked.peer), "kueue_1");
	for (int i = 0; i < 20; i++) {
		play_run(2000);
		play_renew();
		assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_FRESH);
	}
	assert_int_equal(looked.changes, 2);
	play_run(14900);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_FRESH);
	play_run(2600);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_STALE);
	play_renew();
	play_run(2500);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_FRESH);
	play_set_lease(LEASE("", ""));
	play_run(2500);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_ABSENT);
	play_set_lease(NULL);
	play_run(2500);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_ABSENT);
	plm_peer_free(looked.peer);
	play_stop();
}

/* A Lease that was there before us says nothing until it changed, or did not for long enough. */
static void peer_of_old(void **state)
{
	struct looked looked;

	(void)state;
	play_start();
	play_set_lease(LEASE("kueue_1", ""));
	look(&looked);
	play_run(10000);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_UNKNOWN);
	play_run(5500);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_STALE);
	assert_int_equal(looked.changes, 1);
	/* Without an API server nothing is learnt, and nothing forgotten. */
	play_fault(PLAY_BROKEN);
	play_run(60000);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_STALE);
	play_fault(PLAY_NONE);
	play_renew();
	play_run(2500);
	assert_int_equal(plm_peer_state(looked.peer), PLM_PEER_FRESH);
	plm_peer_free(looked.peer);
	play_stop();
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, made_when_there_is_none);
	PLM_TEST_TABLE(&tests, take_row, take_table);
	PLM_TEST_ADD(&tests, waits_for_it_to_run_out);
	PLM_TEST_ADD(&tests, others_own_duration);
	PLM_TEST_TABLE(&tests, witness_row, witness_table);
	PLM_TEST_TABLE(&tests, head_row, head_table);
	PLM_TEST_ADD(&tests, renews_without_asking);
	PLM_TEST_TABLE(&tests, late_row, late_table);
	PLM_TEST_ADD(&tests, lost_answers);
	PLM_TEST_ADD(&tests, somebody_else_takes_it);
	PLM_TEST_ADD(&tests, edited_and_deleted);
	PLM_TEST_TABLE(&tests, release_row, release_table);
	PLM_TEST_ADD(&tests, two_candidates);
	PLM_TEST_ADD(&tests, the_next_process_of_a_volume);
	PLM_TEST_ADD(&tests, a_copy_of_the_volume_is_another);
	PLM_TEST_ADD(&tests, a_longer_name_is_another_volume);
	PLM_TEST_ADD(&tests, peer_comes_and_goes);
	PLM_TEST_ADD(&tests, peer_of_old);
	return plm_tests_run(&tests, "kube lease");
}
