/* Getting and setting variables, with every check that concerns one variable alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mb_calls.h"
#include "mb_integrator.h"

static const char *const TYPE_NAMES[] = {"Real", "Integer", "Boolean", "Enumeration"};

static mb_status find_variable(mb_instance *m, unsigned reference, unsigned types, const mb_variable **found)
{
    *found = mb_referenced(m, reference);
    if (!*found)
        return MB_ERROR;
    if (!(types & MB_OF_TYPE((*found)->type)))
        return mb_refuse(m, MB_ERROR,
                         "%s (value reference %u) is of type %s; call the function of that type",
                         (*found)->name, reference, TYPE_NAMES[(*found)->type]);
    return MB_OK;
}

/* Whether a variable may be read or written within an intermediate update, if this is one. */
mb_status mb_check_update_access(mb_instance *m, unsigned reference, int write)
{
    const mb_variable *v = &MB_MODEL->variable[reference];
    if (!m->updating)
        return MB_OK;
    if (!m->required_intermediate[reference])
        return mb_refuse(m, MB_ERROR,
                         "%s was not among the required intermediate variables when the instance was "
                         "made; add it there",
                         v->name);
    if (write ? v->kind == MB_INPUT && m->update.may_set : m->update.may_get)
        return MB_OK;
    return mb_refuse(m, MB_ERROR, "%s cannot be %s in this intermediate update (t = %.9g s)", v->name,
                     write ? "set" : "read", m->now.t);
}

static mb_status provide(mb_instance *m, const mb_variable *v, unsigned wanted)
{
    if (m->mode != MB_INSTANTIATED || m->values_before || m->failed) /* after an error getters go on */
        return mb_provide(m, wanted);
    return mb_refuse(m, MB_ERROR,
                     "%s is calculated, its value is available from Initialization Mode on",
                     v->name);
}

static mb_status get_variable(mb_instance *m, unsigned reference, unsigned types, double *value)
{
    const mb_variable *v = NULL;
    mb_status status = find_variable(m, reference, types, &v);
    if (!status)
        status = mb_check_update_access(m, reference, 0);
    if (status)
        return status;
    switch (v->kind) {
    case MB_TIME: *value = m->now.t; return MB_OK;
    case MB_PARAMETER: *value = m->now.p[v->index]; return MB_OK;
    case MB_CONSTANT: *value = v->start; return MB_OK;
    case MB_INPUT: *value = m->now.u[v->index]; return MB_OK;
    case MB_STATE:
        status = mb_provide_states(m);
        *value = m->now.s[v->index];
        return status;
    case MB_DISCRETE:
        if (m->mode != MB_INSTANTIATED) {
            mb_prepare_undo(m);
            status = mb_initialize(m);
        }
        *value = m->mode == MB_INSTANTIATED ? v->start : m->now.d[v->index];
        return status;
    case MB_DERIVATIVE:
        status = provide(m, v, MB_DERIVED);
        if (!status)
            mb_note_accelerations(m);
        *value = m->rate[v->index];
        return status;
    case MB_OUTPUT:
        status = provide(m, v, MB_OBSERVED);
        *value = m->output[v->index];
        return status;
    case MB_SENSITIVITY: return mb_get_sensitivity(m, v, value);
    case MB_INDICATOR:
        status = provide(m, v, MB_INDICATED);
        if (!status)
            status = mb_indicate_without_errors(m);
        if (!status)
            *value = mb_importer_indicator(m, v->index);
        return status;
    }
    return MB_ERROR;
}

/* Setting */

