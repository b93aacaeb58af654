! Plays recorded runs and compares every decision with that of `remap replay`.
program agree
    use, intrinsic :: iso_c_binding
    use remap
    implicit none
    character(len=256) :: path
    character(len=64) :: policy
    character(len=:), allocatable :: text
    integer, parameter :: file = 10
    integer :: runs, run, ranks, training, steps, step, expected, differ, played
    real(c_double) :: cost
    real(c_double), allocatable :: past(:, :), times(:)
    type(c_ptr) :: controller
    logical(c_bool) :: wanted

    call get_command_argument(1, path)
    open(unit=file, file=trim(path), status="old", action="read")
    read(file, '(a)') policy
    read(file, *) runs
    differ = 0
    played = 0
    do run = 1, runs
        read(file, *) ranks, training, steps, cost
        allocate(past(ranks, training), times(ranks))
        do step = 1, training
            read(file, *) past(:, step)
        end do
        if (training > 0) then
            call check(remap_controller_train(policy, cost, past, int(steps, c_int64_t), controller))
        else
            call check(remap_controller_new(policy, cost, controller))
            call check(remap_controller_steps_left(controller, int(steps, c_int64_t)))
        end if
        do step = 1, steps
            read(file, *) times, expected
            call check(remap_controller_step_times(controller, times, int(ranks, c_size_t), wanted))
            played = played + 1
            if (step < steps .and. (wanted .neqv. logical(expected == 1, c_bool))) differ = differ + 1
            if (expected == 1) call check(remap_controller_remapped(controller, cost))
            if (step == steps / 2) then
                call check(remap_controller_save(controller, text))
                call remap_controller_free(controller)
                call check(remap_controller_restore(text, controller))
            end if
        end do
        call remap_controller_free(controller)
        deallocate(past, times)
    end do
    print '(a, a, i0, a, i0, a, i0, a)', trim(policy), ": ", runs, " runs, ", played, " steps, ", &
        differ, " decisions differ"
    if (differ > 0) stop 1

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= remap_ok) then
            print '(a)', remap_error()
            stop 2
        end if
    end subroutine
end program
