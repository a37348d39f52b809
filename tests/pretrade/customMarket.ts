import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, zeroAddress } from 'viem';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import { sendFromWallet } from '../../sandbox/execution/walletSender.ts';
import { createNodeClient, makerAddress, type OpenChain, type Sandbox } from '../../sandbox/index.ts';
import { fullRangeLiquidity, seedTicks, startPrice } from '../../sandbox/market/concentratedMaths.ts';
import { transferOf } from '../../sandbox/tokens/erc20.ts';
import { uniswapV2 } from '../../sandbox/venues/uniswapV2.ts';
import { v4Abi } from '../engine/openV4Pool.ts';

/** Uniswap v4's manager on Base. */
export const poolManager: Address = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
const uniswapV2Factory: Address = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';

/** A token and its amount in a pool, in base units. The zero address is the native coin (v4 only). */
type Side = readonly [token: Address, amount: bigint];

/** A pool for a real sale. `key` only on v4. */
export interface CustomPool {
  pool: Address;
  key?: V4Key;
}

interface V4Key {
  currency0: Address;
  currency1: Address;
  fee: number;
  tickSpacing: number;
  hooks: Address;
}

interface Market {
  sandbox: Sandbox;
  builder: OpenChain;
}

const addV4 = { abi: marketMakerArtifact.abi, functionName: 'addV4Liquidity' } as const;
const noSalt = numberToHex(0, { size: 32 });

const inOrder = (a: Side, b: Side): [Side, Side] => (BigInt(a[0]) < BigInt(b[0]) ? [a, b] : [b, a]);

const toSeed = (a: Side, b: Side) => {
  const [[token0, amount0], [token1, amount1]] = inOrder(a, b);
  return { venue: '', pair: ['', ''] as const, usd: 1, token0, token1, amount0, amount1 };
};

/** A Uniswap v2 factory; the chain's own by default. */
export const pairVenue = (sandbox: Sandbox, factory = uniswapV2Factory) =>
  uniswapV2({
    venue: 'uniswap-v2',
    factory,
    wrappedNative: baseOf(sandbox).wrappedNative,
    maker: makerAddress,
  });

/** Creates and fills a pair from the market maker's stock. */
export async function openPair({ sandbox, builder }: Market, a: Side, b: Side, factory?: Address): Promise<CustomPool> {
  const venue = pairVenue(sandbox, factory);
  const seed = toSeed(a, b);
  await builder.perform(venue.open(seed));
  const query = venue.locate(seed);
  if ('id' in query) throw new TypeError('A pair has an address.');
  const node = createNodeClient(baseOf(sandbox).rpcUrl);
  const pool: Address = `0x${(await node.call<Hex>('eth_call', [{ to: query.to, data: query.data }, 'latest'])).slice(-40)}`;
  await builder.perform(venue.fill(seed, pool));
  return { pool };
}

export interface V4Shape {
  fee: number;
  tickSpacing: number;
  hooks?: Address;
  /** The pool gets only this token, in a range that begins at the price: no wallet has bought yet. */
  onlyHolds?: Address;
}

/** Opens v4 pools from the market maker's stock, over the full range unless one-sided. */
export async function openV4Pools(
  { builder }: Pick<Market, 'builder'>,
  pools: readonly { a: Side; b: Side; shape: V4Shape }[],
): Promise<CustomPool[]> {
  const keys = pools.map(({ a, b, shape: { onlyHolds: _, ...shape } }): V4Key => {
    const { token0, token1 } = toSeed(a, b);
    return { hooks: zeroAddress, ...shape, currency0: token0, currency1: token1 };
  });
  await builder.perform(
    pools.flatMap(({ a, b, shape: { onlyHolds } }, index) => {
      const key = keys[index] as V4Key;
      const seed = toSeed(a, b);
      const [tickLower, tickUpper] = onlyHolds
        ? ticksBeside(seed, key.tickSpacing, onlyHolds === key.currency0)
        : seedTicks(seed, key.tickSpacing);
      const params = { tickLower, tickUpper, liquidityDelta: fullRangeLiquidity(seed), salt: noSalt };
      return [
        {
          to: poolManager,
          data: encodeFunctionData({ abi: v4Abi, functionName: 'initialize', args: [key, startPrice(seed)] }),
        },
        { to: makerAddress, data: encodeFunctionData({ ...addV4, args: [poolManager, key, params] }) },
      ];
    }),
  );
  return keys.map((key) => ({ pool: poolManager, key }));
}

