! A rank keeps statistics of its times; a controller goes on from them.
program loop
    use, intrinsic :: iso_c_binding
    use remap
    implicit none
    type(c_ptr) :: fits(2), controller
    real(c_double) :: numbers(remap_fit_numbers), times(2), mean
    character(len=:), allocatable :: model
    logical(c_bool) :: wanted
    integer :: step, rank, remaps

    do rank = 1, 2
        call check(remap_fit_new(fits(rank)))
    end do
    do step = 1, 100
        times = [1d0, 1d0 + 0.1d0 * step]
        mean = sum(times) / 2
        do rank = 1, 2
            call check(remap_fit_step(fits(rank), times(rank), mean))
        end do
    end do
    ! The numbers of the second rank go to the first.
    call check(remap_fit_pack(fits(2), numbers, int(remap_fit_numbers, c_size_t)))
    call check(remap_fit_merge(fits(1), numbers, int(remap_fit_numbers, c_size_t)))
    call check(remap_fit_model(fits(1), 2d0, model))
    print '(a)', model
    call check(remap_fit_controller(fits(1), 2d0, controller))
    remaps = 0
    do step = 1, 100
        call check(remap_controller_step(controller, 1.1d0, 1d0, wanted))
        if (wanted) then
            remaps = remaps + 1
            call check(remap_controller_remapped(controller, -1d0))
        end if
    end do
    print '(i0, a)', remaps, " remaps in 100 steps"
    call remap_controller_free(controller)
    do rank = 1, 2
        call remap_fit_free(fits(rank))
    end do

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= remap_ok) then
            print '(a)', remap_error()
            stop 1
        end if
    end subroutine
end program
