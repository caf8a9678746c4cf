/* Small foreign FMUs for Model Exchange of FMI 2.0 and 3.0, written without mbcore: MODEL chooses one.
 * VanDerPol, Dahlquist, StateSpace and BouncingBall have the equations of those of Reference-FMUs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if FMI == 2
#include "fmi2Functions.h"
#define NAME(n) fmi2##n
typedef fmi2Status status;
typedef fmi2ValueReference reference;
#else
#include "fmi3Functions.h"
#define NAME(n) fmi3##n
typedef fmi3Status status;
typedef fmi3ValueReference reference;
#endif

enum { VANDERPOL, DAHLQUIST, STATESPACE, BALL, CRASH, HANG, TALK, DRIVEN };
enum { MOST = 12 };
typedef struct {
    double t, v[MOST]; /* by value reference: 1, 2 states; 3, 4 rates; 5 to 8 parameters; 9 input */
    void *log;
    void *environment;
} instance;

static void begin(instance *m)
{
    memset(m->v, 0, sizeof m->v);
    m->t = 0;
    m->v[1] = MODEL == VANDERPOL ? 2 : 1;
    m->v[5] = MODEL == BALL ? 9.81 : MODEL == STATESPACE ? -1 : 1;
    m->v[6] = MODEL == BALL ? 0.7 : MODEL == STATESPACE ? 3 : 0;
    m->v[7] = MODEL == STATESPACE ? -2 : 0;
    m->v[8] = MODEL == STATESPACE ? -0.5 : 0;
}

static void say(instance *m)
{
#if FMI == 2
    const fmi2CallbackFunctions *c = m->log;
    c->logger(m->environment, "foreign", fmi2Warning, "", "again and again");
#else
    ((fmi3LogMessageCallback)m->log)(m->environment, fmi3Warning, "", "again and again");
#endif
}

static void evaluate(instance *m)
{
    double *v = m->v, x = v[1], y = v[2];
    v[3] = y;
    switch (MODEL) {
    case VANDERPOL: v[4] = v[5] * (1 - x * x) * y - x; break;
    case DAHLQUIST: v[3] = -v[5] * x; break;
    case STATESPACE:
        v[3] = v[5] * x + v[6] * y;
        v[4] = v[7] * x + v[8] * y + v[9];
        break;
    case BALL: v[4] = -v[5]; break;
    case DRIVEN: v[4] = -x - 0.2 * y + 0.5 * cos(2 * m->t); break;
    default:
        v[4] = -x;
        if (m->t > 0.5 && MODEL == CRASH) {
            fprintf(stderr, "about to crash\n");
            fflush(stderr);
            abort();
        }
        while (m->t > 0.5 && MODEL == HANG)
            m->v[10] += 1;
        while (m->t > 0.5 && MODEL == TALK)
            say(m);
    }
}

static void change(instance *m, const double *d, double *of) /* directional, d and of like v */
{
    double *v = m->v, x = v[1], y = v[2];
    memset(of, 0, MOST * sizeof *of);
    of[1] = d[1];
    of[2] = d[2];
    of[3] = d[2];
    /* as Reference-FMUs do it: zero by the parameter */
    of[4] = (-2 * v[5] * x * y - 1) * d[1] + v[5] * (1 - x * x) * d[2];
}

#if FMI == 2
#define HANDLE fmi2Component
#define REALS const reference r[], size_t n, double x[]
#define REALS_IN const reference r[], size_t n, const double x[]
#define EACH n
#else
#define HANDLE fmi3Instance
#define REALS const reference r[], size_t n, double x[], size_t nx
#define REALS_IN const reference r[], size_t n, const double x[], size_t nx
#define EACH n
#endif
#define STATES (MODEL == DAHLQUIST ? 1 : 2)

#if FMI == 2
HANDLE fmi2Instantiate(fmi2String a, fmi2Type b, fmi2String c, fmi2String d,
                       const fmi2CallbackFunctions *f, fmi2Boolean e, fmi2Boolean g)
{
    instance *m = calloc(1, sizeof *m);
    m->log = (void *)f;
    m->environment = f->componentEnvironment;
    begin(m);
    return m;
}
status fmi2SetupExperiment(HANDLE m, fmi2Boolean a, double b, double c, fmi2Boolean d, double e) { return 0; }
status fmi2EnterInitializationMode(HANDLE m) { return 0; }
status fmi2NewDiscreteStates(HANDLE h, fmi2EventInfo *e)
#else
HANDLE fmi3InstantiateModelExchange(fmi3String a, fmi3String b, fmi3String c, fmi3Boolean d,
                                    fmi3Boolean e, fmi3InstanceEnvironment f,
                                    fmi3LogMessageCallback g)
{
    instance *m = calloc(1, sizeof *m);
    m->log = (void *)g;
    m->environment = f;
    begin(m);
    return m;
}
status fmi3EnterInitializationMode(HANDLE m, fmi3Boolean a, double b, double c, fmi3Boolean d, double e)
{
    return 0;
}
status fmi3UpdateDiscreteStates(HANDLE h, fmi3Boolean *again, fmi3Boolean *ends, fmi3Boolean *nominals,
                                fmi3Boolean *values, fmi3Boolean *timed, double *next)
