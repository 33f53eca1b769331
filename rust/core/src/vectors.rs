//! The embeddings of many facts, as int8: those of one model and length lie side by side.

use crate::text::index;

/// Rows that lie together.
const BLOCK: usize = 1 << 16;
/// Bytes of a row's norms.
const NORMS: usize = 8;
/// What a root or a similarity may lose to rounding, or gain.
const SLACK: f64 = 0.001;
/// Bytes that processors without extensions multiply at one time.
const PIECE: usize = 16;
/// Bytes that memory hands over at one time.
const CACHE_LINE: usize = 64;

/// MiniLM's null distribution over unrelated facts, mean and sd: the scale on which every line is stated.
const OFFSET: f64 = 0.358;
const SLOPE: f64 = 0.169;
const INT8_LIMIT: f64 = 127.0;

/// An embedding as int8, and the model that made it.
#[derive(Clone, Copy, Debug)]
pub struct Embedding<'a> {
    /// Signed bytes, one a dimension.
    pub values: &'a [u8],
    /// Vectors of different models are never compared.
    pub model: &'a str,
}

/// Mean and sd of a model's null distribution.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, more than 0.
    pub deviation: f64,
}

/// The embedding of a text, about to be compared with those of facts.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    values: &'a [u8],
    norms: Norms,
    model: u32,
    scale: Option<Scale>,
}

/// Sums of squares: of all values, and of those behind the middle.
#[derive(Clone, Copy, Debug)]
struct Norms {
    all: u32,
    rest: u32,
}

impl Norms {
    fn of(values: &[u8]) -> Self {
        let (head, rest) = halves(values);
        let rest = norm(rest);
        Self { all: norm(head) + rest, rest }
    }
}

/// Where the embedding of a fact lies.
#[derive(Clone, Copy, Debug)]
struct Place {
    table: u32,
    row: u32,
}

/// Rows of one length, by one model: the norms, then the values. A block never moves once it is full, so that growing
/// copies little.
#[derive(Debug)]
struct Table {
    model: u32,
    dimensions: usize,
    blocks: Vec<Vec<u8>>,
    rows: u32,
    free: Vec<u32>,
}

impl Table {
    fn add(&mut self, values: &[u8]) -> u32 {
        let Norms { all, rest } = Norms::of(values);
        let row = [&all.to_ne_bytes(), &rest.to_ne_bytes(), values].concat();
        if let Some(free) = self.free.pop() {
            let (block, start) = self.place(free);
            self.blocks[block][start..start + row.len()].copy_from_slice(&row);
            return free;
        }
        let (block, _) = self.place(self.rows);
        if block == self.blocks.len() {
            self.blocks.push(Vec::new());
        }
        self.blocks[block].extend_from_slice(&row);
        self.rows += 1;
        self.rows - 1
    }

    /// Give a row back; its values are overwritten.
    fn remove(&mut self, row: u32) {
        let (block, start) = self.place(row);
        let end = start + self.width();
        self.blocks[block][start..end].fill(0);
        self.free.push(row);
    }

    fn row(&self, row: u32) -> (Norms, &[u8]) {
        let (block, start) = self.place(row);
        let (norms, values) = self.blocks[block][start..start + self.width()].split_at(NORMS);
        let number = |at: usize| u32::from_ne_bytes([norms[at], norms[at + 1], norms[at + 2], norms[at + 3]]);
        (Norms { all: number(0), rest: number(4) }, values)
    }

    const fn place(&self, row: u32) -> (usize, usize) {
        (row as usize / BLOCK, row as usize % BLOCK * self.width())
    }

    const fn width(&self) -> usize {
        NORMS + self.dimensions
    }
}

/// Embeddings by slot.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    models: Vec<String>,
    tables: Vec<Table>,
    places: Vec<Option<Place>>,
}

impl Vectors {
    /// The embedding of the next slot, if it has one.
    pub(crate) fn push(&mut self, embedding: Option<Embedding<'_>>) {
        let place = embedding.map(|Embedding { values, model }| {
            let table = self.table(model, values.len());
            Place { table: index(table), row: self.tables[table].add(values) }
        });
        self.places.push(place);
    }

