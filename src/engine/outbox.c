#include "engine/outbox.h"

#include "codec/codec.h"
#include "hash/hash.h"

void plm_intent_key(struct plm_slice cluster_uid, uint64_t seq, char key[PLM_INTENT_KEY_SIZE])
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint8_t be[8] = {0};
	struct plm_slice parts[2] = {cluster_uid, plm_slice_of(be, sizeof(be))};
	struct plm_sha256 hash;
	uint32_t bits = 0;
	uint32_t held = 0;
	size_t byte = 0;

	for (uint32_t i = 0; i < 8; i++) {
		be[i] = (uint8_t)(seq >> (56 - 8 * i));
	}
	hash = plm_sha256_parts(parts, 2);
	for (size_t i = 0; i < PLM_INTENT_KEY_SIZE - 1; i++) {
		if (held < 5) {
			/* The last character takes the one bit that is left, padded with zeroes. */
			bits = bits << 8 | (byte < PLM_SHA256_SIZE ? hash.bytes[byte] : 0U);
			byte++;
			held += 8;
		}
		held -= 5;
		key[i] = alphabet[bits >> held & 31U];
	}
	key[PLM_INTENT_KEY_SIZE - 1] = '\0';
}

enum plm_code plm_outbox_submit(const struct plm_effects *effects, struct plm_slice cluster_uid,
				struct plm_outgoing out, struct plm_arena *scratch,
				struct plm_error *err)
{
	struct plm_effect effect = {
		.intent = out.seq,
		.call = (enum plm_call)out.intent->call,
		.frozen = out.intent->frozen,
		.deadline_ms = out.intent->deadline_ms,
		.resent = out.resent,
	};

	if (effects->submit == NULL) {
		return PLM_OK;
	}
	if (plm_wire_decode(plm_call_request(effect.call), out.intent->frozen, scratch,
			    &effect.request, err) != PLM_OK) {
		return plm_fail_prefix(err, PLM_E_CORRUPT, "intent %llu",
				       (unsigned long long)out.seq);
	}
	plm_intent_key(cluster_uid, out.seq, effect.key);
	effects->submit(effects->self, &effect);
	return PLM_OK;
}
