import fc from 'fast-check';
import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { resultOf } from '../../engine/chain/batch.ts';
import { fromBalanceReplies } from '../../engine/chain/readBalances.ts';
import { encodeWords } from '../../engine/chain/words.ts';
import { type RpcReply, toLowerAddress } from '../../engine/index.ts';
import { poolTopics, toPoolCreation } from '../../engine/pools/poolEvents.ts';
import { fromPoolLogReplies } from '../../engine/pools/poolLogs.ts';
import { createCodeMemory } from '../../engine/pretrade/bytecode/codeMemory.ts';
import { readProxy } from '../../engine/pretrade/bytecode/proxies.ts';
import { fromCodeLensReplies, toCode } from '../../engine/pretrade/bytecode/readCode.ts';
import { readFunctions } from '../../engine/pretrade/bytecode/readFunctions.ts';
import { fromRoleReply } from '../../engine/pretrade/powers/roleHolders.ts';
import { fromSimulation } from '../../engine/pretrade/simulation/fromSimulation.ts';
import { fromRoundTrip } from '../../engine/pretrade/simulation/roundTrip.ts';
import type { Scenario, Step } from '../../engine/pretrade/simulation/simulationTypes.ts';
import type { SimulationLayout } from '../../engine/pretrade/simulation/toSimulation.ts';
import { toFeed } from '../../engine/pretrade/tokenCalls.ts';
import { kinds } from '../../engine/venues/kinds.ts';
import { JsonRpcError } from '../../server/payments/chainCall.ts';
import { refusalOfNodeError } from '../../server/payments/networks/evm/revertReason.ts';
import { address, hexOf, hostileJson, hostileText, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

// Contracts and nodes may return any bytes: these decoders must not throw for them.

beginFuzz();

const word = (value: bigint) => value.toString(16).padStart(64, '0');
const small = fc.oneof({ weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 200n }) }, { weight: 1, arbitrary: uint256 });
/** ABI-like words (offsets, lengths, amounts), truncated at a random position. */
const words = fc.tuple(fc.array(small, { maxLength: 40 }), fc.nat(80)).map(
  ([values, cut]): Hex =>
    `0x${values
      .map(word)
      .join('')
      .slice(0, -cut || undefined)}`,
);
const odd = fc.oneof(
  words,
  hexOf(64),
  hexOf(63),
  hostileJson,
  hostileText,
  fc.constantFrom('0x', '0x', '0x0', '', null, undefined),
);
const reply: fc.Arbitrary<RpcReply | undefined> = fc.oneof(
  { weight: 6, arbitrary: odd.map((result) => ({ result })) },
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant({ error: { code: 3, message: 'no' } }) },
);

test('behavior: decodes any output of the code lens to a reading or to unavailable', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { maxLength: 3 }), hexOf(400), async (replies, code) => {
      const reading = fromCodeLensReplies(replies);
      if (!reading) return;
      for (const account of reading.accounts) expect(account).toMatch(/^0x[0-9a-f]{40}$/);
      expect((await toCode({ ...reading, own: code }, createCodeMemory())).codeHash).toMatch(/^0x[0-9a-f]{64}$/);
    }),
  );
});

test('behavior: decodes any bytecode to selectors or to unreadable code', async () => {
  const opcode = fc.constantFrom(
    '60',
    '61',
    '63',
    '14',
    '57',
    '5b',
    '80',
    '35',
    '1c',
    'f3',
    'fd',
    '56',
    '36',
    '7f',
    '54',
  );
  const code = fc.oneof(
    fc
      .array(
        fc.oneof(
          opcode,
          hexOf(2).map((two) => two.slice(2)),
        ),
        { maxLength: 400 },
      )
      .map((all): Hex => `0x${all.join('')}`),
    hexOf(801),
    fc.constant<Hex>(`0x${'5b'.repeat(24_576)}`),
  );
  await fc.assert(
    fc.asyncProperty(code, async (bytes) => {
      for (const { selector } of (await readFunctions(bytes)) ?? []) expect(selector).toMatch(/^0x[0-9a-f]{8}$/);
    }),
    { numRuns: 150 },
  );
});

test('behavior: reads an implementation address from a proxy, or none', () => {
  fc.assert(
    fc.property(fc.oneof(hexOf(90), hexOf(0)), fc.array(reply, { maxLength: 6 }), (code, replies) => {
      const read = readProxy(code, replies.map(resultOf));
      if (read.status !== 'proxy') return;
      for (const at of [read.implementation, read.beacon, read.admin])
        if (at !== null) expect(at).toMatch(/^0x[0-9a-f]{40}$/);
    }),
  );
});

test('behavior: decodes feeds, balances, roles and round trips, or returns unavailable', () => {
  const holdings = Array.from({ length: 3 }, () => ({
    token: toLowerAddress(`0x${'11'.repeat(20)}`),
    holder: toLowerAddress(`0x${'22'.repeat(20)}`),
  }));
  fc.assert(
    fc.property(reply, fc.bigInt({ min: 0n, max: 9n }), (one, block) => {
      const feed = toFeed(one, block);
      if (typeof feed === 'object' && feed.read) expect(feed.answer >= 0n && feed.decimals <= 36).toBe(true);
      expect(fromBalanceReplies(holdings, [one])).toHaveLength(3);
      const roles = fromRoleReply(one);
      if (roles.status === 'read') for (const at of roles.addresses) expect(at).toMatch(/^0x[0-9a-f]{40}$/);
      expect(['ran', 'unread']).toContain(fromRoundTrip({ spend: 5n } as never, one).status);
    }),
  );
});

