import type { z } from 'zod';
import type { Chain } from '../../chainCall.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { natural, signatureStatus } from './nodeAnswers.ts';

/** A blockhash can be used for so many blocks. */
const blockhashLifetime = 150n;
/** The node that returned the height when we signed may be behind the one that made the blockhash. */
const lagMargin = 64n;

type Asking = Pick<Chain, 'call' | 'callProven'>;
type Status = z.output<typeof signatureStatus>['value'][0];

const hasLanded = (status: Status): boolean =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';

/**
 * What became of our transaction: in a block, where it paid or did nothing but cost its fee; on its way there; or
 * nowhere to be seen, which is undefined.
 *
 * A status does not contain its network: before it is used, the node proves its network and returns it again.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError}
 */
export async function readLanding(
  { call, callProven }: Asking,
  { hash }: JournaledTransaction,
): Promise<'paid' | 'failed' | 'coming' | undefined> {
  const question = [[hash], { searchTransactionHistory: true }];
  const first = await call('getSignatureStatuses', question, signatureStatus);
  const { value } = hasLanded(first.value[0])
    ? await callProven('getSignatureStatuses', question, signatureStatus)
    : first;
  const [status] = value;
  if (hasLanded(status)) return status?.err === null ? 'paid' : 'failed';
  return status ? 'coming' : undefined;
}

/**
 * Whether no block to come can take our transaction, and final ones are past its last.
 * @throws {ChainUnreachableError} @throws {NodeRefusalError}
 */
export async function isTooOld({ callProven }: Asking, { fromBlock }: JournaledTransaction): Promise<boolean> {
  const height = BigInt(await callProven('getBlockHeight', [{ commitment: 'finalized' }], natural));
  return height > fromBlock + blockhashLifetime + lagMargin;
}
