/* What an FMU costs besides its equations, as an importer written in C sees it through FMI 3.0.
 *
 *   fmu_cost cost METHOD SIZE STEPS INPUT    doStep, saving and restoring, memory
 *   fmu_cost threads METHOD SIZE STEPS INPUT 100 instances in 4 threads against one alone
 *   fmu_cost long METHOD SIZE STEPS INPUT    many steps; prints memory on the way
 *   fmu_cost absurd SECONDS SEED             the longest call with any finite values
 *
 * INPUT is the value reference that gets a slow sine. It is linked with the runtime and the model, whose
 * functions it counts: the runtime takes its model from `model_in_use`. Prints lines `name number ...`.
 */
#define _POSIX_C_SOURCE 199309L
#define _DEFAULT_SOURCE
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fmi3Functions.h"
#include "mb_calls.h"

enum { BLOCKS = 10, PERIOD = 10000, INSTANCES = 100, THREADS = 4, REPEATED = 20000, MOST = 512 };

static const mb_model *const written = &mb_generated_model;
static mb_model counted;
const mb_model *model_in_use;

typedef enum { OF_common,
#define NUMBER(name) OF_##name,
    MB_EACH_FUNCTION(NUMBER) FUNCTIONS
} number;

static long calls[FUNCTIONS];