/* Continuous-Time Mode takes all states, Event Mode those that events leave as they are. */
static mb_status check_state(mb_instance *m, const mb_variable *v)
{
    const int start_input = mb_start_input(MB_MODEL, v->index);
    if (m->mode & (MB_INSTANTIATED | MB_INITIALIZATION)) {
        if (start_input < 0)
            return MB_OK;
        return mb_refuse(m, MB_ERROR, "%s starts at the value of %s; set that instead", v->name,
                         mb_name_of(MB_MODEL, MB_INPUT, start_input));
    }
    if (m->mode == MB_CONTINUOUS_TIME ||
        (m->mode == MB_EVENT && m->states_in_events && !v->reset))
        return MB_OK;
    return mb_refuse(m, MB_ERROR,
                     "%s is a state: it may be set until initialization ends and in "
                     "Continuous-Time Mode, not now (t = %.9g s)",
                     v->name, m->now.t);
}

static mb_status check_mode(mb_instance *m, const mb_variable *v)
{
    switch (v->kind) {
    case MB_PARAMETER:
        if (v->tunable || m->mode & (MB_INSTANTIATED | MB_INITIALIZATION))
            return MB_OK;
        return mb_refuse(m, MB_ERROR,
                         "parameter %s is fixed: set it before initialization ends, or reset the "
                         "FMU (t = %.9g s)",
                         v->name, m->now.t);
    case MB_STATE: return check_state(m, v);
    case MB_INPUT: return MB_OK;
    case MB_CONSTANT:
        return mb_refuse(m, MB_ERROR,
                         "%s is a constant of this FMU, because it was fixed at export; export one "
                         "without fixing it",
                         v->name);
    default:
        return mb_refuse(m, MB_ERROR, "%s is calculated by the FMU and cannot be set", v->name);
    }
}

/* Inputs may have any finite value: the model's formulas limit them to their ranges. */
int mb_in_range(const mb_variable *v, double value)
{
    if (v->kind == MB_INPUT && v->type != MB_ENUMERATION)
        return isfinite(value);
    return isfinite(value) && (value > 0 || !v->positive) && value >= v->minimum &&
           value <= v->maximum;
}

/* The range of a variable's values, in words. */
static void write_range(const mb_variable *v, char *range, size_t size)
{
    const int real_input = v->kind == MB_INPUT && v->type != MB_ENUMERATION;
    const int low = !real_input && isfinite(v->minimum) && !v->positive;
    const int high = !real_input && isfinite(v->maximum);
    if (v->positive && high)
        snprintf(range, size, "positive and at most %.9g", v->maximum);
    else if (v->positive)
        snprintf(range, size, "positive");
    else if (low && high)
        snprintf(range, size, "from %.9g to %.9g", v->minimum, v->maximum);
    else if (low || high)
        snprintf(range, size, "at %s %.9g", low ? "least" : "most", low ? v->minimum : v->maximum);
    else
        snprintf(range, size, "finite");
}

static mb_status check_value(mb_instance *m, const mb_variable *v, double value)
{
    if (mb_in_range(v, value))
        return MB_OK;
    const double old = v->kind == MB_PARAMETER ? m->now.p[v->index]
                       : v->kind == MB_INPUT   ? m->now.u[v->index]
                                               : m->now.s[v->index];
    char range[64];
    write_range(v, range, sizeof range);
    return mb_refuse(m, MB_DISCARD,
                     "%s = %.9g at t = %.9g s is refused: it must be %s; it stays %.9g, set a "
                     "value in that range",
                     v->name, value, m->now.t, range, old);
}

static mb_status check_set(mb_instance *m, unsigned reference, unsigned types, double value)
{
    const mb_variable *v = NULL;
    mb_status status = find_variable(m, reference, types, &v);
    if (!status)
        status = mb_check_update_access(m, reference, 1);
    if (!status)
        status = check_mode(m, v);
    return status ? status : check_value(m, v, value);
}

