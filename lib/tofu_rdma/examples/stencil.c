/* SPDX-License-Identifier: GPL-2.0-only

   The heat equation in three dimensions with libtofu_rdma: explicit steps, 7-point stencil,
   periodic.

     mpirun -np 8 stencil_c [points per rank and direction] [steps] [backend]

   A plane wave is an eigenvector of the stencil, so the exact solution of the scheme is known: it
   shrinks by the same factor in every step. The program ends with 1 if its result differs from that
   by more than rounding. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tofu_rdma.h>

/* Faces 2d and 2d+1 are the lower and the upper one in direction d; the one opposite of f is f^1.
   */
enum { FACES = 6 };

static const double TWO_PI = 6.283185307179586;
static const double DIFFUSION = 0.1; /* diffusivity * step / spacing^2; stable below 1/6 */
static const double TOLERANCE = 1e-12;

typedef struct {
  MPI_Comm grid;
  int rank, n, nsteps;    /* n points per rank and direction */
  int dims[3], coords[3]; /* of the grid of ranks */
  int neighbor[FACES];    /* the same rank may stand behind several faces */
  double *old, *new;      /* [(n+2)^3], a layer of halo around n^3 points */
  double *send;           /* [n^2] one face */
  double *halo;           /* [2][FACES][n^2] where the neighbors put theirs, in turn */
  tofu_rdma *context;
  tofu_rdma_address to[FACES]; /* the neighbor's halo */
} Stencil;

