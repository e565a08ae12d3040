/*
 * fuzz_aws.c - what the client of AWS reads, from any bytes
 *
 * The first byte says as what the rest is read: 'x' the answer to CreateFleet, 'i' to an IAM call, 'j' to an SQS call, 'r'
 * to EKS, at each status. Whatever it is: only a 2xx is ever done, and then there is a tree of bounded depth whose
 * root says so; a code and a message of one line otherwise; the same bytes are the same class again.
 */
#include "adapters/ec2/outcome.h"
#include "core/limits.h"
#include "core/units.h"
#include "tests/fuzz/fuzz.h"

/* Depth first without recursion; how many nodes there are. */
static size_t walk(const struct plm_aws_node *root)
{
	const struct plm_aws_node *open[PLM_LIMIT_AWS_DEPTH];
	const struct plm_aws_node *node = root;
	size_t depth = 0;
	size_t count = 0;

	while (node != NULL) {
		uint32_t children = 0;

		count++;
		for (const struct plm_aws_node *c = node->child; c != NULL; c = c->next) {
			children++;
		}
		PLM_ASSERT(children == node->count);
		if (node->child != NULL) {
			PLM_ASSERT(depth < PLM_LIMIT_AWS_DEPTH);
			open[depth++] = node;
			node = node->child;
			continue;
		}
		while (node != NULL && node->next == NULL) {
			node = depth == 0 ? NULL : open[--depth];
		}
		node = node == NULL ? NULL : node->next;
	}
	return count;
}

static void look_at(const struct plm_aws_verdict *verdict, unsigned status, struct plm_slice bytes)
{
	PLM_ASSERT((verdict->class == PLM_AWS_DONE) == (verdict->root != NULL));
	PLM_ASSERT((verdict->class == PLM_AWS_DONE) == (verdict->code[0] == '\0'));
	PLM_ASSERT(verdict->class != PLM_AWS_DONE || status == 200);
	PLM_ASSERT(verdict->class != PLM_AWS_FORBIDDEN);
	PLM_ASSERT(strpbrk(verdict->message, "\r\n\t") == NULL);
	PLM_ASSERT(strpbrk(verdict->code, "\r\n\t") == NULL);
	if (verdict->root != NULL) {
		PLM_ASSERT(walk(verdict->root) <= bytes.size);
	}
}

static void judge(enum plm_aws_call call, struct plm_slice bytes)
{
	static const unsigned codes[] = {200, 301, 400, 401, 403, 404, 412, 429, 500, 503};
	struct plm_arena arena = {0};

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, NULL) == PLM_OK);
	for (size_t i = 0; i < PLM_COUNTOF(codes); i++) {
		const struct plm_http_outcome outcome = {
			.fate = PLM_HTTP_ANSWERED,
			.status = codes[i],
			.body = bytes,
			.retry_after_ms = PLM_UNSET,
		};
		struct plm_aws_verdict first;
		struct plm_aws_verdict again;

		plm_aws_judge(call, &outcome, &arena, &first);
		look_at(&first, codes[i], bytes);
		plm_aws_judge(call, &outcome, &arena, &again);
		PLM_ASSERT(first.class == again.class && first.keys == again.keys);
		plm_arena_reset(&arena);
	}
	plm_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_slice rest = {0};

	if (size == 0) {
		return 0;
	}
	rest = plm_slice_of(data + 1, size - 1);
	switch (data[0]) {
	case 'x':
		judge(PLM_AWS_CALL_CREATE_FLEET, rest);
		break;
	case 'i':
		judge(PLM_AWS_CALL_GET_INSTANCE_PROFILE, rest);
		break;
	case 'j':
		judge(PLM_AWS_CALL_RECEIVE_MESSAGE, rest);
		break;
	default:
		judge(PLM_AWS_CALL_DESCRIBE_CLUSTER, rest);
		break;
	}
	return 0;
}
