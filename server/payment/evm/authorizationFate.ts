import { type Address, encodeFunctionData, type Hex, pad } from 'viem';
import { type ChainCall, ChainUnreachableError, toQuantity } from '../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { bool, loggedEvents, quantity } from './nodeAnswers.ts';
import { authorizationCanceledTopic, authorizationUsedTopic, paidInReceipt } from './paidInReceipt.ts';
import { readReceipt } from './readReceipt.ts';
import { usdcAbi } from './usdcAbi.ts';

export type AuthorizationFate =
  | { kind: 'unused' }
  /** Moved the money to us, in whoever's transaction. */
  | { kind: 'paid'; transaction: Hex }
  /** Cancelled by its payer, or used to move something else. */
  | { kind: 'spent' };

/** Public nodes answer at most a few thousand blocks of logs at a time. */
const logSpan = 2_000n;
/** A node that lags behind may have told us too high a block to begin from. */
const lagMargin = 64n;
/** A month on the chain of the fastest blocks: more is no distance but a wrong height. */
const longestSearch = 12_000_000n;

/**
 * What became of an authorization, as the token itself and its logs tell it.
 *
 * @param since a block at which it was known to be unused.
 * @param at the block to tell it for, or `latest`; a node that does not have it yet answers with an error.
 * @throws {ChainUnreachableError} not to be told now: no node, or a used authorization whose log is not there yet.
 * @throws {NodeRefusalError}
 */
export async function readAuthorizationFate(
  call: ChainCall,
  asset: Address,
  payment: SignedAuthorization,
  since: bigint,
  at: Hex | 'latest',
): Promise<AuthorizationFate> {
  const data = encodeFunctionData({
    abi: usdcAbi,
    functionName: 'authorizationState',
    args: [payment.from, payment.nonce],
  });
  const isUsedAt = (block: Hex | 'latest') => call('eth_call', [{ to: asset, data }, block], bool);
  if (!(await isUsedAt(at))) return { kind: 'unused' };

  const latest = await call('eth_blockNumber', [], quantity);
  const start = since > lagMargin ? since - lagMargin : 0n;
  if (latest - start > longestSearch) throw new ChainUnreachableError('The node tells a height that cannot be.');
  for (let first = start; first <= latest; first += logSpan) {
    const last = first + logSpan - 1n < latest ? first + logSpan - 1n : latest;
    const filter = {
      address: asset,
      fromBlock: toQuantity(first),
      toBlock: toQuantity(last),
      topics: [[authorizationUsedTopic, authorizationCanceledTopic], pad(payment.from), payment.nonce],
    };
    const [log] = await call('eth_getLogs', [filter], loggedEvents);
    if (!log) continue;
    const receipt = await readReceipt(call, log.transactionHash);
    if (!receipt) break;
    return paidInReceipt(receipt, asset, payment)
      ? { kind: 'paid', transaction: log.transactionHash }
      : { kind: 'spent' };
  }
  // Before it came to us: a signature that was public by then buys nothing.
  if (await isUsedAt(toQuantity(start))) return { kind: 'spent' };
  throw new ChainUnreachableError('The authorization is used, and the node does not show yet in which transaction.');
}
