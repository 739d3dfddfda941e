! SPDX-License-Identifier: GPL-2.0-only
!
! Fortran module of libtofu_rdma. The header tofu_rdma.h documents each call. The Fortran interface
! differs from it as follows:
!
!   * Memory is any contiguous array; sizes and offsets are integer(c_size_t) in bytes:
!     storage_size(a, c_size_t)/8*size(a, kind=c_size_t). A section that is not contiguous is refused.
!   * An array given to tofu_rdma_register() must have the attribute TARGET, must not be moved or deallocated
!     before tofu_rdma_free(), and changes during the calls in which puts land.
!   * Regions, ranks and notices count from 0, as in C and MPI.
!   * Every subroutine ends with ierr: TOFU_RDMA_OK or an error code; tofu_rdma_message() has the text.
!   * comm is an integer handle; with the module mpi_f08 it is comm%mpi_val.

module tofu_rdma
  use, intrinsic :: iso_c_binding
  implicit none
  private

  public :: tofu_rdma_context, tofu_rdma_address, tofu_rdma_event
  public :: tofu_rdma_create, tofu_rdma_register, tofu_rdma_commit, tofu_rdma_remote, tofu_rdma_put
  public :: tofu_rdma_wait, tofu_rdma_test, tofu_rdma_progress, tofu_rdma_free
  public :: tofu_rdma_peer_backend, tofu_rdma_backend_name, tofu_rdma_message
  public :: c_size_t

  integer, parameter, public :: TOFU_RDMA_OK = 0, TOFU_RDMA_ERROR_ARGUMENT = 1, TOFU_RDMA_ERROR_BOUNDS = 2, &
    TOFU_RDMA_ERROR_STATE = 3, TOFU_RDMA_ERROR_CONNECT = 4, TOFU_RDMA_ERROR_PEER = 5, TOFU_RDMA_ERROR_MEMORY = 6, &
    TOFU_RDMA_ERROR_FOREVER = 7, TOFU_RDMA_ERROR_INTERNAL = 8
  integer, parameter, public :: TOFU_RDMA_ANY = -1, TOFU_RDMA_NO_NOTICE = -1

  !> A context; ended by tofu_rdma_free(), not by going out of scope.
  type :: tofu_rdma_context
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  !> Address of a peer's region; from tofu_rdma_remote().
  type, bind(C) :: tofu_rdma_address
    integer(c_int) :: peer = -1, region = -1
    integer(c_size_t) :: bytes = 0
  end type

  !> A put that has landed here with a notice.
  type, bind(C) :: tofu_rdma_event
    integer(c_int) :: peer = -1, notice = -1, region = -1
    integer(c_size_t) :: offset = 0, bytes = 0
  end type

  type, bind(C) :: options_t    ! tofu_rdma_options
    type(c_ptr) :: backend
    integer(c_int) :: slots
    integer(c_size_t) :: slot_bytes
    integer(c_int) :: stream, verify, node_size
    real(c_double) :: warn_seconds
    type(c_funptr) :: warn
    type(c_ptr) :: warn_user
  end type

  interface
    subroutine c_default_options(options) bind(C, name="tofu_rdma_default_options")
      import :: options_t
      type(options_t), intent(out) :: options
    end subroutine

    integer(c_int) function c_create(comm, npeers, peers, options, context) bind(C, name="tofu_rdma_create_f")
      import :: c_int, c_ptr, options_t
      integer, value :: comm
      integer(c_int), value :: npeers
      integer(c_int), intent(in) :: peers(*)
      type(options_t), intent(in) :: options
      type(c_ptr), intent(out) :: context
    end function

    integer(c_int) function c_register(context, memory, bytes, region) bind(C, name="tofu_rdma_register")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: context, memory
      integer(c_size_t), value :: bytes
      integer(c_int), intent(out) :: region
    end function

    integer(c_int) function c_commit(context) bind(C, name="tofu_rdma_commit")
      import :: c_int, c_ptr
      type(c_ptr), value :: context
    end function

    integer(c_int) function c_remote(context, peer, region, address) bind(C, name="tofu_rdma_remote")
      import :: c_int, c_ptr, tofu_rdma_address
      type(c_ptr), value :: context
      integer(c_int), value :: peer, region
      type(tofu_rdma_address), intent(inout) :: address
    end function

    integer(c_int) function c_put(context, to, offset, local, bytes, notice) bind(C, name="tofu_rdma_put")
      import :: c_int, c_ptr, c_size_t, tofu_rdma_address
      type(c_ptr), value :: context, local
      type(tofu_rdma_address), intent(in) :: to
      integer(c_size_t), value :: offset, bytes
      integer(c_int), value :: notice
    end function

    integer(c_int) function c_wait(context, peer, notice, event) bind(C, name="tofu_rdma_wait")
      import :: c_int, c_ptr, tofu_rdma_event
      type(c_ptr), value :: context
      integer(c_int), value :: peer, notice
      type(tofu_rdma_event), intent(inout) :: event
    end function

    integer(c_int) function c_test(context, peer, notice, found, event) bind(C, name="tofu_rdma_test")
      import :: c_int, c_ptr, tofu_rdma_event
      type(c_ptr), value :: context
      integer(c_int), value :: peer, notice
      integer(c_int), intent(out) :: found
      type(tofu_rdma_event), intent(inout) :: event
    end function

    integer(c_int) function c_progress(context) bind(C, name="tofu_rdma_progress")
      import :: c_int, c_ptr
      type(c_ptr), value :: context
    end function

    integer(c_int) function c_free(context) bind(C, name="tofu_rdma_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: context
    end function

    type(c_ptr) function c_peer_backend(context, peer) bind(C, name="tofu_rdma_peer_backend")
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int), value :: peer
    end function

    type(c_ptr) function c_backend_name(index) bind(C, name="tofu_rdma_backend_name")
      import :: c_int, c_ptr
      integer(c_int), value :: index
    end function

    type(c_ptr) function c_message() bind(C, name="tofu_rdma_message")
      import :: c_ptr
    end function

    integer(c_int) function c_refuse_section() bind(C, name="tofu_rdma_refuse_section_f")
      import :: c_int
    end function

    integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  !> Make a context; collective over comm. Options that are absent have the defaults of tofu_rdma.h.
  subroutine tofu_rdma_create(comm, peers, context, ierr, backend, slots, slot_bytes, stream, verify, &
    node_size, warn_seconds)
    integer, intent(in) :: comm, peers(:)
    type(tofu_rdma_context), intent(out) :: context
    integer, intent(out) :: ierr
    character(*), intent(in), optional :: backend
    integer, intent(in), optional :: slots, node_size
    integer(c_size_t), intent(in), optional :: slot_bytes
    logical, intent(in), optional :: stream, verify
    real(c_double), intent(in), optional :: warn_seconds
    type(options_t) :: options
    character(:), allocatable, target :: name

    call c_default_options(options)
    if (present(backend)) then
      name = trim(backend) // c_null_char
      options%backend = c_loc(name)
    end if
    if (present(slots)) options%slots = slots
    if (present(slot_bytes)) options%slot_bytes = slot_bytes
    if (present(stream)) options%stream = merge(1, 0, stream)
    if (present(verify)) options%verify = merge(1, 0, verify)
    if (present(node_size)) options%node_size = node_size
    if (present(warn_seconds)) options%warn_seconds = warn_seconds
    ierr = c_create(comm, size(peers), peers, options, context%handle)
  end subroutine

  !> Let all peers write the first so many bytes of an array.
  subroutine tofu_rdma_register(context, memory, bytes, region, ierr)
    type(tofu_rdma_context), intent(in) :: context
    type(*), dimension(..), target, intent(inout) :: memory
    integer(c_size_t), intent(in) :: bytes
    integer, intent(out) :: region, ierr

    region = -1
    ierr = TOFU_RDMA_ERROR_ARGUMENT
    if (usable(memory)) ierr = c_register(context%handle, c_loc(memory), bytes, region)
  end subroutine

  !> Exchange the addresses of regions with all peers.
  subroutine tofu_rdma_commit(context, ierr)
    type(tofu_rdma_context), intent(in) :: context
    integer, intent(out) :: ierr

    ierr = c_commit(context%handle)
  end subroutine

  !> Address of a region of a peer.
  subroutine tofu_rdma_remote(context, peer, region, address, ierr)
    type(tofu_rdma_context), intent(in) :: context
    integer, intent(in) :: peer, region
    type(tofu_rdma_address), intent(inout) :: address
    integer, intent(out) :: ierr

    ierr = c_remote(context%handle, peer, region, address)
  end subroutine

  !> Put the first so many bytes of an array into a region of a peer; the array may be reused at once.
  subroutine tofu_rdma_put(context, to, offset, local, bytes, notice, ierr)
    type(tofu_rdma_context), intent(in) :: context
    type(tofu_rdma_address), intent(in) :: to
    integer(c_size_t), intent(in) :: offset, bytes
    type(*), dimension(..), target, intent(in) :: local
    integer, intent(in) :: notice
    integer, intent(out) :: ierr

    ierr = TOFU_RDMA_ERROR_ARGUMENT
    if (usable(local)) ierr = c_put(context%handle, to, offset, c_loc(local), bytes, notice)
  end subroutine

  !> Block until a notice has arrived, and take the oldest that matches.
  subroutine tofu_rdma_wait(context, peer, notice, ierr, event)
    type(tofu_rdma_context), intent(in) :: context
    integer, intent(in) :: peer, notice
    integer, intent(out) :: ierr
    type(tofu_rdma_event), intent(inout), optional :: event
    type(tofu_rdma_event) :: came

    ierr = c_wait(context%handle, peer, notice, came)
    if (present(event) .and. ierr == TOFU_RDMA_OK) event = came
  end subroutine

  !> tofu_rdma_wait() without blocking.
  subroutine tofu_rdma_test(context, peer, notice, found, ierr, event)
    type(tofu_rdma_context), intent(in) :: context
    integer, intent(in) :: peer, notice
    logical, intent(out) :: found
    integer, intent(out) :: ierr
    type(tofu_rdma_event), intent(inout), optional :: event
    type(tofu_rdma_event) :: came
    integer(c_int) :: flag

    ierr = c_test(context%handle, peer, notice, flag, came)
    found = ierr == TOFU_RDMA_OK .and. flag /= 0
    if (present(event) .and. found) event = came
  end subroutine

  !> Land the puts that have arrived, and advance the transfers in flight.
  subroutine tofu_rdma_progress(context, ierr)
    type(tofu_rdma_context), intent(in) :: context
    integer, intent(out) :: ierr

    ierr = c_progress(context%handle)
  end subroutine

  !> End a context. Collective.
  subroutine tofu_rdma_free(context, ierr)
    type(tofu_rdma_context), intent(inout) :: context
    integer, intent(out) :: ierr

    ierr = c_free(context%handle)
  end subroutine

  !> Name of the backend that serves a peer; "" if the rank is no peer.
  function tofu_rdma_peer_backend(context, peer) result(name)
    type(tofu_rdma_context), intent(in) :: context
    integer, intent(in) :: peer
    character(:), allocatable :: name

    name = text_of(c_peer_backend(context%handle, peer))
  end function

  !> Names for the option backend: index 0, 1, 2 ...; "" behind the last.
  function tofu_rdma_backend_name(index) result(name)
    integer, intent(in) :: index
    character(:), allocatable :: name

    name = text_of(c_backend_name(index))
  end function

  !> Text of the last call that failed.
  function tofu_rdma_message() result(text)
    character(:), allocatable :: text

    text = text_of(c_message())
  end function

  ! The bytes of an array must lie side by side: a copy could not stand for memory that peers write.

  logical function usable(array)
    type(*), dimension(..), intent(in) :: array
    integer(c_int) :: ignored

    usable = is_contiguous(array)
    if (.not. usable) ignored = c_refuse_section()
  end function

  !> A C string as a string of Fortran.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), dimension(:), pointer :: characters
    integer :: i

    if (.not. c_associated(address)) then
      text = ""
      return
    end if
    call c_f_pointer(address, characters, [c_strlen(address)])
    allocate (character(size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

end module