#define COUNT(name)                                                                                \
    static void count_##name(const double **arg, double **res, double *w)                          \
    {                                                                                              \
        calls[OF_##name]++;                                                                        \
        written->name.call(arg, res, w);                                                           \
    }
COUNT(common)
MB_EACH_FUNCTION(COUNT)

static void count_functions(void)
{
    counted = *written;
    counted.common.call = count_common;
#define USE_COUNT(name) counted.name.call = count_##name;
    MB_EACH_FUNCTION(USE_COUNT)
}

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void show(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                 fmi3String message)
{
    (void)environment, (void)category;
    if (status >= fmi3Discard)
        fprintf(stderr, "%s\n", message);
}

/* Of this process alone: what else the machine does should not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned find(const char *name)
{
    for (int i = 0; i < written->variables; i++)
        if (!strcmp(written->variable[i].name, name))
            return (unsigned)i;
    die(name);
    return 0;
}

typedef struct {
    int method;
    double size;
    long steps;
    unsigned input;
} run;

static void *start(const mb_model *model, const run *of)
{
    const unsigned method = find("solver.method"), step = find("solver.step");
    const fmi3Int64 chosen = of->method;
    model_in_use = model;
    void *m = fmi3InstantiateCoSimulation("name", model->token, NULL, 0, 0, 0, 0, NULL, 0, NULL, show,
                                          NULL);
    if (!m || fmi3SetInt64(m, &method, 1, &chosen, 1) || fmi3SetFloat64(m, &step, 1, &of->size, 1) ||
        fmi3EnterInitializationMode(m, 0, 0, 0, 0, 0) || fmi3ExitInitializationMode(m))
        die("no start");
    return m;
}

static double sine[PERIOD];

static void go_on(void *m, const run *of, long from, long to)
{
    fmi3Boolean event, end, early;
    fmi3Float64 last;
    for (long i = from; i < to; i++)
        if (fmi3SetFloat64(m, &of->input, 1, &sine[i % PERIOD], 1) ||
            fmi3DoStep(m, (double)i * of->size, of->size, 1, &event, &end, &early, &last))
            die("a step failed");
}

/* Seconds of one call of a function at the present point, the shortest of several rounds. */
static double cost_of(mb_instance *m, const mb_function *function)
{
    double shortest = INFINITY;
    double *first = calloc(1 << 16, sizeof *first), *second = calloc(1 << 16, sizeof *second);
    for (int round = 0; round < BLOCKS; round++) {
        const double begin = now();
        for (int i = 0; i < REPEATED; i++) {
            const double *arg[MB_ARGUMENTS + MB_MOST_EXTRAS] = {&m->now.t, m->now.s, m->now.d,
                                                                m->now.u,  m->now.p, m->now.x};
            double *res[4] = {first, function == &written->derivative ? NULL : second};
            for (int k = 0; k < function->extras; k++)
                arg[MB_ARGUMENTS + k] = m->extra[function->extra[k]];
            function->call(arg, res, m->w);
        }
        shortest = fmin(shortest, (now() - begin) / REPEATED);
    }
    free(first);
    free(second);
    return shortest;
}

static void tell_cost(const run *of)
{
    count_functions();
    void *m = start(&counted, of);
    go_on(m, of, 0, of->steps / BLOCKS);
    memset(calls, 0, sizeof calls);
    go_on(m, of, of->steps / BLOCKS, 2 * (of->steps / BLOCKS));
    double equations = 0;
    const double steps = (double)(of->steps / BLOCKS);
#define ADD(name) equations += (double)calls[OF_##name] / steps * cost_of(m, &written->name);
    ADD(common)
    MB_EACH_FUNCTION(ADD)
    printf("equations %.6g\n", equations);
#define TELL(name)                                                                                 \
    if (calls[OF_##name])                                                                          \
        printf("calls_" #name " %.4g %.4g\n", (double)calls[OF_##name] / steps,                    \
               cost_of(m, &written->name));
    TELL(common)
    MB_EACH_FUNCTION(TELL)
    fmi3FreeInstance(m);
    m = start(written, of);
    go_on(m, of, 0, of->steps / BLOCKS);
    printf("step");
    for (long block = 1; block <= BLOCKS; block++) {
        const double begin = now();
        go_on(m, of, block * (of->steps / BLOCKS), (block + 1) * (of->steps / BLOCKS));
        printf(" %.6g", (now() - begin) / steps);
    }
    printf("\nmemory %lu\n", (unsigned long)malloc_usable_size(m));
    fmi3FreeInstance(m);
}

#define TIME(name, call)                                                                           \
    do {                                                                                           \
        printf(name);                                                                              \
        for (int block = 0; block < BLOCKS; block++) {                                             \
            const double begin = now();                                                            \
            for (int i = 0; i < REPEATED; i++)                                                     \
                if (call)                                                                          \
                    die(name);                                                                     \
            printf(" %.6g", (now() - begin) / REPEATED);                                           \
        }                                                                                          \
        printf("\n");                                                                              \
    } while (0)

static void tell_states(const run *of)
{
    void *m = start(written, of), *state = NULL, *other = NULL;
    size_t size;
    go_on(m, of, 0, 100);
    TIME("save", fmi3GetFMUState(m, &state));
    TIME("restore", fmi3SetFMUState(m, state));
    if (fmi3SerializedFMUStateSize(m, state, &size))
        die("no size");
    fmi3Byte *bytes = malloc(size);
    TIME("serialize", fmi3SerializeFMUState(m, state, bytes, size));
    TIME("deserialize",
         fmi3DeserializeFMUState(m, bytes, size, &other) || fmi3FreeFMUState(m, &other));
    printf("state %lu\n", (unsigned long)size);
    free(bytes);
    fmi3FreeInstance(m);
}

/* All variables after a run, in which the input is set before each step. */
static void values_of(void *m, double *values)
{
    for (unsigned i = 0; i < (unsigned)written->variables && i < MOST; i++)
        if (written->variable[i].type != MB_REAL || fmi3GetFloat64(m, &i, 1, values + i, 1))
            values[i] = 0;
}

typedef struct {
    void *instance[INSTANCES / THREADS];
    run of;
} worker;

/* In turns, so that instances are always on their way beside each other. */
static void *work(void *given)
{
    worker *w = given;
    for (long i = 0; i < w->of.steps; i += 10)
        for (int k = 0; k < INSTANCES / THREADS; k++)
            go_on(w->instance[k], &w->of, i, i + 10);
    return NULL;
}

static void tell_threads(const run *of)
{
    static double alone[MOST], other[MOST];
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    int different = 0;
    void *m = start(written, of);
    go_on(m, of, 0, of->steps);
    values_of(m, alone);
    fmi3FreeInstance(m);
    for (int i = 0; i < THREADS; i++) {
        workers[i].of = *of;
        for (int k = 0; k < INSTANCES / THREADS; k++)
            workers[i].instance[k] = start(written, of);
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        for (int k = 0; k < INSTANCES / THREADS; k++) {
            values_of(workers[i].instance[k], other);
            different += memcmp(alone, other, sizeof alone) != 0;
            fmi3FreeInstance(workers[i].instance[k]);
        }
    }
    printf("different %d\n", different);
}

static double resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*s %ld", &pages) != 1)
        return NAN;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void tell_long(const run *of)
{
    void *m = start(written, of);
    printf("resident");
    const double begin = now();
    for (long block = 0; block < BLOCKS; block++) {
        go_on(m, of, block * (of->steps / BLOCKS), (block + 1) * (of->steps / BLOCKS));
        printf(" %.0f", resident());
        fflush(stdout);
    }
    printf("\nseconds %.4g\n", now() - begin);
    fmi3FreeInstance(m);
}

int main(int count, char **argument)
{
    if (count < 4)
        die("see the comment at the top for the arguments");
    for (int i = 0; i < PERIOD; i++)
        sine[i] = 0.05 * sin(2 * 3.14159265358979 * i / PERIOD);
    if (!strcmp(argument[1], "absurd")) {
        void tell_longest(double seconds, unsigned long seed);
        model_in_use = written;
        tell_longest(atof(argument[2]), (unsigned long)atol(argument[3]));
        return 0;
    }
    const run of = {atoi(argument[2]), atof(argument[3]), atol(argument[4]),
                    (unsigned)atoi(argument[5])};
    if (!strcmp(argument[1], "threads"))
        tell_threads(&of);
    else if (!strcmp(argument[1], "long"))
        tell_long(&of);
    else {
        tell_cost(&of);
        tell_states(&of);
    }
    return 0;
}
