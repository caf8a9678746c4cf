/* The functions of FMI 3.0 over a model written by hand: what may be called when, early return. */
#include "fmi3Functions.h"
#include "model.h"

#include <stdio.h>

static char said[2 * MB_MESSAGE];

static void listen(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                   fmi3String message)
{
    (void)environment, (void)status, (void)category;
    snprintf(said, sizeof said, "%s", message);
}

/* A clock that is active from p0 on. */
FUNCTION(clock_runs) { res[0][0] = 1; }
FUNCTION(clock_strikes) { res[0][0] = arg[T][0] >= arg[P][0] ? 1 : -1; }

static fmi3Instance fmi3(mb_interface interface, int events, int early, double strikes)
{
    mb_model *model = make_model((mb_model){.ns = 1, .np = 1, .nu = 1, .nd = 1, .ne = 1,
                                            .derivative.call = clock_runs,
                                            .indicator.call = clock_strikes});
    variable(model, MB_PARAMETER, 0)->start = strikes;
    tested_model = model;
    fmi3Instance m =
        interface == MB_MODEL_EXCHANGE
            ? fmi3InstantiateModelExchange("name", "token", "", fmi3False, fmi3True, NULL, listen)
            : fmi3InstantiateCoSimulation("name", "token", "", fmi3False, fmi3True, events, early,
                                          NULL, 0, NULL, listen, NULL);
    expect(m != NULL, "there is no instance: %s", said);
    return m;
}

static fmi3Status update(fmi3Instance m)
{
    fmi3Boolean flags[5];
    fmi3Float64 next;
    return fmi3UpdateDiscreteStates(m, &flags[0], &flags[1], &flags[2], &flags[3], &flags[4], &next);
}

static void fmi3_initialize(fmi3Instance m)
{
    expect(!fmi3EnterInitializationMode(m, fmi3False, 0, 0, fmi3False, 0), "%s", said);
    expect(!fmi3ExitInitializationMode(m), "%s", said);
}

static void fmi3_start(fmi3Instance m)
{
    fmi3_initialize(m);
    if (((mb_instance *)m)->mode == MB_EVENT)
        expect(!update(m) && !fmi3EnterStepMode(m), "%s", said);
}

/* One step from 0 to 1, and what it says of itself. */
static void strike(int events, int early, double at, int event_right, int early_right, double end)
{
    fmi3Instance m = fmi3(MB_CO_SIMULATION, events, early, at);
    fmi3Boolean event, terminate, returned;
    fmi3Float64 last;
    fmi3_start(m);
    expect(!fmi3DoStep(m, 0, 1, fmi3True, &event, &terminate, &returned, &last), "%s", said);
    near(event, event_right, 0, "an event is to be handled");
    near(returned, early_right, 0, "early return");
    near(last, end, 1e-13, "time");
    near(terminate, 0, 0, "terminated");
    expect(early_right == (last < 1), "time %.17g", last);
    near(((mb_instance *)m)->now.d[0], at <= 1 && !event_right, 0, "mode");
    fmi3FreeInstance(m);
}

CHECK(early_return_at_an_event_inside_the_step) { strike(1, 1, 0.3, 1, 1, 0.3); }
CHECK(no_early_return_where_the_event_lies_at_the_end) { strike(1, 1, 1, 1, 0, 1); }
CHECK(no_early_return_without_an_event) { strike(1, 1, 2, 0, 0, 1); }
CHECK(no_early_return_where_it_is_not_allowed)
{
    strike(1, 0, 0.3, 0, 0, 1);
    strike(0, 1, 0.3, 0, 0, 1);
    strike(0, 0, 0.3, 0, 0, 1);
}

CHECK(a_step_goes_on_after_the_importer_has_handled_the_event)
{
    fmi3Instance m = fmi3(MB_CO_SIMULATION, 1, 1, 0.3);
    fmi3Boolean event, terminate, returned;
    fmi3Float64 last;
    fmi3_start(m);
    expect(!fmi3DoStep(m, 0, 1, fmi3True, &event, &terminate, &returned, &last), "%s", said);
    expect(!fmi3EnterEventMode(m) && !update(m) && !fmi3EnterStepMode(m), "%s", said);
    near(((mb_instance *)m)->now.d[0], 1, 0, "mode");
    expect(!fmi3DoStep(m, last, 1 - last, fmi3True, &event, &terminate, &returned, &last), "%s",
           said);
    near(event + returned, 0, 0, "events");
    near(last, 1, 0, "time");
    fmi3FreeInstance(m);
}

/* The state must stay below three, and the input drives it there. */
FUNCTION(pushed) { res[0][0] = arg[U][0]; }

FUNCTION(below_three)
{
    res[0][0] = 3 - arg[S][0];
    res[1][0] = arg[S][0];
}

