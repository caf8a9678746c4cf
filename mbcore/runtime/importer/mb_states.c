/* States of an instance for the importer: saved, restored, serialized.
 *
 * A saved state is a header and the bytes of all persistent values. It belongs to the instance that
 * made it; as bytes it goes to any other one of the same model, runtime and kind, in any process on a
 * like machine. What others may have written is checked before it becomes a state: bytes by the header
 * and a checksum, numbers by what they may be.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_integrator.h"
#include "mb_version.h"

enum { TOKEN = 64, VERSION = 32 };

static const char MAGIC[8] = "mbstate";
static const uint32_t ORDER = 0x01020304; /* of a number's bytes */

typedef struct {
    char magic[8];
    uint32_t order, kind;
    char version[VERSION], token[TOKEN];
    uint64_t size, checksum; /* of the persistent values */
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

/* What the importer chose at instantiation: interface, and use of Event Mode. */
static uint32_t kind_of(const mb_instance *m)
{
    return (uint32_t)(m->interface + 2 * !!m->event_mode_used);
}

static mb_header header_of(const mb_instance *m)
{
    mb_header header = {.order = ORDER, .kind = kind_of(m), .size = mb_persistent_size(m)};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    strncpy(header.version, MB_VERSION, VERSION - 1);
    strncpy(header.token, MB_MODEL->token, TOKEN - 1);
    return header;
}

static mb_state *find_saved(const mb_instance *m, const void *state)
{
    mb_link *found = m->states;
    while (found && found != state)
        found = found->next;
    return (mb_state *)found; /* which begins with its link */
}

static mb_status refuse_unknown(mb_instance *m)
{
    return mb_refuse(m, MB_ERROR,
                     "this is not a state of this instance, or it was freed; a state of another "
                     "instance has to be serialized there and deserialized here");
}

/* A new state with room for the persistent values, or NULL. */
static mb_state *add_state(mb_instance *m)
{
    mb_state *state = malloc(offsetof(mb_state, bytes) + mb_persistent_size(m));
    if (!state) {
        mb_refuse(m, MB_ERROR, "there is not enough memory for a state of %lu bytes",
                  (unsigned long)mb_persistent_size(m));
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
    mb_state *state = *given ? find_saved(m, *given) : NULL;
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
    const mb_state *state = find_saved(m, given);
    if (!state)
        return refuse_unknown(m);
    mb_restore(m, state->bytes);
    mb_choose_method(m);
    mb_forget_failures(m);
    return MB_OK;
}

mb_status mb_free_state(mb_instance *m, void **given)
{
    if (!given || !*given)
        return MB_OK;
    mb_state *state = find_saved(m, *given);
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
    if (!find_saved(m, given))
        return refuse_unknown(m);
    *size = sizeof(mb_header) + mb_persistent_size(m);
    return MB_OK;
}

mb_status mb_serialize(mb_instance *m, const void *given, unsigned char *bytes, size_t size)
{
    const size_t needed = sizeof(mb_header) + mb_persistent_size(m);
    mb_state *state = find_saved(m, given);
    if (!state)
        return refuse_unknown(m);
    if (!bytes || size != needed)
        return mb_refuse(m, MB_ERROR, "a serialized state takes %lu bytes, %lu are given",
                         (unsigned long)needed, (unsigned long)(bytes ? size : 0));
    state->header.checksum = checksum(state->bytes, mb_persistent_size(m));
    memcpy(bytes, &state->header, sizeof(mb_header));
    memcpy(bytes + sizeof(mb_header), state->bytes, mb_persistent_size(m));
    return MB_OK;
}

/* Whether the numbers of a state that comes from outside are such as an instance may have */

static mb_status refuse_number(mb_instance *m, const char *name, double value)
{
    return mb_refuse(m, MB_ERROR,
                     "the state holds %s = %.9g, which this FMU cannot have; it was changed after "
                     "it was serialized, serialize it again",
                     name, value);
}

/* Whether a value is one of its type. */
static int is_of_type(const mb_variable *v, double value)
{
    return v->type == MB_BOOLEAN ? value == 0 || value == 1 : v->type == MB_REAL || value == floor(value);
}

static mb_status check_variables(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->variables; i++) {
        const mb_variable *v = &MB_MODEL->variable[i];
        const double value = v->kind == MB_PARAMETER  ? m->now.p[v->index]
                             : v->kind == MB_INPUT    ? m->now.u[v->index]
                             : v->kind == MB_STATE    ? m->now.s[v->index]
                             : v->kind == MB_DISCRETE ? m->now.d[v->index]
                                                      : 0;
        const int bounded = v->kind == MB_PARAMETER || v->kind == MB_INPUT;
        if (!isfinite(value) || (bounded && !mb_in_range(v, value)) || !is_of_type(v, value))
            return refuse_number(m, v->name, value);
    }
    return MB_OK;
}

/* Values set at variables that others override: they may become effective again. */
static mb_status check_choices(mb_instance *m)
{
    for (int i = 0; i < MB_MODEL->choices; i++) {
        const mb_choice *c = &MB_MODEL->choice[i];
        const mb_variable *v = mb_row_of(MB_MODEL, c->kind, c->index);
        const double value = m->now.p[c->own];
        const int possible = !v || v->kind != MB_PARAMETER ||
                             (mb_in_range(v, value) && is_of_type(v, value));
        if (!isfinite(value) || !possible)
            return refuse_number(m, v ? v->name : "a start value", value);
    }
    return MB_OK;
}

/* The modes of events, and what is remembered of them. */
static mb_status check_events(mb_instance *m)
{
    const int last = MB_MODEL->ne > 0 ? MB_MODEL->ne - 1 : 0;
    if (m->last_event < 0 || m->last_event > last)
        return refuse_number(m, "the number of the last event", m->last_event);
    const unsigned settled = MB_SETTLED | MB_INDICATED;
    if (m->fresh & MB_SETTLED &&
        ((m->fresh & settled) != settled || mb_largest_contradiction(m) > 0))
        return refuse_number(m, "the events that are due", mb_largest_contradiction(m));
    for (int i = 0; i < MB_MODEL->ne; i++) {
        const double mode = m->now.d[i];
        if (mode != 0 && mode != 1)
            return refuse_number(m, MB_MODEL->event[i], mode);
        if (!mb_valid_event_memory(m, i))
            return refuse_number(m, "a distance from an event", m->event_memory[i].slack);
    }
    return MB_OK;
}

static int is_mode(const mb_instance *m)
{
    const unsigned contrary = m->initialized ? MB_INSTANTIATED | MB_INITIALIZATION : MB_RUNNING;
    const unsigned mode = (unsigned)m->mode, exchange = m->interface == MB_MODEL_EXCHANGE;
    const unsigned others = exchange ? MB_STEP : MB_CONTINUOUS_TIME;
    const unsigned possible = MB_ANY_MODE & ~(unsigned)MB_FAILED & ~others & ~contrary;
    return mode && !(mode & (mode - 1)) && mode & possible && (m->failed == 0 || m->failed == 1) &&
           !(mode == MB_EVENT && !exchange && !m->event_mode_used);
}

/* Whether all values of a point are finite but the configuration. */
static int is_given_finitely(const mb_model *model, const mb_point *at)
{
    return mb_all_finite(at->values, model->ns + model->nd + model->nu) &&
           mb_all_finite(at->p, model->np);
}

/* Values that belong to no variable alone, and sizes, by which others are divided. */
static mb_status check_numbers(mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    if (!is_given_finitely(model, &m->now) || !is_given_finitely(model, &m->accepted))
        return refuse_number(m, "a value", NAN);
    for (int i = 0; i < model->ns; i++)
        if (!(isfinite(m->nominal[i]) && m->nominal[i] > 0))
            return refuse_number(m, "a nominal value", m->nominal[i]);
    if (m->steps_remembered < 0 || m->steps_remembered > MB_DIFFERENCES ||
        !mb_all_finite(&m->remembered_step, 1) ||
        !mb_all_finite(m->remembered, MB_DIFFERENCES * MB_REMEMBERED * model->ni))
        return refuse_number(m, "the number of steps before", m->steps_remembered);
    if (m->unchecked_steps < 0 || m->unchecked_steps > MB_CHECKED_STEPS)
        return refuse_number(m, "the number of unchecked steps", m->unchecked_steps);
    const int sized = m->initialized || m->fresh & MB_CONFIGURED;
    for (int i = 0; i < model->nx && sized; i++)
        if (!(isfinite(m->scale[i]) && m->scale[i] > 0 && isfinite(m->per_scale[i]) &&
              m->per_scale[i] > 0))
            return refuse_number(m, "the size of a coordinate", m->scale[i]);
    return MB_OK;
}

/* Results marked as calculated must be finite, because they are not checked again. Only a rate that is
 * MB_RATED is checked when it is used. */
static int results_are_finite(const mb_instance *m)
{
    const mb_model *model = MB_MODEL;
    const unsigned fresh = m->fresh;
    const int watched = model->contacts > 0 ? model->nm : 0;
    return (!(fresh & MB_CONFIGURED) || mb_all_finite(m->now.x, model->nx)) &&
           (!(fresh & MB_DERIVED) || mb_all_finite(m->rate, model->ns)) &&
           (!(fresh & MB_OBSERVED) || mb_all_finite(m->output, model->ny)) &&
           (!(fresh & MB_INDICATED) || mb_all_finite(m->indicator, model->ne)) &&
           (!(fresh & MB_MEASURED) || mb_all_finite(m->measure, model->nr)) &&
           (!m->sensitive || mb_all_finite(m->sensitivity, model->ns * model->varied)) &&
           (!m->solver_watched || (mb_all_finite(m->least_rate, watched) &&
                                   mb_all_finite(m->largest_rate, watched))) &&
           (!m->path_watched || (mb_all_finite(m->path_place, watched) &&
                                 mb_all_finite(m->path_speed, watched) &&
                                 mb_all_finite(m->path_rate, watched) &&
                                 mb_all_finite(m->gained, watched))) &&
           mb_all_finite(m->conditioning, (MB_CONDITIONING_ARRAYS - 1) * model->nr); /* but trends */
}

/* Whether the accepted point is the present one where the state says so: steps go back to it. */
static int is_accepted(const mb_instance *m)
{
    const size_t size = mb_point_size(MB_MODEL) * sizeof(double);
    return m->now.t == m->accepted.t && !memcmp(m->now.values, m->accepted.values, size) &&
           mb_all_finite(m->now.values, (int)mb_point_size(MB_MODEL));
}

static mb_status check_restored(mb_instance *m)
{
    const mb_step_size *step = &m->step_size;
    const double sizes = step->next + step->error + step->time_to_impact + step->exactly;
    if (!isfinite(m->now.t) || !isfinite(m->accepted.t))
        return refuse_number(m, "time", isfinite(m->now.t) ? m->accepted.t : m->now.t);
    if (!is_mode(m))
        return refuse_number(m, "mode", m->mode);
    if (!(m->tolerance >= 0 && isfinite(m->tolerance)))
        return refuse_number(m, "the tolerance", m->tolerance);
    if (m->stiffness.implicit & ~1 || !isfinite(m->stiffness.pace) || m->stiffness.pace < 0)
        return refuse_number(m, "the pace of steps", m->stiffness.pace);
    if (!isfinite(sizes) || step->next < 0 || step->error < 0 || step->time_to_impact < 0)
        return refuse_number(m, "the length of the next step", step->next);
    if (m->start_changed && !mb_all_finite(m->start_state, MB_MODEL->contacts > 0 ? MB_MODEL->ns : 0))
        return refuse_number(m, "a start value", NAN);
    if (!isfinite(m->start_time) || isnan(m->stop_time))
        return refuse_number(m, "the start or stop time", isnan(m->stop_time) ? NAN : m->start_time);
    if ((unsigned)m->given_derivatives > MB_DERIVATIVES_AT_END ||
        !mb_all_finite(m->input_derivative, MB_ORDERS * MB_MODEL->nu))
        return refuse_number(m, "the derivative of an input", NAN);
    if (isnan(m->constant_since))
        return refuse_number(m, "the time of the last step", NAN);
    if (!isfinite(m->solver_step))
        return refuse_number(m, "the step of the importer's solver", m->solver_step);
    if (isnan(m->event_time) || !(m->event_span >= 0 && m->rates_requested >= 0))
        return refuse_number(m, "the way to the next event", m->event_span);
    if (!results_are_finite(m))
        return refuse_number(m, "a result", NAN);
    mb_status status = check_variables(m);
    if (!status)
        status = check_choices(m);
    if (!status)
        status = check_events(m);
    if (!status)
        status = check_numbers(m);
    if (!status && m->fresh & MB_ACCEPTED && !is_accepted(m))
        return refuse_number(m, "another accepted point, of time", m->accepted.t);
    return status;
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
        return "these bytes are not a state that an FMU of this kind has serialized";
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
    mb_save(m, m->saved); /* numbers are checked in place, and the instance restored below */
    mb_restore(m, (const char *)bytes + sizeof(mb_header));
    const mb_status status = check_restored(m);
    mb_restore(m, m->saved);
    if (status)
        return status;
    mb_state *state = add_state(m);
    if (!state)
        return MB_ERROR;
    memcpy(state->bytes, bytes + sizeof(mb_header), mb_persistent_size(m));
    *given = state;
    return MB_OK;
}
