import { type Address, encodeFunctionData, erc20Abi, type Hex, zeroAddress } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { falsePairArtifact } from '../../contracts/artifacts/testTokens/FalsePair.ts';
import { makerAddress, type OpenChain, reopenChain } from '../../sandbox/index.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { derivedAddress } from '../../sandbox/placement/derivedAddress.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { placed } from '../engine/ledgerToken.ts';
import { addressIn, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { openPair, openV4Pools, poolManager } from './customMarket.ts';

// What anyone can add to a drained token, or to one without pools, must not withdraw its trigger: it costs dust.

/** Tokens of the exit triggers. */
const avoided = ['DRAINED', 'ABOVE', 'NOPOOL', 'NOPOOLGATE', 'JUNK', 'JUNKPAIR'] as const;
const unit = 10n ** 18n;

let fixture: TestTokensOnBase;
let node: NodeClient;
let builder: OpenChain;
let snapshot: Hex;
beforeAll(async () => {
  fixture = await startTestTokens();
  node = createNodeClient(fixture.base.rpcUrl);
  builder = await reopenChain(fixture.base, fixture.sandbox.wallets);
});
afterAll(() => fixture?.sandbox.close());
beforeEach(async () => {
  snapshot = await node.call<Hex>('evm_snapshot');
});
afterEach(() => node.call('evm_revert', [snapshot]));

/** Sends tokens from the token's deployer. */
async function give(token: Address, to: Address, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  const from = fixture.testTokens.deployer;
  const hash = await node.call<Hex>('eth_sendTransaction', [{ from, to: token, data, gas: '0x4c4b40' }]);
  await vi.waitUntil(async () => (await node.call('eth_getTransactionReceipt', [hash])) !== null, {
    timeout: 60_000,
    interval: 20,
  });
}

const market = () => ({ sandbox: fixture.sandbox, builder });
const check = (token: Address) => checkerOn(fixture.base).checker.check({ chain: 'base', token });

/** A token that the market maker holds. */
async function worthless(name: string): Promise<Address> {
  const { address, creation } = placed(name, honestTokenArtifact, [name, name, 18, makerAddress, 10n ** 9n * unit]);
  await builder.place([{ address, creation }]);
  return address;
}

const supplyOf = (token: Address) => fixture.testTokens.tokens.find(({ address }) => address === token)?.supply ?? 0n;

const tricks: [string, (token: Address) => Promise<void>][] = [
  ['1 wei in the covered singleton', (token) => give(token, poolManager, 1n)],
  [
    'a pair with a token that trades nowhere else',
    async (token) => {
      await give(token, makerAddress, 1_000n);
      await openPair(market(), [token, 1_000n], [await worthless('LONELY'), 10n ** 6n * unit]);
    },
  ],
  [
    'a chain of five tokens that trade nowhere else',
    async (token) => {
      const chain: Address[] = [];
      for (const name of ['C1', 'C2', 'C3', 'C4', 'C5']) chain.push(await worthless(name));
      await give(token, makerAddress, 1_000n);
      for (const [index, next] of chain.entries()) {
        const before = chain[index - 1];
        await openPair(market(), before ? [before, 10n ** 6n * unit] : [token, 1_000n], [next, 10n ** 6n * unit]);
      }
    },
  ],
  [
    'a contract that answers like a pair, holds a tenth of the supply and reverts every swap',
    async (token) => {
      const address = derivedAddress('false pair');
      const args = [token, fixture.base.wrappedNative, 20n * unit] as const;
      await builder.place([{ address, creation: creationCode(falsePairArtifact, args) }]);
      await builder.perform([
        { to: address, data: encodeFunctionData({ abi: falsePairArtifact.abi, functionName: 'announce' }) },
      ]);
      await give(token, address, supplyOf(token) / 10n);
    },
  ],
  [
    '100 pools of dust on v4',
    async (token) => {
      await give(token, makerAddress, 10n ** 8n);
      await openV4Pools(
        market(),
        Array.from({ length: 100 }, (_, index) => ({
          a: [token, 10_000n] as const,
          b: [zeroAddress, 10_000n] as const,
          shape: { fee: 10_001 + index, tickSpacing: 60 },
        })),
      );
    },
  ],
];

/** NOPOOLGATE refuses transfers by anyone but its owner, so no one else can open a pool. */
const openable = avoided.filter((symbol) => symbol !== 'NOPOOLGATE');

for (const [trick, apply] of tricks) {
  const needsPool = /pair with|chain|pools/.test(trick);
  test.each(needsPool ? openable : avoided)(`%s stays avoid with ${trick}`, async (symbol) => {
    const token = addressIn(fixture, symbol);
    await apply(token);
    const { verdict, triggers, liquidityCoverage, reasons } = await check(token);
    expect([verdict, triggers.length > 0, liquidityCoverage.conclusive], reasons.join('\n')).toEqual([
      'avoid',
      true,
      true,
    ]);
  });
}

test('a drained pool against a deep asset stays avoid with dust at absurd prices in the market of that asset', async () => {
  const [token, asset] = [addressIn(fixture, 'NOPOOL'), await worthless('ASSET')];
  const { wrappedNative } = fixture.base;
  await openPair(market(), [asset, 10n ** 6n * unit], [wrappedNative, 20n * unit]);
  await give(token, makerAddress, 10n ** 8n);
  await openPair(market(), [token, 10n ** 6n], [asset, 10n ** 6n]);
  await openV4Pools(
    market(),
    [1, 2, 3].map((index) => ({
      a: [asset, 1n] as const,
      b: [zeroAddress, 10n ** 13n] as const,
      shape: { fee: 10_000 + index, tickSpacing: 200 },
    })),
  );
  const { verdict, triggers, liquidityCoverage, reasons } = await check(token);
  expect([verdict, triggers], reasons.join('\n')).toEqual(['avoid', ['EXIT_LIQUIDITY_DRAINED']]);
  expect(liquidityCoverage.conclusive).toBe(true);
});

test('names a contract that answers like a pair, and does not count it', async () => {
  const token = addressIn(fixture, 'NOPOOL');
  await tricks[3]?.[1](token);
  const { triggers, reasons } = await check(token);
  expect(triggers).toEqual(['NO_EXIT_VENUE']);
  expect(reasons.join('\n')).toMatch(
    /outside the covered factories, has the interface of a pair of the token\. Simulated sales/,
  );
});
