import { toHex } from 'viem';
import { JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { blocksIn } from './blockInterval.ts';
import type { Fees } from './fees.ts';
import { bytes } from './nodeAnswers.ts';
import { refusalOfNodeError } from './revertReason.ts';
import { type SimulatedTransfer, type TransferNode, transferData } from './simulateTransfer.ts';

/**
 * Maximum gas limit of a transfer from a contract wallet, without L1 data. Measured with FiatTokenV2_2: a wallet with one
 * key (OpenZeppelin's ECDSA) needs a limit of 112,000; one that verifies P-256 in Solidity needs 398,000 and is refused.
 */
const executionCap = 200_000n;

/** Simulated blocks by their distance from the head: a wallet may accept by block number. */
const blocksAhead = [1n, 2n, 3n, 4n, 8n] as const;
/** Simulated blocks by their time after the head, in seconds: a wallet may accept by time, or the inclusion may take long. */
const secondsAhead = [1, 2, 4, 8, 16] as const;

/** Whole seconds that a number of blocks take. Several blocks may share one second. */
const secondsOf = (blocks: bigint, blockMs: number): bigint => BigInt(Math.floor((Number(blocks) * blockMs) / 1_000));

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
  { chain, account, asset, interval }: TransferNode,
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
  const blockMs = await interval.readMs();
  const distances = new Set([...blocksAhead, ...secondsAhead.map((seconds) => blocksIn(seconds, blockMs))]);
  const blocks = [...distances]
    .sort((left, right) => Number(left - right))
    .map((ahead) => ({ number: head + ahead, time: start + secondsOf(head - height + ahead, blockMs) }))
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
