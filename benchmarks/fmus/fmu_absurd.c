/* The longest call of an FMU with any finite values: random inputs, parameters, states and steps. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fmi3Functions.h"
#include "mb_calls.h"

static unsigned long seed;
static double longest;
static long calls;
static const char *slowest = "none";

static double uniform(double low, double high) /* Park and Miller */
{
    seed = seed * 16807ul % 2147483647ul;
    return low + (high - low) * (double)seed / 2147483647.0;
}

static double absurd(void)
{
    const double extremes[] = {0, 5e-324, 1.797e308, 1e-308, 9.3e18, 1e12}, sign = uniform(-1, 1);
    const double which = uniform(0, 1);
    double value = which < 0.4   ? pow(10, uniform(-12, 20))
                   : which < 0.5 ? pow(10, uniform(-300, 300))
                   : which < 0.6 ? extremes[(int)uniform(0, 6)]
                                 : uniform(0, 10);
    return sign < 0 ? -value : value;
}

static double likely(const mb_variable *v)
{
    return uniform(0, 1) < 0.5 ? v->start * uniform(0.2, 3) : absurd();
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TIMED(status, call)                                                                        \
    do {                                                                                           \
        const double begin_ = now();                                                               \
        (status) = call;                                                                           \
        calls++;                                                                                   \
        if (now() - begin_ > longest) {                                                            \
            longest = now() - begin_;                                                              \
            slowest = #call;                                                                       \
        }                                                                                          \
    } while (0)

static void set_some(void *m, const mb_model *model, int most, int running)
{
    for (int k = (int)uniform(0, most + 1); k > 0; k--) {
        const unsigned i = (unsigned)uniform(0, model->variables);
        const mb_variable *v = &model->variable[i];
        const int settable = v->kind == MB_INPUT || (v->kind == MB_PARAMETER &&
                                                     (v->tunable || !running));
        const double value = likely(v);
        const fmi3Int64 item = (fmi3Int64)uniform(v->minimum, v->maximum + 1);
        if ((!settable && (running || v->kind != MB_STATE)) ||
            (v->kind == MB_PARAMETER && (int)v->index == model->np - 1))
            continue; /* the bound itself stays as it is */
        if (v->type == MB_REAL && mb_in_range(v, value))
            fmi3SetFloat64(m, &i, 1, &value, 1);
        else if (v->type == MB_ENUMERATION)
            fmi3SetInt64(m, &i, 1, &item, 1);
    }
}

static void get_one(void *m, const mb_model *model)
{
    fmi3Status status;
    const unsigned i = (unsigned)uniform(0, model->variables);
    double value;
    if (model->variable[i].type == MB_REAL)
        TIMED(status, fmi3GetFloat64(m, &i, 1, &value, 1));
    (void)status;
}

static void simulate(void *m, const mb_model *model)
{
    fmi3Boolean event, end, early;
    fmi3Float64 t = 0;
    fmi3Status status;
    for (int k = (int)uniform(1, 6); k > 0; k--) {
        const double step = uniform(0, 1) < 0.5 ? 0.01 : pow(10, uniform(-9, 8));
        set_some(m, model, 2, 1);
        TIMED(status, fmi3DoStep(m, t, step, 1, &event, &end, &early, &t));
        if (status > fmi3Discard)
            return;
        get_one(m, model);
    }
}

static void exchange(void *m, const mb_model *model)
{
    fmi3Boolean a, b, c, d, e;
    fmi3Float64 next, t = 0, states[256], rates[256];
    fmi3Status status;
    const size_t n = (size_t)model->ns;
    TIMED(status, fmi3UpdateDiscreteStates(m, &a, &b, &c, &d, &e, &next));
    if (!status)
        TIMED(status, fmi3EnterContinuousTimeMode(m));
    for (int k = (int)uniform(1, 8); !status && n <= 256 && k > 0; k--) {
        set_some(m, model, 1, 1);
        fmi3GetContinuousStates(m, states, n);
        for (size_t i = 0; i < n; i++)
            states[i] = uniform(0, 1) < 0.2 ? absurd() : states[i] + uniform(-1, 1);
        fmi3SetTime(m, t += pow(10, uniform(-6, 3)));
        fmi3SetContinuousStates(m, states, n);
        TIMED(status, fmi3GetContinuousStateDerivatives(m, rates, n));
        TIMED(status, fmi3CompletedIntegratorStep(m, 1, &a, &b));
        get_one(m, model);
        if (uniform(0, 1) < 0.3 && !fmi3EnterEventMode(m)) {
            TIMED(status, fmi3UpdateDiscreteStates(m, &a, &b, &c, &d, &e, &next));
            TIMED(status, fmi3EnterContinuousTimeMode(m));
        } else
            status = fmi3OK;
    }
}

void tell_longest(double seconds, unsigned long given_seed)
{
    const mb_model *model = &mb_generated_model;
    const double begin = now();
    seed = given_seed;
    void *both[] = {fmi3InstantiateCoSimulation("", model->token, NULL, 0, 0, 0, 0, NULL, 0, NULL, NULL,
                                                NULL),
                    fmi3InstantiateModelExchange("", model->token, NULL, 0, 0, NULL, NULL)};
    while (now() - begin < seconds)
        for (int i = 0; i < 2; i++) {
            fmi3Status status;
            fmi3Reset(both[i]);
            set_some(both[i], model, 4, 0);
            fmi3EnterInitializationMode(both[i], uniform(0, 1) < 0.3, pow(10, uniform(-14, 1)), 0, 0, 0);
            TIMED(status, fmi3ExitInitializationMode(both[i]));
            if (!status && i == 0)
                simulate(both[i], model);
            else if (!status)
                exchange(both[i], model);
        }
    printf("calls %ld\nlongest %.4g\n", calls, longest);
    fprintf(stderr, "%s\n", slowest);
}
