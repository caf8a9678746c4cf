/* An FMI 3.0 importer in C: runs an FMU in every mode, without a logger and with one, asks for what
 * it must refuse, and compares what it gets.
 *
 *     fmi3_host LIBRARY TOKEN VARIABLES STATES INDICATORS STEP
 *
 * Exit status 0 where every value came back bit for bit. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3FunctionTypes.h"

enum { MOST = 1000, STEPS = 30 };

static void *library;
static const char *token;
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

static void count_message(fmi3InstanceEnvironment environment, fmi3Status status,
                          fmi3String category, fmi3String message)
{
    (void)environment;
    messages += status >= fmi3OK && strlen(category) && strlen(message);
}

static fmi3Instance create(int exchange, fmi3LogMessageCallback log)
{
    if (exchange)
        return CALL(fmi3InstantiateModelExchange)("host", token, "", fmi3False, fmi3False, NULL,
                                                  log);
    return CALL(fmi3InstantiateCoSimulation)("host", token, "", fmi3False, fmi3False, fmi3False,
                                             fmi3False, NULL, 0, NULL, log, NULL);
}

/* All variables as floats; those of other types are refused. */
static void get_all(fmi3Instance m, double *values)
{
    for (int i = 0; i < variables; i++) {
        const fmi3ValueReference reference = (fmi3ValueReference)i;
        values[i] = 0;
        CALL(fmi3GetFloat64)(m, &reference, 1, &values[i], 1);
    }
}

static void initialize(fmi3Instance m)
{
    check(!CALL(fmi3EnterInitializationMode)(m, fmi3False, 0, 0, fmi3False, 0),
          "fmi3EnterInitializationMode");
    check(!CALL(fmi3ExitInitializationMode)(m), "fmi3ExitInitializationMode");
}

static void be_refused(fmi3Instance m)
{
    for (int i = 0; i <= variables; i++) {
        const fmi3ValueReference reference = (fmi3ValueReference)i;
        const fmi3Float64 nothing = NAN;
        check(CALL(fmi3SetFloat64)(m, &reference, 1, &nothing, 1) > fmi3Warning,
              "a NaN is accepted");
    }
    fmi3FMUState state = NULL;
    CALL(fmi3GetFMUState)(m, &state);
    if (state)
        CALL(fmi3FreeFMUState)(m, &state);
    check(CALL(fmi3EnterInitializationMode)(m, fmi3False, 0, 0, fmi3False, 0) == fmi3Error,
          "initialization twice");
}

static fmi3Status do_step(fmi3Instance m, double time)
{
    fmi3Boolean event, end, early;
    fmi3Float64 last;
    return CALL(fmi3DoStep)(m, time, step, fmi3True, &event, &end, &early, &last);
}

static void simulate(fmi3Instance m, double *values)
{
    initialize(m);
    be_refused(m);
    check(!CALL(fmi3Reset)(m), "fmi3Reset");
    initialize(m);
    for (int i = 0; i < STEPS; i++)
        check(!do_step(m, i * step), "fmi3DoStep");
    check(do_step(m, 1e9) > fmi3Warning, "a leap is accepted");
    get_all(m, values);
}

static void co_simulation(fmi3LogMessageCallback log)
{
    static double first[MOST], again[MOST];
    fmi3Instance m = create(0, log), other = create(0, log);
    check(m && other, "fmi3InstantiateCoSimulation");
    simulate(m, first);
    simulate(other, again);
    check(!memcmp(first, again, sizeof first), "two instances differ");
    check(!CALL(fmi3Reset)(m), "fmi3Reset");
    simulate(m, again);
    check(!memcmp(first, again, sizeof first), "after a reset values differ");
    CALL(fmi3FreeInstance)(other);
    check(!CALL(fmi3Reset)(m), "fmi3Reset");
    initialize(m);
    check(!CALL(fmi3Terminate)(m), "fmi3Terminate");
    CALL(fmi3FreeInstance)(m);
}

static void update(fmi3Instance m)
{
    fmi3Boolean again, end, nominals, values, timed;
    fmi3Float64 time;
    check(!CALL(fmi3UpdateDiscreteStates)(m, &again, &end, &nominals, &values, &timed, &time),
          "fmi3UpdateDiscreteStates");
    check(!CALL(fmi3EnterContinuousTimeMode)(m), "fmi3EnterContinuousTimeMode");
}

static void enter_continuous_time(fmi3Instance m)
{
    initialize(m);
    update(m);
}

static void model_exchange(fmi3LogMessageCallback log)
{
    static double x[MOST], rate[MOST], values[MOST];
    fmi3Boolean event, end;
    size_t n, ne;
    fmi3Instance m = create(1, log);
    check(m != NULL, "fmi3InstantiateModelExchange");
    check(!CALL(fmi3GetNumberOfContinuousStates)(m, &n) && n == (size_t)states, "states");
    check(!CALL(fmi3GetNumberOfEventIndicators)(m, &ne) && ne == (size_t)indicators, "indicators");
    enter_continuous_time(m);
    be_refused(m);
    check(!CALL(fmi3Reset)(m), "fmi3Reset");
    enter_continuous_time(m);
    check(!CALL(fmi3GetContinuousStates)(m, x, n), "fmi3GetContinuousStates");
    check(!CALL(fmi3GetNominalsOfContinuousStates)(m, values, n), "nominals");
    for (int i = 1; i <= STEPS; i++) { /* Euler's method */
        check(!CALL(fmi3GetContinuousStateDerivatives)(m, rate, n), "derivatives");
        for (int k = 0; k < states; k++)
            x[k] += step * rate[k];
        check(!CALL(fmi3SetTime)(m, i * step), "fmi3SetTime");
        check(!CALL(fmi3SetContinuousStates)(m, x, n), "fmi3SetContinuousStates");
        check(!CALL(fmi3GetEventIndicators)(m, values, ne), "fmi3GetEventIndicators");
        check(!CALL(fmi3CompletedIntegratorStep)(m, fmi3True, &event, &end), "completed step");
        if (event) {
            check(!CALL(fmi3EnterEventMode)(m), "fmi3EnterEventMode");
            update(m);
        }
    }
    get_all(m, values);
    CALL(fmi3FreeInstance)(m);
}

int main(int argc, char **argv)
{
    check(argc == 7, "fmi3_host LIBRARY TOKEN VARIABLES STATES INDICATORS STEP");
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    check(library != NULL, "dlopen");
    variables = atoi(argv[3]), states = atoi(argv[4]), indicators = atoi(argv[5]);
    step = atof(argv[6]);
    check(variables <= MOST && states <= MOST && indicators <= MOST, "the host has room for 1000");

    CALL(fmi3FreeInstance)(NULL);
    token = "another";
    check(!create(0, count_message) && !create(1, count_message), "another token is accepted");
    check(messages == 2, "another token is refused without a word");
    token = argv[2];
    co_simulation(NULL);
    model_exchange(NULL);
    check(messages == 2, "a message without a logger");
    co_simulation(count_message);
    model_exchange(count_message);
    check(messages > 2, "nothing was logged");
    dlclose(library);
    return 0;
}
