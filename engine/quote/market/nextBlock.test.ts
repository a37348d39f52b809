import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import {
  addressOf,
  decodeProbe,
  poolOf,
  probeAnswer,
  routeOver,
  testHeader,
  tokenA,
  tokenB,
} from '../../../tests/support/engine/testProbe.ts';
import { createLensCaller } from '../../chain/lensCall.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { RpcTransportError } from '../../errors.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import { createFundingMemory } from '../funding/fundingMemory.ts';
import { createFeeModules } from './feeModules.ts';
import { feeChangesFlags, type NextBlock, readNextBlock } from './nextBlock.ts';

const slipstream = poolOf(addressOf('5'), [tokenA, tokenB], { kind: kinds.slipstream });
const fixed = poolOf(addressOf('6'));
const state = { kind: 'concentrated' } as const;
const plan = routeOver([slipstream], 100n);

interface Scene {
  /** Of the execution in the next block. */
  status?: number;
  received?: bigint;
  /** The timestamp at which the node executes it. */
  time?: bigint;
  reply?: RpcReply;
  hash?: Hex;
  module?: bigint;
  chain?: 'base' | 'arbitrum';
}

/** A node at the block of the states, and the calls that it received. */
async function read(
  { status = 1, received = 90n, time = 101n, reply, hash = testHeader.hash, module = 7n, chain = 'base' }: Scene,
  pool = slipstream,
  known: 'yes' | 'no' | 'unknown' = 'unknown',
) {
  const sent: RpcCall[] = [];
  const node = testNode(
    {
      chain,
      send: async (calls) =>
        calls.map((call): RpcReply => {
          if (call.method === 'eth_getBlockByNumber') return { result: { ...testHeader, hash } };
          sent.push(call);
          if (call.params.length < 4) return { result: `0x${module.toString(16).padStart(64, '0')}` };
          return reply ?? { result: probeAnswer(decodeProbe(call), () => ({ status, received }), { time }) };
        }),
    },
    { checked: true, baseFee: 1n, blockOverrides: known, l1PricePerUnit: 0n },
  );
  node.block = { number: 16n, timestamp: 100n, hash: testHeader.hash, parentHash: testHeader.parentHash };
  const funding = createFundingMemory(() => 0);
  funding.set(tokenA, 'unknown');
  const candidatePools = [pool.candidatePool];
  const data = {
    ...{ deployment: deployments[chain], funding, lens: createLensCaller() },
    feeModules: createFeeModules(() => 0, candidatePools),
  };
  const states = { block: { number: 16n, timestamp: 100n }, pools: [{ ref: pool, state }] } as unknown as StateReading;
  return { next: await readNextBlock(data, { plan: routeOver([pool], 100n) }, states, node), sent, node };
}
const overridesOf = (calls: readonly RpcCall[]) =>
  calls.flatMap(({ params }) => (params.length === 4 ? [params[3]] : []));

test('a route whose fees do not depend on the block needs no request', async () => {
  const { next, sent } = await read({}, fixed);
  expect([next, sent]).toEqual([undefined, []]);
});

test('a factory without a fee module needs only the request for it', async () => {
  const { next, sent } = await read({ module: 0n });
  expect([next, sent.length]).toEqual([undefined, 1]);
});

test('the plan is executed at the block of the states, as if the next block had begun', async () => {
  const { next, sent, node } = await read({});
  expect(next).toEqual({ status: 'read', amountOut: 90n });
  expect(overridesOf(sent)).toEqual([{ time: '0x65', number: '0x11' }]);
  expect(sent.at(-1)?.params[1]).toBe('0x10');
  expect(node.memory.blockOverrides).toBe('yes');
});

test('on Arbitrum only the time changes', async () => {
  expect(overridesOf((await read({ chain: 'arbitrum' })).sent)).toEqual([{ time: '0x65' }]);
});

