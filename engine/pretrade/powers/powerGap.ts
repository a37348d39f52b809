import { groupsOf } from '../bytecode/fingerprints.ts';
import type { TokenReading } from '../tokenReading.ts';
import { couldBePower } from './attempts.ts';
import { scanGap } from './powerMemory.ts';

/**
 * Why a power of a group may have been missed; null if every function was tried. Functions count as tried only if an
 * account that may call them is known.
 */
export function powerGap(
  { code, exit, powers }: Pick<TokenReading, 'code' | 'exit' | 'powers'>,
  group: 'blacklist' | 'mint',
): string | null {
  if (!exit.hasCode) return 'there is no contract at this address';
  const groups = groupsOf(code);
  if (!groups) return 'the bytecode could not be analysed completely';
  const gap = scanGap(powers);
  if (gap !== null || powers.status !== 'scanned') return gap;
  if (powers.scan.callsTried > 0) return null;
  if (groups.has(group)) return `the code has ${group} functions, and no account that may call them is known`;
  return couldBePower(code?.functions ?? [], group)
    ? 'the code has functions that change state, and no account that may call them is known'
    : null;
}
