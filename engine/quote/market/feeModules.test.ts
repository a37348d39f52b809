import { toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { RpcTransportError } from '../../errors.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { kinds } from '../../venues/kinds.ts';
import { createFeeModules } from './feeModules.ts';

const candidatePools = toCandidatePools(deployments.base.venues);
const factories = [
  ...new Set(candidatePools.filter(({ kind }) => kind === kinds.slipstream).map(({ factory }) => factory)),
];
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

/** The modules of a chain's factories at a node that replies like this, with a clock. */
function setup(replyTo: { now: (call: RpcCall, index: number) => RpcReply }) {
  const clock = { now: 1_000_000 };
  const sent: RpcCall[][] = [];
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      sent.push([...calls]);
      return calls.map((call, index) => replyTo.now(call, index));
    },
  });
  const modules = createFeeModules(() => clock.now, candidatePools);
  return {
    clock,
    sent,
    modules,
    node,
    load: () => modules.load(16n, node),
    known: () => factories.map(modules.mayHave),
  };
}

test('a factory whose module is 0 has none; others may have one, also before they were read', async () => {
  expect(factories.length).toBeGreaterThan(1);
  const { sent, load, known } = setup({ now: (_, index) => ({ result: word(index === 0 ? 0n : 7n) }) });
  expect(known()).toEqual(factories.map(() => true));
  await load();
  expect(known()).toEqual(factories.map((_, index) => index !== 0));
  const data = toFunctionSelector('function swapFeeModule()');
  expect(sent).toEqual([factories.map((to) => ({ method: 'eth_call', params: [{ to, data }, '0x10'] }))]);
});

test('the factories are read again after ten minutes, and a module that was set is noticed', async () => {
  const replies = { now: (): RpcReply => ({ result: word(0n) }) };
  const { clock, sent, load, known } = setup(replies);
  await load();
  replies.now = () => ({ result: word(7n) });
  clock.now += 599_999;
  await load();
  expect([sent.length, known()[0]]).toEqual([1, false]);
  clock.now += 1;
  await load();
  expect([sent.length, known()[0]]).toEqual([2, true]);
});

test.each<[string, RpcReply]>([
  ['an error', { error: { code: 3, message: 'reverted' } }],
  ['nothing', { result: '0x' }],
  ['null', { result: null }],
])('a factory that returns %s may have a module', async (_, reply) => {
  const { load, known } = setup({ now: () => reply });
  await load();
  expect(known()).toEqual(factories.map(() => true));
});

test('a failed request is repeated by the next quote; another error is thrown', async () => {
  const { modules, node, clock } = setup({ now: () => ({ result: word(0n) }) });
  let requests = 0;
  const failing = (error: Error) => ({
    ...node,
    send: () => {
      requests += 1;
      return Promise.reject(error);
    },
  });
  await modules.load(16n, failing(new RpcTransportError('refused')));
  await modules.load(16n, failing(new RpcTransportError('refused')));
  expect([requests, clock.now]).toEqual([2, 1_000_000]);
  await expect(modules.load(16n, failing(new RangeError('wrong')))).rejects.toThrow('wrong');
});

test('without such factories no request is sent', async () => {
  const { node, sent } = setup({ now: () => ({ result: '0x' }) });
  await createFeeModules(() => 0, toCandidatePools(deployments.polygon.venues)).load(16n, node);
  expect(sent).toEqual([]);
});
