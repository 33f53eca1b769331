//! The same question about many texts, on every core.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread::{available_parallelism, scope};

/// Items for which another thread is worth its start, which takes as long as a few answers.
const LEAST: usize = 32;
const MOST_THREADS: usize = 8;

/// Asked once: finding it out reads files.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS));

/// The answers in order. Few items are answered on this thread alone.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], answer: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = CORES.min(items.len() / LEAST).max(1);
    let all = |items: &[T]| items.iter().map(&answer).collect::<Vec<R>>();
    if threads == 1 {
        return all(items);
    }
    let all = &all;
    scope(|scope| {
        let (own, others) = items.split_at(items.len().div_ceil(threads));
        let others: Vec<_> =
            others.chunks(items.len().div_ceil(threads)).map(|part| scope.spawn(move || all(part))).collect();
        let mut answers = all(own);
        for other in others {
            match other.join() {
                Ok(part) => answers.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    })
}
