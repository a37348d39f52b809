import {
  type Abi,
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  toHex,
} from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { showCheck } from '../../client/cli/showCheck.ts';
import { isTradable } from '../../client/index.ts';
import { toCheck } from '../../client/toCheck.ts';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import { fallingFeeHookArtifact } from '../../contracts/artifacts/testTokens/FallingFeeHook.ts';
import { takingHookArtifact } from '../../contracts/artifacts/testTokens/TakingHook.ts';
import type { PretradeAnswer } from '../../engine/index.ts';
import { toPretradeWire } from '../../router/pretrade/toPretradeWire.ts';
import { sendFromWallet } from '../../sandbox/execution/walletSender.ts';
import { fund, makerAddress, type OpenChain, reopenChain, type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { placed } from '../engine/ledgerToken.ts';
import { checkerOn } from './checkOn.ts';
import { baseOf, type CustomPool, openV4Pools, poolManager, type V4Shape } from './customMarket.ts';

// What a hook or the LP fee of a v4 pool takes. An ordinary wallet buys for 1,000 USD and sells everything, in real blocks.

const unit = 10n ** 18n;
/** Ether worth the default size of 1,000 USD. */
const size = unit / 3n;
const dynamicFee = 0x800000;
/** Permissions of a hook, in the low 14 bits of its address. */
const [beforeSwap, afterSwapDelta] = [1n << 7n, (1n << 6n) | (1n << 2n)];

let sandbox: Sandbox;
let builder: OpenChain;
let node: NodeClient;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  node = createNodeClient(baseOf(sandbox).rpcUrl);
  builder = await reopenChain(baseOf(sandbox), sandbox.wallets);
});
afterAll(() => sandbox?.close());

interface Opened {
  token: Address;
  pool: CustomPool;
}

async function placeHook(
  name: string,
  permissions: bigint,
  artifact: { abi: readonly unknown[] | Abi; bytecode: Hex },
  args: readonly unknown[],
): Promise<Address> {
  const random = BigInt(keccak256(toHex(`truefill test hook: ${name}`))) >> 110n;
  const address = getAddress(numberToHex((random << 14n) | permissions, { size: 20 }));
  await builder.place([{ address, creation: creationCode(artifact as never, args) }]);
  return address;
}

/** A plain token with a pool of 1,000 ether against wrapped ether. */
async function open(name: string, shape: V4Shape): Promise<Opened> {
  const { address, creation } = placed(name, honestTokenArtifact, [name, name, 18, makerAddress, 10n ** 9n * unit]);
  await builder.place([{ address, creation }]);
  const weth = baseOf(sandbox).wrappedNative;
  const [pool] = await openV4Pools({ builder }, [{ a: [address, 10n ** 6n * unit], b: [weth, 1_000n * unit], shape }]);
  if (!pool) throw new TypeError('No pool was opened.');
  return { token: address, pool };
}

const check = (token: Address): Promise<PretradeAnswer> =>
  checkerOn(baseOf(sandbox)).checker.check({ chain: 'base', token });

async function balance(token: Address, holder: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  return BigInt(await node.call<Hex>('eth_call', [{ to: token, data }, 'latest']));
}

/** Percent of the price that a real purchase and its sale return. `before` runs between the two. */
async function realRoundTrip({ token, pool }: Opened, between = async () => {}): Promise<number> {
  const chain = baseOf(sandbox);
  const [, wallet = sandbox.wallets[0]] = sandbox.wallets;
  const weth = chain.wrappedNative;
  if (!wallet || !pool.key) throw new TypeError('A trade needs a wallet and a v4 pool.');
  const { key } = pool;
  const swap = async (tokenIn: Address, tokenOut: Address, amount: bigint) => {
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.executor, amount] });
    await sendFromWallet(node, chain.chainId, wallet, { to: tokenIn, data: approve });
    const before = await balance(tokenOut, wallet.address);
    const legs = [{ kind: 3, pool: poolManager, tokenIn, tokenOut, feePips: 0n, key }];
    const args = [legs, amount, wallet.address] as const;
    const data = encodeFunctionData({ abi: routeExecutorArtifact.abi, functionName: 'execute', args });
    await sendFromWallet(node, chain.chainId, wallet, { to: chain.executor, data });
    return (await balance(tokenOut, wallet.address)) - before;
  };
  await fund(chain, weth, wallet.address, size);
  const bought = await swap(weth, token, size);
  await between();
  return (Number(await swap(token, weth, bought)) / Number(size)) * 100;
}

/** The client's guard is false, and the command line does not begin with CLEAR. */
function expectWarned(answer: PretradeAnswer): void {
  const check = toCheck(JSON.parse(JSON.stringify(toPretradeWire(answer))));
  expect(isTradable(check)).toBe(false);
  const [headline, verdict] = showCheck(check).split('\n');
  expect(headline).toMatch(/^An ordinary wallet loses |^A purchase and its immediate sale return /);
  expect(verdict).toMatch(/^CLEAR/);
}

const tradesOf = ({ risk_profile }: PretradeAnswer) => risk_profile.transferability;

