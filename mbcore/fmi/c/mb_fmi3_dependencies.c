/* FMI 3.0: dependencies by element, which a model with arrays states. While initializing they are those
 * of initial unknowns, else those of the calculated variables. */
#include "fmi3Functions.h"
#include "mb_calls.h"

/* Those of the present mode, or NULL where the model states none. */
static const mb_dependencies *known_now(mb_instance *m)
{
    const mb_dependencies *of =
        m->mode == MB_INITIALIZATION ? &MB_MODEL->initial : &MB_MODEL->running;
    return of->begin ? of : NULL;
}

static size_t count_dependencies(const mb_instance *m, const mb_dependencies *of,
                                 fmi3ValueReference reference)
{
    size_t count = 0;
    for (mb_elements e = mb_elements_of(&reference, 1); mb_next(m, &e);)
        count += (size_t)(of->begin[e.variable + 1] - of->begin[e.variable]);
    return count;
}

/* The array that a variable is an element of, or NULL. */
static const mb_array *array_with(int variable)
{
    for (int i = 0; i < MB_MODEL->arrays; i++) {
        const mb_array *array = &MB_MODEL->array[i];
        if (variable >= array->first && variable < array->first + array->elements)
            return array;
    }
    return NULL;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                               fmi3ValueReference valueReference,
                                               size_t *nDependencies)
{
    mb_instance *m = instance;
    if (!mb_enter(m, __func__, MB_ANY_MODE) || !mb_given(m, nDependencies, "nDependencies"))
        return fmi3Error;
    const mb_dependencies *of = known_now(m);
    if (!of)
        return (fmi3Status)mb_not_provided(m, __func__);
    if (!mb_array_of(m, valueReference) && !mb_referenced(m, valueReference))
        return (fmi3Status)mb_leave(m, MB_ERROR);
    *nDependencies = count_dependencies(m, of, valueReference);
    return fmi3OK;
}

/* Elements count from 1; 0 stands for a variable that is no array. */
fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    mb_instance *m = instance;
    if (!mb_enter(m, __func__, MB_ANY_MODE) ||
        !mb_given_all(m, nDependencies, elementIndicesOfDependent, "elementIndicesOfDependent") ||
        !mb_given_all(m, nDependencies, independents, "independents") ||
        !mb_given_all(m, nDependencies, elementIndicesOfIndependents,
                      "elementIndicesOfIndependents") ||
        !mb_given_all(m, nDependencies, dependencyKinds, "dependencyKinds"))
        return fmi3Error;
    const mb_dependencies *of = known_now(m);
    if (!of)
        return (fmi3Status)mb_not_provided(m, __func__);
    if (!mb_array_of(m, dependent) && !mb_referenced(m, dependent))
        return (fmi3Status)mb_leave(m, MB_ERROR);
    const size_t count = count_dependencies(m, of, dependent);
    if (count != nDependencies)
        return (fmi3Status)mb_leave(
            m, mb_refuse(m, MB_ERROR, "room for %lu dependencies, and there are %lu",
                         (unsigned long)nDependencies, (unsigned long)count));
    size_t k = 0;
    for (mb_elements e = mb_elements_of(&dependent, 1); mb_next(m, &e);)
        for (int i = of->begin[e.variable]; i < of->begin[e.variable + 1]; i++, k++) {
            const mb_array *by = array_with(of->known[i]);
            elementIndicesOfDependent[k] = mb_array_of(m, dependent) ? e.place + 1 : 0;
            independents[k] = (fmi3ValueReference)(by ? MB_MODEL->variables + (int)(by - MB_MODEL->array)
                                                      : of->known[i]);
            elementIndicesOfIndependents[k] = by ? (size_t)(of->known[i] - by->first + 1) : 0;
            dependencyKinds[k] = (fmi3DependencyKind)of->kind[i];
        }
    return fmi3OK;
}
