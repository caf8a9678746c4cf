/* The calls of FMI 3.0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"
#include "fuzz.h"

static fmi3Instance c(slot *s) { return chance(800) ? (nulled = 2, NULL) : (void *)s->instance; }

static void listen(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String message)
{
    slot *s = environment;
    told(s ? s->instance : NULL, status, category, message);
}

static void intermediate(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean gives,
                         fmi3Boolean takes, fmi3Boolean finished, fmi3Boolean may_return,
                         fmi3Boolean *returns, fmi3Float64 *at)
{
    (void)gives, (void)takes, (void)finished;
    if (!isfinite(t))
        finding("an intermediate update at t = %g", t);
    (void)visit_calls(environment);
    if (may_return && chance(40)) {
        *returns = fmi3True;
        *at = chance(10) ? draw_wild() : t + (chance(2) ? 0 : draw_step());
    }
}

static void *instantiate(slot *s)
{
    const char *token = chance(40) ? chance(2) ? NULL : "another" : mb_generated_model.token;
    const char *name = chance(40) ? NULL : "fuzzed";
    const fmi3LogMessageCallback log = chance(20) ? NULL : listen;
    const fmi3Boolean logging = (fmi3Boolean)chance(2);
    fmi3Instance made;
    if (chance(2))
        made = fmi3InstantiateModelExchange(name, token, NULL, 0, logging, s, log);
    else {
        const size_t n = chance(2) ? 0 : draw(4);
        const unsigned *required = draw_references(n, kinds_of(MB_INPUT) | kinds_of(MB_OUTPUT));
        made = fmi3InstantiateCoSimulation(name, token, NULL, 0, logging, (fmi3Boolean)draw(2),
                                           (fmi3Boolean)draw(2), required, n, s, log,
                                           chance(3) ? intermediate : NULL);
    }
    if (made && token != mb_generated_model.token)
        finding("there is an instance of token %s", token ? token : "(null)");
    return made;
}

static int logging(slot *s)
{
    static const char *const names[] = {"logEvents", "logStatusDiscard", "logAll", "wrong", NULL};
    const size_t n = chance(2) ? 0 : draw(3);
    fmi3String *categories = array(n, sizeof *categories);
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t k = chance(10) ? draw(5) : draw(3);
        categories[i] = names[k];
        wrong |= k > 2;
    }
    const int status = fmi3SetDebugLogging(c(s), (fmi3Boolean)draw(2), n, given_all(categories, n));
    if (wrong && !status)
        finding("a wrong category is accepted");
    return status;
}

static int enter_initialization(slot *s)
{
    const double start = chance(10) ? draw_wild() : 0, tolerance = chance(10) ? draw_wild() : 1e-5;
    return fmi3EnterInitializationMode(c(s), (fmi3Boolean)draw(2), tolerance, start,
                                       (fmi3Boolean)chance(10), chance(2) ? draw_wild() : 1e3);
}

static int exit_initialization(slot *s) { return fmi3ExitInitializationMode(c(s)); }
static int terminate(slot *s) { return fmi3Terminate(c(s)); }
static int reset(slot *s) { return fmi3Reset(c(s)); }

static int get_reals(slot *s)
{
    const size_t n = draw(5), n_values = draw_count(n);
    const unsigned *vr = draw_references(n, ANY_KIND);
    double *values = holes(n_values);
    const int status = fmi3GetFloat64(c(s), given_all((void *)vr, n), n, given_all(values, n_values),
                                      n_values);
    if (!status)
        check_finite(values, n_values);
    return status;
}

#define GET(Type) fmi3Get##Type(c(s), given_all((void *)vr, n), n, given_all(values, n), n)
#define SET(Type) fmi3Set##Type(c(s), given_all((void *)vr, n), n, given_all(values, n), n)

static int get_others(slot *s)
{
    const size_t n = draw(3);
    const unsigned *vr = draw_references(n, ANY_KIND);
    void *values = array(n, sizeof(void *)), *sizes = array(n, sizeof(size_t));
    switch (draw(13)) {
    case 0: return GET(Int32);
    case 1: return GET(Int64);
    case 2: return GET(Boolean);
    case 3: return GET(Float32);
    case 4: return GET(Int8);
    case 5: return GET(UInt8);
    case 6: return GET(Int16);
    case 7: return GET(UInt16);
    case 8: return GET(UInt32);
    case 9: return GET(UInt64);
    case 10: return GET(String);
    case 11: return fmi3GetClock(c(s), given_all((void *)vr, n), n, given_all(values, n));
    default:
        return fmi3GetBinary(c(s), given_all((void *)vr, n), n, given_all(sizes, n),
                             given_all(values, n), n);
    }
}

static int settable(const slot *s)
{
    const unsigned mode = s->instance->mode;
    const int start = mode & (MB_INSTANTIATED | MB_INITIALIZATION);
    if (chance(30))
        return ANY_KIND;
    return kinds_of(MB_INPUT) | (chance(3) ? kinds_of(MB_PARAMETER) : 0) |
           (start || mode & (MB_CONTINUOUS_TIME | MB_EVENT) ? kinds_of(MB_STATE) : 0);
}

static int set_reals(slot *s)
{
    const size_t n = draw(4), n_values = draw_count(n);
    const unsigned *vr = draw_references(n, settable(s));
    double *values = holes(n_values);
    for (size_t i = 0; i < n_values; i++)
        values[i] = i < n ? draw_value(s, vr[i]) : 0;
    const int status = fmi3SetFloat64(c(s), given_all((void *)vr, n), n, given_all(values, n_values),
                                      n_values);
    if (!status) {
        check_finite(values, n_values);
        check_kept(s, vr, values, n);
    }
    return status;
}

static int set_others(slot *s)
{
    const size_t n = draw(3);
    const unsigned *vr = draw_references(n, kinds_of(MB_PARAMETER));
    int64_t *values = array(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = chance(8) ? (int64_t)draw(UINT64_MAX) : (int64_t)draw(5);
    const int which = chance(2) ? 1 : (int)draw(6);
    const void *bytes = values;
    switch (which) {
    case 0: return fmi3SetInt32(c(s), given_all((void *)vr, n), n, given_all((void *)bytes, n), n);
    case 1: return SET(Int64);
    case 2: return fmi3SetUInt8(c(s), given_all((void *)vr, n), n, given_all((void *)bytes, n), n);
    case 3: return fmi3SetFloat32(c(s), given_all((void *)vr, n), n, given_all((void *)bytes, n), n);
    case 4: return fmi3SetString(c(s), given_all((void *)vr, n), n, given_all((void *)bytes, n), n);
    default: return fmi3SetClock(c(s), given_all((void *)vr, n), n, given_all((void *)bytes, n));
    }
}

/* States */