describe('a hook that takes a part of each sale', () => {
  test.each([
    [90, 0.9, 'high'],
    [30, 0.3, 'high'],
    [1, 0.01, 'low'],
  ] as const)('of %s %% is a sale tax, as real trades show', async (percent, tax, severity) => {
    const { wrappedNative } = baseOf(sandbox);
    const args = [poolManager, wrappedNative, BigInt(percent * 100), 0n, 0n];
    const hooks = await placeHook(`takes ${percent}`, afterSwapDelta, takingHookArtifact, args);
    const opened = await open(`TAKEN${percent}`, { fee: 3000, tickSpacing: 60, hooks });
    const answer = await check(opened.token);
    const real = await realRoundTrip(opened);
    const { sellTaxRaw, buyTaxRaw, roundTripPct } = tradesOf(answer);
    expect(sellTaxRaw).toBeCloseTo(tax, 4);
    expect(buyTaxRaw).toBe(0);
    expect(roundTripPct).toBeCloseTo(real, 1);
    expect(answer.flags['F-FOT']).toMatchObject({ severity, value: sellTaxRaw });
    expect(answer.reasons.join('\n')).toContain(`The pool’s hook takes ${percent}.0 % of a sale.`);
    expect(answer.reasons.join('\n')).not.toContain('The token takes');
    if (percent === 90) expectWarned(answer);
  });
});

test('a hook that takes a part of each purchase is a purchase tax', async () => {
  const { wrappedNative } = baseOf(sandbox);
  const args = [poolManager, wrappedNative, 0n, 2_000n, 0n];
  const hooks = await placeHook('takes purchases', afterSwapDelta, takingHookArtifact, args);
  const opened = await open('TAKENBUY', { fee: 3000, tickSpacing: 60, hooks });
  const answer = await check(opened.token);
  const real = await realRoundTrip(opened);
  expect(tradesOf(answer).buyTaxRaw).toBeCloseTo(0.2, 4);
  expect(tradesOf(answer).sellTaxRaw).toBe(0);
  expect(tradesOf(answer).roundTripPct).toBeCloseTo(real, 1);
});

describe('an LP fee of the pool', () => {
  test.each([10, 80])('of %s %% is no tax, and is stated', async (percent) => {
    const opened = await open(`LPFEE${percent}`, { fee: percent * 10_000, tickSpacing: 60 });
    const answer = await check(opened.token);
    const real = await realRoundTrip(opened);
    const { sellTaxRaw, buyTaxRaw, roundTripPct } = tradesOf(answer);
    expect([sellTaxRaw, buyTaxRaw]).toEqual([0, 0]);
    expect(roundTripPct).toBeCloseTo(real, 1);
    expect(roundTripPct).toBeLessThan(82);
    if (percent === 80) expectWarned(answer);
    expect(answer.reasons.join('\n')).toContain(`The pool’s LP fee is ${percent}.0 % of a sale.`);
  });
});

test('a launch fee that falls from 80 % to 5 % is a tax now, and lower later', async () => {
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
  const args = [800_000n, 50_000n, BigInt(timestamp), 1_800n];
  const hooks = await placeHook('falling fee', beforeSwap, fallingFeeHookArtifact, args);
  const opened = await open('LAUNCHED', { fee: dynamicFee, tickSpacing: 60, hooks });
  const answer = await check(opened.token);
  const real = await realRoundTrip(opened);
  const { buyTaxRaw, roundTripPct } = tradesOf(answer);
  expect(buyTaxRaw).toBeGreaterThan(0.75);
  // The fee falls while the transactions are mined.
  expect(Math.abs((roundTripPct ?? 0) - real)).toBeLessThan(2);
  expect(answer.flags['F-FOT'].severity).toBe('high');
  const reasons = answer.reasons.join('\n');
  expect(reasons).toMatch(
    /The purchase tax of the size changes over time: (79|80)\.\d % now, 7\d\.\d % after a minute, 5\d\.\d % after ten minutes, 5\.0 % after a day\./,
  );
  expect(reasons).toContain(', which its hook sets.');
  expectWarned(answer);

  const stated = reasons.matchAll(/([\d.]+) % (?:now|after a minute|after ten minutes|after a day)\b/g);
  const snapshot = await node.call<Hex>('evm_snapshot');
  const waits = [0, 60, 540, 85_800];
  for (const [index, [, tax]] of [...stated].slice(0, waits.length).entries()) {
    await node.call('evm_increaseTime', [waits[index]]);
    const returned = (1 - Number(tax) / 100) ** 2 * 100;
    expect(Math.abs((await realRoundTrip(opened)) - returned), `${waits[index]} s later`).toBeLessThan(3);
  }
  await node.call('evm_revert', [snapshot]);
});

test('a hook that begins to take 99 % in a later block is reported, as a real sale shows', async () => {
  const { wrappedNative } = baseOf(sandbox);
  const head = BigInt(await node.call<Hex>('eth_blockNumber'));
  const args = [poolManager, wrappedNative, 9_900n, 0n, head + 215n];
  const hooks = await placeHook('takes later', afterSwapDelta, takingHookArtifact, args);
  const opened = await open('TAKENLATER', { fee: 3000, tickSpacing: 60, hooks });
  const answer = await check(opened.token);
  const real = await realRoundTrip(opened, async () => {
    await node.call('anvil_mine', [numberToHex(230)]);
  });
  expect(real).toBeLessThan(2);
  expect(answer.flags['F-FOT'].severity).toBe('high');
  expect(answer.flags['F-FOT'].value).toBeCloseTo(0.99, 3);
  expect(answer.reasons.join('\n')).toContain('99.0 %');
});
