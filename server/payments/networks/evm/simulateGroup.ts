import type { SignedAuthorization } from './authorization.ts';
import type { Fees } from './fees.ts';
import { decodeGroupTrial, encodeGroup, encodeGroupTrial, groupGasLimit, type TrialResult } from './groupCall.ts';
import { bytes, quantity } from './nodeAnswers.ts';
import { headTag, type TransferNode } from './simulateTransfer.ts';

/** A transfer by a plain key takes about 65,000 gas when it is the first of its transaction. */
const mostGasEach = 150_000n;
const gasMargin = 30_000n;
const arbitrum = 42161;
const baseGas = 21_000n;

/**
 * Tries the transfers one after another in one `eth_call` at the head of the chain.
 *
 * @returns one result for each; undefined when the node does not run such a call, so that each is settled alone
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function simulateGroup(
  { chain, account, asset }: TransferNode,
  payments: readonly SignedAuthorization[],
  { timestamp }: Fees,
): Promise<TrialResult[] | undefined> {
  const call = { from: account, data: encodeGroupTrial(asset, payments, mostGasEach) };
  const [reply] = await chain.callAllVerified(['eth_call', [call, headTag(timestamp)], bytes]);
  return decodeGroupTrial(reply, payments.length);
}

/**
 * The transaction of a group that was simulated. Its gas limit follows from the dearest of its calls.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function planGroup(
  { chain, chainId, account, asset }: TransferNode,
  payments: readonly SignedAuthorization[],
  gasUsed: readonly bigint[],
  { timestamp }: Fees,
): Promise<{ data: `0x${string}`; gas: bigint }> {
  const dearest = gasUsed.toSorted((left, right) => Number(right - left))[0] ?? 0n;
  // A member that was simulated first and then left out has warmed slots for the others: about 12,000 gas. The payee's
  // balance may have become zero: 17,100. A call that needs more fails alone, and is then settled alone.
  const gasEach = dearest + gasMargin;
  const data = encodeGroup(asset, payments, gasEach);
  const gas = groupGasLimit(data, payments.length, gasEach);
  if (chainId !== arbitrum) return { data, gas };
  // Arbitrum counts L1 data as gas. To our own account the same data executes nothing.
  const idle = { from: account, to: account, data };
  const [estimate] = await chain.callAllVerified(['eth_estimateGas', [idle, headTag(timestamp)], quantity]);
  return { data, gas: gas + ((estimate - baseGas) * 5n) / 4n };
}
