//! Compressed NumPy archives (`.npz`): a zip file with one array in the `.npy` format for each
//! name.
//!
//! Only what these archives need of the format: row-major arrays of one type, little-endian.

use std::io::{BufWriter, Error, ErrorKind, Read, Result, Seek, Write};
use zip::read::ZipArchive;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Begins every `.npy` file of version 1.0.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// A type of entries.
pub trait Entry: Copy {
    /// Its name in NumPy.
    const TYPE: &str;
    /// Its bytes, the lowest first.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Default;
    /// The bytes of an entry.
    fn to_bytes(self) -> Self::Bytes;
    /// The entry with these bytes.
    fn from_bytes(bytes: Self::Bytes) -> Self;
}

macro_rules! numbers {
    ($($number:ty: $name:literal),*) => {$(
        impl Entry for $number {
            const TYPE: &str = $name;
            type Bytes = [u8; size_of::<$number>()];

            fn to_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            fn from_bytes(bytes: Self::Bytes) -> $number {
                <$number>::from_le_bytes(bytes)
            }
        }
    )*};
}

numbers!(u8: "|u1", u64: "<u8", i64: "<i8", f64: "<f8");

impl Entry for bool {
    const TYPE: &str = "|b1";
    type Bytes = [u8; 1];

    fn to_bytes(self) -> [u8; 1] {
        [self.into()]
    }

    fn from_bytes([byte]: [u8; 1]) -> bool {
        byte != 0
    }
}

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
    pub fn add<T: Entry>(
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
        self.zip.start_file(format!("{name}.npy"), options)?;
        let mut out = BufWriter::new(&mut self.zip);
        out.write_all(&header(T::TYPE, shape))?;
        for entry in entries {
            out.write_all(entry.to_bytes().as_ref())?;
        }
        out.flush()
    }
}

/// What stands before the entries; its length is a multiple of 64.
fn header(name: &str, shape: &[u64]) -> Vec<u8> {
    let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let text = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(64) - MAGIC.len() - 2;
    let mut header = MAGIC.to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{text:<0$}\n", length - 1).bytes());
    header
}

/// The entries of an array of an archive that [`Archive`] wrote.
///
/// # Errors
/// Those of reading, and of data that are not of this type or end within an entry.
pub fn entries<T: Entry>(archive: &mut ZipArchive<impl Read + Seek>, name: &str) -> Result<Vec<T>> {
    let wrong = |what: &str| Error::new(ErrorKind::InvalidData, format!("{name}: {what}"));
    let mut file = archive.by_name(&format!("{name}.npy")).map_err(Error::from)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("not an array of version 1.0"))?;
    let (length, text) = text.split_first_chunk().ok_or_else(|| wrong("its header is cut off"))?;
    let (text, data) = text
        .split_at_checked(u16::from_le_bytes(*length).into())
        .ok_or_else(|| wrong("its header is cut off"))?;
    let text = String::from_utf8_lossy(text);
    if !text.contains(&format!("'{}'", T::TYPE)) || !text.contains("'fortran_order': False") {
        return Err(wrong("its entries are of another type"));
    }
    let size = size_of::<T>();
    if !data.len().is_multiple_of(size) {
        return Err(wrong("it ends within an entry"));
    }
    let entry = |data: &[u8]| {
        let mut bytes = T::Bytes::default();
        bytes.as_mut().copy_from_slice(data);
        T::from_bytes(bytes)
    };
    Ok(data.chunks_exact(size).map(entry).collect())
}