const topic = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...Object.values(poolTopics)) },
  hexOf(64),
  odd,
);
const log = fc.record(
  {
    address: fc.oneof<fc.Arbitrary<unknown>[]>(address, odd),
    topics: fc.oneof<fc.Arbitrary<unknown>[]>(
      fc
        .tuple(topic, fc.array(fc.oneof<fc.Arbitrary<unknown>[]>(hexOf(64), odd), { maxLength: 3 }))
        .map(([first, rest]) => [first, ...rest]),
      odd,
    ),
    data: fc.oneof<fc.Arbitrary<unknown>[]>(words, odd),
    blockNumber: fc.oneof<fc.Arbitrary<unknown>[]>(fc.constant('0x10'), odd),
  },
  { requiredKeys: ['address', 'topics', 'data'] },
);

test('behavior: decodes pool creation logs to addresses, or returns the whole read as unavailable', () => {
  fc.assert(
    fc.property(fc.array(log, { maxLength: 3 }), (logs) => {
      const read = fromPoolLogReplies([{ result: logs }]);
      for (const one of logs) toPoolCreation({ ...one, blockNumber: 1 } as never);
      if (read.status !== 'read') return;
      for (const { currency0, currency1, hooks } of read.creations)
        for (const at of [currency0, currency1, hooks]) expect(at).toMatch(/^0x[0-9a-f]{40}$/);
    }),
  );
});

const steps: Step[] = [
  { action: 'buy', at: 'purchase', amount: 1n },
  { action: 'sell', at: 'purchase', account: 'trader', bps: 10_000 },
  { action: 'balance', at: 'purchase', account: 'trader' },
  { action: 'transfer', at: 'purchase', amount: 1n },
];
const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      {
        status: fc.constantFrom<unknown>('0x1', '0x0', '0x01', 1, null),
        returnData: fc.oneof<fc.Arbitrary<unknown>[]>(
          words,
          words.map((data) => `0x7777351a${data.slice(2, 322).padEnd(320, '0')}`),
          odd,
        ),
        gasUsed: odd,
        error: fc.oneof<fc.Arbitrary<unknown>[]>(hostileJson, fc.constant({ message: 'out of gas' })),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<unknown>,
  },
  { weight: 1, arbitrary: hostileJson },
);
const block = fc.record(
  {
    number: fc.oneof<fc.Arbitrary<unknown>[]>(fc.constant('0x5'), fc.constant('0x6'), odd),
    timestamp: fc.oneof<fc.Arbitrary<unknown>[]>(fc.constant('0x7'), odd),
    calls: fc.oneof<fc.Arbitrary<unknown>[]>(
      fc.array(call, { minLength: 4, maxLength: 4 }),
      fc.array(call, { maxLength: 5 }),
      odd,
    ),
  },
  { requiredKeys: [] },
);

test('behavior: accepts a simulation with exactly the requested steps, or returns unavailable', () => {
  const some = toLowerAddress(`0x${'0a'.repeat(20)}`);
  const pool = {
    ...{ kind: kinds.v4, pool: some, token: some, counter: some, fee: 500, tickSpacing: 10 },
    ...{ hooks: some, router: some, puller: null },
  };
  const scenario = { name: 'plain', pool } as unknown as Scenario;
  const layout: SimulationLayout = {
    waits: 'never',
    baseFee: 3n,
    firstTimestamp: 7n,
    later: [{ timestamp: 7n, steps: steps.map((step) => ({ scenario: 0, step })) }],
  };
  const probe = { status: '0x1', returnData: encodeWords('0x', [5n, 7n, 3n]) };
  const first = { number: '0x5', timestamp: '0x7', calls: [probe] };
  let ran = 0;
  fc.assert(
    fc.property(
      fc.oneof<fc.Arbitrary<unknown>[]>(
        fc.tuple(fc.constant(first), block),
        fc.tuple(block, block),
        fc.array(block, { maxLength: 4 }),
        odd,
      ),
      (result) => {
        const outcome = fromSimulation(scenario, layout, result);
        if (outcome.status !== 'ran') return;
        ran += 1;
        expect(outcome.steps.map(({ step }) => step)).toEqual(steps);
      },
    ),
  );
  expect(ran).toBeGreaterThan(0);
});

test('behavior: maps any revert data to one of our refusal codes and sanitized text', () => {
  fc.assert(
    fc.property(
      fc.oneof<fc.Arbitrary<unknown>[]>(
        odd,
        words.map((data) => `0x08c379a0${data.slice(2)}`),
      ),
      hostileText,
      fc.constantFrom(3, -32_000, -32_015),
      (data, text, code) => {
        const refusal = refusalOfNodeError(new JsonRpcError(code, text, data));
        if (refusal) expect(refusal.reason).toMatch(/^invalid_exact_evm_\w+$/);
        if (refusal && text !== '') expect(refusal.detail.includes(text) && text.length > 8).toBe(false);
      },
    ),
  );
});
