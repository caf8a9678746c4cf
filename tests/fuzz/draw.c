/* Arguments, drawn. Most are such as a careful importer gives, so that calls succeed and lead on. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

uint64_t draw_state;
int nulled;

static void *arrays[1 << 14];
static int used;
static unsigned *of_kind[8];
static size_t count_of_kind[8];

/* splitmix64 */
uint64_t draw(uint64_t n)
{
    uint64_t z = draw_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return n ? (z ^ (z >> 31)) % n : 0;
}

int chance(int in) { return draw((uint64_t)in) == 0; }

double draw_unit(void) { return (double)draw(1u << 30) / (1u << 30); }

double draw_wild(void)
{
    static const double wild[] = {0,       -0.0,     1,       -1,    DBL_MAX, -DBL_MAX, DBL_MIN,
                                  4.9e-324, 1e-300,  1e300,   1e16,  -1e16,   9.3e18,   1e9,
                                  -1e9,    1e-9,     0.5,     1e6,   1.5707963267948966, -1e30};
    switch (draw(8)) {
    case 0: return NAN;
    case 1: return chance(2) ? INFINITY : -INFINITY;
    case 2: return (chance(2) ? 1 : -1) * pow(10, 30 * (draw_unit() - 0.5));
    default: return wild[draw(sizeof wild / sizeof *wild)];
    }
}

double draw_near(double value, double size)
{
    const double r = 2 * draw_unit() - 1;
    return value + r * r * r * (fabs(value) + size);
}

double draw_value(const slot *s, unsigned reference)
{
    const mb_model *model = &mb_generated_model;
    if (reference >= (unsigned)model->variables || chance(12))
        return draw_wild();
    const mb_variable *v = &model->variable[reference];
    const mb_instance *m = s->instance;
    if (v->type == MB_ENUMERATION)
        return (double)draw((uint64_t)v->maximum + 1) + !chance(10);
    if (v->type != MB_REAL)
        return (double)draw(3);
    if (v->kind == MB_STATE && m)
        return draw_near(m->now.s[v->index], v->nominal * 0.1);
    if (v->kind == MB_INPUT && m && chance(2))
        return draw_near(m->now.u[v->index], 1e-3);
    return chance(3) ? v->start : draw_near(v->start, v->kind == MB_INPUT ? 1 : 0);
}

int find_variable(const char *name)
{
    const mb_model *model = &mb_generated_model;
    for (int i = 0; i < model->variables; i++)
        if (strcmp(model->variable[i].name, name) == 0)
            return i;
    return -1;
}

static double usual_step(void)
{
    const int step = find_variable("solver.step");
    return step < 0 ? 1e-2 : mb_generated_model.variable[step].start;
}

double draw_step(void)
{
    if (chance(40))
        return chance(3) ? 0 : chance(2) ? 1e3 * usual_step() : draw_wild();
    return usual_step() * (chance(2) ? 1 : pow(10, 2 * draw_unit() - 1.5));
}

double draw_time(const slot *s)
{
    if (chance(40))
        return draw_wild();
    return (s->instance ? s->instance->now.t : 0) + (chance(4) ? 0 : draw_step() * draw_unit());
}

void list_variables(void)
{
    const mb_model *model = &mb_generated_model;
    for (int kind = 0; kind < 8; kind++) {
        of_kind[kind] = calloc((size_t)model->variables, sizeof **of_kind);
        for (int i = 0; i < model->variables; i++)
            if ((int)model->variable[i].kind == kind)
                of_kind[kind][count_of_kind[kind]++] = (unsigned)i;
    }
}

int kinds_of(mb_kind kind) { return 1 << kind; }

/* A reference of one of the kinds, seldom any other number. */
unsigned draw_reference(int kinds)
{
    const unsigned variables = (unsigned)mb_generated_model.variables;
    if (chance(60))
        return chance(2) ? variables + (unsigned)draw(2) : (unsigned)draw(UINT64_C(1) << 32);
    for (int tries = 0; tries < 20; tries++) {
        const int kind = (int)draw(8);
        if (kinds & (1 << kind) && count_of_kind[kind])
            return of_kind[kind][draw(count_of_kind[kind])];
    }
    return (unsigned)draw(variables);
}