static void check(int status)
{
  if (status == TOFU_RDMA_OK) return;
  fprintf(stderr, "%s\n", tofu_rdma_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(size_t count)
{
  void *memory = calloc(count, sizeof(double));
  if (!memory) {
    fprintf(stderr, "no memory for %zu numbers; take fewer points\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static size_t at(const Stencil *s, int i, int j, int k)
{
  const size_t width = s->n + 2;
  return ((size_t) i * width + j) * width + k;
}

/* Index of point (a,b) of a face's layer; layer 0 is halo, 1 and n are this rank's, n+1 is halo. */
static size_t on_face(const Stencil *s, int face, int layer, int a, int b)
{
  switch (face / 2) {
    case 0:
      return at(s, layer, a + 1, b + 1);
    case 1:
      return at(s, a + 1, layer, b + 1);
    default:
      return at(s, a + 1, b + 1, layer);
  }
}

static size_t face_bytes(const Stencil *s)
{
  return sizeof(double) * s->n * s->n;
}

static void set_up_grid(Stencil *s)
{
  const int periodic[3] = {1, 1, 1};
  int nranks;
  MPI_Comm_size(MPI_COMM_WORLD, &nranks);
  MPI_Dims_create(nranks, 3, s->dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, s->dims, periodic, 0, &s->grid);
  MPI_Comm_rank(s->grid, &s->rank);
  MPI_Cart_coords(s->grid, s->rank, 3, s->coords);
  for (int d = 0; d < 3; d++)
    MPI_Cart_shift(s->grid, d, 1, &s->neighbor[2 * d], &s->neighbor[2 * d + 1]);
}

/* Memory is registered and addresses are looked up once; the steps only put and wait. */
static void set_up_links(Stencil *s, const char *backend)
{
  int peers[FACES], npeers = 0, region;
  for (int face = 0; face < FACES; face++) {
    int known = 0;
    for (int i = 0; i < npeers; i++) known |= peers[i] == s->neighbor[face];
    if (!known) peers[npeers++] = s->neighbor[face];
  }

  tofu_rdma_options options;
  tofu_rdma_default_options(&options);
  options.backend = backend;
  options.slot_bytes = face_bytes(s);
  options.slots = 4;
  check(tofu_rdma_create(s->grid, npeers, peers, &options, &s->context));
  check(tofu_rdma_register(s->context, s->halo, 2 * FACES * face_bytes(s), &region));
  check(tofu_rdma_commit(s->context));
  for (int face = 0; face < FACES; face++)
    check(tofu_rdma_remote(s->context, s->neighbor[face], region, &s->to[face]));
}

/* My face f becomes the neighbor's halo on its side f^1, and that number is the notice.
   A neighbor that is a step ahead puts into the other half of the halo: none is two ahead. */
static void exchange(Stencil *s, int step)
{
  const int half = step % 2;
  for (int face = 0; face < FACES; face++) {
    const int layer = face % 2 ? s->n : 1;
    for (int a = 0; a < s->n; a++)
      for (int b = 0; b < s->n; b++) s->send[a * s->n + b] = s->old[on_face(s, face, layer, a, b)];
    const size_t place = half * FACES + (face ^ 1);
    check(tofu_rdma_put(s->context, &s->to[face], place * face_bytes(s), s->send, face_bytes(s),
                        face ^ 1));
  }
  for (int face = 0; face < FACES; face++) {
    check(tofu_rdma_wait(s->context, s->neighbor[face], face, NULL));
    const double *came = s->halo + (size_t) (half * FACES + face) * s->n * s->n;
    const int layer = face % 2 ? s->n + 1 : 0;
    for (int a = 0; a < s->n; a++)
      for (int b = 0; b < s->n; b++) s->old[on_face(s, face, layer, a, b)] = came[a * s->n + b];
  }
}

static void advance(Stencil *s)
{
  const size_t x = at(s, 1, 0, 0), y = at(s, 0, 1, 0), z = 1;
  for (int i = 1; i <= s->n; i++)
    for (int j = 1; j <= s->n; j++)
      for (int k = 1; k <= s->n; k++) {
        const double *u = s->old + at(s, i, j, k);
        s->new[at(s, i, j, k)] = *u +
            DIFFUSION *(*(u - x) + *(u + x) + *(u - y) + *(u + y) + *(u - z) + *(u + z) - 6.0 * *u);
      }
  double *swap = s->old;
  s->old = s->new;
  s->new = swap;
}

/* One wavelength in each direction. */
static double wave(const Stencil *s, int i, int j, int k)
{
  const int local[3] = {i - 1, j - 1, k - 1};
  double phase = 0.0;
  for (int d = 0; d < 3; d++)
    phase += (double) (s->coords[d] * s->n + local[d]) / (s->dims[d] * s->n);
  return cos(TWO_PI * phase);
}

static void start(Stencil *s)
{
  for (int i = 1; i <= s->n; i++)
    for (int j = 1; j <= s->n; j++)
      for (int k = 1; k <= s->n; k++) s->old[at(s, i, j, k)] = wave(s, i, j, k);
}

/* Largest difference from the exact solution, over all ranks. */
static double max_error(const Stencil *s)
{
  double factor = 1.0, mine = 0.0, most;
  for (int d = 0; d < 3; d++) factor += DIFFUSION * 2.0 * (cos(TWO_PI / (s->dims[d] * s->n)) - 1.0);
  const double amplitude = pow(factor, s->nsteps);
  for (int i = 1; i <= s->n; i++)
    for (int j = 1; j <= s->n; j++)
      for (int k = 1; k <= s->n; k++)
        mine = fmax(mine, fabs(s->old[at(s, i, j, k)] - amplitude * wave(s, i, j, k)));
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, s->grid);
  return most;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  Stencil s = {.n = argc > 1 ? atoi(argv[1]) : 16, .nsteps = argc > 2 ? atoi(argv[2]) : 100};
  if (s.n < 1 || s.nsteps < 0) {
    fprintf(stderr, "usage: stencil_c [points >= 1] [steps >= 0] [backend]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  s.old = allocate((size_t) (s.n + 2) * (s.n + 2) * (s.n + 2));
  s.new = allocate((size_t) (s.n + 2) * (s.n + 2) * (s.n + 2));
  s.send = allocate((size_t) s.n * s.n);
  s.halo = allocate((size_t) 2 * FACES * s.n * s.n);

  set_up_grid(&s);
  set_up_links(&s, argc > 3 ? argv[3] : "auto");
  start(&s);
  for (int step = 0; step < s.nsteps; step++) {
    exchange(&s, step);
    advance(&s);
  }
  const double error = max_error(&s);
  if (s.rank == 0)
    printf("stencil in C: %d x %d x %d ranks, %d^3 points each, %d steps, max error %.3e\n",
           s.dims[0], s.dims[1], s.dims[2], s.n, s.nsteps, error);

  check(tofu_rdma_free(&s.context));
  free(s.old);
  free(s.new);
  free(s.send);
  free(s.halo);
  MPI_Comm_free(&s.grid);
  MPI_Finalize();
  return error > TOLERANCE;
}
