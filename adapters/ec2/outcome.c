#include "adapters/ec2/outcome.h"

#include "core/utf8.h"

#include <stdio.h>

/* What a code says; more than one class for the same meaning of ours. */
enum meaning {
	GONE,
	THERE,
	SLOW,
	SHORT, /* no room: REFUSED whatever the status */
	NO,    /* REFUSED whatever the status */
	OTHER_PARAMETERS,
	PERHAPS, /* UNKNOWN whatever the status */
	KEYS,
};

static const struct {
	const char *code;
	enum meaning meaning;
} codes[] = {
	/* Gone, or never there. */
	{"AWS.SimpleQueueService.NonExistentQueue", GONE},
	{"InvalidInstanceID.Malformed", GONE}, /* no instance has such an id */
	{"InvalidLaunchTemplateId.VersionNotFound", GONE},
	{"InvalidLaunchTemplateName.NotFoundException", GONE},
	{"NoSuchEntity", GONE},
	{"NoSuchEntityException", GONE},
	{"ParameterNotFound", GONE},
	{"ParameterVersionNotFound", GONE},
	{"QueueDoesNotExist", GONE},
	{"ResourceNotFoundException", GONE},
	/* Already so. */
	{"EntityAlreadyExists", THERE},
	{"EntityAlreadyExistsException", THERE},
	{"IdempotentInstanceTerminated", THERE}, /* launched, and gone since */
	{"InvalidLaunchTemplateName.AlreadyExistsException", THERE},
	/* Surely not carried out: later. */
	{"BandwidthLimitExceeded", SLOW},
	{"EC2ThrottledException", SLOW},
	{"OverLimit", SLOW},
	{"PriorRequestNotComplete", SLOW},
	{"RequestLimitExceeded", SLOW},
	{"RequestThrottled", SLOW},
	{"RequestThrottledException", SLOW},
	{"SlowDown", SLOW},
	{"ThrottledException", SLOW},
	{"Throttling", SLOW},
	{"ThrottlingException", SLOW},
	{"TooManyRequestsException", SLOW},
	/* No room. */
	{"InsufficientCapacity", SHORT},
	{"InsufficientCapacityOnHost", SHORT},
	{"InsufficientFreeAddressesInSubnet", SHORT},
	{"InsufficientHostCapacity", SHORT},
	{"InsufficientInstanceCapacity", SHORT},
	{"InsufficientReservedInstanceCapacity", SHORT},
	{"MaxFleetCountExceeded", SHORT},
	{"MaxSpotInstanceCountExceeded", SHORT},
	{"ReservationCapacityExceeded", SHORT},
	{"SpotMaxPriceTooLow", SHORT},
	{"UnfulfillableCapacity", SHORT},
	{"Unsupported", SHORT},
	{"VcpuLimitExceeded", SHORT},
	/* Never, so. */
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", NO},
	{"InsufficientAddressCapacity", NO},
	{"InsufficientVolumeCapacity", NO},
	{"IdempotentParameterMismatch", OTHER_PARAMETERS},
	{"IdempotentParameterMismatchException", OTHER_PARAMETERS},
	/* Perhaps carried out. */
	{"InternalError", PERHAPS},
	{"InternalFailure", PERHAPS},
	{"InternalServerError", PERHAPS},
	{"InternalServiceError", PERHAPS},
	{"RequestTimeout", PERHAPS},
	{"RequestTimeoutException", PERHAPS},
	{"ServerException", PERHAPS},
	{"ServerInternal", PERHAPS},
	{"ServiceUnavailable", PERHAPS},
	{"ServiceUnavailableException", PERHAPS},
	{"Unavailable", PERHAPS},
	/* Who we are was not believed. */
	{"ExpiredToken", KEYS},
	{"ExpiredTokenException", KEYS},
	{"IncompleteSignature", KEYS},
	{"InvalidAccessKeyId", KEYS},
	{"InvalidClientTokenId", KEYS},
	{"InvalidSignatureException", KEYS},
	{"MissingAuthenticationToken", KEYS},
	{"RequestExpired", KEYS},
	{"RequestTimeTooSkewed", KEYS},
	{"SignatureDoesNotMatch", KEYS},
	{"TokenRefreshRequired", KEYS},
	{"UnrecognizedClientException", KEYS},
};

