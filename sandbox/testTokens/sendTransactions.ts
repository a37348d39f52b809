import { type Address, type Hex, hexToNumber, numberToHex } from 'viem';
import { NodeCallError, type NodeClient } from '../rpc/nodeClient.ts';

/** A transaction of the deployment failed or was not mined. */
class TestTokenDeploymentError extends Error {
  override readonly name = 'TestTokenDeploymentError';
}

/** A transaction; without `to` it creates a contract. */
export interface Transaction {
  to?: Address;
  data: Hex;
  value?: bigint;
}

interface Receipt {
  status: Hex;
  gasUsed: Hex;
}

const gas = numberToHex(60_000_000);
const maxBlocks = 40;
/** The node refuses requests of more than 2 MiB; a contract creation has up to 50 kB. */
const perRequest = 40;

/** Unlocks an account and sets its balance to 10^9 ether. */
export async function unlock(node: NodeClient, account: Address): Promise<void> {
  await node.batch([
    { method: 'anvil_impersonateAccount', params: [account] },
    { method: 'anvil_setBalance', params: [account, numberToHex(10n ** 27n)] },
  ]);
}

export async function nextNonce(node: NodeClient, account: Address): Promise<number> {
  return hexToNumber(await node.call<Hex>('eth_getTransactionCount', [account, 'latest']));
}

/**
 * Sends all transactions and mines blocks until all are included. Automatic mining must be off.
 * @throws {TestTokenDeploymentError} with the first transaction that failed
 */
export async function sendTransactions(
  node: NodeClient,
  from: Address,
  transactions: readonly Transaction[],
): Promise<void> {
  if (transactions.length === 0) return;
  const nonce = await nextNonce(node, from);
  const calls = transactions.map(({ value = 0n, ...transaction }, index) => ({
    method: 'eth_sendTransaction',
    params: [{ from, ...transaction, gas, value: numberToHex(value), nonce: numberToHex(nonce + index) }],
  }));
  const hashes: Hex[] = [];
  for (let at = 0; at < calls.length; at += perRequest) {
    hashes.push(...(await node.batch<Hex>(calls.slice(at, at + perRequest))));
  }
  const receipts = await mineAll(node, hashes);
  const failed = receipts.findIndex(({ status }) => status !== '0x1');
  if (failed < 0) return;
  const { value = 0n, ...transaction } = transactions[failed] ?? { data: '0x' };
  const reason = await node.call('eth_call', [{ from, ...transaction, gas, value: numberToHex(value) }, 'latest']).then(
    () => 'the same call succeeds now',
    (error: unknown) =>
      error instanceof NodeCallError ? `${error.message} ${JSON.stringify(error.data ?? '')}` : `${error}`,
  );
  throw new TestTokenDeploymentError(
    `Transaction ${failed} (${transaction.to ?? 'contract creation'}) failed: ${reason}`,
  );
}

async function mineAll(node: NodeClient, hashes: readonly Hex[]): Promise<Receipt[]> {
  const receipts = new Map<number, Receipt>();
  for (let block = 0; block < maxBlocks; block++) {
    await node.call('evm_mine');
    const missing = hashes.map((_, index) => index).filter((index) => !receipts.has(index));
    const found = await node.batch<Receipt | null>(
      missing.map((index) => ({ method: 'eth_getTransactionReceipt', params: [hashes[index]] })),
    );
    for (const [at, receipt] of found.entries()) if (receipt) receipts.set(missing[at] ?? -1, receipt);
    if (receipts.size === hashes.length) return hashes.map((_, index) => receipts.get(index) as Receipt);
  }
  throw new TestTokenDeploymentError(`Not all of ${hashes.length} transactions were mined in ${maxBlocks} blocks.`);
}
