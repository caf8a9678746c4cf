/* FMI 3.0: partial derivatives, and what depends on what. */
#include "fmi3Functions.h"
#include "mb_derivatives.h"

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                               fmi3ValueReference valueReference,
                                               size_t *nDependencies)
{
    (void)valueReference, (void)nDependencies;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies)
{
    (void)dependent, (void)elementIndicesOfDependent, (void)independents;
    (void)elementIndicesOfIndependents, (void)dependencyKinds, (void)nDependencies;
    return (fmi3Status)mb_not_provided(instance, __func__);
}

/* Whether the call may be made, nothing is missing, and the counts belong to each other: all
 * variables are scalars. */
static int enter(mb_instance *m, const char *function, const mb_partial *of, int adjoint,
                 const double *seed, size_t seeds, const double *sensitivity, size_t sensitivities)
{
    const size_t given = adjoint ? of->unknowns : of->knowns;
    const size_t wanted = adjoint ? of->knowns : of->unknowns;
    if (!mb_enter(m, function, MB_CALCULATING) ||
        !mb_given_all(m, of->unknowns, of->unknown, "unknowns") ||
        !mb_given_all(m, of->knowns, of->known, "knowns") ||
        !mb_given_all(m, seeds, seed, "seed") ||
        !mb_given_all(m, sensitivities, sensitivity, "sensitivity"))
        return 0;
    if (seeds == given && sensitivities == wanted)
        return 1;
    mb_leave(m, mb_refuse(m, MB_ERROR,
                          "%lu seeds for %lu scalar variables, and %lu sensitivities for %lu",
                          (unsigned long)seeds, (unsigned long)given, (unsigned long)sensitivities,
                          (unsigned long)wanted));
    return 0;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity)
{
    const mb_partial of = {unknowns, knowns, nUnknowns, nKnowns, 1};
    if (!enter(instance, __func__, &of, 0, seed, nSeed, sensitivity, nSensitivity))
        return fmi3Error;
    return (fmi3Status)mb_leave(instance, mb_directional(instance, &of, seed, sensitivity));
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity)
{
    const mb_partial of = {unknowns, knowns, nUnknowns, nKnowns, 1};
    if (!enter(instance, __func__, &of, 1, seed, nSeed, sensitivity, nSensitivity))
        return fmi3Error;
    return (fmi3Status)mb_leave(instance, mb_adjoint(instance, &of, seed, sensitivity));
}
