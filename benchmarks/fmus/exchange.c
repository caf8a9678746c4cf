/* Moves an FMU 2.0 in Model Exchange by the classical Runge-Kutta method, as an importer written in C would.
 *
 *   exchange LIBRARY TOKEN STEPS LENGTH
 *
 * State events are met where a step ends, time events at their times. Prints `steps N` and `events N`. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2_unit.h"

enum { MOST = 256 };

static fmi2SetTimeTYPE *set_time;
static fmi2SetContinuousStatesTYPE *set_states;
static fmi2GetContinuousStatesTYPE *get_states;
static fmi2GetDerivativesTYPE *get_rates;
static fmi2GetEventIndicatorsTYPE *get_indicators;
static fmi2CompletedIntegratorStepTYPE *completed;
static fmi2EnterEventModeTYPE *enter_events;
static fmi2NewDiscreteStatesTYPE *new_discrete;
static fmi2EnterContinuousTimeModeTYPE *enter_continuous;

static void must(fmi2Status status)
{
    if (status > fmi2Warning)
        die("a call failed");
}

/* The time of the next time event. */
static double handle_events(void *m)
{
    fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
    while (info.newDiscreteStatesNeeded)
        must(new_discrete(m, &info));
    must(enter_continuous(m));
    return info.nextEventTimeDefined ? info.nextEventTime : INFINITY;
}

static void rates_at(void *m, size_t n, double t, const double *s, const double *slope, double h, double *rate)
{
    double there[MOST];
    for (size_t i = 0; i < n; i++)
        there[i] = s[i] + (slope ? h * slope[i] : 0);
    must(set_time(m, t));
    must(set_states(m, there, n));
    must(get_rates(m, rate, n));
}

static void step(void *m, size_t n, double t, double h, double *s)
{
    double a[MOST], b[MOST], c[MOST], d[MOST];
    rates_at(m, n, t, s, NULL, 0, a);
    rates_at(m, n, t + h / 2, s, a, h / 2, b);
    rates_at(m, n, t + h / 2, s, b, h / 2, c);
    rates_at(m, n, t + h, s, c, h, d);
    for (size_t i = 0; i < n; i++)
        s[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    must(set_time(m, t + h));
    must(set_states(m, s, n));
}

static int signs_differ(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] > 0) != (b[i] > 0))
            return 1;
    return 0;
}

int main(int count, char **given)
{
    if (count != 7)
        die("exchange LIBRARY TOKEN STATES EVENTS STEPS LENGTH");
    open_library(given[1]);
    const size_t n = strtoul(given[3], NULL, 10), events = strtoul(given[4], NULL, 10);
    const double until = atof(given[5]) * atof(given[6]), length = atof(given[6]);
    FIND(fmi2SetupExperiment);
    FIND(fmi2EnterInitializationMode);
    FIND(fmi2ExitInitializationMode);
    set_time = (fmi2SetTimeTYPE *)find("fmi2SetTime");
    set_states = (fmi2SetContinuousStatesTYPE *)find("fmi2SetContinuousStates");
    get_states = (fmi2GetContinuousStatesTYPE *)find("fmi2GetContinuousStates");
    get_rates = (fmi2GetDerivativesTYPE *)find("fmi2GetDerivatives");
    get_indicators = (fmi2GetEventIndicatorsTYPE *)find("fmi2GetEventIndicators");
    completed = (fmi2CompletedIntegratorStepTYPE *)find("fmi2CompletedIntegratorStep");
    enter_events = (fmi2EnterEventModeTYPE *)find("fmi2EnterEventMode");
    new_discrete = (fmi2NewDiscreteStatesTYPE *)find("fmi2NewDiscreteStates");
    enter_continuous = (fmi2EnterContinuousTimeModeTYPE *)find("fmi2EnterContinuousTimeMode");
    void *m = instantiate2(fmi2ModelExchange, given[2]);
    if (!m || n > MOST || events > MOST)
        die("no instance");
    must(fmi2SetupExperiment_(m, fmi2False, 0, 0, fmi2False, 0));
    must(fmi2EnterInitializationMode_(m));
    must(fmi2ExitInitializationMode_(m));
    double t = 0, next = handle_events(m), s[MOST], before[MOST], after[MOST];
    long steps = 0, met = 0;
    must(get_states(m, s, n));
    must(get_indicators(m, before, events));
    while (t < until) {
        fmi2Boolean wanted, stop;
        const double to = fmin(fmin(t + length, next), until);
        step(m, n, t, to - t, s);
        t = to;
        steps++;
        must(get_indicators(m, after, events));
        must(completed(m, fmi2True, &wanted, &stop));
        if (wanted || t >= next || signs_differ(before, after, events)) {
            must(enter_events(m));
            next = handle_events(m);
            must(get_states(m, s, n));
            must(get_indicators(m, after, events));
            met++;
        }
        memcpy(before, after, events * sizeof *before);
    }
    printf("steps %ld\nevents %ld\n", steps, met);
    return 0;
}
