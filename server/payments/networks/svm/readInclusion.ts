import type { z } from 'zod';
import type { Chain, ChainCall } from '../../chainCall.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { shareRead } from '../../shareRead.ts';
import { natural, type signatureStatus, signatureStatuses } from './nodeAnswers.ts';

/** Number of blocks for which a blockhash is valid. */
const blockhashLifetime = 150n;
/** Blocks by which the node that returned the height at signing may be behind the node that returned the blockhash. */
const lagMargin = 64n;
/** Solana's limit for one getSignatureStatuses request. */
const maxSignatures = 256;
/** Cache lifetime of the height. It is shorter than a payment's interval between reads, so that each read is new. */
const heightLifeMs = 500;

type Status = z.output<typeof signatureStatus>;

const isConfirmed = (status: Status | undefined): boolean =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';

/** Reads the status of our transactions. Payments that are polled at the same time share the requests. */
export interface InclusionReader {
  /**
   * `paid`, `failed`: confirmed, and succeeded or failed. `unconfirmed`: found, but not confirmed. undefined: not found.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  readInclusion(
    transaction: Pick<JournaledTransaction, 'hash'>,
  ): Promise<'paid' | 'failed' | 'unconfirmed' | undefined>;
  /**
   * Whether the transaction can no longer pay: its blockhash has expired at the finalized height, and it failed, or no
   * block up to the finalized slot contains it. A node behind that slot cannot show it, because its last blocks may be
   * missing there.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  hasExpired(transaction: Pick<JournaledTransaction, 'hash' | 'fromBlock'>): Promise<boolean>;
}

export function createInclusionReader({
  call,
  callVerified,
  callAllVerified,
}: Pick<Chain, 'call' | 'callVerified' | 'callAllVerified'>): InclusionReader {
  let collecting: { hashes: Set<string>; statuses: Promise<ReadonlyMap<string, Status>> } | undefined;
  let reading: Promise<unknown> = Promise.resolve();
  const finalized = [{ commitment: 'finalized' }] as const;
  const finalPosition = shareRead(
    // The slot is read last, so that it is not older than the height.
    () => callAllVerified(['getBlockHeight', finalized, natural], ['getSlot', finalized, natural]),
    heightLifeMs,
  );

  async function readWith(read: ChainCall, hashes: readonly string[]): Promise<[string, Status][]> {
    const found: [string, Status][] = [];
    for (let begin = 0; begin < hashes.length; begin += maxSignatures) {
      const batch = hashes.slice(begin, begin + maxSignatures);
      const params = [batch, { searchTransactionHistory: true }];
      const { value } = await read('getSignatureStatuses', params, signatureStatuses(batch.length));
      for (const [index, hash] of batch.entries()) found.push([hash, value[index] ?? null]);
    }
    return found;
  }

  /** Reads confirmed statuses a second time with a verified call, because a status does not contain its network. */
  async function readAll(hashes: readonly string[]): Promise<ReadonlyMap<string, Status>> {
    const first = await readWith(call, hashes);
    const confirmed = first.filter(([, status]) => isConfirmed(status)).map(([hash]) => hash);
    return new Map([...first, ...(await readWith(callVerified, confirmed))]);
  }

  /** Reads a signature immediately if no request is pending; otherwise in the next request, together with others. */
  async function readStatus(hash: string): Promise<Status> {
    if (!collecting) {
      const hashes = new Set<string>();
      const statuses = reading.then(() => {
        collecting = undefined;
        return readAll([...hashes]);
      });
      collecting = { hashes, statuses };
      reading = statuses.catch(() => undefined);
    }
    collecting.hashes.add(hash);
    return (await collecting.statuses).get(hash) ?? null;
  }

  return {
    async readInclusion({ hash }) {
      const status = await readStatus(hash);
      if (isConfirmed(status)) return status?.err === null ? 'paid' : 'failed';
      return status ? 'unconfirmed' : undefined;
    },
    async hasExpired({ hash, fromBlock }) {
      const [height, slot] = await finalPosition.read();
      if (BigInt(height) <= fromBlock + blockhashLifetime + lagMargin) return false;
      const params = [[hash], { searchTransactionHistory: true }];
      const { context, value } = await callVerified('getSignatureStatuses', params, signatureStatuses(1));
      if (context.slot < slot) return false;
      const status = value[0] ?? null;
      return status === null || (isConfirmed(status) && status.err !== null);
    },
  };
}
