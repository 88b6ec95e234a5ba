! SPDX-License-Identifier: GPL-3.0-or-later
! A hot field for the kinds of access in Fortran; same output as described in m_run.h.
module store
    use iso_c_binding
    implicit none
    integer, parameter :: many = 2**17
    type record
        real(8) :: cold(9)
        integer(8) :: hot
        integer(4) :: rest(10)
    end type record
    type link
        integer(8) :: cold(15)
        type(link), pointer :: next
    end type link
    type(record), target :: records(many)
    type(record), allocatable, target :: allocated_records(:)
    integer(8) :: carried = 1
    interface
        integer(c_int) function alarm(seconds) bind(c)
            import c_int
            integer(c_int), value :: seconds
        end function alarm
    end interface
contains
    integer(8) function pick()
        carried = carried*6364136223846793005_8 + 1442695040888963407_8
        pick = iand(ishft(carried, -33), int(many - 1, 8)) + 1
    end function pick

    subroutine touch_module()
        integer :: i
        do i = 1, 10000
            carried = carried + records(pick())%hot
        end do
    end subroutine touch_module

    subroutine touch_allocatable()
        integer :: i
        do i = 1, 10000
            carried = carried + allocated_records(pick())%hot
        end do
    end subroutine touch_allocatable

    subroutine touch_assumed(from)
        type(record), intent(in) :: from(:)
        integer :: i
        do i = 1, 10000
            carried = carried + from(pick())%hot
        end do
    end subroutine touch_assumed

    subroutine touch_explicit(from, n)
        integer, intent(in) :: n
        type(record), intent(in) :: from(n)
        integer :: i
        do i = 1, 10000
            carried = carried + from(pick())%hot
        end do
    end subroutine touch_explicit

    subroutine report(name, offset, bytes, seconds)
        character(*), intent(in) :: name
        integer(8), intent(in) :: offset
        integer, intent(in) :: bytes, seconds
        integer :: ignored
        print '(A, A, A, I0, A, I0)', 'expect ', name, ' ', offset, ' ', bytes
        print '(A)', 'ready 1'
        flush (6)
        ignored = alarm(seconds)
    end subroutine report
end module store

program m_derived
    use store
    implicit none
    character(32) :: name, text
    integer :: seconds
    call get_command_argument(1, name)
    call get_command_argument(2, text)
    read (text, *) seconds
    allocate (allocated_records(many))
    allocated_records%hot = 1
    records%hot = 1
    if (name /= 'module' .and. name /= 'allocatable' .and. name /= 'assumed' .and. &
        name /= 'explicit') stop 2
    call report('*record.hot', loc(records(1)%hot) - loc(records(1)), 8, seconds)
    do
        select case (name)
        case ('module')
            call touch_module()
        case ('allocatable')
            call touch_allocatable()
        case ('assumed')
            call touch_assumed(allocated_records)
        case default
            call touch_explicit(allocated_records, many)
        end select
    end do
end program m_derived
