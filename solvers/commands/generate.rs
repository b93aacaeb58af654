//! `remap completions` and `remap man`.

use super::Exit;
use crate::cli::Cli;
use crate::output::print;
use clap::CommandFactory;

pub(super) fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "remap", &mut script);
    print(&String::from_utf8_lossy(&script));
    Exit::Done
}

pub(super) fn man() -> Exit {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page).expect("writing to memory succeeds");
    print(&String::from_utf8_lossy(&page));
    Exit::Done
}
