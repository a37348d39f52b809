import type { TransferFinding } from '../axes/transferFinding.ts';
import { powerWords } from '../bytecode/fingerprints.ts';
import { describeTrade, type GateFinding } from '../bytecode/gates.ts';
import { sentence } from '../context/sentence.ts';
import type { Pattern } from '../pretradeTypes.ts';
import type { TokenReading } from '../tokenReading.ts';
import { type B20Finding, weighB20 } from './weighB20.ts';

/** What the rules of B20 allow with this token; undefined unless its factory created it. */
export function findB20({ b20, exit }: Pick<TokenReading, 'b20' | 'exit'>): B20Finding | undefined {
  return b20?.facts.created ? weighB20(b20.facts, exit.totalSupply, b20.pools) : undefined;
}

const trades = ({ canBuy, canSell }: TransferFinding) => canBuy === true && canSell === true;

/** `isPaused(TRANSFER)` is the token's own gate. Policies are none: they refuse accounts, not trading. */
export function b20Gate({ transfersPaused }: B20Finding, trade: TransferFinding): GateFinding {
  if (transfersPaused === undefined) return { state: 'unknown', reasons: [], pauses: [] };
  if (!transfersPaused) return { state: 'open', reasons: [], pauses: [] };
  // A trade that works contradicts the reading.
  if (trades(trade)) return { state: 'unknown', reasons: [], pauses: ['isPaused'] };
  return {
    state: 'closed',
    reasons: [`isPaused(TRANSFER) returns true; ${describeTrade(trade)}.`],
    pauses: ['isPaused'],
  };
}

/** Whether a policy keeps an ordinary wallet from trading. Trades that work contradict it. */
export const refusesTrades = (b20: B20Finding, trade: TransferFinding): boolean => b20.refusesTrades && !trades(trade);

/** Refusals first, then powers, then what is not known, then facts about the token. */
export function b20Sentences({ refusals, notes, ...answers }: B20Finding): string[] {
  const powers = [answers.canSeize, answers.hasBlacklist, answers.canPause];
  const gaps = {
    'whether a holder can be blocked': answers.hasBlacklist,
    'whether a balance can be seized': answers.canSeize,
    'whether transfers can be paused': answers.canPause,
  };
  return [
    ...refusals,
    ...powers.filter(({ value }) => value === true).map(({ why }) => sentence(why)),
    answers.isMintable.value ? sentence(`The token can be minted: ${answers.isMintable.why}`) : '',
    ...Object.entries(gaps).flatMap(([what, { value, why }]) =>
      value === null ? [sentence(`It is not known ${what}: ${why}`)] : [],
    ),
    ...notes,
  ].filter((text) => text !== '');
}

/** Words for `fingerprints`. */
export function b20Words({ b20 }: Pick<TokenReading, 'b20'>, finding: B20Finding | undefined): Pattern[] {
  if (!b20 || !finding) return [];
  const { variant, policies } = b20.facts;
  const { TRANSFER_EXECUTOR_POLICY, TRANSFER_SENDER_POLICY, TRANSFER_RECEIVER_POLICY } = policies;
  const decides = [TRANSFER_EXECUTOR_POLICY, TRANSFER_SENDER_POLICY, TRANSFER_RECEIVER_POLICY].some((policy) => policy);
  return [
    ...(variant ? ([`b20-${variant}`] as const) : []),
    ...(decides ? (['transfer-policy'] as const) : []),
    ...finding.effects.map((effect) => powerWords[effect]),
  ];
}

/** States that an address with the shape of B20 is no B20 token, or that this could not be read. */
export function describeLookAlike({ b20, exit }: Pick<TokenReading, 'b20' | 'exit'>): string | undefined {
  if (!b20 || b20.facts.created === true || !exit.hasCode) return undefined;
  return b20.facts.created === false
    ? 'The address has the shape of a B20 token, but the B20 factory did not create it: it is treated as an ordinary contract.'
    : 'The address has the shape of a B20 token, but the B20 factory could not be read, so roles and policies are not known.';
}
