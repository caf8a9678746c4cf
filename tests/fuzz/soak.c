/* Many steps of one instance: nothing that it uses may grow. Not for sanitizers, which keep what is freed. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "fmi3Functions.h"
#include "fuzz.h"

enum { LAP = 1000 /* steps between states that are saved, restored and freed */ };

/* Pages of memory that the process has written. Those that the kernel maps of a file, sixteen at a time when
   some function is first called, and takes back when it likes, are not ours to bound. */
static long written(void)
{
    long all = 0, resident = 0, of_files = 1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld %ld", &all, &resident, &of_files) != 3)
        resident = of_files = 0;
    if (file)
        fclose(file);
    return resident - of_files;
}

static void lap(fmi3Instance m, double step)
{
    fmi3Boolean event, end, early;
    fmi3Float64 last;
    fmi3FMUState state = NULL;
    if (fmi3GetFMUState(m, &state))
        finding("no state can be saved");
    for (int i = 0; i < LAP; i++) {
        if (i == LAP / 2 && fmi3SetFMUState(m, state))
            finding("no state can be restored");
        const double t = ((mb_instance *)m)->now.t;
        if (fmi3DoStep(m, t, step, fmi3True, &event, &end, &early, &last))
            finding("a step fails: %s", ((mb_instance *)m)->message);
    }
    if (fmi3FreeFMUState(m, &state))
        finding("no state can be freed");
}

/* Steps of the fixed-step method; the memory after the first laps must do for all of them. */
int soak(unsigned long long steps)
{
    const mb_model *model = &mb_generated_model;
    fmi3Instance m = fmi3InstantiateCoSimulation("soak", model->token, NULL, 0, 0, 0, 0, NULL, 0, NULL,
                                                 NULL, NULL);
    const int method = find_variable("solver.method"), length = find_variable("solver.step");
    const fmi3ValueReference vr = (fmi3ValueReference)method;
    const fmi3Int64 fixed = MB_METHOD_classical;
    if (!m || fmi3SetInt64(m, &vr, 1, &fixed, 1) ||
        fmi3EnterInitializationMode(m, 0, 0, 0, 0, 0) || fmi3ExitInitializationMode(m))
        finding("no instance can be initialized");
    const double step = model->variable[length].start;
    for (int i = 0; i < 10; i++)
        lap(m, step);
    const long before = written();
    for (unsigned long long i = 10; i < steps / LAP; i++)
        lap(m, step);
    const long after = written();
    printf("%s: %llu steps of %g s, pages written %ld and %ld, at t = %.9g s\n", model->name, steps,
           step, before, after, ((mb_instance *)m)->now.t);
    fmi3FreeInstance(m);
    return after > before + 16;
}
