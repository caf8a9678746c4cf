/* The state of an instance: whole, and nothing else is taken for one. */
#include "model.h"

#include <stdint.h>
#include <stdio.h>

enum { MOST_BYTES = 4096, SUM_PLACE = 120, HEADER = 128 };

typedef struct {
    unsigned char bytes[MOST_BYTES];
    size_t size;
} memory;

/* A crank pin (x0, x1) at distance 1 whose angle is s0, and a ball of speed s1 and height s2 that an
 * input u0 blows upwards. Discrete: mode, impacts, flight that is expected. */
FUNCTION(pin)
{
    const double x = arg[X][0], y = arg[X][1], q = arg[S][0];
    const double r = hypot(x, y), along = r - 1, across = cos(q) * y - sin(q) * x;
    const double det = (x * cos(q) + y * sin(q)) / r;
    res[0][0] = x - (cos(q) * along - y / r * across) / det;
    res[0][1] = y - (sin(q) * along + x / r * across) / det;
    res[1][0] = along;
    res[1][1] = across;
}

FUNCTION(pin_conditioning)
{
    res[0][0] = (arg[X][0] * cos(arg[S][0]) + arg[X][1] * sin(arg[S][0])) /
                hypot(arg[X][0], arg[X][1]);
}

FUNCTION(pin_start)
{
    res[0][0] = res[1][0] = res[1][1] = 1;
    res[0][1] = 0;
}

FUNCTION(turn_and_fall)
{
    res[0][0] = 1 + 0.5 * arg[X][0];
    res[0][1] = -10 - 0.1 * arg[S][1] * fabs(arg[S][1]) + arg[U][0];
    res[0][2] = arg[S][1];
}

FUNCTION(turn_and_fall_tangent)
{
    res[0][0] = -0.5 * arg[X][1] * arg[EXTRA][0];
    res[0][1] = -0.2 * fabs(arg[S][1]) * arg[EXTRA][1];
    res[0][2] = arg[EXTRA][1];
}

FUNCTION(below) { res[0][0] = -arg[S][2]; }

FUNCTION(bounce)
{
    const int hit = arg[EXTRA][0] > 0;
    res[0][0] = 0;
    res[0][1] = arg[D][1] + hit;
    res[0][2] = hit ? -0.2 * arg[S][1] : arg[D][2];
    res[1][0] = arg[S][0];
    res[1][1] = hit ? -1.05 * arg[S][1] : arg[S][1];
    res[1][2] = hit ? 0 : arg[S][2];
}

FUNCTION(place_of_pin) { res[0][0] = arg[X][0] + arg[S][2]; }

static mb_model *toy(int method)
{
    static const mb_event_kind kind[] = {MB_IMPACT};
    static const int expected[] = {2};
    mb_model *model = make_model((mb_model){
        .nx = 2, .nc = 2, .ns = 3, .nu = 1, .nd = 3, .ne = 1, .nr = 1, .ny = 1, .contacts = 1,
        .kind = kind, .expected = expected, .newton.call = pin, .conditioning.call = pin_conditioning,
        .start.call = pin_start, .derivative.call = turn_and_fall,
        .change.call = turn_and_fall_tangent, .indicator.call = below, .update.call = bounce,
        .output.call = place_of_pin});
    variable(model, MB_STATE, 2)->start = 1;
    solver(model, 0)->start = method;
    return model;
}

static memory save(mb_instance *m)
{
    memory saved = {.size = 0};
    void *state = NULL;
    expect(!mb_get_state(m, &state) && !mb_serialized_size(m, state, &saved.size), "%s", m->message);
    expect(saved.size <= MOST_BYTES, "%d bytes", (int)saved.size);
    expect(!mb_serialize(m, state, saved.bytes, saved.size), "%s", m->message);
    expect(!mb_free_state(m, &state) && !state, "%s", m->message);
    return saved;
}

static void restore(mb_instance *m, const memory *saved)
{
    void *state = NULL;
    expect(!mb_deserialize(m, saved->bytes, saved->size, &state), "%s", m->message);
    expect(!mb_set_state(m, state) && !mb_free_state(m, &state), "%s", m->message);
}

