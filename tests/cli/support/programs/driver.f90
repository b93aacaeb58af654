program driver
  use remap_policy
  implicit none
  ! KIND belief
  integer(i8) :: n
  real(dp) :: p
  integer :: report, ios
  do
    read (*, *, iostat=ios) n, p, report
    if (ios /= 0) exit
    write (*, '(i0, 1x, es25.17e3)') merge(1, 0, remap_now(p, n)), remap_belief(p, n, report == 1)
  end do
  ! KIND switching
  integer(i8) :: n
  real(dp) :: p
  integer :: second, report, ios
  do
    read (*, *, iostat=ios) n, p, second, report
    if (ios /= 0) exit
    write (*, '(i0, 1x, es25.17e3)') merge(1, 0, remap_now(p, n, second == 1)), remap_belief(p, report)
  end do
  ! KIND map
  integer(i8) :: load(remap_processes)
  integer :: ios
  do
    read (*, *, iostat=ios) load
    if (ios /= 0) exit
    write (*, '(a, 1x, i0)') remap_decision(load), merge(1, 0, remap_now(load))
  end do
  ! KIND imbalance
  integer(i8) :: step
  real(dp) :: most, mean
  integer :: ios
  do
    read (*, *, iostat=ios) step, most, mean
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(step, most, mean))
  end do
  ! KIND curve
  integer(i8) :: step, since
  real(dp) :: most, mean
  integer :: ios
  do
    read (*, *, iostat=ios) step, since, most, mean
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(step, since, most, mean))
  end do
  ! KIND level
  real(dp) :: most, mean
  integer :: ios
  do
    read (*, *, iostat=ios) most, mean
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(most, mean))
  end do
  ! KIND advised
  type(c_ptr) :: rule
  real(dp) :: times(remap_ranks)
  character(len=100000), save :: line
  integer(i8) :: steps
  integer :: ios, flag
  do
    read (*, '(a)', iostat=ios) line
    if (ios /= 0) exit
    if (line(1:5) == 'start') then
      read (line(6:), *) steps, flag
      rule = remap_advised_new(steps, flag)
      write (*, '(a)') 'start'
    else
      read (line, *) flag, times
      write (*, '(i0)') merge(1, 0, remap_advised_step(rule, times) /= 0)
      if (flag == 1) call remap_advised_remapped(rule)
      if (flag == 2) call remap_advised_begun(rule)
    end if
  end do
  call remap_advised_free(rule)
  ! KIND interval
  integer(i8) :: since
  integer :: ios
  do
    read (*, *, iostat=ios) since
    if (ios /= 0) exit
    write (*, '(i0)') merge(1, 0, remap_now(since))
  end do
  ! KIND end
end program driver