static bool ends_with(struct plm_slice text, const char *end)
{
	size_t size = strlen(end);

	return text.size > size && memcmp(text.ptr + text.size - size, end, size) == 0;
}

/* False: AWS has told us a code that says nothing to us. */
static bool look_up(struct plm_slice code, enum meaning *out)
{
	for (size_t i = 0; i < PLM_COUNTOF(codes); i++) {
		if (plm_slice_is(code, codes[i].code)) {
			*out = codes[i].meaning;
			return true;
		}
	}
	if (ends_with(code, ".NotFound")) {
		*out = GONE;
		return true;
	}
	return false;
}

static enum plm_aws_class class_of(enum meaning meaning)
{
	switch (meaning) {
	case GONE:
		return PLM_AWS_NOT_FOUND;
	case THERE:
		return PLM_AWS_EXISTS;
	case SLOW:
		return PLM_AWS_THROTTLED;
	case SHORT:
	case NO:
		return PLM_AWS_REFUSED;
	case OTHER_PARAMETERS:
		return PLM_AWS_MISMATCH;
	case PERHAPS:
		return PLM_AWS_UNKNOWN;
	case KEYS:
		return PLM_AWS_NOT_SENT;
	}
	PLM_UNREACHABLE();
}

enum plm_aws_class plm_aws_class_of(struct plm_slice code)
{
	enum meaning meaning = NO;

	return look_up(code, &meaning) ? class_of(meaning) : PLM_AWS_REFUSED;
}

bool plm_aws_is_shortage(struct plm_slice code)
{
	enum meaning meaning = NO;

	return look_up(code, &meaning) && meaning == SHORT;
}

const char *plm_aws_class_text(enum plm_aws_class class)
{
	static const char *const texts[] = {
		[PLM_AWS_DONE] = "done",	   [PLM_AWS_NOT_FOUND] = "not_found",
		[PLM_AWS_EXISTS] = "exists",	   [PLM_AWS_THROTTLED] = "throttled",
		[PLM_AWS_REFUSED] = "refused",	   [PLM_AWS_MISMATCH] = "mismatch",
		[PLM_AWS_UNKNOWN] = "unknown",	   [PLM_AWS_NOT_SENT] = "not_sent",
		[PLM_AWS_FORBIDDEN] = "forbidden",
	};

	PLM_ASSERT((size_t)class < PLM_COUNTOF(texts));
	return texts[class];
}

/* ---- texts --------------------------------------------------------------------------------------- */

static void set(char *to, size_t size, struct plm_slice text)
{
	size_t used = 0;
	bool gap = false;

	for (size_t i = 0; i < text.size && used + 2 < size; i++) {
		uint8_t byte = text.ptr[i];

		if (byte <= 0x20 || byte == 0x7f) {
			gap = used > 0;
			continue;
		}
		if (gap) {
			to[used++] = ' ';
			gap = false;
		}
		to[used++] = (char)byte;
	}
	/* No half of a character at the cut. */
	to[plm_utf8_prefix(plm_slice_of(to, used))] = '\0';
}

static void say(struct plm_aws_verdict *out, enum plm_aws_class class, const char *code,
		const char *message)
{
	out->class = class;
	set(out->code, sizeof(out->code), plm_slice_str(code));
	set(out->message, sizeof(out->message), plm_slice_str(message));
}

/* Encoded for those who may decode it: long, and of no use to people. */
static struct plm_slice without_encoded(struct plm_slice message)
{
	static const char mark[] = "Encoded authorization failure message";
	const uint8_t *at = message.size == 0
				    ? NULL
				    : memmem(message.ptr, message.size, mark, sizeof(mark) - 1);

