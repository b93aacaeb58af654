//! Writes files atomically, and prints to standard output.

use crate::complaint::Complaint;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Held during output, so that no thread ends the program in the middle of it.
static OUTPUT: Mutex<()> = Mutex::new(());

fn output() -> MutexGuard<'static, ()> {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program from a thread that only watches it. It waits for the current output, and then
/// checks `is_moot`: whether the reason still exists.
pub fn quit_between_outputs(reason: &str, code: i32, is_moot: impl FnOnce() -> bool) {
    let _whole = output();
    if !is_moot() {
        say(reason);
        std::process::exit(code)
    }
}

/// Writes `bytes` to `path` by way of a temporary file in the same folder. Refuses to replace an
/// existing file unless `force`, and never writes through a symbolic link.
pub fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<(), Complaint> {
    write_files(&[(path, bytes, force)])
}

/// Writes files that refer to each other: the program does not end between two of them, and none
/// appears before all are written.
pub fn write_files(files: &[(&Path, &[u8], bool)]) -> Result<(), Complaint> {
    files.iter().try_for_each(|&(path, _, force)| check_free(path, force))?;
    let _whole = output();
    let mut filled = Vec::new();
    for &(path, bytes, force) in files {
        filled.push((written(path, |mut file| file.write_all(bytes))?, path, force));
    }
    filled.into_iter().try_for_each(|(file, path, force)| place(file, path, force))
}

/// The same for content that is too long to hold in memory.
pub fn write_with(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&File) -> std::io::Result<()>,
) -> Result<(), Complaint> {
    check_free(path, force)?;
    let _whole = output();
    place(written(path, fill)?, path, force)
}

/// A temporary file in the folder of `path`, filled.
fn written(
    path: &Path,
    fill: impl FnOnce(&File) -> std::io::Result<()>,
) -> Result<NamedTempFile, Complaint> {
    let failed = |error| unwritten(path, &error);
    handle_size_limit();
    let file = temporary(folder_of(path)).map_err(failed)?;
    fill(file.as_file()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    make_readable(file.as_file()).map_err(failed)?;
    Ok(file)
}

/// Renames it to its final name.
fn place(file: NamedTempFile, path: &Path, force: bool) -> Result<(), Complaint> {
    let placed = if force { file.persist(path) } else { file.persist_noclobber(path) };
    placed.map(drop).map_err(|error| unwritten(path, &error.error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Complaint {
    let message = format!("cannot write {}: {error}", path.display());
    Complaint::elsewhere(message, "choose a path that can be written")
}

/// Makes a write beyond the system's limit on the size of files return an error. By default the
/// signal SIGXFSZ ends the program, and its temporary file stays. Any handler prevents that.
fn handle_size_limit() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGXFSZ, flag::register};
        use std::sync::{Arc, Once};
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // If this fails, the system's own behavior remains.
            let _ = register(SIGXFSZ, Arc::default());
        });
    }
}

/// Checks in advance whether [`write_file`] would refuse `path`, so that no work is lost.
pub fn check_free(path: &Path, force: bool) -> Result<(), Complaint> {
    let (shown, folder) = (path.display(), folder_of(path));
    let (what, help) = match std::fs::symlink_metadata(path) {
        Ok(facts) if facts.is_dir() => ("is a directory", "give the path of a file"),
        Ok(facts) if facts.is_symlink() => {
            ("is a symbolic link", "give the path of the file itself")
        }
        Ok(facts) if !facts.is_file() => {
            ("is a device, a pipe or a socket", "give the path of a regular file")
        }
        Ok(_) if !force => ("exists already", "add --force to overwrite it"),
        _ if folder.is_dir() => return try_folder(folder),
        _ => {
            let message = format!("cannot write {shown}: there is no folder {}", folder.display());
            return Err(Complaint::elsewhere(message, "create it first"));
        }
    };
    Err(Complaint::elsewhere(format!("{shown} {what}"), help))
}

/// Creates `folder` and its parents, unless they exist.
pub fn make_folder(folder: &Path) -> Result<(), Complaint> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot create {}: {error}", folder.display());
        Complaint::elsewhere(message, "choose a folder that can be written")
    })
}

/// Checks in advance whether files can be created in `folder`, which may not exist yet.
pub fn check_folder(folder: &Path) -> Result<(), Complaint> {
    match folder.ancestors().find(|parent| parent.symlink_metadata().is_ok()) {
        Some(parent) if !parent.is_dir() => {
            let message = format!("{} is not a folder", parent.display());
            Err(Complaint::elsewhere(message, "give the path of a folder"))
        }
        Some(parent) => try_folder(parent),
        None => try_folder(Path::new(".")),
    }
}

/// Checks whether files can be created in `folder`, by creating one and removing it.
fn try_folder(folder: &Path) -> Result<(), Complaint> {
    let _whole = output();
    temporary(folder).map(drop).map_err(|error| {
        let message = format!("cannot write into the folder {}: {error}", folder.display());
        Complaint::elsewhere(message, "choose a folder that can be written")
    })
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that is removed unless it gets its final name.
fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".remap-").tempfile_in(folder)
}

/// Temporary files are private; results are not.
fn make_readable(file: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

static CLOSED: AtomicBool = AtomicBool::new(false);
static FAILED: AtomicBool = AtomicBool::new(false);

/// Prints to standard output. If the reader has closed it, nothing more is printed, without an
/// error: `remap solve ... | head` has all it wanted.
pub fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// The same for bytes that are not text.
pub fn print_bytes(bytes: &[u8]) {
    if is_closed() {
        return;
    }
    let _whole = output();
    let mut out = std::io::stdout().lock();
    let printed = out.write_all(bytes).and_then(|()| out.flush());
    if let Err(error) = printed {
        // Files can still be written.
        CLOSED.store(true, Ordering::Relaxed);
        if error.kind() != ErrorKind::BrokenPipe {
            say(&format!("cannot write to standard output: {error}"));
            FAILED.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether something could not be printed although there is a reader.
pub fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// Whether printing is no longer possible: the reader has closed standard output, or it cannot be
/// written.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Prints a line to standard error.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
