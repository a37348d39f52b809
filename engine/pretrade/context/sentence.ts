/**
 * Capitalizes a text, unless it begins with the name of a function, and ends it with one full stop. Reasons of vendors and
 * nodes may already end with one.
 */
export const sentence = (text: string): string =>
  `${withoutStop(text).replace(/^[a-z](?!\w*\()/, (first) => first.toUpperCase())}.`;

/** Removes the full stop, to embed a sentence in another one. */
export const withoutStop = (text: string): string => text.replace(/[.\s]+$/, '');