	return at == NULL ? message : plm_slice_of(message.ptr, (size_t)(at - message.ptr));
}

/* ---- codes of the protocols ---------------------------------------------------------------------- */

struct told {
	struct plm_slice code, message;
};

/* <Response><Errors><Error>, <ErrorResponse><Error>, <ErrorResponse><Errors><Error>. */
static struct told told_by_xml(const struct plm_aws_node *root)
{
	const struct plm_aws_node *errors = plm_aws_get(root, "Errors");
	const struct plm_aws_node *error = plm_aws_get(errors == NULL ? root : errors, "Error");

	return (struct told){plm_aws_text(error, "Code"), plm_aws_text(error, "Message")};
}

/* "com.amazonaws.sqs#QueueDoesNotExist", "ThrottlingException:http://..." */
static struct plm_slice bare(struct plm_slice type)
{
	const uint8_t *mark = type.size == 0 ? NULL : memchr(type.ptr, '#', type.size);
	const uint8_t *colon = NULL;

	if (mark != NULL) {
		type = plm_slice_of(mark + 1, type.size - (size_t)(mark + 1 - type.ptr));
	}
	colon = type.size == 0 ? NULL : memchr(type.ptr, ':', type.size);
	return colon == NULL ? type : plm_slice_of(type.ptr, (size_t)(colon - type.ptr));
}

static struct told told_by_json(const struct plm_aws_node *root,
				const struct plm_http_outcome *outcome)
{
	struct told told = {plm_aws_text(root, "__type"), plm_aws_text(root, "message")};

	if (told.message.size == 0) {
		told.message = plm_aws_text(root, "Message");
	}
	if (outcome->error_type[0] != '\0') {
		told.code = plm_slice_str(outcome->error_type);
	} else if (told.code.size == 0) {
		told.code = plm_aws_text(root, "code");
	}
	told.code = bare(told.code);
	return told;
}

/* EC2's answers say their id in the body: "RequestID" of an error, "requestId" of others. */
static void take_id(const struct plm_aws_node *root, struct plm_aws_verdict *out)
{
	static const char *const names[] = {"requestId", "RequestID", "RequestId"};
	struct plm_slice id = {0};

	for (size_t i = 0; i < PLM_COUNTOF(names) && id.size == 0; i++) {
		id = plm_aws_text(root, names[i]);
	}
	if (id.size == 0) {
		id = plm_aws_text(plm_aws_get(root, "ResponseMetadata"), "RequestId");
	}
	if (out->request_id[0] == '\0') {
		set(out->request_id, sizeof(out->request_id), id);
	}
}

/* ---- the class ----------------------------------------------------------------------------------- */

/* Is it the answer of that action, and not of something else that also answers 200? */
static bool is_answer(enum plm_aws_call call, const struct plm_aws_node *root)
{
	const char *action = plm_aws_call(call)->action;
	size_t size = strlen(action);

	return root->name.size == size + strlen("Response") &&
	       memcmp(root->name.ptr, action, size) == 0 && ends_with(root->name, "Response");
}

/* By the status, where the code says nothing to us. */
static enum plm_aws_class class_of_status(unsigned status)
{
	if (status == 429) {
		return PLM_AWS_THROTTLED;
	}
	return status >= 400 && status < 500 ? PLM_AWS_REFUSED : PLM_AWS_UNKNOWN;
}

/* Without a code it is nobody's word that we know, but for REST, where the status is the code. */
static void judge_status(enum plm_aws_call call, unsigned status, struct plm_aws_verdict *out)
{
	bool rest = plm_aws_protocol(plm_aws_call(call)->service) == PLM_AWS_REST;

	out->class = rest || status == 429 ? class_of_status(status) : PLM_AWS_UNKNOWN;
	if (rest && status == 404) {
		out->class = PLM_AWS_NOT_FOUND;
	}
	(void)snprintf(out->code, sizeof(out->code), "HTTP%u", status);
}

