//! Decision maps too long for a JSON document, as compressed NumPy archives (`.npz`).

use npyz::{AutoSerialize, WriteOptions, WriterBuilder, npz::file_name_from_array_name};
use remapping::stopping::{Solution, States};
use std::io::{BufWriter, Error, Result, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A decision map by class of load vectors.
#[derive(Debug)]
pub struct Table {
    /// The classes.
    pub states: States,
    /// `B`, `R` or `C` for each.
    pub decision: Vec<u8>,
    /// Whether its two branches agree within the proved bounds.
    pub ties: Vec<bool>,
    /// J.
    pub value: Vec<f64>,
    /// What proves it.
    pub solution: Solution,
}

/// Writes the arrays, one entry or row for each class:
///
/// * `loads`: a load vector of the class, one column for each process; the others permute processes
///   that are equal;
/// * `vectors`: how many load vectors the class stands for;
/// * `decision`: the letter as its code, `.view("S1")` of it is the letter;
/// * `tie`, `value`.
pub fn write(table: &Table, file: impl Write + Seek) -> Result<()> {
    let Table { states, decision, ties, value, .. } = table;
    let count = states.count();
    let mut archive = Archive::new(BufWriter::new(file));
    let shape = [count as u64, states.processes() as u64];
    let mut loads = vec![0; states.processes()];
    let all = (0..count).flat_map(|class| {
        states.loads_into(class, &mut loads);
        loads.clone()
    });
    archive.add("loads", &shape, all)?;
    let shape = [count as u64];
    match states.multiplicities() {
        Some(vectors) => archive.add("vectors", &shape, vectors.into_iter())?,
        None => archive.add("vectors", &shape, std::iter::repeat_n(1.0, count))?,
    }
    archive.add("decision", &shape, decision.iter().copied())?;
    archive.add("tie", &shape, ties.iter().copied())?;
    archive.add("value", &shape, value.iter().copied())?;
    archive.finish()
}

/// Arrays that are being written.
pub struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> Archive<W> {
    /// Starts an archive without arrays.
    pub fn new(out: W) -> Archive<W> {
        Archive { zip: ZipWriter::new(out) }
    }

    /// Ends the archive.
    pub fn finish(self) -> Result<()> {
        self.zip.finish().map_err(Error::from)?.flush()
    }

    /// Adds an array of this shape.
    pub fn add<T: AutoSerialize>(
        &mut self,
        name: &str,
        shape: &[u64],
        entries: impl Iterator<Item = T>,
    ) -> Result<()> {
        // Sizes may pass 4 GiB.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(3))
            .large_file(true);
        self.zip.start_file(file_name_from_array_name(name), options)?;
        let buffered = BufWriter::new(&mut self.zip);
        let header = WriteOptions::new().default_dtype().shape(shape);
        let mut writer = header.writer(buffered).begin_nd()?;
        for entry in entries {
            writer.push(&entry)?;
        }
        writer.finish()
    }
}
