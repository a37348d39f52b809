import { type Address, erc20Abi, type Hex, keccak256, numberToHex, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLensCaller } from '../../engine/chain/lensCall.ts';
import type { Node } from '../../engine/chain/node.ts';
import { fromBalanceReplies, toBalanceCalls } from '../../engine/chain/readBalances.ts';
import { deployments, toLowerAddress } from '../../engine/index.ts';
import { readText } from '../../engine/pretrade/context/identity.ts';
import { createEnvironment } from '../../engine/pretrade/createPretrade.ts';
import { decodeExit } from '../../engine/pretrade/exit/decodeExit.ts';
import type { ExitPool } from '../../engine/pretrade/exit/exitTypes.ts';
import { fromRecheck, rememberExit } from '../../engine/pretrade/exit/recheck.ts';
import { toExit, toExitCall, toRecheckCall } from '../../engine/pretrade/tokenCalls.ts';
import type { ChainData } from '../../engine/quote/chainData.ts';
import { executeUnpaid } from '../../engine/quote/plan/executeUnpaid.ts';
import { toCandidatePools } from '../../engine/venues/families.ts';
import { isConcentrated, isSingleton, kinds } from '../../engine/venues/kinds.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { sandboxVenues } from '../../server/sandboxMode.ts';
import { clientOf, stateReaderOn } from './directPoolReads.ts';
import { hookedShapes, poolsOfPair, tokenOf, tradedTokens } from './market.ts';
import { hop, planExecutorOn, planOf } from './planMarket.ts';
import { readMarketStates } from './readMarketStates.ts';
import { lower, tenWeth } from './tenWeth.ts';

// Lenses write answers word by word and the engine reads them word by word (ADR 019). Each field is compared with the chain.

const deployment = deployments.base;
const feedAbi = parseAbi(['function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)']);
const poolAbi = parseAbi([
  'function getReserves() view returns (uint256, uint256, uint256)',
  'function slot0() view returns (uint160, int24)',
  'function liquidity() view returns (uint128)',
  'function globalState() view returns (uint160, int24)',
]);

let sandbox: Sandbox;
let base: SandboxChain;
let node: Node;
let client: ReturnType<typeof clientOf>;
let block: { number: bigint; timestamp: bigint; parentHash: Hex; baseFee: bigint };
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  base = sandbox.chains.base as SandboxChain;
  ({ node } = stateReaderOn(base));
  client = clientOf(base);
  const { number, timestamp, parentHash, baseFeePerGas } = await client.getBlock();
  block = { number, timestamp, parentHash, baseFee: baseFeePerGas ?? 0n };
});
afterAll(() => sandbox?.close());

const readToken = <Name extends 'decimals' | 'totalSupply' | 'name' | 'symbol'>(address: Address, functionName: Name) =>
  client.readContract({ address, abi: erc20Abi, functionName });

async function roundOf(feed: Address) {
  const [, answer, , updatedAt] = await client.readContract({
    address: feed,
    abi: feedAbi,
    functionName: 'latestRoundData',
  });
  const decimals = await readToken(feed, 'decimals');
  return { read: true, answer, updatedAt, decimals };
}

test('a state lens returns block, tokens and feeds as the chain does', async () => {
  const { source } = stateReaderOn(base);
  const [weth, usdc] = [deployment.wrappedNative, deployment.usdc];
  const feeds = [weth, usdc].flatMap((token) => deployment.feeds[token]?.address ?? []);
  const reading = await readMarketStates(source, { ...tenWeth(base, source), feeds }, node, 'latest');
  expect(reading.block).toEqual(block);
  expect(reading.sequencer).toBe('up');
  expect(reading.tokens).toHaveLength(2);
  for (const { address, ...token } of reading.tokens) {
    const [decimals, supply] = await Promise.all([readToken(address, 'decimals'), readToken(address, 'totalSupply')]);
    expect(token).toEqual({ hasCode: true, decimals, supply });
  }
  expect(reading.feeds).toHaveLength(2);
  for (const { address, ...feed } of reading.feeds) expect(feed).toEqual(await roundOf(address));
});

