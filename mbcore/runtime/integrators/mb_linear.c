/* Dense linear systems: LU factorization with partial pivoting, matrices column-major. */
#include <math.h>

#include "mb_integrator.h"

/* Replaces A by its factors; returns 0 if it is singular. */
int mb_factorize(double *A, int *pivot, int n)
{
    for (int k = 0; k < n; k++) {
        double *restrict column = A + k * n;
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[p]))
                p = i;
        pivot[k] = p;
        if (!(fabs(column[p]) > 0))
            return 0;
        for (int j = 0; p != k && j < n; j++) {
            const double swapped = A[j * n + k];
            A[j * n + k] = A[j * n + p];
            A[j * n + p] = swapped;
        }
        for (int i = k + 1; i < n; i++)
            column[i] /= column[k];
        for (int j = k + 1; j < n; j++) {
            double *restrict other = A + j * n;
            const double factor = other[k];
            for (int i = k + 1; factor != 0 && i < n; i++)
                other[i] -= factor * column[i];
        }
    }
    return 1;
}

/* Replaces b by the solution. */
void mb_solve(const double *LU, const int *pivot, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        const double swapped = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = swapped;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            b[i] -= LU[k * n + i] * b[k];
    for (int k = n - 1; k >= 0; k--) {
        b[k] /= LU[k * n + k];
        for (int i = 0; i < k; i++)
            b[i] -= LU[k * n + i] * b[k];
    }
}