test.each<[string, number, NextBlock]>([
  ['a plan that reverts', 3, { status: 'read', amountOut: 0n }],
  ['a plan that a pool takes partly', 2, { status: 'read', amountOut: 0n }],
  ['a plan that runs out of gas', 4, { status: 'unread' }],
  ['an account without tokens', 5, { status: 'unread' }],
])('%s in the next block', async (_, status, expected) => {
  expect((await read({ status })).next).toEqual(expected);
});

test('a node that ignores the overrides is not asked again', async () => {
  const { next, node } = await read({ time: 100n });
  expect([next, node.memory.blockOverrides]).toEqual([{ status: 'unread' }, 'no']);
  const known = await read({}, slipstream, 'no');
  expect([known.next, overridesOf(known.sent)]).toEqual([{ status: 'unread' }, []]);
});

test.each<[string, RpcReply, string]>([
  ['invalid parameters', { error: { code: -32_602, message: 'expected 3' } }, 'no'],
  ['too many arguments', { error: { code: -32_000, message: 'Too many arguments, want at most 3' } }, 'no'],
  ['invalid params', { error: { code: -32_000, message: 'invalid params' } }, 'no'],
  ['block overrides', { error: { code: -32_000, message: 'block overrides are not supported' } }, 'no'],
  ['another error', { error: { code: -32_000, message: 'internal error' } }, 'unknown'],
  ['nothing', { result: '0x' }, 'unknown'],
])('a node that refuses with %s leaves the next block unread', async (_, reply, known) => {
  const { next, node } = await read({ reply });
  expect([next, node.memory.blockOverrides]).toEqual([{ status: 'unread' }, known]);
});

test('a block that was replaced, a malformed answer and a lost request leave it unread; another error is thrown', async () => {
  expect((await read({ hash: `0x${'33'.repeat(32)}` })).next).toEqual({ status: 'unread' });
  expect((await read({ reply: { result: `0x${'00'.repeat(320)}` } })).next).toEqual({ status: 'unread' });
  const failing = async (error: Error) => {
    const { node } = await read({});
    node.send = () => Promise.reject(error);
    const feeModules = createFeeModules(() => 0, [slipstream.candidatePool]);
    const data = {
      deployment: deployments.base,
      funding: createFundingMemory(() => 0),
      lens: createLensCaller(),
      feeModules,
    };
    const states = {
      block: { number: 16n, timestamp: 100n },
      pools: [{ ref: slipstream, state }],
    } as unknown as StateReading;
    return readNextBlock(data, { plan }, states, node);
  };
  expect(await failing(new RpcTransportError('refused'))).toEqual({ status: 'unread' });
  await expect(failing(new RangeError('wrong'))).rejects.toThrow('wrong');
});

test.each<[string, NextBlock | undefined, object | undefined]>([
  ['the same output', { status: 'read', amountOut: 1_000n }, undefined],
  ['no dependence on the block', undefined, undefined],
  [
    'less',
    { status: 'read', amountOut: 990n },
    {
      severity: 'warn',
      message: expect.stringContaining('1.0000 % less'),
      facts: { amountOut: '1000', nextAmountOut: '990', changeBps: -100 },
    },
  ],
  [
    'more',
    { status: 'read', amountOut: 1_001n },
    {
      severity: 'warn',
      message: expect.stringContaining('0.1000 % more'),
      facts: { amountOut: '1000', nextAmountOut: '1001', changeBps: 10 },
    },
  ],
  [
    'no fill',
    { status: 'read', amountOut: 0n },
    {
      severity: 'warn',
      message: expect.stringContaining('does not fill'),
      facts: { amountOut: '1000', nextAmountOut: '0', changeBps: -10_000 },
    },
  ],
  [
    'an unread block',
    { status: 'unread' },
    {
      severity: 'info',
      message: expect.stringContaining('could not execute'),
      facts: { amountOut: '1000', nextAmountOut: null, changeBps: null },
    },
  ],
])('the flag after %s', (_, next, expected) => {
  expect(feeChangesFlags(next, 1_000n)).toEqual(expected ? [{ code: 'FEE_CHANGES', ...expected }] : []);
});
