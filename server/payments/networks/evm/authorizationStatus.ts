import { type Address, encodeFunctionData, type Hex, pad } from 'viem';
import { type ChainCall, ChainUnreachableError, isChainError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { type BlockInterval, blocksIn } from './blockInterval.ts';
import { highest } from './fees.ts';
import { bool, loggedEvents, quantity } from './nodeAnswers.ts';
import {
  type AuthorizationUse,
  authorizationCanceledTopic,
  authorizationUsedTopic,
  findAuthorizationUse,
} from './paidInReceipt.ts';
import { readReceipt } from './readReceipt.ts';
import { usdcAbi } from './usdcAbi.ts';

/** The use of an authorization that did not pay the price. */
export type SpentAuthorization =
  | { transaction: Hex; use: Exclude<AuthorizationUse, { kind: 'paid' }> }
  /** Used in a block older than the searched range. */
  | { usedBefore: bigint };

export type AuthorizationStatus =
  | { kind: 'unused' }
  /** Paid the price to payTo, in a transaction of any account. */
  | { kind: 'paid'; transaction: Hex }
  | { kind: 'spent'; spent: SpentAuthorization };

/** Blocks of one eth_getLogs after a node rejected a longer range; public nodes allow a few thousand. */
const logSpan = 2_000n;
/**
 * How long ago an authorization that we did not send may have been used, so that its use is searched. x402 clients sign for
 * minutes. The limit bounds the cost of looking up an authorization that was used long ago.
 */
const searchedSeconds = 3_600;
/** Time by which the node that returned `since` may be ahead of the node that is queried now. */
const lagSeconds = 60;
/** The least blocks for `lagSeconds`: a chain that mines on demand has long intervals. */
const leastLag = 64n;
/** A month. A longer distance means that the node returned a wrong height. */
const longestSeconds = 30 * 86_400;

/** The transaction that used the authorization. Sends one request if the node accepts the whole range. */
async function findUsingTransaction(
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
  // Newest first: most uses are seconds old.
  for (let to = last; to >= first; to -= logSpan) {
    const found = await read(to - logSpan + 1n > first ? to - logSpan + 1n : first, to);
    if (found) return found;
  }
  return undefined;
}

/**
 * Status of an authorization, read from the token's state and logs.
 *
 * @param since a block at which it was unused; undefined if we have never sent it
 * @param at a block, or `latest`; a node that does not have that block yet returns an error
 * @param interval the chain's block interval, because logs are requested by block
 * @throws {ChainUnreachableError} no node returned a result, or the log of a used authorization is missing
 * @throws {JsonRpcError}
 */
export async function readAuthorizationStatus(
  call: ChainCall,
  asset: Address,
  payment: SignedAuthorization,
  since: bigint | undefined,
  at: Hex | 'latest',
  interval: BlockInterval,
): Promise<AuthorizationStatus> {
  const data = encodeFunctionData({
    abi: usdcAbi,
    functionName: 'authorizationState',
    args: [payment.from, payment.nonce],
  });
  const isUsedAt = (block: Hex | 'latest') => call('eth_call', [{ to: asset, data }, block], bool);
  if (!(await isUsedAt(at))) return { kind: 'unused' };

  const [latest, blockMs] = await Promise.all([call('eth_blockNumber', [], quantity), interval.readMs()]);
  const distance = latest - (since ?? latest) + highest(leastLag, blocksIn(lagSeconds, blockMs));
  if (distance > highest(logSpan, blocksIn(longestSeconds, blockMs)))
    throw new ChainUnreachableError('The node returned an impossible block height.');
  const length = highest(distance, highest(logSpan, blocksIn(searchedSeconds, blockMs)));
  const first = latest > length ? latest - length : 0n;
  const transaction = await findUsingTransaction(call, asset, payment, { first, last: latest });
  const receipt = transaction && (await readReceipt(call, transaction));
  const use = receipt && findAuthorizationUse(receipt, asset, payment);
  if (transaction && use) {
    return use.kind === 'paid' ? { kind: 'paid', transaction } : { kind: 'spent', spent: { transaction, use } };
  }
  // The use is older than the searched blocks.
  if (!transaction && (await isUsedAt(toQuantity(first)))) return { kind: 'spent', spent: { usedBefore: first } };
  throw new ChainUnreachableError('The authorization is used, but the node does not return its transaction yet.');
}
