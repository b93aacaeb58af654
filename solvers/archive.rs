//! Writes compressed NumPy archives (`.npz`).

use npyz::{AutoSerialize, WriteOptions, WriterBuilder, npz::file_name_from_array_name};
use std::io::{BufWriter, Error, Result, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An archive that is being written.
pub struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> Archive<W> {
    /// Starts an empty archive.
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
        // Sizes may exceed 4 GiB.
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