#endif
{
    instance *m = h;
    int bounced = MODEL == BALL && m->v[1] <= 0 && m->v[2] < 0;
    if (bounced) {
        m->v[1] = 0;
        m->v[2] *= -m->v[6];
    }
#if FMI == 2
    memset(e, 0, sizeof *e);
    e->valuesOfContinuousStatesChanged = bounced;
#else
    *again = *ends = *nominals = *timed = 0;
    *values = bounced;
    *next = 0;
#endif
    return 0;
}
void NAME(FreeInstance)(HANDLE m) { free(m); }
status NAME(ExitInitializationMode)(HANDLE m) { return 0; }
status NAME(EnterEventMode)(HANDLE m) { return 0; }
status NAME(EnterContinuousTimeMode)(HANDLE m) { return 0; }
status NAME(Terminate)(HANDLE m) { return 0; }
status NAME(Reset)(HANDLE m)
{
    begin(m);
    return 0;
}
status NAME(SetTime)(HANDLE h, double t)
{
    ((instance *)h)->t = t;
    return 0;
}
static status get(HANDLE h, const reference *r, size_t n, double *x)
{
    evaluate(h);
    for (size_t i = 0; i < n; i++)
        x[i] = ((instance *)h)->v[r[i]];
    return 0;
}
static status set(HANDLE h, const reference *r, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        ((instance *)h)->v[r[i]] = x[i];
    return 0;
}
#if FMI == 2
status fmi2GetReal(HANDLE h, REALS) { return get(h, r, n, x); }
status fmi2SetReal(HANDLE h, REALS_IN) { return set(h, r, n, x); }
status fmi2GetDerivatives(HANDLE h, double x[], size_t n)
#else
status fmi3GetFloat64(HANDLE h, REALS) { return get(h, r, n, x); }
status fmi3SetFloat64(HANDLE h, REALS_IN) { return set(h, r, n, x); }
status fmi3GetContinuousStateDerivatives(HANDLE h, double x[], size_t n)
#endif
{
    evaluate(h);
    memcpy(x, ((instance *)h)->v + 3, n * sizeof *x);
    return 0;
}
status NAME(GetContinuousStates)(HANDLE h, double x[], size_t n)
{
    memcpy(x, ((instance *)h)->v + 1, n * sizeof *x);
    return 0;
}
status NAME(SetContinuousStates)(HANDLE h, const double x[], size_t n)
{
    memcpy(((instance *)h)->v + 1, x, n * sizeof *x);
    return 0;
}
status NAME(GetNominalsOfContinuousStates)(HANDLE h, double x[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return 0;
}
status NAME(GetEventIndicators)(HANDLE h, double x[], size_t n)
{
    if (n)
        x[0] = ((instance *)h)->v[1];
    return 0;
}
#if FMI == 2
status fmi2GetFMUstate(HANDLE h, fmi2FMUstate *s)
#else
status fmi3GetFMUState(HANDLE h, fmi3FMUState *s)
#endif
{
    if (!*s)
        *s = malloc(sizeof(instance));
    memcpy(*s, h, sizeof(instance));
    return 0;
}
#if FMI == 2
status fmi2SetFMUstate(HANDLE h, fmi2FMUstate s)
#else
status fmi3SetFMUState(HANDLE h, fmi3FMUState s)
#endif
{
    memcpy(h, s, sizeof(instance));
    return 0;
}
#if FMI == 2
status fmi2FreeFMUstate(HANDLE h, fmi2FMUstate *s)
#else
status fmi3FreeFMUState(HANDLE h, fmi3FMUState *s)
#endif
{
    free(*s);
    *s = NULL;
    return 0;
}
#if FMI == 2
status fmi2GetDirectionalDerivative(HANDLE h, const reference u[], size_t nu, const reference k[],
                                    size_t nk, const double seed[], double of[])
#else
status fmi3GetDirectionalDerivative(HANDLE h, const reference u[], size_t nu, const reference k[],
                                    size_t nk, const double seed[], size_t ns, double of[], size_t no)
#endif
{
    double d[MOST] = {0}, all[MOST];
    for (size_t i = 0; i < nk; i++)
        d[k[i]] += seed[i];
    change(h, d, all);
    for (size_t i = 0; i < nu; i++)
        of[i] = all[u[i]];
    return 0;
}
