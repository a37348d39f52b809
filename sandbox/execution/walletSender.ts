import { type Address, type Hex, hexToBigInt, hexToNumber } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { NodeCallError, type NodeClient } from '../rpc/nodeClient.ts';
import type { SandboxWallet } from '../sandboxTypes.ts';

export interface MinedReceipt {
  status: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
  gasUsed: Hex;
  logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[];
}

/** The transaction was mined and reverted. `data` is the revert data of the repeated call. */
export class TransactionRevertedError extends Error {
  override readonly name = 'TransactionRevertedError';
  constructor(
    message: string,
    readonly data: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The node accepted the transaction, but no block contains it. */
export class TransactionNotMinedError extends Error {
  override readonly name = 'TransactionNotMinedError';
}

const gas = 20_000_000n;
const timeoutMs = 60_000;
const pollMs = 10;

/**
 * Signs a transaction with the wallet's key and waits until it is mined.
 * @throws {NodeCallError} the node rejects it
 * @throws {TransactionRevertedError | TransactionNotMinedError}
 */
export async function sendFromWallet(
  node: NodeClient,
  chainId: number,
  wallet: SandboxWallet,
  call: { to: Address; data: Hex },
): Promise<MinedReceipt> {
  // The pending count is wrong just after a snapshot was reverted: it still includes the reverted transactions.
  const [nonce, gasPrice] = await node.batch<Hex>([
    { method: 'eth_getTransactionCount', params: [wallet.address, 'latest'] },
    { method: 'eth_gasPrice' },
  ]);
  const signed = await privateKeyToAccount(wallet.privateKey).signTransaction({
    ...call,
    chainId,
    gas,
    nonce: hexToNumber(nonce ?? '0x0'),
    maxFeePerGas: hexToBigInt(gasPrice ?? '0x0') * 2n,
    maxPriorityFeePerGas: 0n,
    type: 'eip1559',
  });
  const hash = await node.call<Hex>('eth_sendRawTransaction', [signed]);
  const receipt = await waitForReceipt(node, hash);
  if (receipt.status === '0x1') return receipt;
  throw await explainRevert(node, wallet, call, receipt);
}

/**
 * Polls for a receipt, so that it works with and without automine.
 * @throws {TransactionNotMinedError} after one minute
 */
export async function waitForReceipt(node: NodeClient, hash: Hex): Promise<MinedReceipt> {
  for (const until = Date.now() + timeoutMs; Date.now() < until; ) {
    const receipt = await node.call<MinedReceipt | null>('eth_getTransactionReceipt', [hash]);
    if (receipt) return receipt;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new TransactionNotMinedError(`Transaction ${hash} was not mined within ${timeoutMs / 1000} s.`);
}

async function explainRevert(
  node: NodeClient,
  wallet: SandboxWallet,
  call: { to: Address; data: Hex },
  receipt: MinedReceipt,
): Promise<TransactionRevertedError> {
  const failure = `Transaction ${receipt.transactionHash} of the ${wallet.role} wallet reverted`;
  try {
    await node.call('eth_call', [{ from: wallet.address, ...call }, 'latest']);
  } catch (cause) {
    if (!(cause instanceof NodeCallError)) throw cause;
    return new TransactionRevertedError(`${failure}: ${cause.message}`, cause.data, { cause });
  }
  return new TransactionRevertedError(`${failure}, but the same call succeeds one block later.`, undefined);
}
