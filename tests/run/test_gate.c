#include "plm_test.h"

#include "codec/codec.h"
#include "gate.h"
#include "jsonlog.h"

static struct plm_arena arena, scratch;

static const char *no_env(const char *name)
{
	(void)name;
	return NULL;
}

static enum plm_code init(struct plm_gate *gate, int argc, char **argv, struct plm_error *err)
{
	struct plm_config config;
	enum plm_code code = PLM_OK;

	plm_arena_reset(&arena);
	code = plm_config_read(argc, argv, no_env, &arena, &config, err);
	return code == PLM_OK ? plm_gate_init(gate, &config, err) : code;
}

static char cloud[] = "--cloud";
static char sim[] = "sim";
static char ec2[] = "ec2";
static char mode[] = "--mode";
static char observe[] = "observe";
static char enforce_mode[] = "enforce";
static char enforce[] = "--enforce";
static char queues[] = "queues";
static char nodes[] = "nodes";

static struct mode_case {
	const char *why;
	char *argv[6];
	bool queues, nodes, fails;
} mode_table[] = {
	{"a real cloud is only observed", {cloud, ec2}, false, false, false},
	{"the embedded one is not", {cloud, sim}, true, true, false},
	{"unless told", {cloud, sim, mode, observe}, false, false, false},
	{"all", {cloud, ec2, mode, enforce_mode}, true, true, false},
	{"one area", {cloud, sim, enforce, nodes}, false, true, false},
	{"the other", {cloud, ec2, enforce, queues}, true, false, false},
	{"a part of all", {mode, enforce_mode, enforce, queues}, true, false, false},
	{"both at once", {mode, observe, enforce, queues}, false, false, true},
};

static void mode_row(const struct mode_case *row)
{
	char *argv[6];
	struct plm_gate gate = {0};
	struct plm_error err = {0};
	int argc = 0;

	while (argc < 6 && row->argv[argc] != NULL) {
		argv[argc] = row->argv[argc];
		argc++;
	}
	if (row->fails) {
		plm_assert_fails(init(&gate, argc, argv, &err), PLM_E_CONFIG, err, "enforce: ");
		return;
	}
	plm_assert_ok(init(&gate, argc, argv, &err), &err);
	assert_int_equal(gate.queues, row->queues);
	assert_int_equal(gate.nodes, row->nodes);
}
PLM_TEST_ROWS(mode_row, struct mode_case)

static int submitted;
static enum plm_code answer;
static int put_count;

static void beyond(void *self, const struct plm_effect *effect)
{
	(void)self;
	(void)effect;
	submitted++;
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	(void)self;
	(void)observation;
	put_count++;
	return answer;
}

static struct plm_gate gate_of(bool on_queues, bool on_nodes)
{
	submitted = 0;
	put_count = 0;
	answer = PLM_OK;
	return (struct plm_gate){.beyond = {.submit = beyond},
				 .inbox = {.put = put},
				 .scratch = &scratch,
				 .queues = on_queues,
				 .nodes = on_nodes};
}

static void submit(struct plm_gate *gate, enum plm_call call, const void *request)
{
	const struct plm_effect effect = {.intent = 7, .call = call, .request = request};
	struct plm_effects port = plm_gate_effects(gate);

	port.submit(port.self, &effect);
}

static enum plm_code result(struct plm_gate *gate, enum plm_result_class class)
{
	const struct plm_w_result value = {.intent = 7, .class = class, .price_micro = PLM_UNSET};
	struct plm_inbox inbox = plm_gate_inbox(gate);
	struct plm_observation in = {.type = PLM_EV_RESULT, .intent = 7};

	plm_arena_reset(&arena);
	in.payload = plm_wire_encode(&plm_type_result, &value, &arena);
	return inbox.put(inbox.self, &in);
}

static void only_what_is_enforced_leaves(void **state)
{
	const struct plm_w_req_launch launch = {.claim = plm_slice_str("c")};
	const struct plm_w_req_job_start start = {.name = plm_slice_str("j")};
	const struct plm_w_req_pod pod = {.name = plm_slice_str("p")};
	struct plm_gate gate = gate_of(false, true);

	(void)state;
	submit(&gate, PLM_CALL_JOB_START, &start);
	assert_int_equal(submitted, 0);
	submit(&gate, PLM_CALL_LAUNCH, &launch);
	submit(&gate, PLM_CALL_POD_EVICT, &pod);
	assert_int_equal(submitted, 2);
	assert_int_equal(gate.sent, 2);
	assert_int_equal(gate.kept, 1);
	assert_int_equal(gate.in_flight, 2);
}

static void in_flight_until_a_final_result_is_in(void **state)
{
	const struct plm_w_req_job_start start = {.name = plm_slice_str("j")};
	struct plm_gate gate = gate_of(true, true);

	(void)state;
	submit(&gate, PLM_CALL_JOB_START, &start);
	assert_int_equal(result(&gate, PLM_RESULT_UNKNOWN), PLM_OK);
	assert_int_equal(gate.in_flight, 1);
	assert_int_equal(result(&gate, PLM_RESULT_RETRYABLE), PLM_OK);
	assert_int_equal(gate.in_flight, 1);
	answer = PLM_E_AGAIN;
	assert_int_equal(result(&gate, PLM_RESULT_DONE), PLM_E_AGAIN);
	assert_int_equal(gate.in_flight, 1);
	answer = PLM_OK;
	assert_int_equal(result(&gate, PLM_RESULT_CONFLICT), PLM_OK);
	assert_int_equal(gate.in_flight, 0);
	assert_int_equal(put_count, 4);
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_jsonlog_setup(PLM_LOG_ERROR, 1);
	plm_assert_ok(plm_arena_init(&arena, 1U << 20, &err), &err);
	plm_assert_ok(plm_arena_init(&scratch, 1U << 20, &err), &err);
	PLM_TEST_TABLE(&tests, mode_row, mode_table);
	PLM_TEST_ADD(&tests, only_what_is_enforced_leaves);
	PLM_TEST_ADD(&tests, in_flight_until_a_final_result_is_in);
	return plm_tests_run(&tests, "gate");
}
