import { type Address, decodeEventLog, type Hex, parseAbi } from 'viem';
import type { MinedReceipt } from '../../execution/walletSender.ts';
import type { TestTokenPool } from '../testTokenTypes.ts';

/** Swap events of Uniswap v2's pairs and Aerodrome's pools, by topic. Only the order of the fields differs. */
const events = {
  '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822': parseAbi([
    'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  ]),
  '0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b': parseAbi([
    'event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)',
  ]),
} as const;
const isSwap = (topic: Hex): topic is keyof typeof events => topic in events;

/**
 * The amounts of a token that a pool paid and received, by its last Swap event; undefined on other venues. A token may
 * report false amounts, but the pool's event is correct. If a token sells during a holder's sale, its event is earlier.
 */
export function readPairSwap(
  receipts: readonly MinedReceipt[],
  { pool, token0 }: TestTokenPool,
  token: Address,
): { out: bigint; in: bigint } | undefined {
  const log = receipts
    .flatMap(({ logs }) => logs)
    .findLast(({ address, topics }) => address.toLowerCase() === pool.toLowerCase() && isSwap(topics[0]));
  if (!log || !isSwap(log.topics[0])) return undefined;
  const { args } = decodeEventLog({ abi: events[log.topics[0]], topics: log.topics, data: log.data });
  return token.toLowerCase() === token0.toLowerCase()
    ? { out: args.amount0Out, in: args.amount0In }
    : { out: args.amount1Out, in: args.amount1In };
}

/** The share of the amount sent that did not arrive; negative if more arrived. */
export function taxOf(sent: bigint, arrived: bigint): number {
  return 1 - Number((arrived * 10n ** 9n) / sent) / 1e9;
}
