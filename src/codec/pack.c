#include "codec/pack.h"

#include "core/utf8.h"

/* msgpack-c's sink. It cannot fail: the buffer was measured, and running over it is a bug. */
static int sink(void *self, const char *bytes, size_t size)
{
	struct plm_pack *pack = self;

	PLM_ASSERT(size <= (size_t)(pack->end - pack->at));
	if (size > 0) {
		memcpy(pack->at, bytes, size);
	}
	pack->at += size;
	return 0;
}

void plm_pack_begin(struct plm_pack *pack, size_t size, struct plm_arena *arena)
{
	pack->at = plm_arena_take(arena, size);
	pack->end = pack->at + size;
	msgpack_packer_init(&pack->packer, pack, sink);
}

struct plm_slice plm_pack_end(const struct plm_pack *pack, size_t size)
{
	PLM_ASSERT(pack->at == pack->end);
	return plm_slice_of(pack->end - size, size);
}

size_t plm_pack_uint_size(uint64_t value)
{
	if (value < 0x80) {
		return 1;
	}
	if (value <= UINT8_MAX) {
		return 2;
	}
	if (value <= UINT16_MAX) {
		return 3;
	}
	return value <= UINT32_MAX ? 5 : 9;
}

size_t plm_pack_int_size(int64_t value)
{
	if (value >= 0) {
		return plm_pack_uint_size((uint64_t)value);
	}
	if (value == PLM_UNSET || value >= -32) {
		return 1;
	}
	if (value >= INT8_MIN) {
		return 2;
	}
	if (value >= INT16_MIN) {
		return 3;
	}
	return value >= INT32_MIN ? 5 : 9;
}

size_t plm_pack_text_size(size_t size)
{
	return size < 32 ? 1 + size : plm_pack_bytes_size(size);
}

size_t plm_pack_bytes_size(size_t size)
{
	if (size <= UINT8_MAX) {
		return 2 + size;
	}
	return (size <= UINT16_MAX ? 3 : 5) + size;
}

size_t plm_pack_array_size(size_t count)
{
	if (count < 16) {
		return 1;
	}
	return count <= UINT16_MAX ? 3 : 5;
}

void plm_pack_uint(struct plm_pack *pack, uint64_t value)
{
	(void)msgpack_pack_uint64(&pack->packer, value);
}

void plm_pack_int(struct plm_pack *pack, int64_t value)
{
	if (value == PLM_UNSET) {
		plm_pack_nil(pack);
	} else {
		(void)msgpack_pack_int64(&pack->packer, value);
	}
}

void plm_pack_nil(struct plm_pack *pack)
{
	(void)msgpack_pack_nil(&pack->packer);
}

void plm_pack_text(struct plm_pack *pack, struct plm_slice text)
{
	PLM_ASSERT(text.size <= UINT32_MAX);
	PLM_ASSERT(plm_utf8_prefix(text) == text.size);
	(void)msgpack_pack_str(&pack->packer, text.size);
	(void)msgpack_pack_str_body(&pack->packer, text.ptr, text.size);
}

void plm_pack_bytes(struct plm_pack *pack, struct plm_slice bytes)
{
	PLM_ASSERT(bytes.size <= UINT32_MAX);
	(void)msgpack_pack_bin(&pack->packer, bytes.size);
	(void)msgpack_pack_bin_body(&pack->packer, bytes.ptr, bytes.size);
}

void plm_pack_array(struct plm_pack *pack, size_t count)
{
	PLM_ASSERT(count <= UINT32_MAX);
	(void)msgpack_pack_array(&pack->packer, count);
}
