! SPDX-License-Identifier: GPL-3.0-or-later
! Derived types, allocatable arrays and common blocks of Fortran; prints its own addresses and sizes.
module shapes
  type point
    real(8) :: x, y
  end type
  type body
    real(8) :: pos(3)
    integer :: id
    character(len=5) :: name
    type(point) :: corners(2, 3)
    type(point), pointer :: next
    real(8), allocatable :: weights(:)
    logical :: on
  end type
  type(body), target :: bodies(10)
  type(body), target :: one
  type(point), allocatable, target :: list(:, :)
  integer, target :: counts(10, 20)
contains
  subroutine var(name, address, bytes, elements, text)
    character(len=*) :: name, text
    integer(8) :: address
    integer :: bytes, elements
    print '(a, a, a, z0, a, i0, a, i0, a, a)', 'var ', name, ' ', address, ' ', bytes, ' ', &
      elements, ' ', text
  end subroutine
  subroutine at(path, offset, bytes, text)
    character(len=*) :: path, text
    integer(8) :: offset
    integer :: bytes
    print '(a, a, a, i0, a, i0, a, a)', 'at ', path, ' ', offset, ' ', bytes, ' ', text
  end subroutine
end module

program main
  use shapes
  common /block/ first, second
  real(8) :: first
  integer :: second(4)
  integer(8) :: start
  start = loc(one)
  call var('shapes::one', start, storage_size(one) / 8, 0, 'shapes::body')
  call at('pos[*]', loc(one%pos) - start, 24, 'real(kind=8) (3)')
  call at('id', loc(one%id) - start, 4, 'integer(kind=4)')
  call at('name', loc(one%name) - start, 5, 'character(len=5)')
  call at('corners[*]', loc(one%corners) - start, 96, '*')
  call at('corners[*].y', loc(one%corners(1, 1)%y) - start, 8, 'real(kind=8)')
  call at('weights', loc(one%on) - 64 - start, 64, 'real(kind=8) (:)')
  call at('on', loc(one%on) - start, 4, 'logical(kind=4)')
  call var('shapes::bodies', loc(bodies), 10 * storage_size(one) / 8, 10, 'shapes::body')
  call var('shapes::counts', loc(counts), 800, 200, 'integer(kind=4)')
  allocate (list(2, 3))
  first = 1
  second = 2
  call var('first', loc(first), 8, 0, 'real(kind=8)')
  call var('second', loc(second), 16, 4, 'integer(kind=4)')
end program
