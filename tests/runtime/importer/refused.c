/* A call that is refused leaves the bytes of the state, what can be read, and the error's mode aside. */
#include "fmi2Functions.h"
#include "model.h"

/* s0 must begin above zero, and its slip is held where the event is active. */
FUNCTION(rise) { res[0][0] = 1; }
FUNCTION(is_open) { res[0][0] = -1; }
FUNCTION(begins_above)
{
    res[0][0] = arg[S][0];
    res[1][0] = arg[S][0];
}

static const mb_requirement ABOVE[] = {
    {.name = "s0", .message = "must begin above zero", .when = MB_AT_START}};
static const mb_event_kind HELD[] = {MB_HELD_SLIP};

static fmi2Component held(fmi2Type type)
{
    static fmi2CallbackFunctions functions = {NULL, NULL, NULL, NULL, NULL};
    mb_model *model = make_model((mb_model){.ns = 1, .ne = 1, .nd = 1, .nq = 1, .contacts = 1,
                                            .kind = HELD, .requirement = ABOVE,
                                            .derivative.call = rise, .indicator.call = is_open,
                                            .require.call = begins_above});
    variable(model, MB_STATE, 0)->start = -1;
    tested_model = model;
    fmi2Component c = fmi2Instantiate("name", type, "token", "", &functions, fmi2False, fmi2False);
    expect(c && !fmi2EnterInitializationMode(c), "there is no instance");
    return c;
}

CHECK(values_that_could_not_be_had_cannot_after_an_error_either)
{
    fmi2Component c = held(fmi2CoSimulation);
    const fmi2ValueReference s = reference(tested_model, MB_STATE, 0);
    const fmi2ValueReference d = reference(tested_model, MB_DISCRETE, 0);
    double value;
    expect(fmi2GetReal(c, &s, 1, &value) == fmi2Discard, "the state is known");
    expect(fmi2DoStep(c, 0, 1, fmi2True) == fmi2Error, "a step in Initialization Mode");
    expect(fmi2GetReal(c, &s, 1, &value) == fmi2Discard, "the state is known after the error");
    expect(fmi2GetReal(c, &d, 1, &value) == fmi2Discard, "the mode is known after the error");
    expect(fmi2SetReal(c, &s, 1, (double[]){1}) == fmi2Error, "the state can be set after an error");
    expect(!fmi2Reset(c) && !fmi2EnterInitializationMode(c), "it cannot be reset");
    expect(!fmi2SetReal(c, &s, 1, (double[]){1}) && !fmi2GetReal(c, &s, 1, &value), "a right start");
    near(value, 1, 0, "state");
    fmi2FreeInstance(c);

    c = held(fmi2ModelExchange);
    expect(fmi2GetContinuousStates(c, &value, 1) == fmi2Discard, "the states are known");
    expect(fmi2SetTime(c, 0) == fmi2Error, "time in Initialization Mode");
    expect(fmi2GetContinuousStates(c, &value, 1) == fmi2Discard, "they are known after the error");
    fmi2FreeInstance(c);
}

/* s0 has no indicator above one, no rate above two. */
FUNCTION(rate_up_to_two) { res[0][0] = arg[S][0] > 2 ? NAN : 1; }
FUNCTION(indicator_up_to_one) { res[0][0] = arg[S][0] > 1 ? NAN : -1; }

enum { MOST = 8192 };

static void unchanged(mb_instance *m, const char *before, mb_status status, const char *when)
{
    char after[MOST];
    expect(status >= MB_DISCARD, "%s is not refused", when);
    m->failed = 0; /* so that the next one is refused for its own cause */
    mb_save(m, after);
    expect(!memcmp(before, after, mb_persistent_size(m)), "%s has changed the state", when);
}

/* Makes a call, which must be refused and change nothing. */
#define REFUSED(m, call, when)                                                                     \
    do {                                                                                           \
        char before[MOST];                                                                         \
        expect(mb_persistent_size(m) <= MOST, "there is too little room");                         \
        mb_save(m, before);                                                                        \
        const mb_status refused = (mb_status)(call);                                               \
        unchanged(m, before, refused, when);                                                       \
    } while (0)

CHECK(refused_calls_of_model_exchange_leave_the_bytes_of_the_state)
{
    mb_model *model = make_model((mb_model){.ns = 1, .ne = 1, .nd = 1, .derivative.call = rate_up_to_two,
                                            .indicator.call = indicator_up_to_one});
    tested_model = model;
    fmi2EventInfo info;
    fmi2Boolean event, terminate;
    double value[2];
    mb_instance *m = create(model, MB_MODEL_EXCHANGE);
    initialize(m);
    expect(!fmi2NewDiscreteStates(m, &info) && !fmi2EnterContinuousTimeMode(m), "%s", m->message);
    const double reached[] = {1.5}, beyond[] = {2.5};
    expect(!fmi2SetTime(m, 1.5) && !fmi2SetContinuousStates(m, reached, 1), "%s", m->message);
    REFUSED(m, fmi2CompletedIntegratorStep(m, fmi2True, &event, &terminate),
            "a step to where there is no indicator");
    REFUSED(m, fmi2GetEventIndicators(m, value, 1), "an indicator");
    REFUSED(m, fmi2GetDerivatives(m, value, 2), "a wrong count of rates");
    expect(!fmi2SetContinuousStates(m, beyond, 1), "%s", m->message);
    REFUSED(m, fmi2GetDerivatives(m, value, 1), "a rate");
    expect(!fmi2EnterEventMode(m), "%s", m->message);
    REFUSED(m, fmi2NewDiscreteStates(m, &info), "an update");
    REFUSED(m, fmi2EnterContinuousTimeMode(m), "the way back from Event Mode");
    mb_free(m);
}

/* The input lets s0 pass three, where the step ends. */
FUNCTION(follow) { res[0][0] = arg[U][0]; }
FUNCTION(below_three) { res[0][0] = 3 - arg[S][0]; }

CHECK(a_discarded_step_leaves_the_bytes_of_the_state)
{
    mb_model *model = make_model((mb_model){.ns = 1, .nu = 1, .nq = 1, .derivative.call = follow,
                                            .require.call = below_three});
    mb_instance *m = start(model, MB_METHOD_RK45, 1e-6);
    m->now.u[0] = 4;
    m->fresh = 0;
    for (int i = 0; i < 2; i++)
        REFUSED(m, mb_do_step(m, 0, 1, (int[]){0}), "a step");
    expect(m->terminated, "the second failure is not told");
    void *state = NULL;
    expect(!mb_get_state(m, &state) && !mb_set_state(m, state) && !m->terminated, "%s", m->message);
    mb_free(m);
}
