import { type Address, encodeFunctionData, type Hex, pad } from 'viem';
import { type ChainCall, ChainUnreachableError, isChainError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { bool, loggedEvents, quantity } from './nodeAnswers.ts';
import {
  type AuthorizationUse,
  authorizationCanceledTopic,
  authorizationUsedTopic,
  findAuthorizationUse,
} from './paidInReceipt.ts';
import { readReceipt } from './readReceipt.ts';
import { usdcAbi } from './usdcAbi.ts';

/** An authorization that paid something else, or nothing. */
export type SpentAuthorization =
  | { transaction: Hex; use: Exclude<AuthorizationUse, { kind: 'paid' }> }
  /** Used in a block older than the searched range. */
  | { usedBefore: bigint };

export type AuthorizationStatus =
  | { kind: 'unused' }
  /** Moved the money to payTo, in any transaction. */
  | { kind: 'paid'; transaction: Hex }
  | { kind: 'spent'; spent: SpentAuthorization };

/** Range of one eth_getLogs after a node rejected a longer one; public nodes allow a few thousand blocks. */
const logSpan = 2_000n;
/**
 * How many of the latest blocks are searched for the use of an authorization that we did not send: an hour on Arbitrum,
 * eight hours on Base and Polygon. The limit bounds the cost of looking up an authorization that was used long ago.
 */
const searchedBlocks = 15_000n;
/** Two nodes may differ by this many blocks: the one that returned `since`, and the one queried now. */
const lagMargin = 64n;
/** A month on the chain of the fastest blocks: more is no distance but a wrong height. */
const longestSearch = 12_000_000n;

/** The transaction that used the authorization. One request where the node takes the whole range. */
async function readStatusAfterRefusal(
  call: ChainCall,
  asset: Address,
  { from, nonce }: SignedAuthorization,
  range: { first: bigint; last: bigint },
): Promise<Hex | undefined> {
  const read = async (first: bigint, last: bigint): Promise<Hex | undefined> => {
    const filter = {
      address: asset,
      fromBlock: toQuantity(first),
      toBlock: toQuantity(last),
      topics: [[authorizationUsedTopic, authorizationCanceledTopic], pad(from), nonce],
    };
    const [log] = await call('eth_getLogs', [filter], loggedEvents);
    return log?.transactionHash;
  };
  const { first, last } = range;
  try {
    return await read(first, last);
  } catch (error) {
    if (!isChainError(error) || last - first < logSpan) throw error;
  }
  // Newest first: most uses are a few blocks old.
  for (let to = last; to >= first; to -= logSpan) {
    const found = await read(to - logSpan + 1n > first ? to - logSpan + 1n : first, to);
    if (found) return found;
  }
  return undefined;
}

/**
 * Status of an authorization, by the token's state and its logs.
 *
 * @param since a block at which it was known to be unused; undefined when we have never sent it.
 * @param at a block, or `latest`; a node that does not have that block yet returns an error
 * @throws {ChainUnreachableError} the status cannot be read: no node, or a used authorization whose log is missing yet.
 * @throws {JsonRpcError}
 */
export async function readAuthorizationStatus(
  call: ChainCall,
  asset: Address,
  payment: SignedAuthorization,
  since: bigint | undefined,
  at: Hex | 'latest',
): Promise<AuthorizationStatus> {
  const data = encodeFunctionData({
    abi: usdcAbi,
    functionName: 'authorizationState',
    args: [payment.from, payment.nonce],
  });
  const isUsedAt = (block: Hex | 'latest') => call('eth_call', [{ to: asset, data }, block], bool);
  if (!(await isUsedAt(at))) return { kind: 'unused' };

  const latest = await call('eth_blockNumber', [], quantity);
  const distance = latest - (since ?? latest) + lagMargin;
  if (distance > longestSearch) throw new ChainUnreachableError('The node reports a height that cannot be.');
  const length = distance > searchedBlocks ? distance : searchedBlocks;
  const first = latest > length ? latest - length : 0n;
  const transaction = await readStatusAfterRefusal(call, asset, payment, { first, last: latest });
  const receipt = transaction && (await readReceipt(call, transaction));
  const use = receipt && findAuthorizationUse(receipt, asset, payment);
  if (transaction && use) {
    return use.kind === 'paid' ? { kind: 'paid', transaction } : { kind: 'spent', spent: { transaction, use } };
  }
  // The use is older than the searched blocks.
  if (!transaction && (await isUsedAt(toQuantity(first)))) return { kind: 'spent', spent: { usedBefore: first } };
  throw new ChainUnreachableError('The authorization is used, and the node does not show yet in which transaction.');
}