test('the balance lens returns the balance of each holder, and whether it could be read', async () => {
  const [usdc, weth] = [tokenOf(base, 'USDC').address, tokenOf(base, 'WETH').address].map(lower) as [Hex, Hex];
  const [pool] = poolsOfPair(base, usdc, weth);
  const holder = lower(pool?.pool ?? '0x');
  const noCode = '0x000000000000000000000000000000000000dead';
  const holdings = [usdc, weth, noCode].map((token) => ({ token, holder })) as Parameters<typeof toBalanceCalls>[0];
  const replies = await node.send(toBalanceCalls(holdings, 'latest'));
  const balanceOf = (token: Hex) =>
    client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [holder as Hex] });
  expect(fromBalanceReplies(holdings, replies)).toEqual([
    { status: 'read', amount: await balanceOf(usdc) },
    { status: 'read', amount: await balanceOf(weth) },
    { status: 'unreadable' },
  ]);
});

function exitEnvironment() {
  const candidatePools = toCandidatePools([...deployment.venues, ...(sandboxVenues.base ?? [])], hookedShapes(base));
  return createEnvironment({ deployment, candidatePools } as unknown as ChainData, undefined);
}

async function readExit(symbol: string) {
  const environment = exitEnvironment();
  const token = toLowerAddress(tokenOf(base, symbol).address);
  const [reply] = await node.send([toExitCall(environment, node, token, [], 'latest')]);
  return { environment, token, exit: toExit(reply, decodeExit) };
}

// BIRCH has pairs and concentrated pools, ASH a pool of a singleton, AERO second hops.
const symbols = ['BIRCH', 'ASH', 'AERO'];

test.each(symbols)('the exit lens returns block and token %s as the chain does', async (symbol) => {
  const { environment, token, exit } = await readExit(symbol);
  const { number, ...rest } = block;
  expect(exit).toMatchObject({ blockNumber: number, ...rest });
  expect(exit).toMatchObject({
    hasCode: true,
    codeHash: keccak256((await client.getCode({ address: token })) ?? '0x'),
    decimals: await readToken(token, 'decimals'),
    totalSupply: await readToken(token, 'totalSupply'),
    answersEverything: false,
    sequencer: 'up',
  });
  expect(readText(exit.name, 64)).toBe(await readToken(token, 'name'));
  expect(readText(exit.symbol, 32)).toBe(await readToken(token, 'symbol'));
  const balances = environment.holders.map(({ address }) =>
    client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
  );
  expect(exit.balances).toEqual(await Promise.all(balances));
  if (symbol === 'ASH') expect(exit.balances.some((balance) => balance !== 0n)).toBe(true);
});

test('the exit lens returns each base asset with its feed', async () => {
  const { exit } = await readExit('ASH');
  expect(exit.bases.map((asset) => asset.token)).toEqual(deployment.pricingAssets.map(({ address }) => address));
  for (const { token: asset, tokenDecimals, ...feed } of exit.bases) {
    const source = deployment.feeds[asset];
    const none = { read: false, answer: 0n, updatedAt: 0n, decimals: 0 };
    const hasCode = (await client.getCode({ address: asset })) !== undefined;
    expect(tokenDecimals).toBe(hasCode ? await readToken(asset, 'decimals') : undefined);
    const isThere = source && (await client.getCode({ address: source.address })) !== undefined;
    expect(feed).toEqual(isThere ? await roundOf(source.address) : none);
  }
});

