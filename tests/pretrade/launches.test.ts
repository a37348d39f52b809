import { type Abi, type Address, getAddress, type Hex, keccak256, numberToHex, toHex, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { bridgedTokenArtifact } from '../../contracts/artifacts/testTokens/BridgedToken.ts';
import { lockedHookArtifact } from '../../contracts/artifacts/testTokens/LockedHook.ts';
import type { PretradeAnswer } from '../../engine/index.ts';
import { makerAddress, type OpenChain, reopenChain, type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { derivedAddress } from '../../sandbox/placement/derivedAddress.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { placed } from '../engine/ledgerToken.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver } from './checkOn.ts';
import { baseOf, openPair, openV4Pools } from './customMarket.ts';
import { explorerVendors } from './explorerVendors.ts';

// Tokens of launchpads, by stand-ins with the published interfaces. An agent must be able to tell them from traps.

const unit = 10n ** 18n;
const supply = 10n ** 9n * unit;

let sandbox: Sandbox;
let builder: OpenChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  builder = await reopenChain(baseOf(sandbox), sandbox.wallets);
});
afterAll(() => sandbox?.close());

async function place(name: string, artifact: { abi: Abi; bytecode: Hex }, args: readonly unknown[]): Promise<Address> {
  const { address, creation } = placed(name, artifact as never, args as never);
  await builder.place([{ address, creation }]);
  return address;
}

const plain = (name: string, holder: Address = makerAddress) =>
  place(name, honestTokenArtifact as never, [name, name, 18, holder, supply]);

const check = (token: Address, holders?: readonly Address[]): Promise<PretradeAnswer> =>
  checkerOver(baseOf(sandbox), loopbackEndpoint(baseOf(sandbox).rpcUrl), {
    powerDeadlineMs: 30_000,
    ...(holders && { vendors: explorerVendors(holders, 1) }),
  }).check({ chain: 'base', token });

test('a pool that no wallet has bought from: the first reason states that the token is newly launched', async () => {
  const token = await plain('ONESIDED');
  const shape = { fee: 10_000, tickSpacing: 200, onlyHolds: token };
  await openV4Pools({ builder }, [{ a: [token, 10n ** 6n * unit], b: [zeroAddress, 10n * unit], shape }]);
  const { triggers, reasons, risk_profile } = await check(token);
  expect([triggers, risk_profile.transferability.outcome], reasons.join('\n')).toEqual([
    ['EXIT_LIQUIDITY_DRAINED'],
    'tradable',
  ]);
  expect(reasons[0]).toMatch(/^The token is newly launched, .+ Only your own purchase would fund the exit\.$/);
});

test('a hook that refuses every swap for some blocks: the reason names the hook, not the token', async () => {
  const random = (BigInt(keccak256(toHex('truefill test: locked hook'))) >> 110n) << 14n;
  const hooks = getAddress(numberToHex(random | (1n << 7n), { size: 20 }));
  const head = BigInt(await createNodeClient(baseOf(sandbox).rpcUrl).call<Hex>('eth_blockNumber'));
  await builder.place([{ address: hooks, creation: creationCode(lockedHookArtifact, [head + 10_000n]) }]);
  const token = await plain('LOCKED');
  const shape = { fee: 3000, tickSpacing: 60, hooks };
  await openV4Pools({ builder }, [{ a: [token, 10n ** 6n * unit], b: [zeroAddress, 100n * unit], shape }]);
  const { risk_profile, reasons } = await check(token);
  expect(risk_profile.transferability.outcome).toBe('purchase-blocked');
  expect(reasons[0]).toBe('A simulated purchase by an ordinary wallet is refused (the pool’s hook refuses the swap).');
});

test('a token on a bonding curve: the reasons name the contract that holds the supply', async () => {
  const curve = derivedAddress('bonding curve');
  const token = await plain('ONCURVE', curve);
  const { triggers, reasons } = await check(token, [curve]);
  expect(triggers).toEqual(['NO_EXIT_VENUE']);
  expect(reasons[1]).toMatch(
    new RegExp(`^${curve} holds 100\\.0 % of the supply\\. If it is a launchpad’s bonding curve, .+ may work\\.$`),
  );
});

test('a token that the Superchain bridge can mint: the reason names the predeploy', async () => {
  const params = {
    name: 'BRIDGED',
    symbol: 'BRIDGED',
    decimals: 18,
    supply,
    factory: zeroAddress,
    counter: zeroAddress,
  };
  const token = await place('BRIDGED', bridgedTokenArtifact as never, [params, makerAddress]);
  await openPair({ sandbox, builder }, [token, 10n ** 6n * unit], [baseOf(sandbox).wrappedNative, 100n * unit]);
  const { reasons, ownership } = await check(token);
  expect(ownership.isMintable).toBe(true);
  expect(reasons.join('\n')).toMatch(/The Superchain bridge, a predeploy of the chain, can mint, .+ crosschainMint/);
  expect(reasons.join('\n')).not.toContain("account in the token's code");
});