/* Work space may hold anything between two calls. */
static void spoil(mb_instance *m)
{
    const mb_model *n = MB_MODEL;
    char *begin = m->saved, *end = (char *)m->warned;
    memset(begin, 0xff, (size_t)(end - begin));
    for (int i = 0; i < n->ns + 1 + n->nu + n->np; i++)
        m->variation[i] = 0; /* which always is, but while it is used */
    m->cache_valid = m->cached_now = 0;
    m->inside = m->last_noted = m->last_checked = NAN;
}

FUNCTION(not_a_number) { res[0][0] = NAN; }

CHECK(state_after_a_start_without_measures_is_taken_back)
{
    mb_model *model = toy(MB_METHOD_RK45);
    model->conditioning.call = not_a_number;
    mb_instance *m = create(model, MB_CO_SIMULATION);
    expect(!mb_enter_initialization(m) && mb_exit_initialization(m) != MB_OK, "it starts");
    const memory saved = save(m);
    restore(m, &saved);
    mb_free(m);
}

/* One communication step, or one of Euler's method with an event where an indicator says so. */
static void go_on(mb_instance *m)
{
    int unused;
    if (m->interface == MB_CO_SIMULATION) {
        m->now.u[0] = sin(m->now.t);
        m->fresh = 0;
        expect(!mb_do_step(m, m->now.t, 0.03, &unused), "%s", m->message);
        return;
    }
    double s[3], rate[3], before, after, output = 0;
    const double h = 0.01;
    expect(!mb_get_states(m, s, 3) && !mb_get_rates(m, rate, 3) && !mb_get_indicators(m, &before, 1),
           "%s", m->message);
    for (int i = 0; i < 3; i++)
        s[i] += h * rate[i];
    expect(!mb_set_time(m, m->now.t + h) && !mb_set_states(m, s, 3), "%s", m->message);
    expect(!mb_completed_step(m, &unused) && !mb_get_indicators(m, &after, 1), "%s", m->message);
    expect(!mb_provide(m, MB_OBSERVED), "%s", m->message);
    output += m->output[0];
    if (unused || before * after <= 0)
        expect(!mb_enter_event_mode(m) && !mb_update_discrete_states(m, &unused) &&
                   !mb_leave_event_mode(m, MB_CONTINUOUS_TIME),
               "%s", m->message);
}

static mb_instance *running(const mb_model *model, mb_interface interface, double height)
{
    mb_instance *m = create(model, interface);
    m->now.s[2] = height;
    initialize(m);
    if (interface == MB_MODEL_EXCHANGE)
        expect(!mb_leave_event_mode(m, MB_CONTINUOUS_TIME), "%s", m->message);
    return m;
}

static void same(mb_instance *a, mb_instance *b, const char *what)
{
    const memory of_a = save(a), of_b = save(b);
    expect(of_a.size == of_b.size && !memcmp(of_a.bytes, of_b.bytes, of_a.size),
           "%s differs at t = %.9g", what, a->now.t);
}

/* Goes on in a new instance, in one of another history and in itself, work space spoilt: all that
 * lasts stays the same, byte by byte. */
static void goes_on(int method, mb_interface interface)
{
    const mb_model *model = toy(method);
    mb_instance *m = running(model, interface, 1), *itself = running(model, interface, 1);
    mb_instance *used = running(model, interface, 3);
    for (int k = 0; k < 300; k++) {
        const memory here = save(m);
        mb_instance *fresh = create(model, interface);
        restore(fresh, &here);
        for (int i = 0; i < k % 3; i++)
            go_on(used);
        if (k % 20 == 0)
            restore(used, &here);
        spoil(itself);
        go_on(m);
        go_on(fresh);
        go_on(itself);
        if (k % 20 == 0) {
            go_on(used);
            same(m, used, "an instance that was used");
        }
        same(m, fresh, "a new instance");
        same(m, itself, "an instance with spoilt work space");
        mb_free(fresh);
    }
    expect(m->now.d[1] >= 2, "%g impacts", m->now.d[1]);
    mb_free(m);
    mb_free(itself);
    mb_free(used);
}

