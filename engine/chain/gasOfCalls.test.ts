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

const dataOf = (bytes: number) => `0x${'ab'.repeat(bytes)}` as const;
/** The call that is sent to a node with this memory. */
async function sentWith(more: Partial<ReturnType<typeof newNodeMemory>>, call: RpcCall): Promise<RpcCall | undefined> {
  let sent: RpcCall | undefined;
  await sendWithGas({ ...newNodeMemory(), ...more }, [call], async ([first]) => {
    sent = first;
    return [{ result: '0x' }];
  });
  return sent;
}

test('the gas for data is 16 units a byte and 256 bytes, with a margin of an eighth', async () => {
  const sent = await sentWith({ l1PricePerUnit: 800n, baseFee: 10n }, callWith(1_000_000n, dataOf(144)));
  expect(gasOf(sent)).toBe(1_000_000n + (16n * 400n * 800n * 9n) / (10n * 8n));
});

test('a call without gas, a simulation, and a chain without a price or a base fee get no gas for data', async () => {
  const priced = { l1PricePerUnit: 7_000n, baseFee: 16n };
  const open: RpcCall = { method: 'eth_call', params: [{ data: dataOf(100) }, 'latest'] };
  expect(await sentWith(priced, open)).toEqual(open);
  const payload = { blockStateCalls: [{ calls: [{ gas: '0x10', data: dataOf(100) }] }] };
  const simulation = { method: 'eth_simulateV1', params: [payload, 'latest'] };
  expect(await sentWith(priced, simulation)).toEqual(simulation);
  const call = callWith(1_000_000n, dataOf(100));
  expect(await sentWith({ l1PricePerUnit: 7_000n, baseFee: 0n }, call)).toEqual(call);
  expect(await sentWith({ l1PricePerUnit: 0n, baseFee: 16n, gasCap: 10n ** 9n }, call)).toEqual(call);
  const code = { method: 'eth_getCode', params: [{ gas: '0x10' }, 'latest'] };
  expect(await sentWith({ gasCap: 1n }, code)).toEqual(code);
});

test('on Arbitrum the raised gas is at most 200 M, and the charge is skipped above 45 M', async () => {
  const most = await sentWith({ l1PricePerUnit: 10n ** 9n, baseFee: 1n }, callWith(24_000_000n, dataOf(2_000)));
  expect(gasOf(most)).toBe(200_000_000n);
  expect(most?.params[0]).toHaveProperty('skipL1Charging', true);
  // 16 · 256 units at 8 and a base fee of 9 wei: 4,096 gas.
  const at = (gas: bigint) => sentWith({ l1PricePerUnit: 8n, baseFee: 9n }, callWith(gas, '0x'));
  expect((await at(45_000_000n - 4_096n))?.params[0]).not.toHaveProperty('skipL1Charging');
  expect((await at(45_000_001n - 4_096n))?.params[0]).toHaveProperty('skipL1Charging', true);
  expect(gasOf(await sentWith({}, callWith(300_000_000n)))).toBe(300_000_000n);
  expect(gasOf(await sentWith({ gasCap: 250_000_000n }, callWith(300_000_000n)))).toBe(250_000_000n);
});

const refusal = (message: string): RpcReply => ({ error: { code: -32_000, message } });

test.each([
  ['a number with commas', 'gas limit exceeds the cap of 10,000,000', 10_000_000n],
  ['a number below a million, which is no cap', 'gas too high: 5000 of 999999', 12_000_000n],
  ['a million', 'exceeds block gas limit 1000000', 1_000_000n],
  ['the gas of the call itself', 'gas 24000000 is above the maximum', 12_000_000n],
])('the cap of a refusal with %s', async (_, message, expected) => {
  const memory = newNodeMemory();
  const replies = [refusal(message), { result: '0x' }];
  await sendWithGas(memory, [callWith(24_000_000n)], async () => [replies.shift() ?? { result: '0x' }]);
  expect(memory.gasCap).toBe(expected);
});

test('a call of less than two million gas is not sent again with half of it', async () => {
  const memory = newNodeMemory();
  let requests = 0;
  const send = async () => {
    requests += 1;
    return [refusal('gas limit is too high')];
  };
  expect(await sendWithGas(memory, [callWith(1_999_999n)], send)).toEqual([refusal('gas limit is too high')]);
  expect([requests, memory.gasCap]).toEqual([1, undefined]);
  await sendWithGas(memory, [callWith(2_000_000n)], send);
  expect([requests, memory.gasCap]).toEqual([3, 1_000_000n]);
});

test('only the refused calls are sent again, and each reply keeps its place', async () => {
  const sent: bigint[][] = [];
  const replies = await sendWithGas(
    newNodeMemory(),
    [callWith(1_000_000n), callWith(24_000_000n), callWith(2_000_000n), callWith(30_000_000n)],
    async (calls) => {
      sent.push(calls.map(gasOf));
      return calls.map((call) =>
        gasOf(call) > 10_000_000n ? refusal('gas limit exceeds 10000000') : { result: gasOf(call) },
      );
    },
  );
  expect(sent[1]).toEqual([10_000_000n, 10_000_000n]);
  expect(replies).toEqual([1_000_000n, 10_000_000n, 2_000_000n, 10_000_000n].map((result) => ({ result })));
});

test('the lowest cap of several refusals is kept, and a higher one later does not raise it', async () => {
  const memory = newNodeMemory();
  const replies = [
    [refusal('gas cap 9000000'), refusal('gas cap 8000000')],
    [{ result: '0x' }, { result: '0x' }],
  ];
  await sendWithGas(memory, [callWith(24_000_000n), callWith(24_000_000n)], async () => replies.shift() ?? []);
  expect(memory.gasCap).toBe(8_000_000n);
});

test('the highest gas of a simulation’s calls is halved', async () => {
  const memory = newNodeMemory();
  const calls = [{ gas: '0x989680' }, { gas: '0x1312d00' }, {}, { gas: '0x4c4b40' }];
  const replies = [[refusal('gas limit is too high')], [{ result: [] }]];
  const call = { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls }] }, 'latest'] };
  await sendWithGas(memory, [call], async () => replies.shift() ?? []);
  expect(memory.gasCap).toBe(10_000_000n);
});

test.each([
  ['no reply', undefined],
  ['an error', refusal('execution reverted')],
  ['a number', { result: 7 }],
  ['two words', { result: `0x${'0'.repeat(126)}ff` }],
  ['text before the word', { result: ` 0x${'0'.repeat(62)}ff` }],
])('the price of Ethereum data is 0 after %s', (_, reply) => {
  expect(toL1Price(reply)).toBe(0n);
});
