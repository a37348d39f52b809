import type { z } from 'zod';
import type { Chain, ChainCall } from '../../chainCall.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import { shareRead } from '../../shareRead.ts';
import { natural, type signatureStatus, signatureStatuses } from './nodeAnswers.ts';

/** A blockhash can be used for so many blocks. */
const blockhashLifetime = 150n;
/** The node that returned the height when we signed may be behind the one that made the blockhash. */
const lagMargin = 64n;
/** The maximum number of signatures in one getSignatureStatuses. */
const mostSignatures = 256;
/** Less than the interval at which one payment reads it, so that each of its reads is a new one. */
const heightLifeMs = 500;

type Status = z.output<typeof signatureStatus>;

const isConfirmed = (status: Status | undefined): boolean =>
  status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';

/** Reads the status of our transactions. Payments that wait at the same time share the requests. */
export interface InclusionReader {
  /**
   * `paid` and `failed`: included, and paid or failed. `unconfirmed`: seen, not yet confirmed. undefined: not found.
   *
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  readInclusion(
    transaction: Pick<JournaledTransaction, 'hash'>,
  ): Promise<'paid' | 'failed' | 'unconfirmed' | undefined>;
  /**
   * Whether the blockhash has expired at the finalized height, so no later block can include the transaction.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  isTooOld(transaction: Pick<JournaledTransaction, 'fromBlock'>): Promise<boolean>;
}

export function createInclusionReader({ call, callVerified }: Pick<Chain, 'call' | 'callVerified'>): InclusionReader {
  let collecting: { hashes: Set<string>; statuses: Promise<ReadonlyMap<string, Status>> } | undefined;
  let reading: Promise<unknown> = Promise.resolve();
  const finalHeight = shareRead(
    () => callVerified('getBlockHeight', [{ commitment: 'finalized' }], natural),
    heightLifeMs,
  );

  async function readWith(ask: ChainCall, hashes: readonly string[]): Promise<[string, Status][]> {
    const found: [string, Status][] = [];
    for (let begin = 0; begin < hashes.length; begin += mostSignatures) {
      const some = hashes.slice(begin, begin + mostSignatures);
      const question = [some, { searchTransactionHistory: true }];
      const { value } = await ask('getSignatureStatuses', question, signatureStatuses(some.length));
      for (const [index, hash] of some.entries()) found.push([hash, value[index] ?? null]);
    }
    return found;
  }

  /** A status does not contain its network: before it is used, the node proves its network and returns it again. */
  async function readAll(hashes: readonly string[]): Promise<ReadonlyMap<string, Status>> {
    const first = await readWith(call, hashes);
    const landed = first.filter(([, status]) => isConfirmed(status)).map(([hash]) => hash);
    return new Map([...first, ...(await readWith(callVerified, landed))]);
  }

  /** A signature is read at once when no request is open; otherwise it waits for it, and shares the next one. */
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
    async isTooOld({ fromBlock }) {
      return BigInt(await finalHeight.read()) > fromBlock + blockhashLifetime + lagMargin;
    },
  };
}
