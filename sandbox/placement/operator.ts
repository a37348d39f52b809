import { type Address, type Hex, hexToNumber, numberToHex } from 'viem';
import type { Action } from '../chainPlan.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import { derivedAccount } from './derivedAddress.ts';

/** A transaction that builds the sandbox failed. */
class BuildTransactionError extends Error {
  override readonly name = 'BuildTransactionError';
}

/** The account that builds the sandbox and owns the factories and the market maker. It is no published wallet. */
export interface Operator {
  readonly address: Address;
  /** Sends all transactions, mines until all are included, and checks every receipt for success. */
  send(actions: readonly Action[]): Promise<void>;
}

export const operatorAccount = derivedAccount('operator');
export const operatorAddress = operatorAccount.address;

const gasPerTransaction = numberToHex(100_000_000);
const maxBlocksPerRound = 60;

interface Receipt {
  status: Hex;
  transactionHash: Hex;
}

export async function createOperator(node: NodeClient): Promise<Operator> {
  const address = operatorAddress;
  await node.batch([
    { method: 'anvil_impersonateAccount', params: [address] },
    { method: 'anvil_setBalance', params: [address, numberToHex(10n ** 30n)] },
  ]);
  let nonce = hexToNumber(await node.call<Hex>('eth_getTransactionCount', [address, 'latest']));
  return {
    address,
    async send(actions) {
      const hashes = await node.batch<Hex>(
        actions.map(({ to, data = '0x', value = 0n }) => ({
          method: 'eth_sendTransaction',
          params: [
            { from: address, to, data, value: numberToHex(value), gas: gasPerTransaction, nonce: numberToHex(nonce++) },
          ],
        })),
      );
      const receipts = await mineAll(node, hashes);
      const failed = receipts.findIndex((receipt) => receipt.status !== '0x1');
      if (failed >= 0) throw await explainFailure(node, actions[failed], receipts[failed]);
    },
  };
}

async function mineAll(node: NodeClient, hashes: readonly Hex[]): Promise<Receipt[]> {
  for (let block = 0; block < maxBlocksPerRound; block++) {
    await node.call('evm_mine');
    const receipts = await node.batch<Receipt | null>(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    const mined = receipts.filter((receipt) => receipt !== null);
    if (mined.length === hashes.length) return mined;
  }
  throw new BuildTransactionError(
    `Some of ${hashes.length} transactions were not mined in ${maxBlocksPerRound} blocks.`,
  );
}

/** Traces the call on the latest state: a receipt has no revert reason, and pruned state cannot be traced. */
async function explainFailure(
  node: NodeClient,
  action: Action | undefined,
  receipt: Receipt | undefined,
): Promise<BuildTransactionError> {
  const call = { from: operatorAddress, to: action?.to, data: action?.data ?? '0x', gas: gasPerTransaction };
  const trace = await node.call<CallFrame>('debug_traceCall', [call, 'latest', { tracer: 'callTracer' }]);
  const failed = deepestFailure(trace);
  const words = `${failed.type} of ${failed.to} with ${failed.input.slice(0, 330)}: ${failed.error} ${failed.output ?? ''}`;
  return new BuildTransactionError(`Transaction ${receipt?.transactionHash} to ${action?.to} failed in ${words}`);
}

interface CallFrame {
  type: string;
  to?: string;
  input: string;
  output?: string;
  error?: string;
  calls?: CallFrame[];
}

function deepestFailure(frame: CallFrame): CallFrame {
  const inner = frame.calls?.findLast(({ error }) => error !== undefined);
  return inner ? deepestFailure(inner) : frame;
}