/**
 * Opens a v4 pool that holds next to nothing: `count` ranges of one tick spacing each, upwards and downwards from the price of
 * the two amounts. A sale in it pays nothing, and uses gas for each tick.
 */
export async function openDustLadder(
  { builder }: Pick<Market, 'builder'>,
  [a, b]: readonly [Side, Side],
  { fee, tickSpacing }: Pick<V4Shape, 'fee' | 'tickSpacing'>,
  count: number,
): Promise<void> {
  const seed = toSeed(a, b);
  const key = { currency0: seed.token0, currency1: seed.token1, fee, tickSpacing, hooks: zeroAddress };
  const middle = Math.floor(Math.log(Number(seed.amount1) / Number(seed.amount0)) / Math.log(1.0001) / tickSpacing);
  const ranges = Array.from({ length: 2 * count }, (_, index) => {
    const tickLower = (middle - count + index) * tickSpacing;
    const params = { tickLower, tickUpper: tickLower + tickSpacing, liquidityDelta: 1_000n, salt: noSalt };
    return { to: makerAddress, data: encodeFunctionData({ ...addV4, args: [poolManager, key, params] }) };
  });
  const args = [key, startPrice(seed)] as const;
  const opening = encodeFunctionData({ abi: v4Abi, functionName: 'initialize', args });
  await builder.perform([{ to: poolManager, data: opening }, ...ranges]);
}

/** A range above the price holds only the first currency, one below it only the second. */
function ticksBeside(seed: { amount0: bigint; amount1: bigint }, spacing: number, above: boolean): [number, number] {
  const tick = Math.log(Number(seed.amount1) / Number(seed.amount0)) / Math.log(1.0001);
  const near = (above ? Math.floor(tick / spacing) + 1 : Math.ceil(tick / spacing) - 1) * spacing;
  const far = near + (above ? 1 : -1) * 600 * spacing;
  return above ? [near, far] : [far, near];
}

const executorLeg = ({ pool, key }: CustomPool, tokenIn: Address, tokenOut: Address) => ({
  kind: key ? 3 : 0,
  pool,
  tokenIn,
  tokenOut,
  feePips: key ? 0n : 3000n,
  key: key ?? { currency0: zeroAddress, currency1: zeroAddress, fee: 0, tickSpacing: 0, hooks: zeroAddress },
});

/**
 * An ordinary wallet receives the token from the market maker and sells it through these pools, in one transaction.
 * @returns the amount of the last token received
 */
export async function sellThrough(
  { sandbox, builder }: Market,
  pools: readonly CustomPool[],
  tokens: readonly Address[],
  amount: bigint,
): Promise<bigint> {
  const chain = baseOf(sandbox);
  const node = createNodeClient(chain.rpcUrl);
  const [wallet] = sandbox.wallets;
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (!wallet || !first || !last) throw new TypeError('A sale needs a wallet and two tokens.');
  await builder.perform([transferOf(first, wallet.address, amount)]);
  const send = (to: Address, data: Hex) => sendFromWallet(node, chain.chainId, wallet, { to, data });
  await send(first, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.executor, amount] }));
  const balance = async () =>
    BigInt(
      await node.call<Hex>('eth_call', [
        { to: last, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet.address] }) },
        'latest',
      ]),
    );
  const before = await balance();
  const legs = pools.map((pool, index) => executorLeg(pool, tokens[index] as Address, tokens[index + 1] as Address));
  const args = [legs, amount, wallet.address] as const;
  await send(chain.executor, encodeFunctionData({ abi: routeExecutorArtifact.abi, functionName: 'execute', args }));
  return (await balance()) - before;
}

export function baseOf({ chains }: Sandbox) {
  if (!chains.base) throw new TypeError('Base did not start.');
  return chains.base;
}
