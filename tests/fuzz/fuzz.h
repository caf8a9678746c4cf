/* Sequences of FMI calls in any order, with any arguments, drawn from a seed.
 *
 * The runtime, a generated model and this program are one executable, so that sanitizers see all of it
 * and checks can look into an instance. calls2.c and calls3.c make the calls of the two FMI versions;
 * exchange.c makes steps of Model Exchange, threads.c runs instances side by side, draw.c draws values,
 * fuzz.c chooses calls and checks what every one of them leaves, refused.c what refused ones do.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "mb_calls.h"

enum { SLOTS = 3, STATES = 4 };

/* A state that was saved, and what the instance was like then. */
typedef struct {
    void *state;
    char *persistent;
} kept;

typedef struct {
    mb_instance *instance;
    kept states[STATES];
    int in_visit; /* calls from within a callback that are still to be made */
    double pace;  /* of steps in Model Exchange, in parts of usual ones */
} slot;

typedef struct {
    const char *name;
    int weight;
    unsigned modes; /* where it may be called; elsewhere it is tried seldom */
    int (*make)(slot *s); /* returns the status, or -1: no call was made */
} call;

/* One FMI version. `values` gets the outputs, whatever their type is no less than their reals. */
typedef struct {
    const call *calls;
    int count;
    void *(*instantiate)(slot *s);
    void (*free_instance)(void *instance);
    int (*get_state)(void *instance, void **state);
    int (*set_state)(void *instance, void *state);
    int (*free_state)(void *instance, void **state);
    int (*get_reals)(void *instance, const unsigned *references, size_t n, double *values);
    int (*serialized_size)(void *instance, void *state, size_t *size);
    int (*serialize)(void *instance, void *state, unsigned char *bytes, size_t size);
    int (*deserialize)(void *instance, const unsigned char *bytes, size_t size, void **state);
    int (*set_time)(void *instance, double time);
    int (*set_states)(void *instance, const double *x, size_t n);
    int (*get_states)(void *instance, double *x, size_t n);
    int (*get_rates)(void *instance, double *x, size_t n);
    int (*get_indicators)(void *instance, double *z, size_t n);
    int (*completed)(void *instance, int *event);
    int (*enter_events)(void *instance);
    int (*update)(void *instance, int *again);
    int (*enter_continuous)(void *instance);
} face;

extern const face fmi2_face, fmi3_face;

/* exchange.c */
extern unsigned long long steps_made, steps_refused, states_read;
int carry_state(slot *s);
int integrate(slot *s);

/* refused.c */
char *lasting_of(const mb_instance *m);
void check_refused(slot *s, const char *before, int status);

/* soak.c */
int soak(unsigned long long steps);

/* threads.c */
int run_threads(int count);

/* fuzz.c */
extern slot slots[SLOTS];
extern const face *chosen;
void finding(const char *format, ...);
void told(mb_instance *instance, int status, const char *category, const char *message);
int visit_calls(slot *s);
void count_call(int status);
const call *draw_call(const slot *s);

/* draw.c */
extern uint64_t draw_state;
uint64_t draw(uint64_t n);
int chance(int in);
double draw_unit(void);
double draw_wild(void);
double draw_value(const slot *s, unsigned reference);
double draw_near(double value, double size);
double draw_time(const slot *s);
double draw_step(void);
unsigned draw_reference(int kinds);
size_t draw_count(size_t right);
int find_variable(const char *name);
void list_variables(void);

/* What an argument is made of; all are freed after the call. A null pointer is drawn in place of some,
 * where it must be refused. */
extern int nulled;
void *array(size_t n, size_t size);
double *holes(size_t n);
unsigned *draw_references(size_t n, int kinds);
void *given(void *pointer);
void *given_all(void *pointer, size_t n);
void free_arrays(void);
void check_finite(const double *values, size_t n);
int kinds_of(mb_kind kind);
enum { ANY_KIND = 255 };
slot *slot_of(const mb_instance *instance);
void *draw_foreign_state(slot *s);
kept *draw_kept(slot *s);
void keep(slot *s, kept *k);
unsigned char *draw_bytes(const unsigned char *bytes, size_t *size);
void check_taken(const slot *s, int status, const unsigned char *bytes, size_t size,
                 const unsigned char *drawn, size_t drawn_size);
void check_kept(slot *s, const unsigned *references, const double *values, size_t n);

#endif
