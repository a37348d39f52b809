import { oddReplyTokenArtifact } from '../../contracts/artifacts/testTokens/OddReplyToken.ts';
import { describeToken } from './describeToken.ts';
import type { GroundTruth, TokenDefinition } from './testTokenTypes.ts';
import { tradable } from './truths.ts';

const reply = { true: 0, nothing: 1, two: 2, twoWords: 3, false: 4 } as const;
const defaults = {
  transfer: 0,
  transferFrom: 0,
  approve: 0,
  approveFromZeroOnly: false,
  refusesZeroTransfers: false,
  logBytes: 0,
  callsSender: false,
};

const odd = (
  symbol: string,
  about: string,
  options: Partial<{ [K in keyof typeof defaults]: (typeof defaults)[K] }>,
  truth: GroundTruth = tradable(),
) => describeToken(symbol, oddReplyTokenArtifact, about, truth, { args: [{ ...defaults, ...options }] });

/** Variants of return values, calls and events of a token's functions. */
export const variantReplies: readonly TokenDefinition[] = [
  odd('OTRANSFER', 'transfer() returns nothing; transferFrom() returns true.', { transfer: reply.nothing }),
  odd('OFROM', 'transferFrom() returns nothing.', { transferFrom: reply.nothing }),
  odd('OAPPROVE', 'approve() returns nothing.', { approve: reply.nothing }),
  odd('OAPPROVE0', 'approve() works but returns false.', { approve: reply.false }),
  odd('OTWOWORDS', 'Functions return two words; the first is true.', {
    transfer: reply.twoWords,
    transferFrom: reply.twoWords,
  }),
  odd(
    'OTWO',
    'Functions return 2 instead of true: old routers accept that, stricter ones do not.',
    {
      transfer: reply.two,
      transferFrom: reply.two,
      approve: reply.two,
    },
    tradable({ outcomes: ['unknown', 'tradable'], refusesSimulations: true }),
  ),
  odd('OUSDT', 'As USDT: an allowance must be zero before it changes, and functions return nothing.', {
    transfer: reply.nothing,
    transferFrom: reply.nothing,
    approve: reply.nothing,
    approveFromZeroOnly: true,
  }),
  odd('ONOZERO', 'Transfers of zero revert.', { refusesZeroTransfers: true }),
  odd('OHOOKS', 'As ERC-777: a transfer calls sender and receiver, and ignores failures.', { callsSender: true }),
  odd('OLOGS', 'Each transfer logs 20 kB.', { logBytes: 20_000 }),
  odd('OFLOOD', 'Each transfer logs 200 kB, so that simulations exceed the response limit.', { logBytes: 200_000 }),
];
