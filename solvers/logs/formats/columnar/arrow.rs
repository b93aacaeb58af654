//! Reads the units of columns from the schema of Arrow. pyarrow, pandas and Polars write one into
//! the file, as a FlatBuffers message in base64. Parquet stores durations as plain integers; only
//! this schema has their unit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Type identifiers and field indices of Arrow's `Schema.fbs` and `Message.fbs`.
const DURATION: u8 = 18;
const HEADER: usize = 2;
const FIELDS: usize = 1;
const NAME: usize = 0;
const KIND: usize = 2;
const TYPE: usize = 3;
const METADATA: usize = 6;

/// The unit of a column in a schema.
pub(in crate::logs) struct Stated {
    pub name: String,
    /// The seconds in a unit of a duration.
    pub duration: Option<f64>,
    /// The text of `unit` in the column's metadata.
    pub unit: Option<String>,
}

/// The columns of a schema; empty if it cannot be read.
pub(in crate::logs) fn stated(text: &str) -> Vec<Stated> {
    let Ok(bytes) = STANDARD.decode(text) else { return Vec::new() };
    // A mark and a length come first; in old files only the length.
    let skipped = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    columns(bytes.get(skipped..).unwrap_or_default()).unwrap_or_default()
}

fn columns(bytes: &[u8]) -> Option<Vec<Stated>> {
    let message = Table { bytes, at: Table { bytes, at: 0 }.follow(0)? };
    let fields = message.table(HEADER)?.list(FIELDS)?;
    fields.map(column).collect()
}

fn column(field: Option<Table<'_>>) -> Option<Stated> {
    let field = field?;
    let duration = (field.byte(KIND) == Some(DURATION)).then(|| {
        let unit = field.table(TYPE).and_then(|duration| duration.byte(0));
        // Milliseconds are the default, which is left out.
        [1.0, 1e-3, 1e-6, 1e-9].get(usize::from(unit.unwrap_or(1))).copied()
    });
    let is_unit = |pair: &Table<'_>| {
        pair.text(0)
            .is_some_and(|key| ["unit", "units"].iter().any(|k| key.eq_ignore_ascii_case(k)))
    };
    let unit =
        field.list(METADATA).and_then(|mut pairs| pairs.find_map(|pair| pair.filter(is_unit)));
    Some(Stated {
        name: field.text(NAME)?,
        duration: duration.flatten(),
        unit: unit.and_then(|pair| pair.text(1)),
    })
}

/// A FlatBuffers table. It begins with the distance back to its list of fields.
#[derive(Clone, Copy)]
struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Table<'a> {
    fn number<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    /// The position at the distance that is stored here.
    fn follow(&self, at: usize) -> Option<usize> {
        at.checked_add(u32::from_le_bytes(self.number(at)?) as usize)
    }

    /// The position of a field; `None` if it is left out.
    fn field(&self, place: usize) -> Option<usize> {
        let back = i32::from_le_bytes(self.number(self.at)?);
        let list = usize::try_from(self.at as i64 - i64::from(back)).ok()?;
        let length = usize::from(u16::from_le_bytes(self.number(list)?));
        let entry = 4 + 2 * place;
        if entry + 2 > length {
            return None;
        }
        let distance = usize::from(u16::from_le_bytes(self.number(list + entry)?));
        (distance > 0).then_some(self.at + distance)
    }

    fn byte(&self, place: usize) -> Option<u8> {
        self.bytes.get(self.field(place)?).copied()
    }

    fn table(&self, place: usize) -> Option<Table<'a>> {
        Some(Table { at: self.follow(self.field(place)?)?, ..*self })
    }

    fn text(&self, place: usize) -> Option<String> {
        let at = self.follow(self.field(place)?)?;
        let length = u32::from_le_bytes(self.number(at)?) as usize;
        let text = self.bytes.get(at + 4..(at + 4).checked_add(length)?)?;
        String::from_utf8(text.to_vec()).ok()
    }

    /// The tables of a list.
    fn list(&self, place: usize) -> Option<impl Iterator<Item = Option<Table<'a>>> + use<'a>> {
        let at = self.follow(self.field(place)?)?;
        let many = u32::from_le_bytes(self.number(at)?) as usize;
        let table = *self;
        let item = move |item| Some(Table { at: table.follow(at + 4 + 4 * item)?, ..table });
        // A damaged number must not allocate much memory.
        (many <= self.bytes.len()).then(|| (0..many).map(item))
    }
}
