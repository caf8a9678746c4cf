/* What an importer's calls come to: the experiment, Model Exchange, steps, saved states. */
#ifndef MB_CALLS_H
#define MB_CALLS_H

#include "mb_inputs.h"

/* mb_call.c */
int mb_enter(mb_instance *m, const char *function, unsigned modes);
int mb_given(mb_instance *m, const void *argument, const char *name);
int mb_given_all(mb_instance *m, size_t n, const void *argument, const char *name);
void mb_prepare_undo(mb_instance *m);
mb_status mb_provide(mb_instance *m, unsigned wanted);
mb_status mb_leave(mb_instance *m, mb_status status);
mb_status mb_not_provided(mb_instance *m, const char *function);

/* mb_initialize.c */
void mb_restore_start(mb_instance *m);
void mb_warn_changed_start(mb_instance *m);
mb_status mb_initialize(mb_instance *m);
int mb_assemble(mb_instance *m, mb_point *at);

/* mb_variables.c */
#define MB_OF_TYPE(type) (1u << (type)) /* types that a getter or setter serves, as bits */
typedef void (*mb_put)(void *values, size_t i, double number);
typedef double (*mb_take)(const void *values, size_t i);
/* put_NAME and take_NAME of a type of values, into which a number is converted so. */
#define MB_ACCESS(name, type, converted)                                                           \
    static void put_##name(void *values, size_t i, double number)                                  \
    {                                                                                              \
        ((type *)values)[i] = (type)(converted);                                                   \
    }                                                                                              \
    static double take_##name(const void *values, size_t i)                                        \
    {                                                                                              \
        return (double)((const type *)values)[i];                                                  \
    }
mb_status mb_get_variables(mb_instance *m, unsigned types, const unsigned *references, size_t n,
                           mb_put put, void *values);
mb_status mb_set_variables(mb_instance *m, unsigned types, const unsigned *references, size_t n,
                           mb_take take, const void *values);
size_t mb_count_values(const mb_instance *m, const unsigned *references, size_t n);
int mb_in_range(const mb_variable *v, double value);
mb_status mb_check_update_access(mb_instance *m, unsigned reference, int write);

/* mb_start_values.c */
mb_status mb_provide_states(mb_instance *m);
const mb_choice *mb_choice_of(const mb_model *model, mb_kind kind, int index);
double *mb_own_slot(mb_instance *m, mb_kind kind, int index);
void mb_choose(mb_instance *m);
int mb_started_state(const mb_instance *m, int slot);
double mb_effective_input(const mb_instance *m, int input);
void mb_start_at_inputs(mb_instance *m);
void mb_follow_inputs(mb_instance *m);
int mb_start_input(const mb_model *model, int state);

/* mb_derivatives.c: by value references; what FMI allows of fixed parameters differs between its
 * versions. A known that is given twice counts twice. */
typedef struct {
    const unsigned *unknown, *known;
    size_t unknowns, knowns;
    int by_fixed;
} mb_partial;
mb_status mb_directional(mb_instance *m, const mb_partial *of, const double *seed, double *result);
mb_status mb_adjoint(mb_instance *m, const mb_partial *of, const double *seed, double *result);
mb_status mb_get_output_rates(mb_instance *m, const unsigned *references, const int *orders, size_t n,
                              double *values);

/* mb_states.c */
mb_status mb_get_state(mb_instance *m, void **given);
mb_status mb_set_state(mb_instance *m, const void *given);
mb_status mb_free_state(mb_instance *m, void **given);
mb_status mb_serialized_size(mb_instance *m, const void *given, size_t *size);
mb_status mb_serialize(mb_instance *m, const void *given, unsigned char *bytes, size_t size);
mb_status mb_deserialize(mb_instance *m, const unsigned char *bytes, size_t size, void **given);

/* mb_experiment.c */
mb_status mb_set_experiment(mb_instance *m, double t, int tolerance_defined, double tolerance);
mb_status mb_set_stop_time(mb_instance *m, int defined, double t);
mb_status mb_set_up(mb_instance *m, double start, int tolerance_defined, double tolerance,
                    int stop_defined, double stop);
mb_status mb_check_step(mb_instance *m, double point, double step);
mb_status mb_check_time(mb_instance *m);
mb_status mb_set_time(mb_instance *m, double t);

/* mb_modelexchange.c */
mb_status mb_set_states(mb_instance *m, const double *s, size_t n);
mb_status mb_get_states(mb_instance *m, double *s, size_t n);
mb_status mb_get_nominals(mb_instance *m, double *nominal, size_t n);
mb_status mb_get_rates(mb_instance *m, double *rate, size_t n);
mb_status mb_get_indicators(mb_instance *m, double *indicator, size_t n);
mb_status mb_completed_step(mb_instance *m, int *enter_event_mode);
mb_status mb_enter_initialization(mb_instance *m);
mb_status mb_exit_initialization(mb_instance *m);
mb_status mb_enter_event_mode(mb_instance *m);
double mb_next_event_time(mb_instance *m);
mb_status mb_update_discrete_states(mb_instance *m, int *states_changed);
mb_status mb_leave_event_mode(mb_instance *m, mb_mode next);

/* mb_cosimulation.c */
mb_status mb_do_step(mb_instance *m, double point, double step, int *event_needed);

#endif
