import { type Hex, isHex } from 'viem';
import { decodeWords, toWord } from '../../chain/words.ts';
import { isSingleton, kinds, nativeCurrency } from '../../venues/kinds.ts';
import { poolIdOf } from '../../venues/uniswapV4/poolKey.ts';
import type { PoolSwap, TradePool } from './simulationTypes.ts';

/** Swap(bytes32 indexed id, address indexed sender, int128, int128, uint160, uint128, int24, uint24) of Uniswap v4. */
const swapTopic = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f';
const dynamicFee = 0x800000;

/** The currency 0x0 replaces the wrapped native token in a pool of the native coin. */
function keyOf({ kind, token, counter, fee, tickSpacing, hooks }: TradePool) {
  const other = kind === kinds.v4Native ? nativeCurrency : counter;
  const [currency0, currency1] = BigInt(token) < BigInt(other) ? [token, other] : [other, token];
  return { currency0, currency1, fee, tickSpacing, hooks };
}

/**
 * Reads the trade's swap from the manager's events. Ignores swaps of a hook, which have another sender. Undefined if the
 * pool is none of a singleton, or the hook replaced the swap.
 */
export function readPoolSwap(pool: TradePool, logs: unknown, sells: 'token' | 'counter'): PoolSwap | undefined {
  if (!isSingleton(pool.kind) || !Array.isArray(logs)) return undefined;
  const key = keyOf(pool);
  const id = poolIdOf(key);
  const sender = toWord(pool.router);
  for (const log of logs as readonly unknown[]) {
    const { address, topics, data } = (log ?? {}) as { address?: unknown; topics?: unknown; data?: unknown };
    if (!isAddressOf(address, pool.pool) || !Array.isArray(topics) || !isHex(data)) continue;
    const [topic, poolId, from] = topics.map((word: unknown) => (isHex(word) ? word.toLowerCase() : ''));
    if (topic !== swapTopic || poolId !== id || from !== `0x${sender}`) continue;
    const [first = 0n, second = 0n, , , , fee = 0n] = decodeWords(data);
    const amounts = [BigInt.asIntN(128, first), BigInt.asIntN(128, second)] as const;
    const sold = sells === 'token' ? pool.token : undefined;
    const isZeroForOne = sold === key.currency0 || (sold === undefined && pool.token !== key.currency0);
    const [paid, received] = isZeroForOne ? amounts : [amounts[1], amounts[0]];
    if (paid >= 0n || received <= 0n) return undefined;
    return { in: -paid, out: received, feePips: Number(fee), isDynamic: pool.fee === dynamicFee };
  }
  return undefined;
}

const isAddressOf = (value: unknown, address: Hex): boolean =>
  typeof value === 'string' && value.toLowerCase() === address;
