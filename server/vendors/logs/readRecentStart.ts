import { encodeFunctionData, erc20Abi } from 'viem';
import { z } from 'zod';
import type { LogHolder } from '../../storage/index.ts';
import { type LowerAddress, VendorUnavailableError } from '../ports.ts';
import { applyTransfers } from './applyTransfers.ts';
import { blockParam, type LogRpc } from './logRpc.ts';
import type { LongestRange } from './longestRange.ts';
import { readTransfers } from './readTransfers.ts';

const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform(BigInt);

/**
 * The first block with a transfer of a young token, for nodes without old states that limit the blocks of a query. It reads
 * logs from the newest block backwards: once the balances by these logs add up to the total supply, no earlier log matters.
 * A token can hide a holder by a log that it omits, here as in a scan of all blocks.
 *
 * @param most ranges to read
 * @returns undefined if the token is older than these ranges, or if its logs do not explain its supply
 */
export async function readRecentStart(
  rpc: LogRpc,
  token: LowerAddress,
  head: number,
  { longest, most }: { longest: LongestRange; most: number },
): Promise<number | undefined> {
  // A node without a known limit returns all blocks at once.
  if (longest.blocks() === undefined || most < 1) return undefined;
  const supply = await readSupply(rpc, token, head);
  if (!supply) return undefined;
  const holders = new Map<LowerAddress, LogHolder>();
  let ranges = 0;
  try {
    for await (const { transfers } of readTransfers(rpc, token, { from: 0, to: head, longest, newestFirst: true })) {
      ranges += 1;
      applyTransfers(holders, transfers);
      const balances = [...holders.values()].map(({ balance }) => balance);
      const explains = balances.every((balance) => balance >= 0n) && sumOf(balances) === supply;
      if (explains) return transfers[0]?.block;
      if (ranges >= most) return undefined;
    }
  } catch (error) {
    // A node without old logs refuses the scan of all blocks too, and that reports the fault.
    if (!(error instanceof VendorUnavailableError && error.fault === 'refused')) throw error;
  }
  return undefined;
}

const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);

/** Undefined if the node returns none. */
async function readSupply(rpc: LogRpc, token: LowerAddress, block: number): Promise<bigint | undefined> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'totalSupply' });
  const [reply] = await rpc.send([{ method: 'eth_call', params: [{ to: token, data }, blockParam(block)] }]);
  return reply && 'result' in reply ? word.safeParse(reply.result).data : undefined;
}
