/* The calls of FMI 2.0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"
#include "fuzz.h"

static fmi2Component c(slot *s) { return chance(800) ? (nulled = 2, NULL) : (void *)s->instance; }

static void listen(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    if (!name)
        finding("a message from an instance without a name");
    told(environment, status, category, message);
}

static void *instantiate(slot *s)
{
    static const fmi2CallbackFunctions listening = {listen, NULL, NULL, NULL, NULL};
    static const fmi2CallbackFunctions silent = {NULL, NULL, NULL, NULL, NULL};
    const int type = chance(40) ? 7 : (int)draw(2);
    const char *token = chance(40) ? chance(2) ? NULL : "another" : mb_generated_model.token;
    fmi2Component made =
        fmi2Instantiate(chance(40) ? NULL : "fuzzed", (fmi2Type)type, token, NULL,
                        chance(40) ? NULL : chance(10) ? &silent : &listening, 0, (int)draw(2));
    if (made && (type == 7 || token != mb_generated_model.token))
        finding("there is an instance of type %d, token %s", type, token ? token : "(null)");
    (void)s;
    return made;
}

static int logging(slot *s)
{
    static const char *const names[] = {"logEvents", "logStatusDiscard", "logAll", "wrong", NULL};
    const size_t n = chance(2) ? 0 : draw(3);
    fmi2String *categories = array(n, sizeof *categories);
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t k = chance(10) ? draw(5) : draw(3);
        categories[i] = names[k];
        wrong |= k > 2;
    }
    const int status = fmi2SetDebugLogging(c(s), (int)draw(2), n, given_all(categories, n));
    if (wrong && !status)
        finding("a wrong category is accepted");
    return status;
}

static int set_up(slot *s)
{
    const double start = chance(10) ? draw_wild() : 0, tolerance = chance(10) ? draw_wild() : 1e-5;
    return fmi2SetupExperiment(c(s), (int)draw(2), tolerance, start, chance(10),
                               chance(2) ? draw_wild() : 1e3);
}

static int enter_initialization(slot *s) { return fmi2EnterInitializationMode(c(s)); }
static int exit_initialization(slot *s) { return fmi2ExitInitializationMode(c(s)); }
static int terminate(slot *s) { return fmi2Terminate(c(s)); }
static int reset(slot *s) { return fmi2Reset(c(s)); }

static int get_reals(slot *s)
{
    const size_t n = draw(5);
    const unsigned *vr = draw_references(n, ANY_KIND);
    double *values = holes(n);
    const int status = fmi2GetReal(c(s), given_all((void *)vr, n), n, given_all(values, n));
    if (!status)
        check_finite(values, n);
    return status;
}

static int get_integers(slot *s)
{
    const size_t n = draw(3);
    const unsigned *vr = draw_references(n, ANY_KIND);
    fmi2Integer *values = array(n, sizeof *values);
    return chance(2) ? fmi2GetInteger(c(s), given_all((void *)vr, n), n, given_all(values, n))
                     : fmi2GetBoolean(c(s), given_all((void *)vr, n), n, given_all(values, n));
}

static int get_strings(slot *s)
{
    const size_t n = draw(2);
    const unsigned *vr = draw_references(n, ANY_KIND);
    fmi2String *values = array(n, sizeof *values);
    return chance(2) ? fmi2GetString(c(s), given_all((void *)vr, n), n, given_all(values, n))
                     : fmi2SetString(c(s), given_all((void *)vr, n), n, given_all(values, n));
}

/* What may be set in the present mode, mostly. */
static int settable(const slot *s)
{
    const unsigned mode = s->instance->mode;
    const int start = mode & (MB_INSTANTIATED | MB_INITIALIZATION);
    if (chance(30))
        return ANY_KIND;
    return kinds_of(MB_INPUT) | (chance(3) ? kinds_of(MB_PARAMETER) : 0) |
           (start || mode == MB_CONTINUOUS_TIME ? kinds_of(MB_STATE) : 0);
}

static int set_reals(slot *s)
{
    const size_t n = draw(4);
    const unsigned *vr = draw_references(n, settable(s));
    double *values = holes(n);
    for (size_t i = 0; i < n; i++)
        values[i] = draw_value(s, vr[i]);
    const int status = fmi2SetReal(c(s), given_all((void *)vr, n), n, given_all(values, n));
    if (!status) {
        check_finite(values, n);
        check_kept(s, vr, values, n);
    }
    return status;
}

