! SPDX-License-Identifier: GPL-2.0-only
!
! Parts that the Fortran module adds to the C functions: kinds of arrays, optional arguments, texts.

program test_tofu_rdma_fortran
  use mpi
  use tofu_rdma
  implicit none

  type(tofu_rdma_context) :: context
  type(tofu_rdma_address) :: to
  type(tofu_rdma_event) :: event
  real, target :: field(4,3)
  integer, target :: scalar
  character(8), target :: word
  integer(c_size_t) :: bytes
  integer :: rank, nranks, next, previous, region(3), i, ierr
  logical :: found

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  next = mod(rank + 1, nranks)
  previous = mod(rank + nranks - 1, nranks)
  bytes = storage_size(field, c_size_t) / 8 * size(field, kind=c_size_t)
  field = -1
  scalar = -1
  word = "........"

  ! names and errors

  call expect(tofu_rdma_backend_name(0) == "auto" .and. tofu_rdma_backend_name(1000) == "", "names of backends")
  call tofu_rdma_create(MPI_COMM_WORLD, [(i, i=0,nranks-1)], context, ierr, backend="teleport")
  call expect(ierr == TOFU_RDMA_ERROR_ARGUMENT .and. index(tofu_rdma_message(), "teleport") > 0, "unknown backend")
  call tofu_rdma_commit(context, ierr)
  call expect(ierr == TOFU_RDMA_ERROR_ARGUMENT .and. index(tofu_rdma_message(), "NULL") > 0, "context that was not made")
  call tofu_rdma_create(MPI_COMM_WORLD, [(i, i=0,nranks-1)], context, ierr, backend="auto", slots=2, &
    slot_bytes=100_c_size_t, stream=.false., verify=.true., node_size=2, warn_seconds=60d0)
  call good("create")
  call expect(tofu_rdma_peer_backend(context, rank) == "self" .and. tofu_rdma_peer_backend(context, nranks) == "", &
    "backend of a peer")

  ! arrays of any kind and rank, scalars, characters; a section with gaps is refused

  call tofu_rdma_register(context, field, bytes, region(1), ierr)
  call good("register an array")
  call tofu_rdma_register(context, scalar, 4_c_size_t, region(2), ierr)
  call good("register a scalar")
  call tofu_rdma_register(context, word, 8_c_size_t, region(3), ierr)
  call good("register characters")
  call expect(all(region == [0, 1, 2]), "numbers of regions")
  call tofu_rdma_register(context, field(1,:), 12_c_size_t, i, ierr)
  call expect(ierr == TOFU_RDMA_ERROR_ARGUMENT .and. index(tofu_rdma_message(), "not contiguous") > 0, "section as region")
  call tofu_rdma_commit(context, ierr)
  call good("commit")

  call tofu_rdma_remote(context, next, region(1), to, ierr)
  call good("remote")
  call expect(to%peer == next .and. to%bytes == bytes, "address")
  call tofu_rdma_put(context, to, 16_c_size_t, [(real(rank + i), i=1,4)], 16_c_size_t, 5, ierr)
  call good("put a column")
  call tofu_rdma_put(context, to, 0_c_size_t, field(1,:), 12_c_size_t, 5, ierr)
  call expect(ierr == TOFU_RDMA_ERROR_ARGUMENT, "section as source")
  call tofu_rdma_put(context, to, 1_c_size_t, field, bytes, 5, ierr)
  call expect(ierr == TOFU_RDMA_ERROR_BOUNDS .and. index(tofu_rdma_message(), "which has 48 bytes") > 0, "bounds")
  call tofu_rdma_remote(context, next, region(2), to, ierr)
  call tofu_rdma_put(context, to, 0_c_size_t, rank, 4_c_size_t, TOFU_RDMA_NO_NOTICE, ierr)
  call good("put a scalar")
  call tofu_rdma_remote(context, next, region(3), to, ierr)
  call tofu_rdma_put(context, to, 2_c_size_t, "halo", 4_c_size_t, 6, ierr)
  call good("put characters")

  call tofu_rdma_wait(context, TOFU_RDMA_ANY, 6, ierr, event)
  call good("wait")
  call expect(event%peer == previous .and. event%notice == 6 .and. event%region == region(3) .and. event%offset == 2 &
    .and. event%bytes == 4, "event")
  call tofu_rdma_test(context, previous, 5, found, ierr)
  call good("test")
  call expect(found, "earlier notice of the same peer")
  call tofu_rdma_test(context, previous, 5, found, ierr, event)
  call expect(.not. found, "notice taken twice")
  call tofu_rdma_progress(context, ierr)
  call good("progress")
  call expect(word == "..halo.." .and. scalar == previous .and. all(field(:,2) == [(real(previous + i), i=1,4)]) &
    .and. all(field(:,[1,3]) == -1), "what has landed")

  call tofu_rdma_free(context, ierr)
  call good("free")
  call tofu_rdma_free(context, ierr)
  call good("free twice")
  call MPI_Finalize(ierr)

contains

  subroutine good(what)
    character(*), intent(in) :: what

    call expect(ierr == TOFU_RDMA_OK, what)
  end subroutine

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    integer :: ignored

    if (condition) return
    print '(a,i0,4a)', "rank ", rank, ": wrong: ", what, "; last message: ", tofu_rdma_message()
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine

end program