    /// Take the embedding of a slot out.
    pub(crate) fn remove(&mut self, slot: usize) {
        if let Some(place) = self.places[slot].take() {
            self.tables[place.table as usize].remove(place.row);
        }
    }

    /// The number of a model that made any of the embeddings.
    pub(crate) fn known_model(&self, model: &str) -> Option<u32> {
        self.models.iter().position(|known| known == model).map(index)
    }

    /// Which model made the embedding of a slot.
    pub(crate) fn model(&self, slot: usize) -> Option<u32> {
        self.places[slot].map(|place| self.tables[place.table as usize].model)
    }

    /// The embedding of a text, if any here is by its model.
    pub(crate) fn asked<'a>(&self, embedding: Embedding<'a>, scale: Option<Scale>) -> Option<Asked<'a>> {
        let Embedding { values, model } = embedding;
        let model = self.known_model(model).filter(|_| !values.is_empty())?;
        Some(Asked { values, norms: Norms::of(values), model, scale })
    }

    /// A slot's embedding beside that of a text; none where the two cannot be compared.
    pub(crate) fn beside<'a>(&'a self, slot: usize, asked: &'a Asked<'a>) -> Option<Beside<'a>> {
        let place = self.places[slot]?;
        let table = &self.tables[place.table as usize];
        if table.model != asked.model || table.dimensions != asked.values.len() {
            return None;
        }
        let (norms, values) = table.row(place.row);
        Some(Beside { norms, values, asked, length: length(norms, asked.norms)? })
    }

    /// Read a little of the first halves: so memory answers for many of them at one time, not for one after the other.
    pub(crate) fn fetch(&self, slots: impl Iterator<Item = usize>) {
        let read = |values: &[u8]| halves(values).0.iter().step_by(CACHE_LINE).fold(0, |all, byte| all ^ byte);
        let places = slots.filter_map(|slot| self.places[slot]);
        std::hint::black_box(
            places.fold(0, |all, place| all ^ read(self.tables[place.table as usize].row(place.row).1)),
        );
    }

    /// The table for embeddings of this length by this model.
    fn table(&mut self, model: &str, dimensions: usize) -> usize {
        let model = self.known_model(model).unwrap_or_else(|| {
            self.models.push(model.to_owned());
            index(self.models.len() - 1)
        });
        let known = self.tables.iter().position(|table| table.model == model && table.dimensions == dimensions);
        known.unwrap_or_else(|| {
            self.tables.push(Table { model, dimensions, blocks: Vec::new(), rows: 0, free: Vec::new() });
            self.tables.len() - 1
        })
    }
}

/// Two embeddings that can be compared: a fact's, and that of a text.
pub(crate) struct Beside<'a> {
    norms: Norms,
    values: &'a [u8],
    asked: &'a Asked<'a>,
    /// The product of their lengths.
    length: f64,
}

impl Beside<'_> {
    /// How alike they are.
    pub(crate) fn similarity(&self) -> f64 {
        scaled(f64::from(dot(self.values, self.asked.values)), self.length, self.asked.scale)
    }

    /// The same if it is at least `least`. Most are told by their first half: the rest adds no more than the product of
    /// its lengths.
    pub(crate) fn alike(&self, least: f64) -> Option<f64> {
        let ((head, rest), (asked_head, asked_rest)) = (halves(self.values), halves(self.asked.values));
        let first = dot(head, asked_head);
        let most = f64::from(first) + root(self.norms.rest, self.asked.norms.rest) + SLACK;
        // Not on the scale: a division and a rounding for each of them take longer than this.
        if most < unscaled(least - SLACK, self.asked.scale) * self.length {
            return None;
        }
        let similarity = scaled(f64::from(first + dot(rest, asked_rest)), self.length, self.asked.scale);
        (similarity >= least).then_some(similarity)
    }
}