static int get_state(slot *s)
{
    kept *k = draw_kept(s);
    void *was = k->state, *garbage = (void *)&garbage;
    if (chance(40))
        return fmi3GetFMUState(c(s), chance(2) ? (nulled = 1, NULL) : &garbage);
    const int status = fmi3GetFMUState(c(s), &k->state);
    if (!status)
        keep(s, k);
    else if (k->state != was)
        finding("a refused call has changed the state");
    return status;
}

static int set_state(slot *s)
{
    void *state = draw_foreign_state(s);
    const int status = fmi3SetFMUState(c(s), state);
    for (int i = 0; !status && i < STATES; i++)
        if (s->states[i].state == state && s->states[i].persistent) {
            char *now = array(mb_persistent_size(s->instance), 1);
            mb_save(s->instance, now);
            if (memcmp(now, s->states[i].persistent, mb_persistent_size(s->instance)) != 0)
                finding("a restored state has other bytes");
        }
    return status;
}

static int free_state(slot *s)
{
    void *foreign = draw_foreign_state(s);
    if (chance(20))
        return fmi3FreeFMUState(c(s), NULL);
    for (int i = 0; i < STATES; i++)
        if (s->states[i].state == foreign)
            return fmi3FreeFMUState(c(s), &s->states[i].state);
    return fmi3FreeFMUState(c(s), &foreign);
}

