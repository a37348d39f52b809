/** One sentence with exactly one full stop: reasons of vendors and nodes may end with one already. */
export const sentence = (text: string): string =>
  `${withoutStop(text).replace(/^[a-z]/, (first) => first.toUpperCase())}.`;

/** A sentence as part of another. */
export const withoutStop = (text: string): string => text.replace(/[.\s]+$/, '');