CHECK(fmi3_says_when_it_cannot_go_on)
{
    const double push = 8;
    mb_model *model = make_model((mb_model){.ns = 1, .nu = 1, .nq = 1, .derivative.call = pushed,
                                            .require.call = below_three});
    tested_model = model;
    fmi3Instance m =
        fmi3InstantiateCoSimulation("name", "token", "", 0, 1, 0, 0, NULL, 0, NULL, listen, NULL);
    const fmi3ValueReference vr = reference(model, MB_INPUT, 0);
    for (int run = 0; run < 2; run++) {
        fmi3_start(m);
        expect(!fmi3SetFloat64(m, &vr, 1, &push, 1), "%s", said);
        for (int i = 0; i < 2; i++) {
            fmi3Boolean event, terminate, returned;
            fmi3Float64 last;
            expect(fmi3DoStep(m, 0, 1, fmi3True, &event, &terminate, &returned, &last) ==
                       fmi3Discard,
                   "what must hold is violated");
            expect(strstr(said, "part0") != NULL, "\"%s\" names nothing", said);
            near(terminate, i, 0, "terminated");
            near(event + returned + last, 0, 0, "events, early return, time");
        }
        expect(!fmi3Reset(m), "%s", said);
    }
    fmi3FreeInstance(m);
}

/* Which functions may be called in which mode; FMI 3.0.2, 2.3.1, 3.2, 4.2. */
enum { ENTER_INITIALIZATION, EXIT_INITIALIZATION, ENTER_EVENTS, UPDATE, ENTER_CONTINUOUS, ENTER_STEPS,
       COMPLETED, SET_TIME, SET_STATES, GET_STATES, GET_RATES, GET_INDICATORS, DO_STEP, TERMINATE,
       GET_NOMINALS, SET_INPUT, RESET, FUNCTIONS };

static const struct {
    const char *name;
    unsigned exchange, simulation; /* modes */
} RULES[FUNCTIONS] = {
    {"EnterInitializationMode", MB_INSTANTIATED, MB_INSTANTIATED},
    {"ExitInitializationMode", MB_INITIALIZATION, MB_INITIALIZATION},
    {"EnterEventMode", MB_CONTINUOUS_TIME, MB_STEP},
    {"UpdateDiscreteStates", MB_EVENT, MB_EVENT},
    {"EnterContinuousTimeMode", MB_EVENT, 0},
    {"EnterStepMode", 0, MB_EVENT},
    {"CompletedIntegratorStep", MB_CONTINUOUS_TIME, 0},
    {"SetTime", MB_CONTINUOUS_TIME, 0},
    {"SetContinuousStates", MB_CONTINUOUS_TIME, 0},
    {"GetContinuousStates", MB_CALCULATING, 0},
    {"GetContinuousStateDerivatives", MB_CALCULATING, 0},
    {"GetEventIndicators", MB_CALCULATING, 0},
    {"DoStep", 0, MB_STEP},
    {"Terminate", MB_RUNNING, MB_RUNNING},
    {"GetNominalsOfContinuousStates", MB_CALCULATING, 0},
    {"SetFloat64", MB_SETTABLE, MB_SETTABLE},
    {"Reset", MB_ANY_MODE, MB_ANY_MODE}};

static fmi3Status call(fmi3Instance m, int function)
{
    double value = 0;
    fmi3Boolean a, b, c;
    const double now = ((mb_instance *)m)->now.t;
    const unsigned input = reference(tested_model, MB_INPUT, 0);
    switch (function) {
    case ENTER_INITIALIZATION: return fmi3EnterInitializationMode(m, 0, 0, 0, 0, 0);
    case EXIT_INITIALIZATION: return fmi3ExitInitializationMode(m);
    case ENTER_EVENTS: return fmi3EnterEventMode(m);
    case UPDATE: return update(m);
    case ENTER_CONTINUOUS: return fmi3EnterContinuousTimeMode(m);
    case ENTER_STEPS: return fmi3EnterStepMode(m);
    case COMPLETED: return fmi3CompletedIntegratorStep(m, fmi3True, &a, &b);
    case SET_TIME: return fmi3SetTime(m, now);
    case SET_STATES: return fmi3SetContinuousStates(m, &value, 1);
    case GET_STATES: return fmi3GetContinuousStates(m, &value, 1);
    case GET_RATES: return fmi3GetContinuousStateDerivatives(m, &value, 1);
    case GET_INDICATORS: return fmi3GetEventIndicators(m, &value, 1);
    case DO_STEP: return fmi3DoStep(m, now, 0.1, fmi3True, &a, &b, &c, &value);
    case TERMINATE: return fmi3Terminate(m);
    case GET_NOMINALS: return fmi3GetNominalsOfContinuousStates(m, &value, 1);
    case SET_INPUT: return fmi3SetFloat64(m, &input, 1, &value, 1);
    default: return fmi3Reset(m);
    }
}

static void bring_into(fmi3Instance m, unsigned mode)
{
    if (mode == MB_INSTANTIATED)
        return;
    expect(!fmi3EnterInitializationMode(m, 0, 0, 0, 0, 0), "%s", said);
    if (mode == MB_INITIALIZATION)
        return;
    expect(!fmi3ExitInitializationMode(m) && !update(m), "%s", said);
    if (mode == MB_TERMINATED)
        expect(!fmi3Terminate(m), "%s", said);
    else if (mode == MB_FAILED)
        expect(fmi3ExitInitializationMode(m) == fmi3Error, "initialization ends again");
    else if (mode == MB_CONTINUOUS_TIME)
        expect(!fmi3EnterContinuousTimeMode(m), "%s", said);
    else if (mode == MB_STEP)
        expect(!fmi3EnterStepMode(m), "%s", said);
}