static int serialize(slot *s)
{
    void *state = draw_foreign_state(s), *copy = NULL;
    const fmi3Instance instance = c(s);
    size_t size = 0, back = 0;
    int status = fmi3SerializedFMUStateSize(instance, state, &size);
    if (status)
        return status;
    size_t asked = chance(30) ? draw(size + 9) : size;
    fmi3Byte *bytes = array(asked, 1);
    if ((status = fmi3SerializeFMUState(instance, state, bytes, asked)))
        return status;
    unsigned char *drawn = draw_bytes(bytes, &asked);
    status = fmi3DeserializeFMUState(instance, drawn, asked, &copy);
    check_taken(s, status, bytes, size, drawn, asked);
    if (status || !copy)
        return status ? status : (finding("no state comes with OK"), 0);
    fmi3Byte *again = array(size, 1);
    if (fmi3SerializedFMUStateSize(instance, copy, &back) || back != size ||
        fmi3SerializeFMUState(instance, copy, again, size) || memcmp(again, drawn, size) != 0)
        finding("a state that was read is written otherwise");
    if (chance(2) && (status = fmi3SetFMUState(instance, copy)))
        finding("a state that was read cannot be set");
    if (fmi3FreeFMUState(instance, &copy))
        finding("a state that was read cannot be freed");
    return status;
}

static int derivative(slot *s)
{
    const int adjoint = (int)draw(2);
    const size_t unknowns = draw(4), knowns = draw(4);
    const int results = kinds_of(MB_OUTPUT) | kinds_of(MB_DERIVATIVE);
    const int arguments = kinds_of(MB_INPUT) | kinds_of(MB_STATE) | kinds_of(MB_PARAMETER);
    const unsigned *unknown = draw_references(unknowns, chance(10) ? ANY_KIND : results);
    const unsigned *known = draw_references(knowns, chance(10) ? ANY_KIND : arguments);
    const size_t n_seeds = draw_count(adjoint ? unknowns : knowns);
    const size_t n_values = draw_count(adjoint ? knowns : unknowns);
    double *seeds = holes(n_seeds), *values = holes(n_values);
    for (size_t i = 0; i < n_seeds; i++)
        seeds[i] = chance(10) ? draw_wild() : draw_near(0, 1);
    const int status =
        (adjoint ? fmi3GetAdjointDerivative : fmi3GetDirectionalDerivative)(
            c(s), given_all((void *)unknown, unknowns), unknowns, given_all((void *)known, knowns),
            knowns, given_all(seeds, n_seeds), n_seeds, given_all(values, n_values), n_values);
    if (!status)
        check_finite(values, n_values);
    return status;
}

/* Events and Model Exchange */

static int enter_events(slot *s) { return fmi3EnterEventMode(c(s)); }
static int enter_continuous(slot *s) { return fmi3EnterContinuousTimeMode(c(s)); }
static int enter_steps(slot *s) { return fmi3EnterStepMode(c(s)); }

static int update(slot *s)
{
    fmi3Boolean flags[5];
    fmi3Float64 next;
    return fmi3UpdateDiscreteStates(c(s), given(&flags[0]), given(&flags[1]), given(&flags[2]),
                                    given(&flags[3]), given(&flags[4]), given(&next));
}

static int completed(slot *s)
{
    fmi3Boolean event, terminate_now;
    return fmi3CompletedIntegratorStep(c(s), (fmi3Boolean)draw(2), given(&event),
                                       given(&terminate_now));
}

static int set_time(slot *s) { return fmi3SetTime(c(s), draw_time(s)); }

static int set_states(slot *s)
{
    const size_t n = draw_count((size_t)mb_generated_model.ns);
    double *x = holes(n);
    for (size_t i = 0; i < n; i++)
        x[i] = chance(300) || i >= (size_t)mb_generated_model.ns
                   ? draw_wild()
                   : draw_near(s->instance->now.s[i], 1e-2 * s->instance->nominal[i]);
    return fmi3SetContinuousStates(c(s), given_all(x, n), n);
}

