/* Instances in threads of their own, which must not know of each other: with the thread sanitizer. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"
#include "fuzz.h"

enum { MOST_THREADS = 16, STEPS = 300 };

/* One thread: Model Exchange or Co-Simulation; where it ends, and what failed. */
typedef struct {
    pthread_t thread;
    int exchange;
    char *end;
    const char *fault;
} worker;

static double step_size(void)
{
    return mb_generated_model.variable[find_variable("solver.step")].start;
}

static const char *make_steps(fmi3Instance m, int count)
{
    fmi3Boolean event, end, early;
    fmi3Float64 last;
    for (int i = 0; i < count; i++)
        if (fmi3DoStep(m, ((mb_instance *)m)->now.t, step_size(), fmi3True, &event, &end, &early, &last))
            return "a step fails";
    return NULL;
}

/* Short steps of Euler's method; what the motion is does not matter, only that all make the same. */
static const char *exchange(fmi3Instance m, int count)
{
    const size_t n = (size_t)mb_generated_model.ns;
    const double h = 1e-3 * step_size();
    double *x = calloc(2 * n + 1, sizeof *x), *rate = x + n;
    int event = 0, again = 1, status = 0;
    for (int i = 0; i < count && !status; i++) {
        const double t = ((mb_instance *)m)->now.t;
        status = chosen->get_states(m, x, n) || chosen->get_rates(m, rate, n);
        for (size_t k = 0; k < n; k++)
            x[k] += h * rate[k];
        status = status || chosen->set_time(m, t + h) || chosen->set_states(m, x, n) ||
                 chosen->completed(m, &event);
        if (event || i % 50 == 0)
            status = status || chosen->enter_events(m) || chosen->update(m, &again) ||
                     chosen->enter_continuous(m);
    }
    free(x);
    return status ? "a step of Model Exchange fails" : NULL;
}

static const char *simulate(fmi3Instance m, const worker *w)
{
    const char *(*const make)(fmi3Instance, int) = w->exchange ? exchange : make_steps;
    fmi3FMUState state = NULL;
    int again;
    if (fmi3EnterInitializationMode(m, 0, 0, 0, 0, 0) || fmi3ExitInitializationMode(m))
        return "initialization fails";
    if (w->exchange && (chosen->update(m, &again) || chosen->enter_continuous(m)))
        return "Event Mode fails";
    const char *fault = make(m, STEPS);
    if (fault || fmi3GetFMUState(m, &state) || (fault = make(m, STEPS)) || fmi3SetFMUState(m, state) ||
        fmi3FreeFMUState(m, &state))
        return fault ? fault : "a state fails";
    return make(m, STEPS);
}

static void *work(void *given)
{
    worker *w = given;
    const char *token = mb_generated_model.token;
    fmi3Instance m =
        w->exchange ? fmi3InstantiateModelExchange("t", token, NULL, 0, 0, NULL, NULL)
                    : fmi3InstantiateCoSimulation("t", token, NULL, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL);
    w->fault = m ? simulate(m, w) : "there is no instance";
    if (m) {
        w->end = malloc(mb_persistent_size(m));
        mb_save(m, w->end);
        fprintf(stderr, "%s", w->fault ? ((mb_instance *)m)->message : "");
    }
    fmi3FreeInstance(m);
    return NULL;
}

/* So many threads at once, half of each interface; those of one must all end alike. */
int run_threads(int count)
{
    worker workers[MOST_THREADS] = {{0}};
    fmi3Instance one = fmi3InstantiateModelExchange("size", mb_generated_model.token, NULL, 0, 0, NULL, NULL);
    const size_t size = mb_persistent_size(one);
    fmi3FreeInstance(one);
    count = count > MOST_THREADS ? MOST_THREADS : count;
    for (int i = 0; i < count; i++) {
        workers[i].exchange = i % 2;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            finding("there is no thread");
    }
    for (int i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < count; i++) {
        if (workers[i].fault)
            finding("thread %d: %s", i, workers[i].fault);
        if (memcmp(workers[i].end, workers[i % 2].end, size) != 0)
            finding("threads %d and %d end otherwise", i, i % 2);
    }
    for (int i = 0; i < count; i++)
        free(workers[i].end);
    printf("%s: %d threads of %d steps each end alike\n", mb_generated_model.name, count, 3 * STEPS);
    return 0;
}