/* Sets a value that was checked; if it is unchanged, calculated results stay valid. */
static void set_variable(mb_instance *m, unsigned reference, double value)
{
    const mb_variable *v = &MB_MODEL->variable[reference];
    double *at = (v->kind == MB_PARAMETER ? m->now.p
                  : v->kind == MB_INPUT   ? m->now.u
                                          : m->now.s) + v->index;
    const int starting = m->mode & (MB_INSTANTIATED | MB_INITIALIZATION);
    if (starting)
        mb_restore_start(m);
    double *own = starting && v->kind != MB_INPUT ? mb_own_slot(m, v->kind, v->index) : NULL;
    if (own)
        at = own;
    mb_warn_limit(m, v, value, m->now.t);
    if (*at == value)
        return;
    *at = value;
    m->fresh = 0;
    if (starting && v->kind == MB_INPUT)
        mb_start_at_inputs(m);
    else if (starting)
        mb_choose(m);
    if (v->kind == MB_PARAMETER)
        m->parameters_checked = m->parameters_same = 0;
    if (v->kind == MB_STATE && !starting)
        m->begun = 1; /* the importer knows where states are */
}

/* Where values of a kind stand, of those whose elements may be copied at once. */
static const double *values_of(const mb_instance *m, mb_kind kind)
{
    switch (kind) {
    case MB_PARAMETER: return m->now.p;
    case MB_INPUT: return m->now.u;
    case MB_STATE: return m->now.s;
    case MB_DERIVATIVE: return m->rate;
    case MB_OUTPUT: return m->output;
    default: return NULL;
    }
}

/* Gets the elements of an array: what has been made sure for the first one holds for all. */
static mb_status get_array(mb_instance *m, const mb_array *array, unsigned types, mb_put put,
                           void *values, size_t place)
{
    const mb_variable *first = &MB_MODEL->variable[array->first];
    const int n = array->elements;
    const double *all = values_of(m, first->kind);
    const int adjacent = all && first[n - 1].index == first->index + n - 1;
    double number = 0;
    mb_status status = get_variable(m, (unsigned)array->first, types, &number);
    if (!status && adjacent && types == MB_OF_TYPE(MB_REAL)) { /* values are doubles */
        memcpy((double *)values + place, all + first->index, (size_t)n * sizeof(double));
        return MB_OK;
    }
    for (int i = 0; !status && i < n; i++) {
        if (adjacent)
            number = all[first->index + i];
        else
            status = get_variable(m, (unsigned)(array->first + i), types, &number);
        if (!status)
            put(values, place + (size_t)i, number);
    }
    return status;
}

/* Gets variables of some types; `put` writes their values. */
mb_status mb_get_variables(mb_instance *m, unsigned types, const unsigned *references, size_t n,
                           mb_put put, void *values)
{
    mb_status status = MB_OK;
    size_t place = 0;
    for (size_t i = 0; !status && i < n; i++) {
        const mb_array *array = mb_array_of(m, references[i]);
        if (array) {
            status = get_array(m, array, types, put, values, place);
            place += (size_t)array->elements;
            continue;
        }
        double number = 0;
        status = get_variable(m, references[i], types, &number);
        if (!status)
            put(values, place++, number);
    }
    return status;
}

/* How many values some variables have. */
size_t mb_count_values(const mb_instance *m, const unsigned *references, size_t n)
{
    size_t count = n;
    for (size_t i = 0; m->takes_arrays && i < n; i++) {
        const mb_array *array = mb_array_of(m, references[i]);
        count += array ? (size_t)array->elements - 1 : 0;
    }
    return count;
}

/* Sets variables of some types: checks all values before it takes the first, so that a refused call
 * changes nothing. Where there is no `take`, no variable is of the types, and each is refused. */
mb_status mb_set_variables(mb_instance *m, unsigned types, const unsigned *references, size_t n,
                           mb_take take, const void *values)
{
    mb_status status = MB_OK;
    for (mb_elements e = mb_elements_of(references, n); !status && mb_next(m, &e);)
        status = check_set(m, e.variable, types, take ? take(values, e.place) : 0);
    for (mb_elements e = mb_elements_of(references, n); !status && mb_next(m, &e);)
        set_variable(m, e.variable, take(values, e.place));
    return status;
}
