import type { LowerAddress } from '../lowerAddress.ts';
import {
  type Creator,
  type FactStore,
  type FirstTransfer,
  type HolderCandidates,
  type HolderMeasurement,
  type Market,
  type PretradeVendors,
  VendorUnavailableError,
} from './pretradePorts.ts';

/** A vendor's value, or why it is unavailable. */
export type VendorResult<T> =
  | { status: 'known'; value: T; stored: boolean }
  | { status: 'none' | 'unread' | 'not-requested'; reason: string };

export interface VendorFacts {
  holders: VendorResult<HolderCandidates>;
  /** The service's last measurement, used if the holder source is unavailable. */
  storedHolders: HolderMeasurement | undefined;
  firstTransfer: VendorResult<FirstTransfer>;
  creator: VendorResult<Creator>;
  market: VendorResult<Market>;
  /** Names of the errors of the fact store; undefined if it worked. */
  storeFault: string | undefined;
}

export interface VendorQuery {
  token: LowerAddress;
  vendors: PretradeVendors;
  facts: FactStore | undefined;
  deadlineMs: number;
  /** @see FetchOptions.isFree */
  isFree?: boolean;
}

interface Source {
  readonly label: string;
}

/** Queries all vendors concurrently, each under the deadline. Never throws: a failing vendor costs one field. */
export async function fetchVendorFacts({
  token,
  vendors,
  facts,
  deadlineMs,
  isFree = false,
}: VendorQuery): Promise<VendorFacts> {
  const signal = AbortSignal.timeout(deadlineMs);
  const options = { signal, isFree };
  const faults: string[] = [];
  const remembered = async <T>(load: Promise<T | undefined> | undefined): Promise<T | undefined> => {
    try {
      return await load;
    } catch (error) {
      faults.push(error instanceof Error ? error.name : 'fault');
      return undefined;
    }
  };
  const within = <T>(work: Promise<VendorResult<T>>): Promise<VendorResult<T>> =>
    Promise.race([
      work,
      new Promise<VendorResult<T>>((resolve) => {
        const late = () => resolve({ status: 'unread', reason: `no source answered within ${deadlineMs} ms` });
        if (signal.aborted) late();
        else signal.addEventListener('abort', late, { once: true });
      }),
    ]);

  const firstTransfer = within(
    remembered(facts?.loadFirstTransfer(token)).then(async (stored): Promise<VendorResult<FirstTransfer>> => {
      if (stored) return { status: 'known', value: stored, stored: true };
      const result = await fetchFromFirst(vendors.firstTransfer, (source) => source.fetchFirstTransfer(token, options));
      if (result.status === 'known') await remembered(facts?.saveFirstTransfer(token, result.value));
      return result;
    }),
  );
  const creator = within(
    remembered(facts?.loadCreator(token)).then(async (stored): Promise<VendorResult<Creator>> => {
      if (stored) return { status: 'known', value: stored, stored: true };
      const result = await fetchFromFirst(vendors.creator, (source) => source.fetchCreator(token, options));
      if (result.status === 'known') await remembered(facts?.saveCreator(token, result.value));
      return result;
    }),
  );
  const holders = within(fetchFromFirst(vendors.holders, (source) => source.fetchTopHolders(token, options)));
  const market = within(fetchFromFirst(vendors.market, (source) => source.fetchMarket(token, options)));
  const storedHolders = remembered(facts?.loadHolders(token));
  await Promise.all([firstTransfer, creator, holders]);
  const search = vendors.describeSearch?.(token);
  return {
    firstTransfer: withSearch(await firstTransfer, search),
    creator: withSearch(inferCreator(await firstTransfer, await creator), search),
    holders: withSearch(await holders, search),
    market: await market,
    storedHolders: await storedHolders,
    storeFault: faults.length > 0 ? faults.join(', ') : undefined,
  };
}

const withSearch = <T>(result: VendorResult<T>, search: string | undefined): VendorResult<T> =>
  result.status === 'unread' && search
    ? { ...result, reason: `${result.reason.replace(/\.?$/, '.')} ${search}` }
    : result;

/** The sender of the first transfer; if unknown, the deployer that an explorer returned. Neither is proven. */
function inferCreator(first: VendorResult<FirstTransfer>, named: VendorResult<Creator>): VendorResult<Creator> {
  if (first.status !== 'known' || first.value.sender === null) return named;
  const { sender, source } = first.value;
  return { status: 'known', value: { address: sender, source, isSender: true }, stored: first.stored };
}

/** The result of the first source that responds. A response without a value ends the search too. */
export async function fetchFromFirst<S extends Source, T>(
  sources: readonly S[],
  read: (source: S) => Promise<T | null>,
): Promise<VendorResult<T>> {
  if (sources.length === 0) return { status: 'not-requested', reason: 'no source is configured' };
  const failed: string[] = [];
  for (const source of sources) {
    try {
      const value = await read(source);
      if (value === null) return { status: 'none', reason: `${source.label} returned no result` };
      return { status: 'known', value, stored: false };
    } catch (error) {
      failed.push(error instanceof VendorUnavailableError ? error.message : `${source.label} could not be read.`);
      // A bug in an adapter is reported by its name, and must not cost the verdict either.
      if (!(error instanceof VendorUnavailableError))
        failed.push(error instanceof Error ? error.name : 'unknown fault');
    }
  }
  return { status: 'unread', reason: failed.join(' ') };
}
