import { expect, test } from 'vitest';
import { l1PriceCall, sendWithGas, toL1Price } from './gasOfCalls.ts';
import { newNodeMemory } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

const callWith = (gas: bigint, data: `0x${string}` = '0x'): RpcCall => ({
  method: 'eth_call',
  params: [{ gas: `0x${gas.toString(16)}`, data }, 'latest'],
});
const gasOf = (call: RpcCall | undefined) => BigInt((call?.params[0] as { gas?: string } | undefined)?.gas ?? 0);

/** A node that refuses calls above its cap with this message. */
function cappedNode(cap: bigint, toMessage: (gas: bigint) => string) {
  const sent: bigint[] = [];
  const send = async (calls: readonly RpcCall[]) =>
    calls.map((call): RpcReply => {
      const gas = gasOf(call);
      sent.push(gas);
      return gas > cap ? { error: { code: -32_000, message: toMessage(gas) } } : { result: '0x' };
    });
  return { sent, send };
}

test.each<[string, (gas: bigint) => string, number]>([
  ['states its cap', (gas) => `gas limit ${gas} exceeds the cap of 10000000`, 2],
  ['states no cap', () => 'gas limit is too high', 3],
])('a node that %s gets calls below it from then on', async (_what, toMessage, requests) => {
  const memory = newNodeMemory();
  const { sent, send } = cappedNode(10_000_000n, toMessage);
  expect(await sendWithGas(memory, [callWith(24_000_000n)], send)).toEqual([{ result: '0x' }]);
  expect(sent).toHaveLength(requests);
  sent.length = 0;
  await sendWithGas(memory, [callWith(24_000_000n), callWith(1_000_000n)], send);
  expect(sent.every((gas) => gas <= 10_000_000n)).toBe(true);
  expect(sent).toContain(1_000_000n);
});

test('lowers the gas of the calls of a simulation too', async () => {
  const memory = { ...newNodeMemory(), gasCap: 10_000_000n };
  const simulation = { blockStateCalls: [{ calls: [{ gas: '0xf42400' }] }, { blockOverrides: {} }] };
  let sent: unknown;
  await sendWithGas(memory, [{ method: 'eth_simulateV1', params: [simulation, '0x1'] }], async ([call]) => {
    sent = call?.params[0];
    return [{ result: [] }];
  });
  expect(sent).toEqual({ blockStateCalls: [{ calls: [{ gas: '0x989680' }] }, { blockOverrides: {} }] });
});

test.each(['out of gas', 'intrinsic gas too low', 'execution reverted: gas limit'])(
  'an execution that fails with "%s" shows no cap',
  async (message) => {
    const memory = newNodeMemory();
    const replies = await sendWithGas(memory, [callWith(24_000_000n)], async () => [
      { error: { code: -32_000, message } },
    ]);
    expect(replies).toEqual([{ error: { code: -32_000, message } }]);
    expect(memory.gasCap).toBeUndefined();
  },
);

test('on Arbitrum the gas of a call covers its data on Ethereum', async () => {
  const memory = { ...newNodeMemory(), l1PricePerUnit: 7_000n, baseFee: 16n };
  const data = `0x${'ab'.repeat(1_000)}` as const;
  let sent: RpcCall | undefined;
  await sendWithGas(memory, [callWith(24_000_000n, data)], async ([call]) => {
    sent = call;
    return [{ result: '0x' }];
  });
  // 7,000 gas a byte.
  expect(gasOf(sent)).toBeGreaterThan(24_000_000n + 7_000n * 1_000n);
  expect(sent?.params[0]).not.toHaveProperty('skipL1Charging');
});

test('asks for no charge on Ethereum where the gas would exceed the cap of nodes', async () => {
  const memory = { ...newNodeMemory(), l1PricePerUnit: 20_000n, baseFee: 16n };
  const data = `0x${'ab'.repeat(2_000)}` as const;
  let sent: RpcCall | undefined;
  await sendWithGas(memory, [callWith(24_000_000n, data)], async ([call]) => {
    sent = call;
    return [{ result: '0x' }];
  });
  expect(sent?.params[0]).toHaveProperty('skipL1Charging', true);
});

test('reads the price of Ethereum data from ArbGasInfo, 0 where the chain has none', () => {
  expect(l1PriceCall.params[0]).toMatchObject({ to: '0x000000000000000000000000000000000000006c', data: '0xf5d6ded7' });
  expect(toL1Price({ result: `0x${'0'.repeat(62)}ff` })).toBe(255n);
  expect(toL1Price({ result: '0x' })).toBe(0n);
});
