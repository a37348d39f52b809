import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PretradeAnswer, PretradeChecker } from '../../engine/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { openStores, type Stores } from '../../server/storage/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { type DatabaseMaker, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { addressIn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// A scan of owner functions is stored for the code only if an ordinary wallet could trade at its block.

let fixture: TestTokensOnBase;
let node: NodeClient;
let maker: DatabaseMaker;
let stores: Stores;
let snapshot: Hex;
beforeAll(async () => {
  fixture = await startTestTokens();
  node = createNodeClient(fixture.base.rpcUrl);
  maker = await openDatabaseMaker('sqlite');
});
afterAll(async () => {
  await maker?.close();
  await fixture?.sandbox.close();
});
beforeEach(async () => {
  stores = await openStores(await maker.newLocation(), Date.now);
  snapshot = await node.call<Hex>('evm_snapshot');
});
afterEach(async () => {
  await stores.close();
  await node.call('evm_revert', [snapshot]);
});

/** A checker with an empty memory over the stored facts, as after a restart. */
const newChecker = () =>
  checkerOver(fixture.base, loopbackEndpoint(fixture.base.rpcUrl), {
    powerDeadlineMs: 30_000,
    facts: stores.facts('base').store,
  });

const addressOf = (symbol: string) => addressIn(fixture, symbol);

const check = (checker: PretradeChecker, symbol: string): Promise<PretradeAnswer> =>
  checker.check({ chain: 'base', token: addressOf(symbol) });
const blacklistOf = ({ risk_profile }: PretradeAnswer) => risk_profile.transferability.hasBlacklist;

async function openTrading(symbol: string): Promise<void> {
  const data = encodeFunctionData({ abi: parseAbi(['function openTrading()']) });
  const hash = await node.call<Hex>('eth_sendTransaction', [
    { from: fixture.testTokens.deployer, to: addressOf(symbol), data, gas: '0x4c4b40' },
  ]);
  await vi.waitUntil(async () => (await node.call('eth_getTransactionReceipt', [hash])) !== null, {
    timeout: 60_000,
    interval: 20,
  });
}

test('default: a power that cannot be evaluated before trading opens is found after it', async () => {
  const checker = newChecker();
  const before = await check(checker, 'UNOPENED');
  expect(before).toMatchObject({ verdict: 'avoid', triggers: ['TRADING_DISABLED'] });
  expect(blacklistOf(before)).toBeNull();
  expect(before.sources['risk_profile.transferability.hasBlacklist']).toMatch(
    /^unavailable: read failed: owner functions could not be evaluated/,
  );
  // A repeat returns the same, although its scan is in memory.
  expect(blacklistOf(await check(checker, 'UNOPENED'))).toBeNull();
  await openTrading('UNOPENED');
  expect(blacklistOf(await check(checker, 'UNOPENED'))).toBe(true);
});

test('behavior: a restarted service finds the power after trading opens, because no incomplete scan was stored', async () => {
  expect(blacklistOf(await check(newChecker(), 'UNOPENED'))).toBeNull();
  await openTrading('UNOPENED');
  expect(blacklistOf(await check(newChecker(), 'UNOPENED'))).toBe(true);
});

test('behavior: a clone that can be traded is scanned again, and its scan also applies to the first token', async () => {
  const checker = newChecker();
  expect(blacklistOf(await check(checker, 'UNOPENED'))).toBeNull();
  expect(blacklistOf(await check(checker, 'OPENED'))).toBe(true);
  expect(blacklistOf(await check(checker, 'UNOPENED'))).toBe(true);
  expect(blacklistOf(await check(newChecker(), 'UNOPENED'))).toBe(true);
});

test('behavior: a power of a clone is stated as the clone’s, because no call of this token showed it', async () => {
  const checker = newChecker();
  const { reasons } = await check(checker, 'OPENED');
  const power = expect.stringMatching(/^The owner can block the sales of a single holder by /);
  expect(reasons).toContainEqual(power);
  const unopened = await check(checker, 'UNOPENED');
  expect(unopened.reasons).not.toContainEqual(power);
  expect(unopened.reasons).toContainEqual(
    expect.stringMatching(/^In another token with the same code, the owner can block the sales of a single holder by /),
  );
  expect(unopened.sources['risk_profile.transferability.hasBlacklist']).toBe(
    'derived: token; calls simulated with another token of the same code',
  );
});