// -- similarity --------------------------------------------------------------------------------------------------------

fn norm(values: &[u8]) -> u32 {
    dot(values, values).unsigned_abs()
}

fn signed(byte: u8) -> i16 {
    i16::from(i8::from_ne_bytes([byte]))
}

/// The int8 form of an embedding and its scale: the greatest is 127, a tie goes to the even one.
///
/// None for a vector that is empty, all zero, or not finite: the caller has an error for each.
#[must_use]
pub fn quantise(floats: &[f64]) -> Option<(Vec<u8>, f64)> {
    if !floats.iter().all(|float| float.is_finite()) {
        return None;
    }
    let scale = floats.iter().fold(0.0, |most: f64, float| most.max(float.abs())) / INT8_LIMIT;
    let values = floats.iter().map(|float| (float / scale).round_ties_even());
    #[allow(clippy::cast_possible_truncation)] // a whole number that is small enough
    let byte = |value: f64| (value.abs() <= INT8_LIMIT).then_some((value as i8).to_ne_bytes()[0]);
    Some((values.map(byte).collect::<Option<Vec<u8>>>()?, scale)).filter(|_| scale > 0.0)
}

/// The dot product of signed bytes: an exact integer.
fn dot(a: &[u8], b: &[u8]) -> i32 {
    // In pieces whose length is known, which processors multiply and add in half the time that they take for a row.
    let (pieces, others) = (a.chunks_exact(PIECE), b.chunks_exact(PIECE));
    let rest = plain_dot(pieces.remainder(), others.remainder());
    pieces.zip(others).fold(rest, |sum, (piece, other)| sum + plain_dot(&piece[..PIECE], &other[..PIECE]))
}

fn plain_dot(a: &[u8], b: &[u8]) -> i32 {
    a.iter().zip(b).map(|(&x, &y)| i32::from(signed(x)) * i32::from(signed(y))).sum()
}

/// Cosine of two int8 vectors on MiniLM's scale, rounded to 1e-4; none if their lengths differ.
///
/// The dot product is an exact integer, so it is the same on every machine. Without a scale the cosine is used as it is.
#[must_use]
pub fn similar(a: &[u8], b: &[u8], scale: Option<Scale>) -> Option<f64> {
    let length = length(Norms::of(a), Norms::of(b)).filter(|_| a.len() == b.len())?;
    Some(scaled(f64::from(dot(a, b)), length, scale))
}

/// The product of two lengths; none if either is zero.
fn length(a: Norms, b: Norms) -> Option<f64> {
    (a.all != 0 && b.all != 0).then(|| root(a.all, b.all))
}

/// The root of a product.
#[allow(clippy::cast_precision_loss)] // rounded as Python rounds an integer before its root
fn root(a: u32, b: u32) -> f64 {
    ((u64::from(a) * u64::from(b)) as f64).sqrt()
}

fn halves(values: &[u8]) -> (&[u8], &[u8]) {
    values.split_at(values.len() / 2)
}

fn scaled(dot: f64, length: f64, scale: Option<Scale>) -> f64 {
    let mut cosine = dot / length;
    if let Some(Scale { mean, deviation }) = scale {
        cosine = OFFSET + SLOPE * (cosine - mean) / deviation;
    }
    // Not `clamp`: what is no number becomes 1, as in the Python twin.
    let most = if cosine < 1.0 { cosine } else { 1.0 };
    rounded(if most > -1.0 { most } else { -1.0 })
}

/// The cosine that [`scaled`] makes a similarity of, before it is rounded.
fn unscaled(similarity: f64, scale: Option<Scale>) -> f64 {
    scale.map_or(similarity, |Scale { mean, deviation }| (similarity - OFFSET) * deviation / SLOPE + mean)
}

/// To 1e-4, half away from zero: the same in every language.
fn rounded(number: f64) -> f64 {
    let size = (number.abs() * 10_000.0 + 0.5).trunc() / 10_000.0;
    if number >= 0.0 { size } else { -size }
}
