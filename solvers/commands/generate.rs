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

/// The whole manual on one page: the program, then each command with its options.
pub(super) fn man() -> Exit {
    let mut command = Cli::command();
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    let mut text = rendered(|out| page.render_title(out));
    text += &rendered(|out| page.render_name_section(out));
    text += &rendered(|out| page.render_synopsis_section(out));
    text += &rendered(|out| page.render_description_section(out));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let page = clap_mangen::Man::new(verb.clone());
        text += &format!(".SH \"REMAP {}\"\n", verb.get_name().to_uppercase());
        let sections = rendered(|out| page.render_synopsis_section(out))
            + &rendered(|out| page.render_description_section(out))
            + &rendered(|out| page.render_options_section(out))
            + &rendered(|out| page.render_extra_section(out));
        text += &sections.replace(".SH EXTRA", ".SS NOTES").replace(".SH ", ".SS ");
    }
    text += &rendered(|out| page.render_extra_section(out)).replace(".SH EXTRA", ".SH NOTES");
    text += &rendered(|out| page.render_version_section(out));
    print(&text);
    Exit::Done
}

fn rendered(section: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut text = Vec::new();
    section(&mut text).expect("writing to memory succeeds");
    String::from_utf8_lossy(&text).into_owned()
}
