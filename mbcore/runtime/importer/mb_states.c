/* States of an instance for the importer: saved, restored, serialized.
 *
 * A saved state is a header and the lasting bytes. It belongs to the instance that made it; as bytes
 * it goes to any other one of the same model, runtime and kind, in any process on a like machine.
 * What others may have written is checked before it becomes a state: bytes by the header and a
 * checksum, numbers by what they may be.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_integrator.h"
#include "mb_variables.h"
#include "mb_version.h"

enum { TOKEN = 64, VERSION = 32 };

static const char MAGIC[8] = "mbstate";
static const uint32_t ORDER = 0x01020304; /* of a number's bytes */

typedef struct {
    char magic[8];
    uint32_t order, kind;
    char version[VERSION], token[TOKEN];
    uint64_t size, checksum; /* of the lasting bytes */
} mb_header;

typedef struct {
    mb_link link;
    mb_header header;
    char bytes[];
} mb_state;

/* FNV-1a */
static uint64_t checksum(const char *bytes, size_t size)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211u;
    return sum;
}

/* What the importer chose when it made the instance, and what follows from it. */
static uint32_t kind_of(const mb_instance *m)
{
    return (uint32_t)(m->interface + 2 * !!m->event_mode_used);
}

static mb_header header_of(const mb_instance *m)
{
    mb_header header = {.order = ORDER, .kind = kind_of(m), .size = mb_lasting_size(m)};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    strncpy(header.version, MB_VERSION, VERSION - 1);
    strncpy(header.token, m->model->token, TOKEN - 1);
    return header;
}

static mb_state *find(const mb_instance *m, const void *state)
{
    mb_link *found = m->states;
    while (found && found != state)
        found = found->next;
    return (mb_state *)found; /* which begins with its link */
}

static mb_status refuse_unknown(mb_instance *m)
{
    return mb_refuse(m, MB_ERROR,
                     "this is no state of this instance, or one that was freed; a state of another "
                     "instance has to be serialized there and deserialized here");
}

/* A new state with room for the lasting bytes, or NULL. */
static mb_state *add_state(mb_instance *m)
{
    mb_state *state = malloc(offsetof(mb_state, bytes) + mb_lasting_size(m));
    if (!state) {
        mb_refuse(m, MB_ERROR, "there is not enough memory for a state of %lu bytes",
                  (unsigned long)mb_lasting_size(m));
        return NULL;
    }
    state->header = header_of(m);
    mb_add_link(m, &state->link);
    return state;
}

/* Saves the present state, in place of one that is given. */
mb_status mb_get_state(mb_instance *m, void **given)
{
    if (!given)
        return mb_refuse(m, MB_ERROR, "there is no place for the state, a null pointer is given");
    mb_state *state = *given ? find(m, *given) : NULL;
    if (*given && !state)
        return refuse_unknown(m);
    if (!state && !(state = add_state(m)))
        return MB_ERROR;
    mb_save(m, state->bytes);
    *given = state;
    return MB_OK;
}

mb_status mb_set_state(mb_instance *m, const void *given)
{
    const mb_state *state = find(m, given);
    if (!state)
        return refuse_unknown(m);
    mb_restore(m, state->bytes);
    m->method = mb_chosen_method(m);
    return MB_OK;
}

mb_status mb_free_state(mb_instance *m, void **given)
{
    if (!given || !*given)
        return MB_OK;
    mb_state *state = find(m, *given);
    if (!state)
        return refuse_unknown(m);
    mb_remove_link(m, &state->link);
    free(state);
    *given = NULL;
    return MB_OK;
}

mb_status mb_serialized_size(mb_instance *m, const void *given, size_t *size)
{
    if (!size)
        return mb_refuse(m, MB_ERROR, "there is no place for the size, a null pointer is given");
    if (!find(m, given))
        return refuse_unknown(m);
    *size = sizeof(mb_header) + mb_lasting_size(m);
    return MB_OK;
}

mb_status mb_serialize(mb_instance *m, const void *given, unsigned char *bytes, size_t size)
{
    const size_t needed = sizeof(mb_header) + mb_lasting_size(m);
    mb_state *state = find(m, given);
    if (!state)
        return refuse_unknown(m);
    if (!bytes || size != needed)
        return mb_refuse(m, MB_ERROR, "a serialized state takes %lu bytes, %lu are given",
                         (unsigned long)needed, (unsigned long)(bytes ? size : 0));
    state->header.checksum = checksum(state->bytes, mb_lasting_size(m));
    memcpy(bytes, &state->header, sizeof(mb_header));
    memcpy(bytes + sizeof(mb_header), state->bytes, mb_lasting_size(m));
    return MB_OK;
}

/* What is wrong with bytes that should be a serialized state; NULL if nothing is. */
static const char *fault_of_bytes(const mb_instance *m, const unsigned char *bytes, size_t size)
{
    const mb_header own = header_of(m);
    mb_header header;
    if (!bytes || size < sizeof header)
        return "these bytes are too few for a state";
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, MAGIC, sizeof MAGIC) != 0)
        return "these bytes are no state that an FMU of this kind has serialized";
    if (header.order != ORDER)
        return "the state is from a machine with another order of bytes";
    if (memcmp(header.token, own.token, TOKEN) != 0)
        return "the state is from another model, or from another version of this one";
    if (memcmp(header.version, own.version, VERSION) != 0)
        return "the state is from an FMU that another version of the exporter has made";
    if (header.kind != own.kind)
        return "the state is from an instance that was made for another interface, or where the "
               "use of Event Mode in Co-Simulation was another one";
    if (header.size != own.size || size != sizeof header + own.size)
        return "the state has another size: it is truncated, or from another kind of machine";
    if (checksum((const char *)bytes + sizeof header, own.size) != header.checksum)
        return "the checksum of the state is wrong: bytes have changed since it was serialized";
    return NULL;
}

mb_status mb_deserialize(mb_instance *m, const unsigned char *bytes, size_t size, void **given)
{
    if (!given)
        return mb_refuse(m, MB_ERROR, "there is no place for the state, a null pointer is given");
    const char *fault = fault_of_bytes(m, bytes, size);
    if (fault)
        return mb_refuse(m, MB_ERROR, "%s; serialize it again with this FMU", fault);
    mb_save(m, m->saved); /* the numbers are looked at where they belong */
    mb_restore(m, (const char *)bytes + sizeof(mb_header));
    const mb_status status = mb_check_state(m);
    mb_restore(m, m->saved);
    if (status)
        return status;
    mb_state *state = add_state(m);
    if (!state)
        return MB_ERROR;
    memcpy(state->bytes, bytes + sizeof(mb_header), mb_lasting_size(m));
    *given = state;
    return MB_OK;
}
