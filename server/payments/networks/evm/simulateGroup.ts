import type { SignedAuthorization } from './authorization.ts';
import type { Fees } from './fees.ts';
import { decodeGroupTrial, encodeGroup, encodeGroupTrial, groupGasLimit, type TrialResult } from './groupCall.ts';
import { bytes, quantity } from './nodeAnswers.ts';
import { headTag, type TransferNode } from './simulateTransfer.ts';

/** Gas limit of each simulated transfer. The first transfer of an EOA in a transaction uses about 65,000. */
const maxGasEach = 150_000n;
const gasMargin = 30_000n;
const arbitrum = 42161;
const baseGas = 21_000n;

/**
 * Simulates the transfers in order, in one `eth_call` at the head of the chain.
 *
 * @returns one result for each transfer; undefined if the node returned another form, so that each is settled alone
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function simulateGroup(
  { chain, account, asset }: TransferNode,
  payments: readonly SignedAuthorization[],
  { timestamp }: Fees,
): Promise<TrialResult[] | undefined> {
  const call = { from: account, data: encodeGroupTrial(asset, payments, maxGasEach) };
  const [reply] = await chain.callAllVerified(['eth_call', [call, headTag(timestamp)], bytes]);
  return decodeGroupTrial(reply, payments.length);
}

/**
 * Call data and gas limit of a simulated group's transaction. The limit follows from the call that used the most gas.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function planGroup(
  { chain, chainId, account, asset }: TransferNode,
  payments: readonly SignedAuthorization[],
  gasUsed: readonly bigint[],
  { timestamp }: Fees,
): Promise<{ data: `0x${string}`; gas: bigint }> {
  const highest = gasUsed.toSorted((left, right) => Number(right - left))[0] ?? 0n;
  // The margin covers two differences from the simulation: storage slots that an excluded member had warmed (about 12,000
  // gas), and a payee balance that has become zero (17,100). A call that needs more fails, and is then settled alone.
  const gasEach = highest + gasMargin;
  const data = encodeGroup(asset, payments, gasEach);
  const gas = groupGasLimit(data, payments.length, gasEach);
  if (chainId !== arbitrum) return { data, gas };
  // Arbitrum charges L1 data as gas. A transaction with the same data to our own account executes no code.
  const idle = { from: account, to: account, data };
  const [estimate] = await chain.callAllVerified(['eth_estimateGas', [idle, headTag(timestamp)], quantity]);
  return { data, gas: gas + ((estimate - baseGas) * 5n) / 4n };
}