static int get_vector(slot *s)
{
    const int which = (int)draw(6);
    const mb_model *model = &mb_generated_model;
    const size_t n = draw_count((size_t)(which ? model->ns : model->ne));
    size_t count;
    if (which == 4)
        return fmi3GetNumberOfContinuousStates(c(s), given(&count));
    if (which == 5)
        return fmi3GetNumberOfEventIndicators(c(s), given(&count));
    double *x = holes(n), *to = given_all(x, n);
    const int status = which == 0   ? fmi3GetEventIndicators(c(s), to, n)
                       : which == 1 ? fmi3GetContinuousStates(c(s), to, n)
                       : which == 2 ? fmi3GetContinuousStateDerivatives(c(s), to, n)
                                    : fmi3GetNominalsOfContinuousStates(c(s), to, n);
    if (!status)
        check_finite(x, n);
    return status;
}

/* Co-Simulation */

static int output_derivatives(slot *s)
{
    const size_t n = draw(4), n_values = draw_count(n);
    const unsigned *vr = draw_references(n, kinds_of(MB_OUTPUT) | kinds_of(MB_STATE));
    fmi3Int32 *order = array(n, sizeof *order);
    double *values = holes(n_values);
    for (size_t i = 0; i < n; i++)
        order[i] = chance(10) ? (fmi3Int32)draw(1u << 31) : 1;
    const int status =
        fmi3GetOutputDerivatives(c(s), given_all((void *)vr, n), n, given_all(order, n),
                                 given_all(values, n_values), n_values);
    if (!status)
        check_finite(values, n_values);
    return status;
}

static int do_step(slot *s)
{
    const double point = chance(40) ? draw_time(s) : s->instance->now.t;
    fmi3Boolean event, terminate_now, early;
    fmi3Float64 last = NAN;
    const int status = fmi3DoStep(c(s), point, draw_step(), (fmi3Boolean)draw(2), given(&event),
                                  given(&terminate_now), given(&early), given(&last));
    if (!status)
        check_finite(&last, 1);
    return status;
}

static int never(slot *s)
{
    const unsigned *vr = draw_references(2, ANY_KIND);
    void *numbers = array(8, sizeof(uint64_t));
    switch (draw(8)) {
    case 0: return fmi3EnterConfigurationMode(c(s));
    case 1: return fmi3ExitConfigurationMode(c(s));
    case 2: return fmi3EvaluateDiscreteStates(c(s));
    case 3: return fmi3ActivateModelPartition(c(s), vr[0], draw_wild());
    case 4: return fmi3GetIntervalDecimal(c(s), vr, 2, numbers, numbers);
    case 5: return fmi3SetShiftDecimal(c(s), vr, 2, numbers);
    case 6: return fmi3GetNumberOfVariableDependencies(c(s), vr[0], numbers);
    default: return fmi3GetShiftFraction(c(s), vr, 2, numbers, numbers);
    }
}