/* A number of values where there is a right one. */
size_t draw_count(size_t right)
{
    return chance(60) ? (size_t)draw(right + 4) : right;
}

void *array(size_t n, size_t size)
{
    void *made = calloc(n ? n : 1, n ? size : 1); /* no more, so that a sanitizer knows the end */
    if (used == sizeof arrays / sizeof *arrays)
        finding("the fuzzer has too little room for arrays");
    return arrays[used++] = made;
}

void free_arrays(void)
{
    while (used)
        free(arrays[--used]);
}

double *holes(size_t n)
{
    double *made = array(n, sizeof *made);
    for (size_t i = 0; i < n; i++)
        made[i] = NAN;
    return made;
}

unsigned *draw_references(size_t n, int kinds)
{
    unsigned *made = array(n, sizeof *made);
    for (size_t i = 0; i < n; i++)
        made[i] = draw_reference(kinds);
    return made;
}

void *given(void *pointer)
{
    if (!chance(150))
        return pointer;
    nulled |= 1;
    return NULL;
}

void *given_all(void *pointer, size_t n) { return n ? given(pointer) : chance(2) ? NULL : pointer; }

void check_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            finding("value %lu of %lu is %g and comes with OK", (unsigned long)i, (unsigned long)n,
                    values[i]);
}

kept *draw_kept(slot *s) { return &s->states[draw(STATES)]; }

/* Mostly a state of the instance, sometimes another one's or no address of a state at all. */
void *draw_foreign_state(slot *s)
{
    static char nothing[64];
    if (!chance(20))
        return draw_kept(s)->state;
    return chance(2) ? draw_kept(&slots[draw(SLOTS)])->state : chance(2) ? nothing : NULL;
}

static void forge(unsigned char *bytes, size_t size)
{
    enum { CHECKSUM = 120, HEADER = 128 }; /* see mb_states.c */
    uint64_t sum = 14695981039346656037u;
    for (size_t i = HEADER; i < size; i++)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    memcpy(bytes + CHECKSUM, &sum, sizeof sum);
}

/* Serialized bytes as they are, cut off, or with changes, some with a checksum that fits. */
unsigned char *draw_bytes(const unsigned char *bytes, size_t *size)
{
    if (chance(20))
        *size = draw(*size + 1);
    unsigned char *made = array(*size, 1);
    memcpy(made, bytes, *size);
    if (chance(2))
        return made;
    for (uint64_t n = 1 + draw(4); *size && n > 0; n--) {
        const size_t at = draw(*size);
        if (chance(2))
            made[at] ^= (unsigned char)(1u << draw(8));
        else if (at / 8 * 8 + 8 <= *size) {
            const double wild = draw_wild();
            memcpy(made + at / 8 * 8, &wild, sizeof wild);
        }
    }
    if (*size > 128 && !chance(4))
        forge(made, *size);
    return made;
}

/* Bytes as they were serialized must be taken. */
void check_taken(const slot *s, int status, const unsigned char *bytes, size_t size,
                 const unsigned char *drawn, size_t drawn_size)
{
    if (status && !nulled && drawn_size == size && memcmp(bytes, drawn, size) == 0)
        finding("an honest state is refused: %s", s->instance->message);
}

/* Inputs are what they were set to. */
void check_kept(slot *s, const unsigned *references, const double *values, size_t n)
{
    const mb_model *model = &mb_generated_model;
    for (size_t i = 0; i < n && !s->instance->updating; i++) {
        int last = references[i] < (unsigned)model->variables &&
                   model->variable[references[i]].kind == MB_INPUT;
        double value = NAN;
        for (size_t k = i + 1; k < n; k++)
            last = last && references[k] != references[i];
        if (last && (chosen->get_reals(s->instance, &references[i], 1, &value) || value != values[i]))
            finding("input %u was set to %.17g and is %.17g", references[i], values[i], value);
    }
}