static void follows_rules(mb_interface interface)
{
    const unsigned not_here = interface == MB_MODEL_EXCHANGE ? MB_STEP : MB_CONTINUOUS_TIME;
    fmi3Instance m = fmi3(interface, 1, 1, 2);
    for (int function = 0; function < FUNCTIONS; function++)
        for (unsigned mode = MB_INSTANTIATED; mode <= MB_FAILED; mode *= 2) {
            if (mode == not_here)
                continue;
            const unsigned allowed = interface == MB_MODEL_EXCHANGE ? RULES[function].exchange
                                                                    : RULES[function].simulation;
            expect(!fmi3Reset(m), "%s", said);
            bring_into(m, mode);
            said[0] = '\0';
            const fmi3Status status = call(m, function);
            expect(status == (allowed & mode ? fmi3OK : fmi3Error), "%s in mode %u: status %d, %s",
                   RULES[function].name, mode, (int)status, said);
            expect(status == fmi3OK || strstr(said, RULES[function].name), "\"%s\" names no %s", said,
                   RULES[function].name);
        }
    fmi3FreeInstance(m);
}

CHECK(model_exchange_may_be_called_in_the_standard_s_order) { follows_rules(MB_MODEL_EXCHANGE); }
CHECK(co_simulation_may_be_called_in_the_standard_s_order) { follows_rules(MB_CO_SIMULATION); }

CHECK(no_event_mode_where_it_was_not_asked_for)
{
    fmi3Instance m = fmi3(MB_CO_SIMULATION, 0, 0, 2);
    fmi3_initialize(m);
    near(((mb_instance *)m)->mode, MB_STEP, 0, "mode");
    expect(fmi3EnterEventMode(m) == fmi3Error, "Event Mode is entered");
    fmi3FreeInstance(m);
}

CHECK(counts_of_values_must_fit)
{
    fmi3Instance m = fmi3(MB_CO_SIMULATION, 0, 0, 2);
    const fmi3ValueReference vr = reference(tested_model, MB_INPUT, 0);
    fmi3Float64 values[] = {1, 2};
    expect(!fmi3SetFloat64(m, &vr, 1, values, 1), "%s", said);
    expect(!fmi3GetFloat64(m, &vr, 1, values + 1, 1) && values[1] == 1, "input %g", values[1]);
    expect(fmi3SetFloat64(m, &vr, 1, values, 2) == fmi3Error, "two values for one variable");
    expect(fmi3GetFloat64(m, &vr, 1, values, 0) == fmi3Error, "no value for one variable");
    fmi3FreeInstance(m);
    size_t states, indicators;
    m = fmi3(MB_MODEL_EXCHANGE, 0, 0, 2);
    expect(!fmi3GetNumberOfContinuousStates(m, &states) && states == 1, "%zu states", states);
    expect(!fmi3GetNumberOfEventIndicators(m, &indicators) && indicators == 1, "indicators");
    fmi3FreeInstance(m);
}

CHECK(calculated_values_may_be_read_from_the_start)
{
    fmi3Instance m = fmi3(MB_CO_SIMULATION, 0, 0, 2);
    const fmi3ValueReference vr[] = {reference(tested_model, MB_DERIVATIVE, 0),
                                     reference(tested_model, MB_INDICATOR, 0)};
    fmi3Float64 values[2];
    expect(!fmi3GetFloat64(m, vr, 2, values, 2), "%s", said);
    near(values[0], 1, 0, "rate");
    expect(values[1] > 0, "the clock has not struck yet: %g", values[1]);
    fmi3_initialize(m);
    fmi3FreeInstance(m);
}

CHECK(null_pointers_are_named)
{
    fmi3Instance m = fmi3(MB_MODEL_EXCHANGE, 0, 0, 2);
    fmi3Boolean event;
    const fmi3ValueReference vr = 0;
    const fmi3Float64 one = 1;
    expect(!fmi3GetFloat64(m, NULL, 0, NULL, 0), "no variable: %s", said);
    expect(fmi3GetFloat64(m, &vr, 1, NULL, 1) == fmi3Error && strstr(said, "argument values"), "%s", said);
    expect(!fmi3Reset(m), "%s", said);
    expect(fmi3SetFloat64(m, NULL, 1, &one, 1) == fmi3Error && strstr(said, "valueReferences"), "%s", said);
    expect(!fmi3Reset(m), "%s", said);
    bring_into(m, MB_CONTINUOUS_TIME);
    expect(fmi3CompletedIntegratorStep(m, 1, &event, NULL) == fmi3Error &&
               strstr(said, "terminateSimulation"), "%s", said);
    fmi3FreeInstance(m);
}
