import { toHex } from 'viem';
import { JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { Fees } from './fees.ts';
import { bytes } from './nodeAnswers.ts';
import { refusalOfNodeError } from './revertReason.ts';
import { type SimulatedTransfer, type TransferNode, transferData } from './simulateTransfer.ts';

/**
 * Maximum gas limit of a transfer from a contract wallet, without L1 data. Measured with FiatTokenV2_2: a wallet with one
 * key (OpenZeppelin's ECDSA) needs a limit of 112,000; one that verifies P-256 in Solidity needs 398,000 and is refused.
 */
const executionCap = 200_000n;

/** Distances from the head of the simulated blocks, in which the transaction may be included. */
const blocksAhead = [1n, 2n, 3n, 4n, 8n] as const;
/** Of Base and Polygon. Arbitrum is faster, but its timestamps are whole seconds. */
const secondsPerBlock = 2n;

/** Returns block number and timestamp: NUMBER PUSH0 MSTORE TIMESTAMP PUSH1 20 MSTORE PUSH1 40 PUSH0 RETURN. */
const readBlock = '0x435f524260205260405ff3';
/** JSON-RPC codes: method not found, invalid params. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof JsonRpcError && (error.code === -32601 || error.code === -32602);

/** A refusal if a contract wallet's transfer needs too much gas; undefined otherwise. */
export function findGasFault({ gas, l1Gas }: SimulatedTransfer): { reason: string; detail: string } | undefined {
  const execution = gas - l1Gas;
  if (execution <= executionCap) return undefined;
  return {
    reason: 'invalid_exact_evm_transaction_simulation_failed',
    detail: `A transfer from this contract wallet needs up to ${execution} gas; the limit is ${executionCap}. Pay from another wallet.`,
  };
}

/**
 * Simulates the transfer in blocks after the head, because a contract wallet can accept in the simulated block and revert
 * in the block that includes the transaction. Each block is a separate call, because a call uses the authorization.
 *
 * @returns `unsupported` if the node does not support block overrides: then only the shared gas budget limits the loss
 * @throws {ChainUnreachableError} @throws {JsonRpcError} the simulation has no result
 */
export async function simulateLaterBlocks(
  { chain, account, asset }: TransferNode,
  payment: SignedAuthorization,
  { gas, fees, head }: { gas: bigint; fees: Fees; head: bigint },
): Promise<'accepted' | 'rejected' | 'unsupported'> {
  const { maxFeePerGas, maxPriorityFeePerGas, height } = fees;
  const transaction = {
    from: account,
    to: asset,
    data: transferData(payment),
    gas: toQuantity(gas),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  };
  const now = BigInt(Math.floor(Date.now() / 1000));
  // A local chain's head may be old.
  const start = fees.timestamp > now - 60n ? fees.timestamp : now;
  const blocks = blocksAhead
    .map((ahead) => ({ number: head + ahead, time: start + (head - height + ahead) * secondsPerBlock }))
    // An expired authorization is always rejected.
    .filter(({ time }) => time < payment.validBefore);
  const [first] = blocks;
  if (!first) return 'rejected';
  const overridden = (call: object, { number, time }: { number: bigint; time: bigint }) =>
    ['eth_call', [call, 'latest', {}, { number: toQuantity(number), time: toQuantity(time) }], bytes] as const;
  try {
    // A node may ignore overrides: the first call returns the block that was simulated.
    const [seen] = await chain.callAllVerified(
      overridden({ data: readBlock }, first),
      ...blocks.map((block) => overridden(transaction, block)),
    );
    const expected = `${toHex(first.number, { size: 32 })}${toHex(first.time, { size: 32 }).slice(2)}`;
    return seen === expected ? 'accepted' : 'unsupported';
  } catch (error) {
    if (isUnsupported(error)) return 'unsupported';
    if (error instanceof JsonRpcError && refusalOfNodeError(error)) return 'rejected';
    throw error;
  }
}
