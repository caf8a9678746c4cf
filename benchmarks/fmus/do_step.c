/* Drives a vehicle FMU's library as an importer written in C would, without one's overhead.
 *
 *   do_step LIBRARY FMI TOKEN METHOD STEPS METHOD_REF STEER_REF STATE_REF [OUTPUT_REF ...]
 *
 * Each step sets the steering angle, a slow sine, and goes on by 1 ms. Prints lines
 * `name seconds-per-call ...`, one number for each block of a tenth of the steps. Without outputs
 * it times the steps alone, of any FMU with an input that may follow the sine. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <string.h>

#include "fmi2_unit.h"
#include "fmi3Functions.h"

enum { BLOCKS = 10, PERIOD = 10000, CALLS = 200000, MOST_OUTPUTS = 64 };
static const double STEP = 1e-3, TOLERANCE = 1e-6;

/* Both versions' functions have the same first arguments; each call goes through one pointer. */
typedef struct {
    void *instance;
    int (*set)(void *, const unsigned *, size_t, const double *);
    int (*get)(void *, const unsigned *, size_t, double *);
    int (*step)(void *, double t);
} slave;

static fmi2SetRealTYPE *set2;
static fmi2GetRealTYPE *get2;
static fmi2DoStepTYPE *step2;
static fmi3SetFloat64TYPE *set3;
static fmi3GetFloat64TYPE *get3;
static fmi3DoStepTYPE *step3;

static int do_set2(void *m, const unsigned *ref, size_t n, const double *v)
{
    return set2(m, ref, n, v);
}
static int do_get2(void *m, const unsigned *ref, size_t n, double *v)
{
    return get2(m, ref, n, v);
}
static int do_step2(void *m, double t)
{
    return step2(m, t, STEP, fmi2True);
}
static int do_set3(void *m, const unsigned *ref, size_t n, const double *v)
{
    return set3(m, ref, n, v, n);
}
static int do_get3(void *m, const unsigned *ref, size_t n, double *v)
{
    return get3(m, ref, n, v, n);
}
static int do_step3(void *m, double t)
{
    fmi3Boolean event, terminate, early;
    fmi3Float64 last;
    return step3(m, t, STEP, fmi3True, &event, &terminate, &early, &last);
}

static void show3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                 fmi3String message)
{
    (void)environment, (void)status, (void)category;
    fprintf(stderr, "%s\n", message);
}

static slave start2(const char *token, unsigned method_ref, int method)
{
    FIND(fmi2SetInteger);
    FIND(fmi2SetupExperiment);
    FIND(fmi2EnterInitializationMode);
    FIND(fmi2ExitInitializationMode);
    set2 = (fmi2SetRealTYPE *)find("fmi2SetReal");
    get2 = (fmi2GetRealTYPE *)find("fmi2GetReal");
    step2 = (fmi2DoStepTYPE *)find("fmi2DoStep");
    void *m = instantiate2(fmi2CoSimulation, token);
    if (!m || fmi2SetInteger_(m, &method_ref, 1, &method) ||
        fmi2SetupExperiment_(m, fmi2True, TOLERANCE, 0, fmi2False, 0) ||
        fmi2EnterInitializationMode_(m) || fmi2ExitInitializationMode_(m))
        die("no start");
    return (slave){m, do_set2, do_get2, do_step2};
}

static slave start3(const char *token, unsigned method_ref, int method)
{
    const fmi3Int64 value = method;
    FIND(fmi3InstantiateCoSimulation);
    FIND(fmi3SetInt64);
    FIND(fmi3EnterInitializationMode);
    FIND(fmi3ExitInitializationMode);
    set3 = (fmi3SetFloat64TYPE *)find("fmi3SetFloat64");
    get3 = (fmi3GetFloat64TYPE *)find("fmi3GetFloat64");
    step3 = (fmi3DoStepTYPE *)find("fmi3DoStep");
    void *m = fmi3InstantiateCoSimulation_("car", token, NULL, fmi3False, fmi3False, fmi3False,
                                           fmi3False, NULL, 0, NULL, show3, NULL);
    if (!m || fmi3SetInt64_(m, &method_ref, 1, &value, 1) ||
        fmi3EnterInitializationMode_(m, fmi3True, TOLERANCE, 0, fmi3False, 0) ||
        fmi3ExitInitializationMode_(m))
        die("no start");
    return (slave){m, do_set3, do_get3, do_step3};
}

static double steering[PERIOD];

static void time_steps(slave *car, unsigned steer, long steps)
{
    printf("step");
    for (long i = 0, block = 0; block < BLOCKS; block++) {
        const double start = seconds_now();
        for (; i < (block + 1) * (steps / BLOCKS); i++)
            if (car->set(car->instance, &steer, 1, &steering[i % PERIOD]) ||
                car->step(car->instance, (double)i * STEP))
                die("a step failed");
        printf(" %.6g", (seconds_now() - start) / (double)(steps / BLOCKS));
    }
    printf("\n");
}

/* What a call is: 1 sets an input, 2 gets the outputs. */
static void time_calls(const char *name, slave *car, int calls, unsigned steer, size_t n,
                       const unsigned *outputs)
{
    double values[MOST_OUTPUTS];
    printf("%s", name);
    for (int block = 0; block < BLOCKS; block++) {
        const double start = seconds_now();
        for (int i = 0; i < CALLS; i++) {
            if ((calls & 1) && car->set(car->instance, &steer, 1, &steering[i % PERIOD]))
                die("an input cannot be set");
            if ((calls & 2) && car->get(car->instance, outputs, n, values))
                die("outputs cannot be read");
        }
        printf(" %.6g", (seconds_now() - start) / CALLS);
    }
    printf("\n");
}

int main(int count, char **argument)
{
    unsigned outputs[MOST_OUTPUTS];
    const size_t n = (size_t)(count - 9);
    if (count < 9 || n > MOST_OUTPUTS)
        die("see the comment at the top for the arguments");
    open_library(argument[1]);
    const unsigned steer = (unsigned)atoi(argument[7]), state = (unsigned)atoi(argument[8]);
    for (size_t i = 0; i < n; i++)
        outputs[i] = (unsigned)atoi(argument[9 + i]);
    for (int i = 0; i < PERIOD; i++)
        steering[i] = 0.05 * sin(2 * 3.14159265358979 * i / PERIOD);

    const unsigned method_ref = (unsigned)atoi(argument[6]);
    const int method = atoi(argument[4]);
    slave car = atoi(argument[2]) == 2 ? start2(argument[3], method_ref, method)
                                       : start3(argument[3], method_ref, method);
    double found;
    time_steps(&car, steer, atol(argument[5]));
    if (car.get(car.instance, &state, 1, &found))
        die("the state cannot be read");
    printf("state %.15g\n", found);
    if (n == 0)
        return 0;
    time_calls("set", &car, 1, steer, n, outputs);
    time_calls("get", &car, 2, steer, 1, outputs);
    time_calls("get_all", &car, 2, steer, n, outputs);
    time_calls("set_and_get_all", &car, 3, steer, n, outputs);
    return 0;
}
