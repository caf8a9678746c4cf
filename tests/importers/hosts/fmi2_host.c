/* An FMI 2.0 importer in C: runs an FMU in every mode, without a logger and with one, asks for what
 * it must refuse, and compares what it gets.
 *
 *     fmi2_host LIBRARY GUID VARIABLES STATES INDICATORS STEP
 *
 * Exit status 0 where every value came back bit for bit. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2FunctionTypes.h"

enum { MOST = 1000, STEPS = 30 };

static void *library;
static const char *guid;
static int variables, states, indicators, messages;
static double step;

#define CALL(name) (*(name##TYPE **)find(#name))

static void **find(const char *name)
{
    static void *symbol;
    symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "%s is missing\n", name);
        exit(2);
    }
    return &symbol;
}

static void check(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

static void count_message(fmi2ComponentEnvironment environment, fmi2String instance,
                          fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)environment;
    messages += strlen(instance) > 0 && status >= fmi2OK && strlen(category) && strlen(message);
}

static const fmi2CallbackFunctions silent = {NULL, calloc, free, NULL, NULL};
static const fmi2CallbackFunctions counting = {count_message, calloc, free, NULL, NULL};

static fmi2Component create(fmi2Type type, const fmi2CallbackFunctions *callbacks)
{
    return CALL(fmi2Instantiate)("host", type, guid, "", callbacks, fmi2False, fmi2False);
}

/* All variables as reals; those of other types are refused. */
static void get_all(fmi2Component c, double *values)
{
    for (int i = 0; i < variables; i++) {
        const fmi2ValueReference reference = (fmi2ValueReference)i;
        values[i] = 0;
        CALL(fmi2GetReal)(c, &reference, 1, &values[i]);
    }
}

static void initialize(fmi2Component c)
{
    check(!CALL(fmi2SetupExperiment)(c, fmi2False, 0, 0, fmi2False, 0), "fmi2SetupExperiment");
    check(!CALL(fmi2EnterInitializationMode)(c), "fmi2EnterInitializationMode");
    check(!CALL(fmi2ExitInitializationMode)(c), "fmi2ExitInitializationMode");
}

static void be_refused(fmi2Component c)
{
    for (int i = 0; i <= variables; i++) {
        const fmi2ValueReference reference = (fmi2ValueReference)i;
        const fmi2Real nothing = NAN;
        check(CALL(fmi2SetReal)(c, &reference, 1, &nothing) > fmi2Warning, "a NaN is accepted");
    }
    fmi2FMUstate state = NULL;
    CALL(fmi2GetFMUstate)(c, &state);
    if (state)
        CALL(fmi2FreeFMUstate)(c, &state);
    check(CALL(fmi2EnterInitializationMode)(c) == fmi2Error, "initialization twice");
}

static void simulate(fmi2Component c, double *values)
{
    initialize(c);
    be_refused(c);
    check(!CALL(fmi2Reset)(c), "fmi2Reset");
    initialize(c);
    for (int i = 0; i < STEPS; i++)
        check(!CALL(fmi2DoStep)(c, i * step, step, fmi2True), "fmi2DoStep");
    check(CALL(fmi2DoStep)(c, 1e9, step, fmi2True) > fmi2Warning, "a leap is accepted");
    get_all(c, values);
}

static void co_simulation(const fmi2CallbackFunctions *callbacks)
{
    static double first[MOST], again[MOST];
    fmi2Component c = create(fmi2CoSimulation, callbacks);
    fmi2Component other = create(fmi2CoSimulation, callbacks);
    check(c && other, "fmi2Instantiate");
    simulate(c, first);
    simulate(other, again);
    check(!memcmp(first, again, sizeof first), "two instances differ");
    check(!CALL(fmi2Reset)(c), "fmi2Reset");
    simulate(c, again);
    check(!memcmp(first, again, sizeof first), "after a reset values differ");
    CALL(fmi2FreeInstance)(other);
    check(!CALL(fmi2Reset)(c), "fmi2Reset");
    initialize(c);
    check(!CALL(fmi2Terminate)(c), "fmi2Terminate");
    CALL(fmi2FreeInstance)(c);
}

static void enter_continuous_time(fmi2Component c)
{
    fmi2EventInfo info;
    initialize(c);
    check(!CALL(fmi2NewDiscreteStates)(c, &info), "fmi2NewDiscreteStates");
    check(!CALL(fmi2EnterContinuousTimeMode)(c), "fmi2EnterContinuousTimeMode");
}

static void model_exchange(const fmi2CallbackFunctions *callbacks)
{
    static double x[MOST], rate[MOST], values[MOST];
    fmi2EventInfo info;
    fmi2Boolean event, end;
    fmi2Component c = create(fmi2ModelExchange, callbacks);
    check(c != NULL, "fmi2Instantiate");
    enter_continuous_time(c);
    be_refused(c);
    check(!CALL(fmi2Reset)(c), "fmi2Reset");
    enter_continuous_time(c);
    const size_t n = (size_t)states, ne = (size_t)indicators;
    check(!CALL(fmi2GetContinuousStates)(c, x, n), "fmi2GetContinuousStates");
    check(!CALL(fmi2GetNominalsOfContinuousStates)(c, values, n), "nominals");
    for (int i = 1; i <= STEPS; i++) { /* Euler's method */
        check(!CALL(fmi2GetDerivatives)(c, rate, n), "fmi2GetDerivatives");
        for (int k = 0; k < states; k++)
            x[k] += step * rate[k];
        check(!CALL(fmi2SetTime)(c, i * step), "fmi2SetTime");
        check(!CALL(fmi2SetContinuousStates)(c, x, n), "fmi2SetContinuousStates");
        check(!CALL(fmi2GetEventIndicators)(c, values, ne), "fmi2GetEventIndicators");
        check(!CALL(fmi2CompletedIntegratorStep)(c, fmi2True, &event, &end), "completed step");
        if (event) {
            check(!CALL(fmi2EnterEventMode)(c), "fmi2EnterEventMode");
            check(!CALL(fmi2NewDiscreteStates)(c, &info), "fmi2NewDiscreteStates");
            check(!CALL(fmi2EnterContinuousTimeMode)(c), "fmi2EnterContinuousTimeMode");
        }
    }
    get_all(c, values);
    CALL(fmi2FreeInstance)(c);
}

int main(int argc, char **argv)
{
    check(argc == 7, "fmi2_host LIBRARY GUID VARIABLES STATES INDICATORS STEP");
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    check(library != NULL, "dlopen");
    guid = argv[2];
    variables = atoi(argv[3]), states = atoi(argv[4]), indicators = atoi(argv[5]);
    step = atof(argv[6]);
    check(variables <= MOST && states <= MOST && indicators <= MOST, "the host has room for 1000");

    CALL(fmi2FreeInstance)(NULL);
    check(!CALL(fmi2Instantiate)("host", fmi2CoSimulation, "another", "", &counting, fmi2False,
                                 fmi2False),
          "another GUID is accepted");
    check(messages == 1, "another GUID is refused without a word");
    co_simulation(&silent);
    model_exchange(&silent);
    check(messages == 1, "a message without a logger");
    co_simulation(&counting);
    model_exchange(&counting);
    check(messages > 1, "nothing was logged");
    dlclose(library);
    return 0;
}
