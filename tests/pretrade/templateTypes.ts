import type { CheckedToken } from './describeAnswers.ts';

/** A checked token, to compare with its sentences. */
interface Case extends CheckedToken {
  /** Whether a getter of the token returns true on chain. */
  readsTrue: (getter?: string) => Promise<boolean>;
  /** Whether the token's code contains the opcode NUMBER. */
  readsNumber: () => Promise<boolean>;
}
/** @param groups the template's capturing groups */
export type Condition = (found: Case, ...groups: string[]) => boolean | Promise<boolean>;

/** A template of a sentence, and its condition. */
export type Template = [template: string, condition: Condition];