CHECK(a_restored_runge_kutta_goes_on) { goes_on(MB_METHOD_RK45, MB_CO_SIMULATION); }
CHECK(a_restored_rosenbrock_goes_on) { goes_on(MB_METHOD_rosenbrock, MB_CO_SIMULATION); }
CHECK(restored_fixed_steps_go_on) { goes_on(MB_METHOD_classical, MB_CO_SIMULATION); }
CHECK(restored_model_exchange_goes_on) { goes_on(MB_METHOD_RK45, MB_MODEL_EXCHANGE); }

CHECK(a_state_holds_its_mode)
{
    int changed;
    const mb_model *model = toy(MB_METHOD_RK45);
    mb_instance *m = create(model, MB_MODEL_EXCHANGE), *other = create(model, MB_MODEL_EXCHANGE);
    const memory new = save(m);
    expect(!mb_enter_initialization(m), "%s", m->message);
    m->now.s[2] = 0.5;
    const memory initializing = save(m);
    expect(!mb_exit_initialization(m), "%s", m->message);
    const memory in_event = save(m);
    restore(other, &initializing);
    expect(other->mode == MB_INITIALIZATION && !mb_exit_initialization(other), "%s", other->message);
    near(other->now.s[2], 0.5, 0, "height");
    restore(other, &in_event);
    expect(other->mode == MB_EVENT && !mb_update_discrete_states(other, &changed), "%s",
           other->message);
    restore(other, &new);
    expect(other->mode == MB_INSTANTIATED && !mb_enter_initialization(other), "%s", other->message);
    mb_free(m);
    mb_free(other);
}

static void refused(mb_instance *m, const memory *bytes, const char *words)
{
    void *state = NULL;
    expect(mb_deserialize(m, bytes->bytes, bytes->size, &state) == MB_ERROR && !state,
           "this was taken for a state; \"%s\" should be refused", words);
    says(m, words);
}

/* The checksum of what may have been changed. */
static void seal(memory *of)
{
    uint64_t sum = 14695981039346656037u;
    for (size_t i = HEADER; i < of->size; i++)
        sum = (sum ^ of->bytes[i]) * 1099511628211u;
    memcpy(of->bytes + SUM_PLACE, &sum, sizeof sum);
}

CHECK(changed_bytes_are_refused)
{
    mb_instance *m = running(toy(MB_METHOD_RK45), MB_CO_SIMULATION, 1);
    const memory right = save(m);
    for (size_t i = 0; i < right.size; i++) {
        memory wrong = right;
        wrong.bytes[i] ^= 1;
        refused(m, &wrong, "serialize it again");
        wrong = right;
        wrong.size = i;
        refused(m, &wrong, i < HEADER ? "too few" : "truncated");
    }
    memory longer = right;
    longer.size++;
    refused(m, &longer, "another size");
    expect(!memcmp(save(m).bytes, right.bytes, right.size), "a refused call changed something");
    mb_free(m);
}

static void finite(const double *values, int n, size_t place)
{
    expect(mb_all_finite(values, n), "silent NaN, by the number at %d", (int)place);
}

/* Whatever it was: no crash, and nothing that is not finite without a word. */
static void go_on_carefully(mb_instance *m, size_t place)
{
    int unused;
    double indicator, rate[3];
    if (m->interface == MB_CO_SIMULATION && !mb_do_step(m, m->now.t, 0.1, &unused))
        finite(m->now.values, (int)mb_point_size(MB_MODEL), place);
    if (m->interface == MB_CO_SIMULATION)
        return;
    if (!mb_get_rates(m, rate, 3))
        finite(rate, 3, place);
    if (!mb_get_indicators(m, &indicator, 1))
        finite(&indicator, 1, place);
    if (!mb_provide(m, MB_OBSERVED))
        finite(m->output, 1, place);
    if (!mb_enter_event_mode(m) && !mb_update_discrete_states(m, &unused) &&
        !mb_get_indicators(m, &indicator, 1))
        finite(&indicator, 1, place);
    finite(m->now.values, (int)mb_point_size(MB_MODEL), place);
}

