import fc from 'fast-check';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError, type RpcEndpoint, type RpcReply } from '../../engine/index.ts';
import { pretradeOutput } from '../../router/pretrade/pretradeOutput.ts';
import { toPretradeWire } from '../../router/pretrade/toPretradeWire.ts';
import { quoteOutput } from '../../router/quote/quoteOutput.ts';
import { toWire } from '../../router/quote/toWire.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { engineOver, tokenOf } from '../engine/market.ts';
import { checkerOver, startTestTokens, type TestTokensOnBase } from '../pretrade/checkOn.ts';
import { isFullSize } from '../support/proofSize.ts';
import { hexOf, hostileJson, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

// A node that returns one or two wrong words or whole replies, and is otherwise correct.

const { numRuns } = beginFuzz(isFullSize ? 40 : 15);

let environment: TestTokensOnBase;
beforeAll(async () => {
  environment = await startTestTokens();
});
afterAll(() => environment?.sandbox.close());

interface WrongReply {
  request: number;
  reply: number;
  /** Position of the word to replace; undefined: the whole reply. */
  word: number | undefined;
  value: unknown;
}

const wordValue = fc.oneof(
  fc.bigInt({ min: 0n, max: 40n }),
  uint256,
  fc.constantFrom(2n ** 32n, 2n ** 64n, 2n ** 128n, 2n ** 255n, 2n ** 256n - 1n),
);
const wrongReply: fc.Arbitrary<WrongReply> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      request: fc.nat(2),
      reply: fc.nat(6),
      word: fc.oneof(fc.nat(40), fc.nat(600)),
      value: wordValue,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ request: fc.nat(2), reply: fc.nat(30), word: fc.constant(undefined) },
      value: fc.oneof(hostileJson, hexOf(64), hexOf(640), fc.constantFrom('0x', '0x0', '', null)),
    }),
  },
);

function withWrongWord(reply: RpcReply, { word, value }: WrongReply): RpcReply {
  if (word === undefined) return { result: value };
  if (!('result' in reply) || typeof reply.result !== 'string' || !reply.result.startsWith('0x')) return reply;
  const words = (reply.result.length - 2) / 64;
  if (words < 1) return { result: `0x${(value as bigint).toString(16)}` };
  const at = 2 + 64 * (word % Math.floor(words));
  const hex = (value as bigint).toString(16).padStart(64, '0');
  return { result: reply.result.slice(0, at) + hex + reply.result.slice(at + 64) };
}

function endpointWith(url: string, wrongReplies: readonly WrongReply[]): RpcEndpoint {
  const correct = loopbackEndpoint(url);
  let request = -1;
  return {
    label: 'faulty',
    async send(calls, options) {
      request += 1;
      const replies = await correct.send(calls, options);
      const mine = wrongReplies.filter((one) => one.request === request);
      return replies.map((reply, index) =>
        mine
          .filter((one) => one.reply % replies.length === index)
          .reduce((seen, one) => withWrongWord(seen, one), reply),
      );
    },
  };
}

/** The result; undefined for an error that maps to 503. */
function resultOr503<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (!(error instanceof ChainUnavailableError) && !(error instanceof DeadlineExceededError)) throw error;
    return undefined;
  });
}

test('behavior: any wrong word from a node leads to a complete quote or a 503', async () => {
  const { base } = environment;
  const tokens = ['WETH', 'USDC'].map((symbol) => tokenOf(base, symbol).address) as [Address, Address];
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(wrongReply, { minLength: 1, maxLength: 2 }),
      fc.boolean(),
      async (wrongReplies, inUsd) => {
        const engine = engineOver(base, endpointWith(base.rpcUrl, wrongReplies));
        const size = inUsd ? ({ usd: '750' } as const) : ({ tokenIn: '1.5' } as const);
        const answer = await resultOr503(
          engine.quote({ chain: 'base', tokenIn: tokens[0], tokenOut: tokens[1], size }),
        );
        if (!answer) return;
        answered += 1;
        const wire = JSON.parse(JSON.stringify(toWire(answer)));
        expect(quoteOutput.safeParse(wire).error?.issues).toBeUndefined();
        if (wire.amountOut === '0') expect(wire.route.legs).toEqual([]);
      },
    ),
    { numRuns: numRuns * 4 },
  );
  expect(answered).toBeGreaterThan(numRuns);
}, 300_000);

test('behavior: any wrong word from a node leads to a complete check or a 503', async () => {
  const { base, testTokens } = environment;
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(wrongReply, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(...testTokens.tokens),
      async (wrongReplies, { address }) => {
        const checker = checkerOver(base, endpointWith(base.rpcUrl, wrongReplies));
        const answer = await resultOr503(checker.check({ chain: 'base', token: address }));
        if (!answer) return;
        answered += 1;
        const wire = JSON.parse(JSON.stringify(toPretradeWire(answer)));
        expect(pretradeOutput.safeParse(wire).error?.issues).toBeUndefined();
        expect(wire.verdict === 'avoid').toBe(wire.triggers.length > 0);
      },
    ),
    { numRuns: numRuns * 2 },
  );
  expect(answered).toBeGreaterThan(numRuns);
}, 300_000);

test('error: 503 for some zeroed words of an execution', async () => {
  const { base } = environment;
  const [tokenIn, tokenOut] = ['WETH', 'USDC'].map((symbol) => tokenOf(base, symbol).address) as [Address, Address];
  let refused = 0;
  // Reply 1 of request 3 contains the executions. Sets each of its words 10 to 59 to zero; not every word is checked.
  for (let word = 10; word < 60; word += 1) {
    const engine = engineOver(base, endpointWith(base.rpcUrl, [{ request: 3, reply: 1, word, value: 0n }]));
    const answer = await resultOr503(engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '1.5' } }));
    if (!answer) refused += 1;
  }
  expect(refused).toBeGreaterThan(0);
}, 120_000);

test.each<[unknown]>([[{ toString: [] }], [{}], [[]], [null], [true]])(
  'error: 503 for a node that reports chain id %j',
  async (id) => {
    const wrongReplies: WrongReply[] = [{ request: 0, reply: 0, word: undefined, value: id }];
    const { base } = environment;
    const [tokenIn, tokenOut] = ['WETH', 'USDC'].map((symbol) => tokenOf(base, symbol).address) as [Address, Address];
    const engine = engineOver(base, endpointWith(base.rpcUrl, wrongReplies));
    expect(
      await resultOr503(engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '1.5' } })),
    ).toBeUndefined();
  },
);
