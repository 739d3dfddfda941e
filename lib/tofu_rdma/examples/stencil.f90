! SPDX-License-Identifier: GPL-2.0-only
!
! The heat equation in three dimensions with libtofu_rdma: stencil.c in Fortran.
!
!   mpirun -np 8 stencil_fortran [points per rank and direction] [steps] [backend]

program stencil
  use mpi
  use tofu_rdma
  use, intrinsic :: iso_fortran_env, only: real64, error_unit
  implicit none

  ! faces 2d and 2d+1 are the lower and the upper one in direction d = 0, 1, 2; the opposite of f is ieor(f, 1)

  integer, parameter :: FACES = 6
  real(real64), parameter :: TWO_PI = 6.283185307179586_real64, TOLERANCE = 1e-12_real64
  real(real64), parameter :: DIFFUSION = 0.1_real64    ! diffusivity * step / spacing**2; stable below 1/6

  integer :: n = 16, nsteps = 100
  character(64) :: backend = "auto"
  integer :: grid, rank, dims(3) = 0, coords(3), neighbor(0:FACES-1)
  real(real64), allocatable :: old(:,:,:), new(:,:,:)      ! a layer of halo around n**3 points
  real(real64), allocatable :: send(:,:)                   ! one face
  real(real64), allocatable, target :: halo(:,:,:,:)       ! (n,n,face,half) where the neighbors put theirs, in turn
  type(tofu_rdma_context) :: context
  type(tofu_rdma_address) :: to(0:FACES-1)                 ! the neighbor's halo
  integer(c_size_t) :: face_bytes
  real(real64) :: error
  integer :: step, ierr

  call MPI_Init(ierr)
  call read_arguments()
  allocate (old(0:n+1,0:n+1,0:n+1), new(0:n+1,0:n+1,0:n+1), send(n,n), halo(n,n,0:FACES-1,0:1))
  face_bytes = storage_size(send, c_size_t) / 8 * size(send, kind=c_size_t)

  call set_up_grid()
  call set_up_links()
  call start()
  do step = 0, nsteps - 1
    call exchange(mod(step, 2))
    call advance()
  end do
  error = max_error()
  if (rank == 0) print '(a,2(i0,a),i0,a,i0,a,i0,a,es9.3)', "stencil in Fortran: ", dims(1), " x ", dims(2), " x ", dims(3), &
    " ranks, ", n, "^3 points each, ", nsteps, " steps, max error ", error

  call tofu_rdma_free(context, ierr)
  call check(ierr)
  call MPI_Comm_free(grid, ierr)
  call MPI_Finalize(ierr)
  if (error > TOLERANCE) stop 1

