#include "core/out.h"

#define CHUNK_ITEMS 256U
#define CHUNKS_FIRST 64U

void plm_out_init(struct plm_out *out, struct plm_arena *arena)
{
	*out = (struct plm_out){.arena = arena};
}

static struct plm_out_item *item_at(const struct plm_out *out, uint32_t index)
{
	PLM_ASSERT(index < out->count);
	return &out->chunks[index / CHUNK_ITEMS][index % CHUNK_ITEMS];
}

static void chunks_grow(struct plm_out *out)
{
	uint32_t capacity = out->chunk_capacity == 0 ? CHUNKS_FIRST : out->chunk_capacity * 2;
	struct plm_out_item **chunks = PLM_NEW_ARRAY(out->arena, capacity, struct plm_out_item *);

	if (out->chunk_count > 0) {
		memcpy(chunks, out->chunks, out->chunk_count * sizeof(*chunks));
	}
	out->chunks = chunks;
	out->chunk_capacity = capacity;
}

static uint32_t push(struct plm_out *out, struct plm_out_item item)
{
	PLM_ASSERT(item.cause <= out->count);
	if (out->count == out->chunk_count * CHUNK_ITEMS) {
		if (out->chunk_count == out->chunk_capacity) {
			chunks_grow(out);
		}
		out->chunks[out->chunk_count++] =
			PLM_NEW_ARRAY(out->arena, CHUNK_ITEMS, struct plm_out_item);
	}
	out->count++;
	*item_at(out, out->count - 1) = item;
	return out->count;
}

uint32_t plm_out_add(struct plm_out *out, enum plm_event_type type, const void *payload,
		     uint32_t cause)
{
	PLM_ASSERT(type != PLM_EV_INTENT);
	PLM_ASSERT(plm_event_info((uint16_t)type) != NULL);
	return push(out, (struct plm_out_item){.type = type, .payload = payload, .cause = cause});
}

uint32_t plm_out_intent(struct plm_out *out, const struct plm_w_intent *head, const void *request,
			uint32_t cause)
{
	PLM_ASSERT(head->frozen.size == 0);
	PLM_ASSERT(plm_call_request((enum plm_call)head->call) != NULL);
	return push(out, (struct plm_out_item){.type = PLM_EV_INTENT,
					       .payload = head,
					       .request = request,
					       .cause = cause});
}

const struct plm_out_item *plm_out_item(const struct plm_out *out, uint32_t handle)
{
	PLM_ASSERT(handle >= 1);
	return item_at(out, handle - 1);
}
