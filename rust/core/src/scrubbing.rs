//! A text without what restates a forgotten fact: by sentence, list item and clause.

use crate::cuts::{Cut, cuts_of_plan};
use crate::index::{Answer, Hit, Index};
use crate::parallel::in_parallel;
use crate::sentences::plan;
use crate::vectors::{Embedding, Scale};

/// A span that restates a fact, in code points of the cleaned text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restated {
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Which fact it restates.
    pub hit: Hit,
}

/// An embedding that was asked for: signed bytes and the model that made them; none if it could not be made.
pub type Embedded = Option<(Vec<u8>, String)>;

/// Embeds some texts: one answer for each.
pub type Embed<'a, E> = dyn FnMut(&[&str]) -> Result<Vec<Embedded>, E> + 'a;

/// What embeds texts. It is asked only for those whose answer an embedding could change.
pub struct Embedder<'a, E> {
    /// The model that makes the embeddings.
    pub model: &'a str,
    /// One embedding for each text.
    pub embed: &'a mut Embed<'a, E>,
}

impl Index {
    /// The clauses of a cleaned text that restate a fact, surely or likely, and what to cut for them.
    ///
    /// A sentence of several clauses is asked clause by clause, and as a whole only if no clause restates anything.
    ///
    /// # Errors
    /// Those of the embedder.
    pub fn scrub<E>(
        &self,
        text: &str,
        mut embedder: Option<Embedder<'_, E>>,
        scale: Option<Scale>,
    ) -> Result<(Vec<Restated>, Vec<Cut>), E> {
        let (chars, plan) = plan(text, self.aliases());
        let clauses: Vec<&str> =
            plan.iter().flat_map(|sentence| &sentence.clauses).map(|clause| &*clause.text).collect();
        let mut found = self.answers(&clauses, &mut embedder, scale)?.into_iter();
        let by_clause: Vec<Vec<Option<Hit>>> =
            plan.iter().map(|sentence| found.by_ref().take(sentence.clauses.len()).collect()).collect();
        let whole: Vec<usize> = (0..plan.len())
            .filter(|&at| plan[at].clauses.len() > 1 && by_clause[at].iter().all(Option::is_none))
            .collect();
        let texts: Vec<&str> =
            whole.iter().map(|&at| chars.slice(plan[at].start as usize, plan[at].end as usize)).collect();
        let mut by_sentence = vec![None; plan.len()];
        for (at, hit) in whole.iter().zip(self.answers(&texts, &mut embedder, scale)?) {
            by_sentence[*at] = hit;
        }
        let (mut restated, mut gone) = (Vec::new(), Vec::new());
        for (at, sentence) in plan.iter().enumerate() {
            if let Some(hit) = by_sentence[at] {
                gone.push((at, None));
                restated.push(Restated { start: sentence.start, end: sentence.end, hit });
            }
            for (n, (clause, hit)) in sentence.clauses.iter().zip(&by_clause[at]).enumerate() {
                if let Some(hit) = *hit {
                    gone.push((at, Some(n)));
                    restated.push(Restated { start: clause.start, end: clause.end, hit });
                }
            }
        }
        let cuts = if gone.is_empty() { Vec::new() } else { cuts_of_plan(&chars, &plan, &gone) };
        Ok((restated, cuts))
    }

    /// What each text restates, on every core; with an embedding where one could change it.
    fn answers<E>(
        &self,
        texts: &[&str],
        embedder: &mut Option<Embedder<'_, E>>,
        scale: Option<Scale>,
    ) -> Result<Vec<Option<Hit>>, E> {
        let Some(Embedder { model, embed }) = embedder else {
            return Ok(in_parallel(texts, |text| self.find(text, None, scale)));
        };
        let model: &str = model;
        let asked = in_parallel(texts, |text| self.ask(text, model));
        let wanted: Vec<usize> = (0..texts.len()).filter(|&at| asked[at] == Answer::Wanted).collect();
        let mut answers: Vec<Option<Hit>> = asked
            .into_iter()
            .map(|answer| match answer {
                Answer::Found(hit) => hit,
                Answer::Wanted => None,
            })
            .collect();
        if wanted.is_empty() {
            return Ok(answers);
        }
        let texts: Vec<&str> = wanted.iter().map(|&at| texts[at]).collect();
        let rows: Vec<(&str, Embedded)> = texts.iter().copied().zip(embed(&texts)?).collect();
        let found = in_parallel(&rows, |(text, embedded)| {
            let embedding = embedded.as_ref().map(|(values, model)| Embedding { values, model });
            self.find(text, embedding, scale)
        });
        for (at, hit) in wanted.into_iter().zip(found) {
            answers[at] = hit;
        }
        Ok(answers)
    }

    /// [`Index::find`] for each row, in order, on every core.
    #[must_use]
    pub fn find_many(&self, rows: &[(&str, Option<Embedding<'_>>)], scale: Option<Scale>) -> Vec<Option<Hit>> {
        in_parallel(rows, |&(text, embedding)| self.find(text, embedding, scale))
    }

    /// [`Index::ask`] for each text, in order, on every core.
    #[must_use]
    pub fn ask_many(&self, rows: &[(&str, &str)]) -> Vec<Answer> {
        in_parallel(rows, |&(text, model)| self.ask(text, model))
    }
}
