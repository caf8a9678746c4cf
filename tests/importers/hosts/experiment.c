/* Runs an experiment of an FMI 3.0 unit in Co-Simulation and prints real variables.
 *
 *     experiment LIBRARY TOKEN REFERENCES STOP STEP
 *
 * For a unit that is linked into the program, LINKED is defined, and its FMI3_FUNCTION_PREFIX; the
 * name MAIN of this function may be another one then, so that a program holds several. */
#include <stdio.h>
#include <stdlib.h>

#ifndef MAIN
#define MAIN main
#endif

#ifdef LINKED
#include "fmi3Functions.h"
#define CALL(name) name
#else
#include "fmi3FunctionTypes.h"
#define CALL(name) ((name##TYPE *)find(#name))

#ifdef _WIN32
#include <windows.h>
static HMODULE library;
#define OPEN(path) LoadLibraryA(path)
#define SYMBOL(name) (void *)GetProcAddress(library, name)
#else
#include <dlfcn.h>
static void *library;
#define OPEN(path) dlopen(path, RTLD_NOW)
#define SYMBOL(name) dlsym(library, name)
#endif

static void *find(const char *name)
{
    void *symbol = SYMBOL(name);
    if (!symbol) {
        fprintf(stderr, "%s is missing\n", name);
        exit(2);
    }
    return symbol;
}
#endif

static void say(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                fmi3String message)
{
    (void)environment;
    fprintf(stderr, "%d %s: %s\n", (int)status, category, message);
}

static void check(fmi3Status status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(1);
    }
}

/* References are separated by commas. */
static void print_all(fmi3Instance m, double t, const char *references)
{
    printf("%.17g", t);
    while (*references) {
        char *end;
        const fmi3ValueReference reference = (fmi3ValueReference)strtoul(references, &end, 10);
        fmi3Float64 value = 0;
        check(CALL(fmi3GetFloat64)(m, &reference, 1, &value, 1), "fmi3GetFloat64");
        printf(" %.17g", value);
        references = *end ? end + 1 : end;
    }
    printf("\n");
}

int MAIN(int count, char **words);

int MAIN(int count, char **words)
{
    if (count != 6)
        return 2;
#ifndef LINKED
    library = OPEN(words[1]);
    if (!library) {
        fprintf(stderr, "%s cannot be loaded\n", words[1]);
        return 2;
    }
#endif
    const double stop = atof(words[4]), step = atof(words[5]);
    fmi3Instance m = CALL(fmi3InstantiateCoSimulation)("host", words[2], "", fmi3False, fmi3False,
                                                       fmi3False, fmi3False, NULL, 0, NULL, say,
                                                       NULL);
    if (!m)
        return 1;
    check(CALL(fmi3EnterInitializationMode)(m, fmi3False, 0, 0, fmi3False, 0), "enter");
    check(CALL(fmi3ExitInitializationMode)(m), "exit");
    const int steps = (int)(stop / step + 0.5);
    for (int i = 0; i < steps; i++) {
        fmi3Boolean event, end, early;
        double t;
        print_all(m, i * step, words[3]);
        check(CALL(fmi3DoStep)(m, i * step, step, fmi3True, &event, &end, &early, &t), "fmi3DoStep");
    }
    print_all(m, steps * step, words[3]);
    check(CALL(fmi3Terminate)(m), "fmi3Terminate");
    CALL(fmi3FreeInstance)(m);
    return 0;
}
