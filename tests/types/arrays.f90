! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran: arrays by descriptor and by address, derived types, scalars by reference. Called by
! arrays_main.c; this code is examined.
module arrays
  use iso_c_binding
  implicit none
  type, bind(C) :: particle
    real(c_double) :: position(3), speed(3)
    integer(c_int) :: kind, flags
  end type
contains
  subroutine move(p, step)
    type(particle), intent(inout) :: p(:)
    real(c_double), intent(in) :: step
    integer :: i
    do i = 1, size(p)
      p(i)%position = p(i)%position + p(i)%speed * step
      if (p(i)%kind > 2) p(i)%flags = p(i)%flags + 1
    end do
  end subroutine

  subroutine run(p, count) bind(C)
    integer(c_int), value :: count
    type(particle), intent(inout) :: p(count)
    call move(p, 0.5_c_double)
  end subroutine

  function total(x, count) result(sum) bind(C)
    integer(c_int), intent(in) :: count
    real(c_double), intent(in) :: x(count)
    real(c_double) :: sum
    integer :: i
    sum = 0
    do i = 1, count
      sum = sum + x(i)
    end do
  end function
end module