static int set_integers(slot *s)
{
    const size_t n = draw(3);
    const unsigned *vr = draw_references(n, kinds_of(MB_PARAMETER));
    fmi2Integer *values = array(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = chance(8) ? (fmi2Integer)draw(UINT64_C(1) << 32) : (fmi2Integer)draw(5);
    return chance(4) ? fmi2SetBoolean(c(s), given_all((void *)vr, n), n, given_all(values, n))
                     : fmi2SetInteger(c(s), given_all((void *)vr, n), n, given_all(values, n));
}

/* States */

static int get_state(slot *s)
{
    kept *k = draw_kept(s);
    void *was = k->state, *garbage = (void *)&garbage;
    if (chance(40))
        return fmi2GetFMUstate(c(s), chance(2) ? (nulled = 1, NULL) : &garbage);
    const int status = fmi2GetFMUstate(c(s), &k->state);
    if (!status)
        keep(s, k);
    else if (k->state != was)
        finding("a refused call has changed the state");
    return status;
}

static int set_state(slot *s)
{
    void *state = draw_foreign_state(s);
    const fmi2Component instance = c(s);
    const int status = fmi2SetFMUstate(instance, state);
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
        return fmi2FreeFMUstate(c(s), NULL);
    for (int i = 0; i < STATES; i++)
        if (s->states[i].state == foreign)
            return fmi2FreeFMUstate(c(s), &s->states[i].state);
    return fmi2FreeFMUstate(c(s), &foreign);
}

static int serialize(slot *s)
{
    void *state = draw_foreign_state(s), *copy = NULL;
    const fmi2Component instance = c(s);
    size_t size = 0, back = 0;
    int status = fmi2SerializedFMUstateSize(instance, state, &size);
    if (status)
        return status;
    size_t asked = chance(30) ? draw(size + 9) : size;
    fmi2Byte *bytes = array(asked, 1);
    if ((status = fmi2SerializeFMUstate(instance, state, bytes, asked)))
        return status;
    unsigned char *drawn = draw_bytes((unsigned char *)bytes, &asked);
    status = fmi2DeSerializeFMUstate(instance, (fmi2Byte *)drawn, asked, &copy);
    check_taken(s, status, (unsigned char *)bytes, size, drawn, asked);
    if (status || !copy)
        return status ? status : (finding("no state comes with OK"), 0);
    fmi2Byte *again = array(size, 1);
    if (fmi2SerializedFMUstateSize(instance, copy, &back) || back != size ||
        fmi2SerializeFMUstate(instance, copy, again, size) || memcmp(again, drawn, size) != 0)
        finding("a state that was read is written otherwise");
    if (chance(2) && (status = fmi2SetFMUstate(instance, copy)))
        finding("a state that was read cannot be set");
    if (fmi2FreeFMUstate(instance, &copy))
        finding("a state that was read cannot be freed");
    return status;
}

static int directional(slot *s)
{
    const size_t unknowns = draw(4), knowns = draw(4);
    const int outputs = kinds_of(MB_OUTPUT) | kinds_of(MB_DERIVATIVE);
    const unsigned *unknown = draw_references(unknowns, chance(10) ? ANY_KIND : outputs);
    const unsigned *known = draw_references(
        knowns, chance(10) ? ANY_KIND : kinds_of(MB_INPUT) | kinds_of(MB_STATE));
    double *seeds = holes(knowns), *values = holes(unknowns);
    for (size_t i = 0; i < knowns; i++)
        seeds[i] = chance(10) ? draw_wild() : draw_near(0, 1);
    const int status = fmi2GetDirectionalDerivative(
        c(s), given_all((void *)unknown, unknowns), unknowns, given_all((void *)known, knowns),
        knowns, given_all(seeds, knowns), given_all(values, unknowns));
    if (!status)
        check_finite(values, unknowns);
    return status;
}

/* Model Exchange */

static int enter_events(slot *s) { return fmi2EnterEventMode(c(s)); }
static int enter_continuous(slot *s) { return fmi2EnterContinuousTimeMode(c(s)); }

static int update(slot *s)
{
    fmi2EventInfo info;
    return fmi2NewDiscreteStates(c(s), given(&info));
}

static int completed(slot *s)
{
    fmi2Boolean event, terminate_now;
    const int status = fmi2CompletedIntegratorStep(c(s), (int)draw(2), given(&event),
                                                   given(&terminate_now));
    return status;
}

static int set_time(slot *s) { return fmi2SetTime(c(s), draw_time(s)); }

static int set_states(slot *s)
{
    const size_t n = draw_count((size_t)mb_generated_model.ns);
    double *x = holes(n);
    for (size_t i = 0; i < n; i++)
        x[i] = chance(300) || i >= (size_t)mb_generated_model.ns
                   ? draw_wild()
                   : draw_near(s->instance->now.s[i], 1e-2 * s->instance->nominal[i]);
    return fmi2SetContinuousStates(c(s), given_all(x, n), n);
}

static int get_vector(slot *s)
{
    const int which = (int)draw(4);
    const mb_model *model = &mb_generated_model;
    const size_t n = draw_count((size_t)(which ? model->ns : model->ne));
    double *x = holes(n), *to = given_all(x, n);
    const int status = which == 0   ? fmi2GetEventIndicators(c(s), to, n)
                       : which == 1 ? fmi2GetContinuousStates(c(s), to, n)
                       : which == 2 ? fmi2GetDerivatives(c(s), to, n)
                                    : fmi2GetNominalsOfContinuousStates(c(s), to, n);
    if (!status)
        check_finite(x, n);
    return status;
}

/* Co-Simulation */

static int set_derivatives(slot *s)
{
    const size_t n = draw(4);
    const unsigned *vr = draw_references(n, kinds_of(MB_INPUT));
    fmi2Integer *order = array(n, sizeof *order);
    double *values = holes(n);
    for (size_t i = 0; i < n; i++) {
        order[i] = chance(20) ? (fmi2Integer)draw(1u << 31) : 1 + (fmi2Integer)draw(3);
        values[i] = chance(20) ? draw_wild() : draw_near(0, 1);
    }
    return fmi2SetRealInputDerivatives(c(s), given_all((void *)vr, n), n, given_all(order, n),
                                       given_all(values, n));
}

static int get_derivatives(slot *s)
{
    const size_t n = draw(4);
    const unsigned *vr = draw_references(n, kinds_of(MB_OUTPUT) | kinds_of(MB_STATE));
    fmi2Integer *order = array(n, sizeof *order);
    double *values = holes(n);
    for (size_t i = 0; i < n; i++)
        order[i] = chance(10) ? (fmi2Integer)draw(1u << 31) : 1;
    const int status = fmi2GetRealOutputDerivatives(c(s), given_all((void *)vr, n), n,
                                                    given_all(order, n), given_all(values, n));
    if (!status)
        check_finite(values, n);
    return status;
}

static int do_step(slot *s)
{
    const double point = chance(40) ? draw_time(s) : s->instance->now.t;
    return fmi2DoStep(c(s), point, draw_step(), (int)draw(2));
}

static int cancel(slot *s) { return fmi2CancelStep(c(s)); }

static int ask_status(slot *s)
{
    const fmi2StatusKind kind = (fmi2StatusKind)draw(6);
    double real = NAN;
    fmi2Integer integer;
    fmi2Status result;
    fmi2String string;
    switch (draw(5)) {
    case 0: return fmi2GetStatus(c(s), kind, &result);
    case 1: return fmi2GetIntegerStatus(c(s), kind, &integer);
    case 2: return fmi2GetBooleanStatus(c(s), fmi2Terminated, given(&integer));
    case 3: return fmi2GetStringStatus(c(s), kind, &string);
    default: break;
    }
    const int status = fmi2GetRealStatus(c(s), chance(2) ? kind : fmi2LastSuccessfulTime, given(&real));
    if (!status)
        check_finite(&real, 1);
    return status;
}

static const call CALLS[] = {
    {"fmi2SetDebugLogging", 1, MB_ANY_MODE, logging},
    {"fmi2SetupExperiment", 4, MB_INSTANTIATED, set_up},
    {"fmi2EnterInitializationMode", 20, MB_INSTANTIATED, enter_initialization},
    {"fmi2ExitInitializationMode", 20, MB_INITIALIZATION, exit_initialization},
    {"fmi2Terminate", 1, MB_RUNNING, terminate},
    {"fmi2Reset", 1, MB_RUNNING, reset},
    {"fmi2Reset", 60, MB_TERMINATED | MB_FAILED, reset},
    {"fmi2GetReal", 10, MB_CALCULATING, get_reals},
    {"fmi2GetInteger", 2, MB_ANY_MODE, get_integers},
    {"fmi2GetString", 1, MB_FAILED, get_strings},
    {"fmi2SetReal", 20, MB_SETTABLE, set_reals},
    {"fmi2SetInteger", 3, MB_INSTANTIATED | MB_INITIALIZATION, set_integers},
    {"fmi2GetFMUstate", 4, MB_ANY_MODE, get_state},
    {"fmi2SetFMUstate", 3, MB_RUNNING | MB_INSTANTIATED | MB_INITIALIZATION, set_state},
    {"fmi2SetFMUstate", 20, MB_TERMINATED | MB_FAILED, set_state},
    {"fmi2FreeFMUstate", 1, MB_ANY_MODE, free_state},
    {"fmi2SerializeFMUstate", 3, MB_ANY_MODE, serialize},
    {"fmi2DeSerializeFMUstate", 3, MB_ANY_MODE, carry_state},
    {"fmi2CompletedIntegratorStep", 30, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, integrate},
    {"fmi2GetDirectionalDerivative", 8, MB_CALCULATING, directional},
    {"fmi2EnterEventMode", 4, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, enter_events},
    {"fmi2NewDiscreteStates", 10, MB_EVENT | MB_MODEL_EXCHANGE_ONLY, update},
    {"fmi2EnterContinuousTimeMode", 20, MB_EVENT | MB_MODEL_EXCHANGE_ONLY, enter_continuous},
    {"fmi2CompletedIntegratorStep", 20, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, completed},
    {"fmi2SetTime", 15, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, set_time},
    {"fmi2SetContinuousStates", 20, MB_CONTINUOUS_TIME | MB_MODEL_EXCHANGE_ONLY, set_states},
    {"fmi2GetDerivatives", 20, MB_CALCULATING | MB_MODEL_EXCHANGE_ONLY, get_vector},
    {"fmi2SetRealInputDerivatives", 5, MB_STEP | MB_CO_SIMULATION_ONLY, set_derivatives},
    {"fmi2GetRealOutputDerivatives", 5, MB_STEP | MB_CO_SIMULATION_ONLY, get_derivatives},
    {"fmi2DoStep", 40, MB_STEP | MB_CO_SIMULATION_ONLY, do_step},
    {"fmi2CancelStep", 1, 0, cancel},
    {"fmi2GetRealStatus", 2, MB_STEP | MB_TERMINATED | MB_CO_SIMULATION_ONLY, ask_status},
};

static int get_state_of(void *instance, void **state) { return fmi2GetFMUstate(instance, state); }
static int set_state_of(void *instance, void *state) { return fmi2SetFMUstate(instance, state); }
static int free_state_of(void *instance, void **state) { return fmi2FreeFMUstate(instance, state); }

static int reals_of(void *instance, const unsigned *references, size_t n, double *values)
{
    return fmi2GetReal(instance, references, n, values);
}

static int size_of(void *instance, void *state, size_t *size)
{
    return fmi2SerializedFMUstateSize(instance, state, size);
}

static int serialize_it(void *instance, void *state, unsigned char *bytes, size_t size)
{
    return fmi2SerializeFMUstate(instance, state, (fmi2Byte *)bytes, size);
}

static int deserialize_it(void *instance, const unsigned char *bytes, size_t size, void **state)
{
    return fmi2DeSerializeFMUstate(instance, (const fmi2Byte *)bytes, size, state);
}

static int set_time_of(void *instance, double time) { return fmi2SetTime(instance, time); }

static int set_states_of(void *instance, const double *x, size_t n)
{
    return fmi2SetContinuousStates(instance, x, n);
}

static int get_states_of(void *instance, double *x, size_t n)
{
    return fmi2GetContinuousStates(instance, x, n);
}

static int rates_of(void *instance, double *x, size_t n)
{
    return fmi2GetDerivatives(instance, x, n);
}

static int indicators_of(void *instance, double *z, size_t n)
{
    return fmi2GetEventIndicators(instance, z, n);
}

static int completed_of(void *instance, int *event)
{
    fmi2Boolean wanted = 0, terminate_now;
    const int status = fmi2CompletedIntegratorStep(instance, 1, &wanted, &terminate_now);
    *event = wanted;
    return status;
}

static int enter_events_of(void *instance) { return fmi2EnterEventMode(instance); }
static int enter_continuous_of(void *instance) { return fmi2EnterContinuousTimeMode(instance); }

static int update_of(void *instance, int *again)
{
    fmi2EventInfo info = {0};
    const int status = fmi2NewDiscreteStates(instance, &info);
    *again = info.newDiscreteStatesNeeded;
    return status;
}

const face fmi2_face = {
    CALLS,          sizeof CALLS / sizeof *CALLS, instantiate,   fmi2FreeInstance,
    get_state_of,   set_state_of,                 free_state_of, reals_of,
    size_of,        serialize_it,                 deserialize_it, set_time_of,
    set_states_of,  get_states_of,                rates_of,      indicators_of,
    completed_of,   enter_events_of,              update_of,     enter_continuous_of};
