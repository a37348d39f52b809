import { groupsOf } from '../bytecode/fingerprints.ts';
import type { TokenReading } from '../tokenReading.ts';
import { scanGap } from './powerMemory.ts';

/**
 * Why a power of a group may have been missed; null if every function was tried. Functions with a telling name count as
 * tried only if an account that may call them is known.
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
  return groups.has(group) && powers.scan.callsTried === 0
    ? `the code has ${group} functions, and no account that may call them is known`
    : null;
}
