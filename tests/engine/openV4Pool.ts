import { type Address, encodeFunctionData, numberToHex, parseAbi, zeroAddress } from 'viem';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { poolIdOf, type V4PoolKey } from '../../engine/venues/uniswapV4/poolKey.ts';
import { type Action, makerAddress, type OpenChain, type SandboxChain, type SandboxPool } from '../../sandbox/index.ts';
import { startPrice } from '../../sandbox/market/concentratedMaths.ts';

const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
export const v4Abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initialize(PoolKey key, uint160 price) returns (int24)',
]);

/** The key of a pool against USDC. */
export function keyOf(
  { usdc }: Pick<SandboxChain, 'usdc'>,
  token: Address,
  fee: number,
  tickSpacing: number,
  hooks: Address = zeroAddress,
): V4PoolKey {
  const [currency0, currency1] = [token, usdc].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) as [Address, Address];
  return { currency0, currency1, fee, tickSpacing, hooks };
}

/** Opens a pool of a token, by default of 2 USD, against USDC, with `usd` on each side over the full range. */
export async function openV4(
  builder: OpenChain,
  token: Address,
  key: V4PoolKey,
  usd: number,
  price?: number,
): Promise<SandboxPool> {
  await builder.perform(opening(key, token, usd, price));
  return {
    chain: 'base',
    venue: 'uniswap-v4',
    pool: poolIdOf(key),
    token0: key.currency0,
    token1: key.currency1,
    key,
  } as unknown as SandboxPool;
}

/** Transactions that open such a pool, by default of a token of 2 USD; without liquidity if `usd` is 1. */
export function opening(key: V4PoolKey, token: Address, usd: number, price = 2): Action[] {
  const amounts = [BigInt(Math.round((usd / price) * 1e6)) * 10n ** 12n, BigInt(usd) * 10n ** 6n] as const;
  const [amount0, amount1] = key.currency0 === token ? amounts : [amounts[1], amounts[0]];
  const edge = Math.floor(887_272 / key.tickSpacing) * key.tickSpacing;
  const root = BigInt(Math.floor(Math.sqrt(Number(amount0) * Number(amount1))));
  const params = { tickLower: -edge, tickUpper: edge, liquidityDelta: root, salt: numberToHex(0, { size: 32 }) };
  const initialize = encodeFunctionData({
    abi: v4Abi,
    functionName: 'initialize',
    args: [key, startPrice({ amount0, amount1 })],
  });
  if (usd === 1) return [{ to: manager, data: initialize }];
  const fill = encodeFunctionData({
    abi: marketMakerArtifact.abi,
    functionName: 'addV4Liquidity',
    args: [manager, key, params],
  });
  return [
    { to: manager, data: initialize },
    { to: makerAddress, data: fill },
  ];
}
