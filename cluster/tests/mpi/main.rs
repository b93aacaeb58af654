//! `remap-mpi` on one rank and on several, beside `remap`.