static const call CALLS[] = {
    {"fmi3SetDebugLogging", 1, MB_ANY_MODE, logging},
    {"fmi3EnterInitializationMode", 20, MB_INSTANTIATED, enter_initialization},
    {"fmi3ExitInitializationMode", 20, MB_INITIALIZATION, exit_initialization},
    {"fmi3Terminate", 1, MB_RUNNING, terminate},
    {"fmi3Reset", 1, MB_RUNNING, reset},
    {"fmi3Reset", 60, MB_TERMINATED | MB_FAILED, reset},
    {"fmi3GetFloat64", 10, MB_ANY_MODE, get_reals},
    {"fmi3GetInt32", 3, MB_FAILED, get_others},
    {"fmi3SetFloat64", 20, MB_SETTABLE, set_reals},
    {"fmi3SetInt64", 3, MB_INSTANTIATED | MB_INITIALIZATION, set_others},
    {"fmi3GetFMUState", 4, MB_ANY_MODE, get_state},
    {"fmi3SetFMUState", 3, MB_RUNNING | MB_INSTANTIATED | MB_INITIALIZATION, set_state},
    {"fmi3SetFMUState", 20, MB_TERMINATED | MB_FAILED, set_state},
    {"fmi3FreeFMUState", 1, MB_ANY_MODE, free_state},
    {"fmi3SerializeFMUState", 3, MB_ANY_MODE, serialize},
    {"fmi3DeserializeFMUState", 3, MB_ANY_MODE, carry_state},
    {"fmi3CompletedIntegratorStep", 30, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, integrate},
    {"fmi3GetDirectionalDerivative", 10, MB_CALCULATING, derivative},
    {"fmi3EnterEventMode", 4, MB_CONTINUOUS_TIME | MB_STEP, enter_events},
    {"fmi3UpdateDiscreteStates", 10, MB_EVENT, update},
    {"fmi3EnterContinuousTimeMode", 20, MB_EVENT | MB_MODEL_EXCHANGE_ONLY, enter_continuous},
    {"fmi3EnterStepMode", 20, MB_EVENT | MB_CO_SIMULATION_ONLY, enter_steps},
    {"fmi3CompletedIntegratorStep", 20, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, completed},
    {"fmi3SetTime", 15, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, set_time},
    {"fmi3SetContinuousStates", 20, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, set_states},
    {"fmi3GetContinuousStateDerivatives", 20, MB_CALCULATING | MB_MODEL_EXCHANGE_ONLY, get_vector},
    {"fmi3GetOutputDerivatives", 5, MB_STEP | MB_CO_SIMULATION_ONLY, output_derivatives},
    {"fmi3DoStep", 40, MB_STEP | MB_CO_SIMULATION_ONLY, do_step},
    {"fmi3EvaluateDiscreteStates", 1, 0, never},
};

static int get_state_of(void *instance, void **state) { return fmi3GetFMUState(instance, state); }
static int set_state_of(void *instance, void *state) { return fmi3SetFMUState(instance, state); }
static int free_state_of(void *instance, void **state) { return fmi3FreeFMUState(instance, state); }

static int reals_of(void *instance, const unsigned *references, size_t n, double *values)
{
    return fmi3GetFloat64(instance, references, n, values, n);
}

static int size_of(void *instance, void *state, size_t *size)
{
    return fmi3SerializedFMUStateSize(instance, state, size);
}

static int serialize_it(void *instance, void *state, unsigned char *bytes, size_t size)
{
    return fmi3SerializeFMUState(instance, state, (fmi3Byte *)bytes, size);
}

static int deserialize_it(void *instance, const unsigned char *bytes, size_t size, void **state)
{
    return fmi3DeserializeFMUState(instance, (const fmi3Byte *)bytes, size, state);
}

static int set_time_of(void *instance, double time) { return fmi3SetTime(instance, time); }

static int set_states_of(void *instance, const double *x, size_t n)
{
    return fmi3SetContinuousStates(instance, x, n);
}

static int get_states_of(void *instance, double *x, size_t n)
{
    return fmi3GetContinuousStates(instance, x, n);
}

static int rates_of(void *instance, double *x, size_t n)
{
    return fmi3GetContinuousStateDerivatives(instance, x, n);
}

static int indicators_of(void *instance, double *z, size_t n)
{
    return fmi3GetEventIndicators(instance, z, n);
}

static int completed_of(void *instance, int *event)
{
    fmi3Boolean wanted = 0, terminate_now;
    const int status = fmi3CompletedIntegratorStep(instance, 1, &wanted, &terminate_now);
    *event = wanted;
    return status;
}

static int enter_events_of(void *instance) { return fmi3EnterEventMode(instance); }
static int enter_continuous_of(void *instance) { return fmi3EnterContinuousTimeMode(instance); }

static int update_of(void *instance, int *again)
{
    fmi3Boolean needed = 0, others[4];
    fmi3Float64 next;
    const int status = fmi3UpdateDiscreteStates(instance, &needed, &others[0], &others[1], &others[2],
                                                &others[3], &next);
    *again = needed;
    return status;
}

const face fmi3_face = {
    CALLS,          sizeof CALLS / sizeof *CALLS, instantiate,   fmi3FreeInstance,
    get_state_of,   set_state_of,                 free_state_of, reals_of,
    size_of,        serialize_it,                 deserialize_it, set_time_of,
    set_states_of,  get_states_of,                rates_of,      indicators_of,
    completed_of,   enter_events_of,              update_of,     enter_continuous_of};
