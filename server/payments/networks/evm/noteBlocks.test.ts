import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScriptedChain, type ScriptedResult } from '../../../../tests/support/scriptedChain.ts';
import { type Chain, ChainUnreachableError } from '../../chainCall.ts';
import { header, quantity, rawQuantity, receipt } from './nodeAnswers.ts';
import { noteBlocks } from './noteBlocks.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

function open(results: Record<string, ScriptedResult>) {
  const scripted = createScriptedChain(results);
  return { ...noteBlocks(scripted.chain as Chain), scripted };
}
/** A verifier that has read block 100. */
async function openAt100() {
  const noted = open({ eth_blockNumber: '0x64' });
  expect(await noted.chain.callVerified('eth_blockNumber', [], quantity)).toBe(100n);
  return noted;
}
const mined = { status: '0x1', transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: '0x64', logs: [] };

test('accepts any block before one was read', () => {
  expect(() => open({}).assertNotBehind(0n)).not.toThrow();
});

test('error: a block below the newest one that was read', async () => {
  const { assertNotBehind } = await openAt100();
  expect(() => assertNotBehind(99n)).toThrow(ChainUnreachableError);
  expect(() => assertNotBehind(99n)).toThrow('The node is at block 99, behind block 100 that was read before.');
  expect(() => assertNotBehind(100n)).not.toThrow();
  expect(() => assertNotBehind(101n)).not.toThrow();
});

test.each([
  ['the number of the head', 'eth_blockNumber', [], '0x64', quantity],
  ['the latest block', 'eth_getBlockByNumber', ['latest', false], { number: '0x64', timestamp: '0x1' }, header],
  ['a receipt', 'eth_getTransactionReceipt', ['0x'], mined, receipt],
] as const)('notes the block in %s, in one request and in a batch', async (_name, method, params, result, shape) => {
  const single = open({ [method]: result });
  await single.chain.callVerified(method, params, shape as never);
  expect(() => single.assertNotBehind(99n)).toThrow(ChainUnreachableError);
  const batch = open({ eth_chainId: '0x1', [method]: result });
  const results = await batch.chain.callAllVerified(['eth_chainId', [], rawQuantity], [method, params, shape as never]);
  expect(results[0]).toBe('0x1');
  expect(() => batch.assertNotBehind(99n)).toThrow(ChainUnreachableError);
  expect(() => batch.assertNotBehind(100n)).not.toThrow();
});

test.each([
  ['a count', 'eth_getTransactionCount', [], '0x64', quantity],
  ['an earlier block', 'eth_getBlockByNumber', ['0x64', false], { number: '0x64', timestamp: '0x1' }, header],
  ['no receipt', 'eth_getTransactionReceipt', ['0x'], null, receipt],
  ['a number as text', 'eth_blockNumber', [], '0x64', rawQuantity],
  ['text instead of a receipt', 'eth_getTransactionReceipt', ['0x'], '0x64', rawQuantity],
  ['the latest object of another kind', 'eth_getProof', ['latest'], { number: '0x64', timestamp: '0x1' }, header],
  ['the block of another object', 'eth_getTransactionByHash', ['0x'], mined, receipt],
] as const)('notes no block in %s', async (_name, method, params, result, shape) => {
  const { chain, assertNotBehind } = open({ [method]: result });
  await chain.callVerified(method, params, shape as never);
  expect(() => assertNotBehind(0n)).not.toThrow();
});

test('a lower block that is read later does not replace a higher one', async () => {
  const { chain, assertNotBehind, scripted } = await openAt100();
  scripted.results.eth_blockNumber = '0x32';
  await chain.callVerified('eth_blockNumber', [], quantity);
  expect(() => assertNotBehind(99n)).toThrow('behind block 100');
});

test('forgets a block after a minute', async () => {
  const { chain, assertNotBehind, scripted } = await openAt100();
  vi.advanceTimersByTime(60_000);
  expect(() => assertNotBehind(99n)).toThrow(ChainUnreachableError);
  vi.advanceTimersByTime(1);
  expect(() => assertNotBehind(99n)).not.toThrow();
  scripted.results.eth_blockNumber = '0x32';
  await chain.callVerified('eth_blockNumber', [], quantity);
  expect(() => assertNotBehind(49n)).toThrow('behind block 50');
  expect(() => assertNotBehind(50n)).not.toThrow();
});

test('a block that is read again is kept for another minute', async () => {
  const { chain, assertNotBehind } = await openAt100();
  vi.advanceTimersByTime(40_000);
  await chain.callVerified('eth_blockNumber', [], quantity);
  vi.advanceTimersByTime(40_000);
  expect(() => assertNotBehind(99n)).toThrow(ChainUnreachableError);
});

test('passes errors and other functions of the chain on', async () => {
  const { chain, scripted } = open({ eth_blockNumber: new ChainUnreachableError('down') });
  await expect(chain.callVerified('eth_blockNumber', [], quantity)).rejects.toThrow('down');
  await expect(chain.callAllVerified(['eth_blockNumber', [], quantity])).rejects.toThrow('down');
  expect(chain.call).toBe(scripted.chain.call);
});
