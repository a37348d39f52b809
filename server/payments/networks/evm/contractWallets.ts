import { toHex } from 'viem';
import { JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { Fees } from './fees.ts';
import { bytes } from './nodeAnswers.ts';
import { refusalOfNodeError } from './revertReason.ts';
import { type SimulatedTransfer, type TransferNode, transferData } from './simulateTransfer.ts';

/**
 * The gas limit of a transfer from a contract wallet, without L1 data. Measured with FiatTokenV2_2: a wallet of one key
 * (OpenZeppelin's ECDSA) has a limit of 112,000 and one that verifies P-256 in Solidity 398,000. The latter is refused.
 */
const executionCap = 200_000n;

/** Blocks after the head in which the transaction may be mined. */
const blocksAhead = [1n, 2n, 3n, 4n, 8n] as const;
/** Base and Polygon; Arbitrum is faster, but its clock counts whole seconds. */
const secondsPerBlock = 2n;

/** Returns block number and timestamp: NUMBER PUSH0 MSTORE TIMESTAMP PUSH1 20 MSTORE PUSH1 40 PUSH0 RETURN. */
const readBlock = '0x435f524260205260405ff3';
/** JSON-RPC: no such method, or parameters that the node does not take. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof JsonRpcError && (error.code === -32601 || error.code === -32602);

/** Why a contract wallet's transfer is too expensive to try; undefined when it is not. */
export function findGasFault({ gas, l1Gas }: SimulatedTransfer): { reason: string; detail: string } | undefined {
  const execution = gas - l1Gas;
  if (execution <= executionCap) return undefined;
  return {
    reason: 'invalid_exact_evm_transaction_simulation_failed',
    detail: `A transfer from this contract wallet needs up to ${execution} gas; the limit is ${executionCap}. Pay from another wallet.`,
  };
}

/**
 * Tries the transfer in blocks after the head, since a contract wallet can accept in the block that is simulated and
 * revert in the one that is mined. Each block is a separate call: in a shared state the authorization would be used.
 *
 * @returns `unsupported` if the node does not support block overrides: then only the shared gas budget limits the loss
 * @throws {ChainUnreachableError} @throws {JsonRpcError} there is no verdict
 */
export async function tryAhead(
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
    // A node may ignore the overrides: the first call shows whether they were applied.
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
