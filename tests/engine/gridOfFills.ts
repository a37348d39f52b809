import type { Address } from 'viem';
import type { OrderRunner, SandboxChain } from '../../sandbox/index.ts';
import { poolsOfPair } from './market.ts';

/** Each pool's executed outputs for zero, one, two … parts of an order; a row ends at the first size that fails. */
export async function fillsByPart(
  runner: OrderRunner,
  chain: SandboxChain,
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountIn: bigint,
  parts: number,
): Promise<bigint[][]> {
  const rows: bigint[][] = [];
  for (const { venue, pool } of poolsOfPair(chain, tokenIn, tokenOut)) {
    const row = [0n];
    for (let taken = 1n; taken <= BigInt(parts); taken++) {
      const order = { legs: [{ venue, pool, tokenIn, tokenOut }], amountIn: (amountIn * taken) / BigInt(parts) };
      const { movements } = await runner.tryOrders([order]);
      if (!movements[0]) break;
      row.push(movements[0].received);
    }
    rows.push(row);
  }
  return rows;
}

/** The largest output of all distributions of the parts over the pools. */
export function mostOf(rows: readonly bigint[][], parts = (rows[0]?.length ?? 1) - 1): bigint {
  let most: (bigint | undefined)[] = [0n, ...Array.from({ length: parts }, () => undefined)];
  for (const row of rows) {
    most = most.map((_, total) => {
      let best: bigint | undefined;
      for (const [own, paid] of row.entries()) {
        const before = own <= total ? most[total - own] : undefined;
        if (before !== undefined && (best === undefined || before + paid > best)) best = before + paid;
      }
      return best;
    });
  }
  return most[parts] ?? 0n;
}