/* Each number in turn is not one, where its checksum is right: refused, or it is none that counts. */
static void survives_numbers_that_are_none(mb_interface interface)
{
    mb_instance *m = running(toy(MB_METHOD_RK45), interface, 1);
    while (m->now.d[1] < 1) /* right after an impact more is remembered */
        go_on(m);
    const memory right = save(m);
    const double nan = NAN;
    int refusals = 0;
    for (size_t i = HEADER; i + sizeof nan <= right.size; i += sizeof nan) {
        memory wrong = right;
        void *state = NULL;
        memcpy(wrong.bytes + i, &nan, sizeof nan);
        seal(&wrong);
        if (mb_deserialize(m, wrong.bytes, wrong.size, &state)) {
            refusals++;
            continue;
        }
        expect(!mb_set_state(m, state) && !mb_free_state(m, &state), "%s", m->message);
        go_on_carefully(m, i);
        restore(m, &right);
    }
    expect(refusals > 25, "%d refusals", refusals);
    mb_free(m);
}

CHECK(numbers_that_are_none_are_refused) { survives_numbers_that_are_none(MB_CO_SIMULATION); }
CHECK(so_they_are_in_model_exchange) { survives_numbers_that_are_none(MB_MODEL_EXCHANGE); }

CHECK(states_of_others_are_refused)
{
    const mb_model *model = toy(MB_METHOD_RK45);
    mb_instance *m = create(model, MB_CO_SIMULATION), *exchange = create(model, MB_MODEL_EXCHANGE);
    const memory here = save(m);
    refused(exchange, &here, "another interface");
    m->event_mode_used = 1;
    refused(m, &here, "Event Mode");
    m->event_mode_used = 0;
    mb_model *next = toy(MB_METHOD_RK45);
    next->token = "another token";
    mb_instance *other = create(next, MB_CO_SIMULATION);
    refused(other, &here, "another model");
    memory strange = here;
    memset(strange.bytes, 'x', strange.size);
    refused(m, &strange, "not a state");
    mb_free(m);
    mb_free(exchange);
    mb_free(other);
}

CHECK(only_own_states_are_taken)
{
    const mb_model *model = toy(MB_METHOD_RK45);
    mb_instance *m = create(model, MB_CO_SIMULATION), *other = create(model, MB_CO_SIMULATION);
    void *first = NULL, *second = NULL, *of_other = NULL, *none = NULL;
    size_t size;
    expect(!mb_get_state(m, &first) && !mb_get_state(m, &second) && first != second, "two states");
    void *again = first;
    m->now.s[0] = 7;
    expect(!mb_get_state(m, &again) && again == first, "the place is used again");
    m->now.s[0] = 8;
    expect(!mb_set_state(m, first) && m->now.s[0] == 7, "it holds the newer values");
    expect(!mb_set_state(m, second) && m->now.s[0] == 0, "the other one is as it was");
    expect(!mb_get_state(other, &of_other), "%s", other->message);
    void *strangers[] = {of_other, m, NULL};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        expect(mb_set_state(m, strangers[i]) == MB_ERROR, "stranger %d", (int)i);
        says(m, "not a state of this instance");
        expect(mb_serialized_size(m, strangers[i], &size) == MB_ERROR, "stranger %d", (int)i);
        expect(mb_serialize(m, strangers[i], (unsigned char *)&size, 8) == MB_ERROR, "stranger");
    }
    expect(mb_get_state(m, &of_other) == MB_ERROR && mb_free_state(m, &of_other) == MB_ERROR, "other");
    expect(mb_get_state(m, NULL) == MB_ERROR && mb_serialized_size(m, first, NULL) == MB_ERROR &&
               mb_serialize(m, first, NULL, 0) == MB_ERROR &&
               mb_deserialize(m, NULL, 0, &none) == MB_ERROR &&
               mb_deserialize(m, (unsigned char *)&size, 8, NULL) == MB_ERROR,
           "null pointers");
    expect(!mb_free_state(m, NULL) && !mb_free_state(m, &none), "freeing nothing");
    again = first;
    expect(!mb_free_state(m, &first) && !first, "a freed state is gone");
    expect(mb_set_state(m, again) == MB_ERROR && mb_free_state(m, &again) == MB_ERROR, "twice");
    mb_free(m); /* with `second`, which a sanitizer would miss */
    mb_free(other);
}
