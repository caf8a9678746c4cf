/* FMI 2.0: what may be called when. */
#include "fmi2Functions.h"
#include "model.h"

#include <stdio.h>

static char said[2 * MB_MESSAGE];

static void listen(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category;
    snprintf(said, sizeof said, "%s", message);
}

static fmi2Component fmi2_instance(fmi2Type type)
{
    static const fmi2CallbackFunctions functions = {listen, NULL, NULL, NULL, NULL};
    tested_model = make_model((mb_model){.ns = 1, .nu = 1, .nd = 1, .ne = 1});
    fmi2Component c = fmi2Instantiate("name", type, "token", "", &functions, fmi2False, fmi2False);
    expect(c != NULL, "there is no instance: %s", said);
    return c;
}

/* Which functions may be called in which mode; FMI 2.0.5, 3.2.3 and 4.2.4. */
enum { SETUP, ENTER_INITIALIZATION, EXIT_INITIALIZATION, ENTER_EVENTS, NEW_DISCRETE,
       ENTER_CONTINUOUS, COMPLETED, SET_TIME, SET_STATES, GET_STATES, GET_RATES, GET_INDICATORS,
       DO_STEP, TERMINATE, GET_NOMINALS, LAST_TIME, SET_INPUT, GET_INPUT, RESET, FUNCTIONS };

static const struct {
    const char *name;
    unsigned exchange, simulation; /* modes */
} RULES[FUNCTIONS] = {
    {"SetupExperiment", MB_INSTANTIATED, MB_INSTANTIATED},
    {"EnterInitializationMode", MB_INSTANTIATED, MB_INSTANTIATED},
    {"ExitInitializationMode", MB_INITIALIZATION, MB_INITIALIZATION},
    {"EnterEventMode", MB_CONTINUOUS_TIME | MB_EVENT, 0},
    {"NewDiscreteStates", MB_EVENT, 0},
    {"EnterContinuousTimeMode", MB_EVENT, 0},
    {"CompletedIntegratorStep", MB_CONTINUOUS_TIME, 0},
    {"SetTime", MB_CONTINUOUS_TIME | MB_EVENT, 0},
    {"SetContinuousStates", MB_CONTINUOUS_TIME, 0},
    {"GetContinuousStates", MB_CALCULATING, 0},
    {"GetDerivatives", MB_CALCULATING, 0},
    {"GetEventIndicators", MB_CALCULATING, 0},
    {"DoStep", 0, MB_STEP},
    {"Terminate", MB_EVENT | MB_CONTINUOUS_TIME, MB_STEP},
    {"GetNominalsOfContinuousStates", MB_ANY_MODE, 0},
    {"GetRealStatus", 0, MB_STEP | MB_TERMINATED},
    {"SetReal", MB_SETTABLE, MB_SETTABLE},
    {"GetReal", MB_ANY_MODE, MB_ANY_MODE},
    {"Reset", MB_ANY_MODE, MB_ANY_MODE}};

static fmi2Status call(fmi2Component c, int function)
{
    double value = 0;
    fmi2Boolean a, b;
    fmi2EventInfo info;
    const double now = ((mb_instance *)c)->now.t;
    const unsigned input = reference(tested_model, MB_INPUT, 0);
    switch (function) {
    case SETUP: return fmi2SetupExperiment(c, 0, 0, 0, 0, 0);
    case ENTER_INITIALIZATION: return fmi2EnterInitializationMode(c);
    case EXIT_INITIALIZATION: return fmi2ExitInitializationMode(c);
    case ENTER_EVENTS: return fmi2EnterEventMode(c);
    case NEW_DISCRETE: return fmi2NewDiscreteStates(c, &info);
    case ENTER_CONTINUOUS: return fmi2EnterContinuousTimeMode(c);
    case COMPLETED: return fmi2CompletedIntegratorStep(c, fmi2True, &a, &b);
    case SET_TIME: return fmi2SetTime(c, now);
    case SET_STATES: return fmi2SetContinuousStates(c, &value, 1);
    case GET_STATES: return fmi2GetContinuousStates(c, &value, 1);
    case GET_RATES: return fmi2GetDerivatives(c, &value, 1);
    case GET_INDICATORS: return fmi2GetEventIndicators(c, &value, 1);
    case DO_STEP: return fmi2DoStep(c, now, 0.1, fmi2True);
    case TERMINATE: return fmi2Terminate(c);
    case GET_NOMINALS: return fmi2GetNominalsOfContinuousStates(c, &value, 1);
    case SET_INPUT: return fmi2SetReal(c, &input, 1, &value);
    case GET_INPUT: return fmi2GetReal(c, &input, 1, &value);
    case LAST_TIME: return fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &value);
    default: return fmi2Reset(c);
    }
}

static void bring_into(fmi2Component c, unsigned mode)
{
    if (mode == MB_INSTANTIATED)
        return;
    expect(!fmi2EnterInitializationMode(c), "%s", said);
    if (mode == MB_INITIALIZATION)
        return;
    expect(!fmi2ExitInitializationMode(c), "%s", said);
    if (mode == MB_TERMINATED)
        expect(!fmi2Terminate(c), "%s", said);
    else if (mode == MB_FAILED)
        expect(fmi2SetupExperiment(c, 0, 0, 0, 0, 0) == fmi2Error, "the experiment is set up again");
    else if (mode == MB_CONTINUOUS_TIME)
        expect(!fmi2EnterContinuousTimeMode(c), "%s", said);
}

static void follows_rules(fmi2Type type)
{
    const unsigned not_here = type == fmi2ModelExchange ? MB_STEP : MB_CONTINUOUS_TIME | MB_EVENT;
    fmi2Component c = fmi2_instance(type);
    for (int function = 0; function < FUNCTIONS; function++)
        for (unsigned mode = MB_INSTANTIATED; mode <= MB_FAILED; mode *= 2) {
            if (mode & not_here)
                continue;
            const unsigned allowed =
                type == fmi2ModelExchange ? RULES[function].exchange : RULES[function].simulation;
            expect(!fmi2Reset(c), "%s", said);
            bring_into(c, mode);
            said[0] = '\0';
            const fmi2Status status = call(c, function);
            expect(status == (allowed & mode ? fmi2OK : fmi2Error), "%s in mode %u: status %d, %s",
                   RULES[function].name, mode, (int)status, said);
            expect(status == fmi2OK || strstr(said, RULES[function].name), "\"%s\" names no %s", said,
                   RULES[function].name);
        }
    fmi2FreeInstance(c);
}

CHECK(fmi2_model_exchange_may_be_called_in_the_standard_s_order) { follows_rules(fmi2ModelExchange); }
CHECK(fmi2_co_simulation_may_be_called_in_the_standard_s_order) { follows_rules(fmi2CoSimulation); }
