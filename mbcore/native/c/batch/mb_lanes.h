/* Vectors of MB_LANES doubles, each of another instance: what generated functions of a batch are
 * made of. A lane has the same bits whatever is in the others and however many there are.
 *
 * Truth is a number in lanes, 0 or 1, as in the expressions that these functions come from.
 */
#ifndef MB_LANES_H
#define MB_LANES_H

#include <math.h>
#include <string.h>

#if defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

typedef double mb_lane __attribute__((vector_size(8 * MB_LANES)));
typedef long long mb_mask __attribute__((vector_size(8 * MB_LANES)));

#define MB_BITS(a) ((mb_mask)(a))
#define MB_LANE static inline mb_lane

/* A number in all lanes; taking zero away keeps the sign of zeros. */
MB_LANE mb_all(double a) { return a - (mb_lane){0}; }

MB_LANE mb_choose(mb_mask where, mb_lane a, mb_lane b)
{
    return (mb_lane)((MB_BITS(a) & where) | (MB_BITS(b) & ~where));
}

MB_LANE mb_truth(mb_mask where) { return (mb_lane)(MB_BITS(mb_all(1)) & where); }

static inline mb_mask mb_is_true(mb_lane a) { return a != (mb_lane){0}; }

static inline int mb_any(mb_mask where)
{
    long long any = 0;
    for (int i = 0; i < MB_LANES; i++)
        any |= where[i];
    return any != 0;
}

MB_LANE mb_less(mb_lane a, mb_lane b) { return mb_truth(a < b); }
MB_LANE mb_at_most(mb_lane a, mb_lane b) { return mb_truth(a <= b); }
MB_LANE mb_equal(mb_lane a, mb_lane b) { return mb_truth(a == b); }
MB_LANE mb_unequal(mb_lane a, mb_lane b) { return mb_truth(a != b); }
MB_LANE mb_and(mb_lane a, mb_lane b) { return mb_truth(mb_is_true(a) & mb_is_true(b)); }
MB_LANE mb_or(mb_lane a, mb_lane b) { return mb_truth(mb_is_true(a) | mb_is_true(b)); }
MB_LANE mb_not(mb_lane a) { return mb_truth(~mb_is_true(a)); }
MB_LANE mb_if(mb_lane a, mb_lane b) { return (mb_lane)(MB_BITS(b) & mb_is_true(a)); }

MB_LANE mb_magnitude(mb_lane a) { return (mb_lane)(MB_BITS(a) & 0x7fffffffffffffffLL); }

MB_LANE mb_with_sign_of(mb_lane a, mb_lane b)
{
    return (mb_lane)((MB_BITS(a) & 0x7fffffffffffffffLL) |
                     (MB_BITS(b) & (long long)0x8000000000000000ULL));
}

MB_LANE mb_sign(mb_lane a)
{
    return mb_choose(a < 0, mb_all(-1), mb_choose(a > 0, mb_all(1), a));
}

MB_LANE mb_smaller(mb_lane a, mb_lane b) { return mb_choose((a < b) | (b != b), a, b); }
MB_LANE mb_larger(mb_lane a, mb_lane b) { return mb_choose((a > b) | (b != b), a, b); }

MB_LANE mb_root(mb_lane a)
{
#if MB_LANES == 8 && defined(__AVX512F__)
    return (mb_lane)_mm512_sqrt_pd((__m512d)a);
#elif MB_LANES == 4 && defined(__AVX__)
    return (mb_lane)_mm256_sqrt_pd((__m256d)a);
#elif MB_LANES == 2 && defined(__SSE2__)
    return (mb_lane)_mm_sqrt_pd((__m128d)a);
#else
    for (int i = 0; i < MB_LANES; i++)
        a[i] = sqrt(a[i]);
    return a;
#endif
}

/* Functions of libm, lane by lane. */
#define MB_ONE_BY_ONE(name)                                                                          \
    MB_LANE mb_each_##name(mb_lane a)                                                                \
    {                                                                                                \
        for (int i = 0; i < MB_LANES; i++)                                                           \
            a[i] = name(a[i]);                                                                       \
        return a;                                                                                    \
    }
#define MB_PAIR_BY_PAIR(name)                                                                        \
    MB_LANE mb_each_##name(mb_lane a, mb_lane b)                                                     \
    {                                                                                                \
        for (int i = 0; i < MB_LANES; i++)                                                           \
            a[i] = name(a[i], b[i]);                                                                 \
        return a;                                                                                    \
    }
/* clang-format off */
MB_ONE_BY_ONE(sin) MB_ONE_BY_ONE(cos) MB_ONE_BY_ONE(tan) MB_ONE_BY_ONE(log)
MB_ONE_BY_ONE(sinh) MB_ONE_BY_ONE(cosh) MB_ONE_BY_ONE(tanh)
MB_ONE_BY_ONE(asinh) MB_ONE_BY_ONE(acosh) MB_ONE_BY_ONE(atanh)
MB_ONE_BY_ONE(floor) MB_ONE_BY_ONE(ceil)
MB_ONE_BY_ONE(erf) MB_ONE_BY_ONE(log1p) MB_ONE_BY_ONE(expm1)
MB_PAIR_BY_PAIR(pow) MB_PAIR_BY_PAIR(fmod) MB_PAIR_BY_PAIR(remainder)
MB_PAIR_BY_PAIR(hypot) MB_PAIR_BY_PAIR(atan2)
/* clang-format on */

#endif