static void judge_code(const struct plm_http_outcome *outcome, const struct told *told,
		       struct plm_aws_verdict *out)
{
	enum meaning meaning = NO;
	bool known = look_up(told->code, &meaning);
	/* 401 is about the keys, 403 about an image or a role. */
	bool keys = (known && meaning == KEYS) ||
		    (plm_slice_is(told->code, "AuthFailure") && outcome->status == 401);

	out->class = known ? class_of(meaning) : class_of_status(outcome->status);
	set(out->message, sizeof(out->message), without_encoded(told->message));
	if (keys) {
		/* AWS may repeat what was signed: the token is part of it. */
		out->class = PLM_AWS_NOT_SENT;
		set(out->message, sizeof(out->message),
		    plm_slice_str("the credentials were not accepted (or the time: is the clock "
				  "right?)"));
		out->keys = true;
	}
}

static void judge_lost(const struct plm_http_outcome *outcome, struct plm_aws_verdict *out)
{
	switch (outcome->fate) {
	case PLM_HTTP_NOT_SENT:
		say(out, PLM_AWS_NOT_SENT, "NotSent", outcome->text);
		return;
	case PLM_HTTP_TOO_LARGE:
		say(out, PLM_AWS_UNKNOWN, "TooLarge", "the answer is too large");
		return;
	case PLM_HTTP_ANSWERED:
	case PLM_HTTP_LOST:
	case PLM_HTTP_REFUSED:
		say(out, PLM_AWS_UNKNOWN, "Lost", outcome->text);
		return;
	}
	PLM_UNREACHABLE();
}

static void judge_read(enum plm_aws_call call, const struct plm_http_outcome *outcome,
		       const struct plm_aws_node *root, struct plm_aws_verdict *out)
{
	bool xml = plm_aws_protocol(plm_aws_call(call)->service) == PLM_AWS_QUERY;
	struct told told;

	take_id(root, out);
	if (outcome->status >= 200 && outcome->status < 300) {
		if (xml && !is_answer(call, root)) {
			say(out, PLM_AWS_UNKNOWN, "NoAnswer", "the answer is of another action");
			return;
		}
		out->class = PLM_AWS_DONE;
		out->root = root;
		return;
	}
	told = xml ? told_by_xml(root) : told_by_json(root, outcome);
	set(out->code, sizeof(out->code), told.code);
	if (out->code[0] == '\0') {
		judge_status(call, outcome->status, out);
	} else {
		judge_code(outcome, &told, out);
	}
}

static enum plm_code parse(enum plm_aws_call call, struct plm_slice body, struct plm_arena *arena,
			   const struct plm_aws_node **out, struct plm_error *err)
{
	size_t at = 0;

	if (plm_aws_protocol(plm_aws_call(call)->service) == PLM_AWS_QUERY) {
		return plm_aws_xml(body, arena, out, err);
	}
	while (at < body.size && body.ptr[at] <= 0x20) {
		at++;
	}
	if (at < body.size && body.ptr[at] != '{') {
		return plm_fail(err, PLM_E_INPUT, "the answer is no JSON object");
	}
	return plm_aws_json(body, arena, out, err);
}

void plm_aws_judge(enum plm_aws_call call, const struct plm_http_outcome *outcome,
		   struct plm_arena *arena, struct plm_aws_verdict *out)
{
	const struct plm_aws_node *root = NULL;
	struct plm_error err = {0};

	*out = (struct plm_aws_verdict){0};
	set(out->request_id, sizeof(out->request_id), plm_slice_str(outcome->request_id));
	if (outcome->fate != PLM_HTTP_ANSWERED) {
		judge_lost(outcome, out);
	} else if (parse(call, outcome->body, arena, &root, &err) == PLM_OK) {
		judge_read(call, outcome, root, out);
	} else {
		say(out, outcome->status == 429 ? PLM_AWS_THROTTLED : PLM_AWS_UNKNOWN, "Unreadable",
		    err.text);
	}
}