test.each(symbols)('the exit lens returns key, state and a possible sale of each pool of %s', async (symbol) => {
  const { environment, token, exit } = await readExit(symbol);
  const pools = base.pools.filter((pool) =>
    tradedTokens(base, pool)
      .map(lower)
      .includes(token as Lowercase<Hex>),
  );
  expect(exit.exits.map(({ id }) => id).sort()).toEqual(pools.map(({ pool }) => lower(pool)).sort());
  for (const each of exit.exits) {
    const row = environment.data.candidatePools[each.candidatePool ?? -1];
    const { kind, fee, tickSpacing, hooks } = each;
    expect({ kind, fee, tickSpacing, hooks }).toEqual({
      kind: row?.kind,
      fee: row?.fee,
      tickSpacing: row?.tickSpacing,
      hooks: row?.hooks,
    });
    if (isSingleton(kind)) {
      expect(each.pool).toBe(row?.factory);
      continue;
    }
    expect(each.pool).toBe(each.id);
    expect([each.price, each.other]).toEqual(await stateOf(token, each));
    if (each.status !== 'filled') continue;
    const held = await client.readContract({
      address: each.counter,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [each.pool],
    });
    expect(each.drawn).toBeGreaterThan(0n);
    expect(each.drawn).toBeLessThanOrEqual(held);
    if (!isConcentrated(kind)) expect(each.used).toBe(each.price * 9n);
  }
  for (const { exit: index, base: asset, received, pool } of exit.hops) {
    // From a base asset, the second hop buys the native token.
    const isBase = exit.bases.some((base) => base.token === exit.exits[index]?.counter);
    if (isBase) expect(exit.bases[asset]?.token).toBe(deployment.wrappedNative);
    expect(exit.exits[index]?.counter).not.toBe(exit.bases[asset]?.token);
    if (received > 0n) expect((await client.getCode({ address: pool }))?.length).toBeGreaterThan(2);
  }
  expect(exit.exits.some(({ status }) => status === 'filled')).toBe(true);
});

/** The words `price` and `other` from the pool's own getters. */
async function stateOf(token: Hex, { kind, pool, counter }: ExitPool): Promise<bigint[]> {
  const read = <Name extends 'getReserves' | 'slot0' | 'globalState' | 'liquidity'>(functionName: Name) =>
    client.readContract({ address: pool, abi: poolAbi, functionName });
  if (!isConcentrated(kind)) {
    const [first, second] = await read('getReserves');
    return BigInt(token) < BigInt(counter) ? [first, second] : [second, first];
  }
  const [root] = await read(kind === kinds.algebra ? 'globalState' : 'slot0');
  return [root, await read('liquidity')];
}

test.each(symbols)('the recheck lens returns the same fields of %s', async (symbol) => {
  const { environment, token, exit } = await readExit(symbol);
  const memory = rememberExit(exit, [], 0);
  if (!memory) throw new TypeError('The reading cannot be repeated.');
  const holders = environment.holders.map(({ address }) => address);
  const query = { token, code: { functions: undefined }, memory, holders } as unknown as Parameters<
    typeof fromRecheck
  >[0];
  const [reply] = await node.send([toRecheckCall(environment, node, query)]);
  expect(toExit(reply, (words) => fromRecheck(query, words))).toEqual(exit);
});

test('the plan lens returns block and supply, and the unpaid lens the amounts of the same plan', async () => {
  const [usdc, weth] = ['USDC', 'WETH'].map((symbol) => lower(tokenOf(base, symbol).address)) as [Hex, Hex];
  const pool = poolsOfPair(base, usdc, weth).find(({ venue }) => venue === 'uniswap-v3');
  if (!pool) throw new TypeError('There is no pool.');
  const plan = planOf(1_000_000_000n, hop(base, usdc, weth, [[pool, 10_000]]));
  const executed = await planExecutorOn(base).execute([{ plan, again: true }]);
  const { number, timestamp, parentHash } = block;
  expect(executed).toMatchObject({ blockNumber: number, timestamp, parentHash, funded: true });
  expect(executed.supply).toBe(await readToken(usdc, 'totalSupply'));
  expect(executed.balance).toBeGreaterThanOrEqual(plan.amountIn);
  expect(executed.gasUsed).toBeLessThan(10_000_000n);
  const [paid] = executed.executions;
  const data = { lens: createLensCaller(), deployment };
  const [unpaid] = (await executeUnpaid(data, [{ plan, again: true }], numberToHex(block.number), node)).executions;
  expect(paid?.run.status).toBe('filled');
  expect(unpaid?.run).toEqual({ ...paid?.run, gas: unpaid?.run.gas });
  expect(unpaid?.run.gas).toBeGreaterThan(50_000n);
  expect(unpaid?.run.gas).toBeLessThan(paid?.run.gas ?? 0n);
});
