import {
  type Account,
  type Address,
  createPublicClient,
  erc20Abi,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  type TransactionSerializable,
} from 'viem';
import type { ChainName } from '../chains/index.ts';
import { createRpc, NodeError, type Rpc } from '../verify/rpc.ts';
import { TransactionFailedError } from './errors.ts';
import { assertChain, awaitSuccess } from './executorCode.ts';
import { isSameAddress } from './plan.ts';
import { permit2 } from './routers.ts';
import type { Approval, SwapTransaction } from './toTransaction.ts';

export interface SwapNodes {
  chain: ChainName;
  /** URL of a node of the chain. */
  rpcUrl: string;
  /** URL to which the swap is sent instead, such as an endpoint that keeps it out of the public mempool. */
  privateRpcUrl?: string | undefined;
  fetch?: typeof globalThis.fetch;
}

const permit2Abi = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)',
]);

/** The approvals that the sender's allowances do not cover. */
export async function missingApprovals(
  { rpcUrl, fetch = globalThis.fetch }: Pick<SwapNodes, 'rpcUrl' | 'fetch'>,
  owner: Address,
  { approvals }: SwapTransaction,
): Promise<Approval[]> {
  const client = createPublicClient({ transport: http(rpcUrl, { fetchFn: fetch }) });
  const read = async ({ token, spender, to }: Approval): Promise<bigint> => {
    if (!isSameAddress(to, permit2))
      return client.readContract({ address: token, abi: erc20Abi, functionName: 'allowance', args: [owner, spender] });
    const args = [owner, token, spender] as const;
    const [amount, expiration] = await client.readContract({
      ...{ address: permit2, abi: permit2Abi, functionName: 'allowance', args },
    });
    return expiration > Date.now() / 1000 ? amount : 0n;
  };
  const allowed = await Promise.all(approvals.map(read));
  return approvals.filter(({ amount }, index) => (allowed[index] ?? 0n) < amount);
}

/**
 * Simulates the approvals and then the swap at the latest block, with `eth_simulateV1`; a swap alone with `eth_call`.
 * @returns undefined if it succeeds, otherwise the reason
 */
export async function simulateSwap(
  { rpcUrl, fetch = globalThis.fetch }: Pick<SwapNodes, 'rpcUrl' | 'fetch'>,
  from: Address,
  { to, data, value }: SwapTransaction,
  approvals: readonly Approval[],
): Promise<string | undefined> {
  const rpc = createRpc(rpcUrl, fetch);
  const calls = [...approvals, { to, data, value }].map((call) => ({
    from,
    to: call.to,
    data: call.data,
    value: numberToHex('value' in call ? call.value : 0n),
  }));
  try {
    if (approvals.length === 0) {
      await rpc('eth_call', [calls[0], 'latest']);
      return undefined;
    }
    const [block] = await rpc<{ calls: { status: Hex; error?: { message?: string } }[] }[]>('eth_simulateV1', [
      { blockStateCalls: [{ calls }] },
      'latest',
    ]);
    const failed = block?.calls.findIndex(({ status }) => status !== '0x1') ?? 0;
    if (failed < 0) return undefined;
    const what = failed < approvals.length ? `approval ${failed + 1}` : 'the swap';
    return `${what} reverts: ${block?.calls[failed]?.error?.message ?? 'no reason'}`;
  } catch (error) {
    if (error instanceof NodeError) return error.message;
    throw error;
  }
}

/**
 * Sends the approvals, each after the one before it, and then the swap.
 * @param account signs locally
 * @param onSent called with the hash of each transaction once it is sent
 * @returns the hash of the swap, which succeeded
 * @throws {TransactionFailedError} a transaction failed, or the node serves another chain
 */
export async function sendSwap(
  nodes: SwapNodes & { account: Account },
  { to, data, value }: SwapTransaction,
  approvals: readonly Approval[],
  onSent: (hash: Hex, name: string) => void = () => undefined,
): Promise<Hex> {
  const { chain, rpcUrl, privateRpcUrl = rpcUrl, account, fetch = globalThis.fetch } = nodes;
  const rpc = createRpc(rpcUrl, fetch);
  await assertChain(rpc, chain);
  for (const approval of approvals) {
    const hash = await sendSigned(nodes, account, { ...approval, value: 0n }, rpc);
    onSent(hash, 'approval');
    await awaitSuccess(rpc, hash, 'approval');
  }
  const hash = await sendSigned(nodes, account, { to, data, value }, createRpc(privateRpcUrl, fetch));
  onSent(hash, 'swap');
  await awaitSuccess(rpc, hash, 'swap');
  return hash;
}

/** Signs locally, with nonce, gas and fees of the public node. */
async function sendSigned(
  { rpcUrl, fetch = globalThis.fetch }: SwapNodes,
  account: Account,
  { to, data, value }: { to: Address; data: Hex; value: bigint },
  endpoint: Rpc,
): Promise<Hex> {
  if (!account.signTransaction)
    throw new TransactionFailedError('The account cannot sign transactions. Nothing was sent.');
  const client = createPublicClient({ transport: http(rpcUrl, { fetchFn: fetch }) });
  const request = await client.prepareTransactionRequest({ account, to, data, value, chain: null });
  const signed = await account.signTransaction(request as TransactionSerializable);
  return endpoint<Hex>('eth_sendRawTransaction', [signed]);
}
