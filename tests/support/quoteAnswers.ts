import type { Flag, QuoteAnswer } from '../../engine/index.ts';

/** The codes of the flags, in order. */
export const codesOf = ({ flags }: QuoteAnswer): string[] => flags.map(({ code }) => code);

/** Facts of the first flag with this code. */
export const factsOf = ({ flags }: QuoteAnswer, code: string): Flag['facts'] =>
  flags.find((flag) => flag.code === code)?.facts;
