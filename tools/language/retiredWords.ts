/** A word without a technical sense in this repository, and the term to write instead. */
export interface RetiredWord {
  word: string;
  pattern: RegExp;
  instead: string;
}

export interface Finding {
  /** 1-based; 0 for the file's path. */
  line: number;
  word: string;
  instead: string;
}

const noun = (word: string, instead: string): RetiredWord => ({
  word,
  pattern: new RegExp(`\\b${word}(?:s|es)?\\b`, 'i'),
  instead,
});

/** Retired words with the glossary's term. `chain`, `check`, `slot0` and `holders` have technical senses and stay. */
export const retiredWords: readonly RetiredWord[] = [
  noun('cashier', 'payment service, payment gate or payment decision'),
  noun('desk', 'payment context'),
  noun('rail', 'payment network'),
  noun('witness', 'verifier'),
  { word: 'veil', pattern: /\bveil(?:s|ed|ing)?\b/i, instead: 'redact' },
  noun('errand', 'fixture or request'),
  { word: 'nursery', pattern: /\bnurser(?:y|ies)\b/i, instead: 'deployer or fixture' },
  noun('guest', 'client'),
  noun('purse', 'wallet'),
  noun('hindrance', 'reason or conflict'),
  noun('whoever', 'the party: caller, client, payer, replica'),
  noun('nobody', 'the party: no caller, no client, no payer'),
  noun('somebody', 'the party: a caller, a client, another process'),
  { word: 'told', pattern: /\btold\b/i, instead: 'return, report, respond or include' },
  { word: 'said again', pattern: /\bsaid again\b/i, instead: 'repeated or replayed' },
  { word: 'of ours', pattern: /\bof ours\b/i, instead: 'our' },
];

/** Separates the words of camelCase and snake_case names, so that `openCashier` contains `cashier`. */
const splitNames = (text: string): string => text.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ');

/**
 * Finds retired words in a file's path and text.
 * @param allowed words that have a technical sense in this file
 */
export function findRetiredWords(path: string, text: string, allowed: readonly string[] = []): Finding[] {
  const active = retiredWords.filter(({ word }) => !allowed.includes(word));
  return [path, ...text.split('\n')].flatMap((content, line) => {
    const words = splitNames(content);
    return active.filter(({ pattern }) => pattern.test(words)).map(({ word, instead }) => ({ line, word, instead }));
  });
}
