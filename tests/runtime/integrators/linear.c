/* Dense linear systems against solutions known beforehand. */
#include "model.h"

enum { MOST = 12 };

/* Makes b = A x for a given solution x, solves for it, and returns the largest error. */
static double error_of_solution(const double *matrix, int n)
{
    double A[MOST * MOST], b[MOST], largest = 0;
    int pivot[MOST];
    memcpy(A, matrix, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = 0; j < n; j++)
            b[i] += A[j * n + i] * (j + 1);
    }
    expect(mb_factorize(A, pivot, n), "a regular matrix is called singular");
    mb_solve(A, pivot, b, n);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(b[i] - (i + 1)));
    return largest;
}

CHECK(two_equations_in_the_wrong_order)
{
    const double A[] = {0, 1, 1, 0};
    near(error_of_solution(A, 2), 0, 0, "error");
}

CHECK(a_cycle_of_three_exchanges)
{
    const double A[] = {0, 0, 2, 3, 0, 0, 0, 5, 0}; /* columns */
    near(error_of_solution(A, 3), 0, 1e-15, "error");
}

CHECK(a_small_pivot_is_not_taken)
{
    const double A[] = {1e-17, 1, 1, 1};
    near(error_of_solution(A, 2), 0, 1e-15, "error");
}

CHECK(random_systems_with_a_zero_diagonal)
{
    for (int trial = 0; trial < 300; trial++) {
        const int n = 2 + trial % (MOST - 1);
        double A[MOST * MOST];
        for (int i = 0; i < n * n; i++)
            A[i] = i % (n + 1) ? random_between(-0.2, 0.2) : 0;
        for (int j = 0; j < n; j++) /* a shifted diagonal that dominates: well conditioned */
            A[j * n + (j + 1) % n] = n * (j % 2 ? 1 : -1);
        near(error_of_solution(A, n), 0, 1e-13, "error");
    }
}

CHECK(a_singular_matrix_is_refused)
{
    double A[] = {1, 2, 3, 2, 4, 6, 1, 0, 1}; /* two columns are parallel */
    double no_number[] = {NAN, NAN, NAN, NAN};
    int pivot[3];
    expect(!mb_factorize(A, pivot, 3), "parallel columns are called regular");
    expect(!mb_factorize(no_number, pivot, 2), "a matrix of NaN is called regular");
}
