import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PretradeAnswer, PretradeChecker } from '../../engine/index.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { variantTokens } from '../../sandbox/testTokens/variantTokens.ts';
import { type CountingEndpoint, loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { addressIn, checkerOver, type TestTokensOnBase } from './checkOn.ts';

// If a power may exist that calls of the token's own functions cannot show, `hasBlacklist` is null instead of false.

const hidden = ['EFALLBACK', 'EMASKED', 'EEXTEND', 'EHOOK', 'ASKSOPEN'];
const ordinary = ['PLAIN', 'TAX5', 'SWAPBACK', 'ESTORED', 'EROUTER'];
const proxies = ['PROXY', 'CLONE', 'BEACON', 'DIAMOND'];

let fixture: TestTokensOnBase;
let node: NodeClient;
let endpoint: CountingEndpoint;
let checker: PretradeChecker;
beforeAll(async () => {
  const testTokens = [...coreTokens, ...variantTokens].filter(({ symbol }) =>
    [...hidden, ...ordinary, ...proxies].includes(symbol),
  );
  const sandbox = await startSandbox({ chains: ['base'], testTokens });
  const { base } = sandbox.chains;
  if (!base || !sandbox.testTokens) throw new TypeError('Base did not start with its test tokens.');
  fixture = { sandbox, base, testTokens: sandbox.testTokens };
  node = createNodeClient(base.rpcUrl);
});
afterAll(() => fixture?.sandbox.close());
beforeEach(() => {
  endpoint = loopbackEndpoint(fixture.base.rpcUrl);
  checker = checkerOver(fixture.base, endpoint);
});

const addressOf = (symbol: string) => addressIn(fixture, symbol);

const check = (token: Address): Promise<PretradeAnswer> => checker.check({ chain: 'base', token });
const blacklistOf = ({ risk_profile, sources }: PretradeAnswer) => ({
  hasBlacklist: risk_profile.transferability.hasBlacklist,
  source: sources['risk_profile.transferability.hasBlacklist'],
});

const unknownSelector = 'calls with an unknown selector may change state, so the code may hide functions';
const notSet = 'transfers call a contract that is not set yet, so its functions were not tried';
const other =
  /^unavailable: read failed: transfers call the contract 0x[0-9a-fA-F]{40}, whose functions were not tried$/;

test.each([
  ['EFALLBACK', 'a fallback compares a hash of the selector', `unavailable: read failed: ${unknownSelector}`],
  [
    'EMASKED',
    'a fallback compares the selector after a change of its bits',
    `unavailable: read failed: ${unknownSelector}`,
  ],
  ['EEXTEND', 'unknown calls are delegated to another contract', `unavailable: read failed: ${unknownSelector}`],
  ['EHOOK', 'a contract that the owner can choose decides', `unavailable: read failed: ${notSet}`],
  ['ASKSOPEN', 'another contract decides', expect.stringMatching(other)],
])('hasBlacklist of %s is null with the reason: %s', async (symbol, _, source) => {
  expect(blacklistOf(await check(addressOf(symbol)))).toEqual({ hasBlacklist: null, source });
});

test('isMintable is null too if functions may be hidden', async () => {
  const { ownership, sources } = await check(addressOf('EFALLBACK'));
  expect(ownership.isMintable).toBeNull();
  expect(sources['ownership.isMintable']).toBe(`unavailable: read failed: ${unknownSelector}`);
});

test.each(ordinary)('hasBlacklist of %s is false in a first check and in a repeat', async (symbol) => {
  for (let times = 0; times < 2; times += 1)
    expect(blacklistOf(await check(addressOf(symbol))).hasBlacklist).toBe(false);
});

// No account can call their initializer again, so it remains untried.
test.each(proxies)('a proxy hides no functions, and its transfers call no other contract: %s', async (symbol) => {
  for (let times = 0; times < 2; times += 1) {
    const { source } = blacklistOf(await check(addressOf(symbol)));
    // CLONE, BEACON and DIAMOND have no known account that could call one.
    expect(source).toMatch(
      /the code has functions that change state, and no (simulated call of them succeeded|account that may call them is known)/,
    );
  }
});

test('WETH has no blacklist, and neither WETH nor USDC hides functions or calls another contract', async () => {
  const [weth, usdc] = [await check(fixture.base.wrappedNative), await check(fixture.base.usdc)];
  expect(blacklistOf(weth).hasBlacklist).toBe(false);
  for (const { verdict, sources } of [weth, usdc]) {
    expect(verdict).toBe('clear');
    expect(Object.values(sources).join()).not.toMatch(/unknown selector|transfers call/);
  }
});

test('a repeat reads the address of the called contract again, in its two usual requests', async () => {
  await check(addressOf('EHOOK'));
  expect(blacklistOf(await check(addressOf('EHOOK'))).source).toContain(notSet);
  const data = encodeFunctionData({
    abi: parseAbi(['function setHook(address)']),
    args: [addressOf('PLAIN')],
  });
  const params = { from: fixture.testTokens.deployer, to: addressOf('EHOOK'), data, gas: '0x4c4b40' };
  const hash = await node.call<Hex>('eth_sendTransaction', [params]);
  await expect.poll(() => node.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  endpoint.requests = 0;
  const { source } = blacklistOf(await check(addressOf('EHOOK')));
  expect(source).toContain(`transfers call the contract ${addressOf('PLAIN')}`);
  expect(endpoint.requests).toBe(2);
});