contains

  subroutine check(status)
    integer, intent(in) :: status
    integer :: ignored

    if (status == TOFU_RDMA_OK) return
    write (error_unit, '(a)') tofu_rdma_message()
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine

  subroutine read_arguments()
    character(64) :: word
    integer :: status, ignored

    status = 0
    if (command_argument_count() >= 1) then
      call get_command_argument(1, word)
      read (word, *, iostat=status) n
    end if
    if (command_argument_count() >= 2 .and. status == 0) then
      call get_command_argument(2, word)
      read (word, *, iostat=status) nsteps
    end if
    if (command_argument_count() >= 3) call get_command_argument(3, backend)
    if (status == 0 .and. n >= 1 .and. nsteps >= 0) return
    write (error_unit, '(a)') "usage: stencil_fortran [points >= 1] [steps >= 0] [backend]"
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine

  subroutine set_up_grid()
    integer :: nranks, d

    call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
    call MPI_Dims_create(nranks, 3, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.true., .true., .true.], .false., grid, ierr)
    call MPI_Comm_rank(grid, rank, ierr)
    call MPI_Cart_coords(grid, rank, 3, coords, ierr)
    do d = 0, 2
      call MPI_Cart_shift(grid, d, 1, neighbor(2*d), neighbor(2*d+1), ierr)
    end do
  end subroutine

  ! memory is registered and addresses are looked up once; the steps only put and wait

  subroutine set_up_links()
    integer :: peers(FACES), npeers, face, region

    npeers = 0
    do face = 0, FACES - 1
      if (any(peers(:npeers) == neighbor(face))) cycle
      npeers = npeers + 1
      peers(npeers) = neighbor(face)
    end do
    call tofu_rdma_create(grid, peers(:npeers), context, ierr, backend=backend, slot_bytes=face_bytes)
    call check(ierr)
    call tofu_rdma_register(context, halo, 2 * FACES * face_bytes, region, ierr)
    call check(ierr)
    call tofu_rdma_commit(context, ierr)
    call check(ierr)
    do face = 0, FACES - 1
      call tofu_rdma_remote(context, neighbor(face), region, to(face), ierr)
      call check(ierr)
    end do
  end subroutine

  ! my face f becomes the neighbor's halo on its opposite side, whose number is the notice;
  ! a neighbor that is a step ahead puts into the other half of the halo: none is two ahead

  subroutine exchange(half)
    integer, intent(in) :: half
    integer :: face, opposite

    do face = 0, FACES - 1
      opposite = ieor(face, 1)
      call get_face(face, merge(1, n, mod(face, 2) == 0))
      call tofu_rdma_put(context, to(face), (half * FACES + opposite) * face_bytes, send, face_bytes, opposite, ierr)
      call check(ierr)
    end do
    do face = 0, FACES - 1
      call tofu_rdma_wait(context, neighbor(face), face, ierr)
      call check(ierr)
      call set_face(face, merge(0, n + 1, mod(face, 2) == 0), halo(:,:,face,half))
    end do
  end subroutine

  subroutine get_face(face, layer)
    integer, intent(in) :: face, layer

    select case (face / 2)
    case (0)
      send = old(layer,1:n,1:n)
    case (1)
      send = old(1:n,layer,1:n)
    case default
      send = old(1:n,1:n,layer)
    end select
  end subroutine

  subroutine set_face(face, layer, values)
    integer, intent(in) :: face, layer
    real(real64), intent(in) :: values(:,:)

    select case (face / 2)
    case (0)
      old(layer,1:n,1:n) = values
    case (1)
      old(1:n,layer,1:n) = values
    case default
      old(1:n,1:n,layer) = values
    end select
  end subroutine

  subroutine advance()
    new(1:n,1:n,1:n) = old(1:n,1:n,1:n) + DIFFUSION * (old(0:n-1,1:n,1:n) + old(2:n+1,1:n,1:n) &
      + old(1:n,0:n-1,1:n) + old(1:n,2:n+1,1:n) + old(1:n,1:n,0:n-1) + old(1:n,1:n,2:n+1) - 6 * old(1:n,1:n,1:n))
    old(1:n,1:n,1:n) = new(1:n,1:n,1:n)
  end subroutine

  ! one wavelength in each direction

  real(real64) function wave(i, j, k)
    integer, intent(in) :: i, j, k

    wave = cos(TWO_PI * sum(real(coords * n + [i, j, k] - 1, real64) / (dims * n)))
  end function

  subroutine start()
    integer :: i, j, k

    do k = 1, n
      do j = 1, n
        do i = 1, n
          old(i,j,k) = wave(i, j, k)
        end do
      end do
    end do
  end subroutine

  ! largest difference from the exact solution of the scheme, in which the wave shrinks by a factor in every step

  real(real64) function max_error()
    real(real64) :: amplitude, mine
    integer :: i, j, k

    amplitude = (1 + DIFFUSION * sum(2 * (cos(TWO_PI / (dims * n)) - 1)))**nsteps
    mine = 0
    do k = 1, n
      do j = 1, n
        do i = 1, n
          mine = max(mine, abs(old(i,j,k) - amplitude * wave(i, j, k)))
        end do
      end do
    end do
    call MPI_Allreduce(mine, max_error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid, ierr)
  end function

end program
