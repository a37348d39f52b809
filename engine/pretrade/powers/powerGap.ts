import { groupsOf } from '../bytecode/fingerprints.ts';
import { findNamedFunction } from '../bytecode/signatures.ts';
import type { TokenReading } from '../tokenReading.ts';
import { couldBePower } from './attempts.ts';
import { scanGap } from './powerMemory.ts';

/**
 * Why a power of a group may have been missed; null if every function was tried. A function counts as tried only if a
 * call of it succeeded, because an account that was not tried may be allowed to call it.
 */
export function powerGap(
  { code, exit, powers }: Pick<TokenReading, 'code' | 'exit' | 'powers'>,
  group: 'blacklist' | 'mint',
): string | null {
  if (!exit.hasCode) return 'there is no contract at this address';
  const groups = groupsOf(code);
  if (!groups) return 'the bytecode could not be analysed completely';
  if (group === 'mint' && !exit.totalSupply)
    return 'totalSupply() is zero or cannot be read, so that a raised balance cannot be recognised';
  const gap = scanGap(powers);
  if (gap !== null || powers.status !== 'scanned') return gap;
  const { callsTried, functionsRefused } = powers.scan;
  const unexecuted = (code?.functions ?? []).filter(
    ({ selector }) => callsTried === 0 || functionsRefused.includes(selector),
  );
  if (unexecuted.some(({ selector, writes }) => writes && findNamedFunction(selector)?.group === group))
    return `the code has ${group} functions, and no account that may call them is known`;
  return couldBePower(unexecuted, group)
    ? 'the code has functions that change state, and no account that may call them is known'
    : null;
}
