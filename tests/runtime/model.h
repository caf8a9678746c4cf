/* Checks of the C runtime, with models written by hand in place of generated ones.
 *
 * A check is a function CHECK(name) in any .c file below this folder; tests/runtime/test_runtime.py
 * finds it by its name and runs it in a process of its own. The runtime is compiled so that its one generated
 * model is whichever model an instance was made of last.
 *
 * A model is an mb_model in which only what matters is given; make_model fills in the rest, down to
 * a table of variables, so a new count or function of the runtime's needs no change here unless its
 * default is to be more than "writes nothing" (then one line in complete_functions). A whole one:
 *
 *     FUNCTION(fall)
 *     {
 *         res[0][0] = -9.81;
 *         res[0][1] = arg[S][0];
 *     }
 *
 *     CHECK(a_stone_falls)
 *     {
 *         mb_model *stone = make_model((mb_model){.ns = 2, .derivative.call = fall});
 *         variable(stone, MB_STATE, 1)->start = 10;
 *         mb_instance *m = start(stone, MB_METHOD_RK45, 1e-9);
 *         step_to(m, 1, 4);
 *         near(m->now.s[1], 10 - 9.81 / 2, 1e-12, "height");
 *         mb_free(m);
 *     }
 */
#ifndef MODEL_H
#define MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_integrator.h"

/* Places of a function's arguments: the point, and what it takes behind. */
enum { T, S, D, U, P, X, EXTRA };

#if defined(__GNUC__)
#define UNUSED __attribute__((unused))
#else
#define UNUSED
#endif
#define FUNCTION(name)                                                                             \
    static void name(const double **arg UNUSED, double **res UNUSED, double *w UNUSED)
#define CHECK(name)                                                                                \
    void check_##name(void);                                                                       \
    void check_##name(void)

extern const mb_model *tested_model;

/* Completes a model: names, variables, bands, functions. One without a right-hand side rests, its
 * configuration (if it has one) is regular, its events change nothing but their modes. */
mb_model *make_model(mb_model given);

/* The row of a variable, for start values, nominals, bounds. */
mb_variable *variable(const mb_model *model, mb_kind kind, int index);
unsigned reference(const mb_model *model, mb_kind kind, int index);

/* A solver's parameter by its number. */
mb_variable *solver(const mb_model *model, int which);

/* An instance that still has to be initialized, and one of Co-Simulation that has been. */
mb_instance *create(const mb_model *model, mb_interface interface);
mb_instance *start(mb_model *model, int method, double tolerance);
void initialize(mb_instance *m);

/* Co-Simulation in equal steps to a time; every one must succeed. */
void step_to(mb_instance *m, double time, int steps);

/* Steps of a method's own, all of one length and from t = 0, without control of the error. */
mb_instance *integrate(mb_model *model, const mb_method *method, double time, int steps);

/* What has to hold; the first that does not ends the check. */
void expect(int condition, const char *format, ...) MB_FORMAT(2, 3);
void near(double value, double right, double tolerance, const char *what);
void same_bytes(const double *values, const double *right, int n, const char *what);
void says(const mb_instance *m, const char *words);

/* The same numbers in every run, uniform between two bounds. */
double random_between(double low, double high);

#endif
