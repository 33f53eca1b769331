//! The same question about many texts, on every core.

use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread::{available_parallelism, scope};

/// Items for which another thread is worth its start, which takes as long as a few answers.
const LEAST: usize = 32;
const MOST_THREADS: usize = 8;

/// Asked once: finding it out reads files.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS));

/// The answers in order. Few items are answered on this thread alone.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], answer: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let answers = by_part(items.len(), LEAST, |part| items[part].iter().map(&answer).collect::<Vec<R>>());
    answers.into_iter().flatten().collect()
}

/// The answers about so many numbers, a part of at least `least` for each core; in order.
pub(crate) fn by_part<R: Send>(count: usize, least: usize, answer: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let threads = CORES.min(count / least).max(1);
    let size = count.div_ceil(threads).max(1);
    let mut parts = (0..threads).map(|n| (n * size).min(count)..((n + 1) * size).min(count));
    let own = parts.next().unwrap_or(0..count);
    if threads == 1 {
        return vec![answer(own)];
    }
    let answer = &answer;
    scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(move || answer(part))).collect();
        let own = answer(own);
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect()
    })
}
