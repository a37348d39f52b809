import type { NodeFault } from '../chain/chainState.ts';
import { BlockReplacedError } from '../chain/node.ts';
import { type Nodes, readAtBlock } from '../chain/nodes.ts';
import { type LowerAddress, toLowerAddress } from '../lowerAddress.ts';
import type { PoolIndex } from '../pools/poolIndex.ts';
import type { ChainData } from '../quote/chainData.ts';
import { parseSize } from '../quote/query/parseSize.ts';
import type { QuoteQuery } from '../quote/quoteTypes.ts';
import { type AnswerShare, createAnswerCache, type LookupResult } from '../quote/share/answerCache.ts';
import { encodeChainConfig } from '../venues/encodeChainConfig.ts';
import { isSingleton } from '../venues/kinds.ts';
import { weighAxes } from './axes/weighAxes.ts';
import { createCodeMemory } from './bytecode/codeMemory.ts';
import type { CheckInputs } from './checkInputs.ts';
import { compose } from './compose.ts';
import { burnAddresses, ownerOf } from './context/ownership.ts';
import { fetchFromFirst, fetchVendorFacts, type VendorFacts, type VendorResult } from './fetchVendorFacts.ts';
import { createPowerMemory, type PowerMemory } from './powers/powerMemory.ts';
import { tryCreators } from './powers/tryCreators.ts';
import type { FactStore, HolderMove, PretradeVendors } from './pretradePorts.ts';
import type { PretradeAnswer, PretradeQuery } from './pretradeTypes.ts';
import { orIfUnread, readPlannedMarket } from './quoteOfCheck.ts';
import { type HolderReading, readHolders } from './readHolders.ts';
import { couldTrade } from './reads/readRest.ts';
import { toBase } from './reads/simulationBase.ts';
import { readToken } from './readToken.ts';
import { createTokenMemories } from './tokenMemory.ts';
import type { PretradeEnvironment, TokenReading } from './tokenReading.ts';

/** Sources beside the chain. Each may be absent; then the fields that need it are null. */
export interface PretradeOptions {
  vendors?: Partial<PretradeVendors>;
  facts?: FactStore;
  /** An index of the factories' logs. Without it each check requests the logs of all blocks, which many nodes refuse. */
  pools?: PoolIndex | undefined;
  /** Maximum wait for vendors, in milliseconds. */
  vendorDeadlineMs?: number;
  /** Maximum time to try owner powers of new code, in milliseconds; 0 turns it off. */
  powerDeadlineMs?: number;
}

export interface PretradePorts extends PretradeOptions {
  data: ChainData;
  nodes: Nodes;
  now: () => number;
  freshnessMs: number;
  /** Shares answers with other processes. */
  share?: AnswerShare | undefined;
  /** Called for each query. */
  onLookup?: (answer: LookupResult) => void;
  onNodeFault?: (fault: NodeFault) => void;
  /** Called with each head that was read. */
  sawBlock: (block: bigint) => void;
}

export interface Pretrade {
  /**
   * Checks one token on Base at one block: the verdict from proven traps, and measured facts with their sources.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  check(query: PretradeQuery, options?: { signal?: AbortSignal; isFree?: boolean }): Promise<PretradeAnswer>;
}

/** Size in USD for a query without a size. */
export const defaultSizeUsd = '1000';
const defaultVendorDeadlineMs = 1_500;
const defaultPowerDeadlineMs = 2_000;
const noVendors: PretradeVendors = { holders: [], firstTransfer: [], holderMoves: [], creator: [], market: [] };

/** One key for all spellings of a query: letter case, trailing zeros of a size, the default size. */
export function pretradeKey({ token, sizeUsd = defaultSizeUsd }: PretradeQuery): string {
  const { mantissa, scale } = parseSize(sizeUsd);
  return `${toLowerAddress(token)}|${mantissa}|${scale}`;
}

export function createPretrade(ports: PretradePorts): Pretrade {
  const { data, now, facts } = ports;
  const { pricingAssets, wrappedNative } = data.deployment;
  const service: Service = {
    ports,
    stable: pricingAssets.find(({ symbol }) => symbol === 'USDC')?.address ?? wrappedNative,
    environment: createEnvironment(data, ports.pools, ports.onNodeFault),
    powers: createPowerMemory(facts, { now, deadlineMs: ports.powerDeadlineMs ?? defaultPowerDeadlineMs }),
  };
  const cache = createAnswerCache<PretradeAnswer>(now, {
    share: ports.share,
    name: 'check',
    ...(ports.onLookup && { onLookup: ports.onLookup }),
  });
  return {
    async check({ token, sizeUsd = defaultSizeUsd }, { signal, isFree = false } = {}) {
      const read = () => checkToken(service, { token: toLowerAddress(token), sizeUsd, isFree });
      const answer = await cache.get(pretradeKey({ chain: 'base', token, sizeUsd }), read, signal);
      // Other spellings of one size share the answer; each caller gets the size as sent.
      return { ...answer, sizeUSD: sizeUsd };
    },
  };
}

/** Dependencies that all checks share. */
interface Service {
  ports: PretradePorts;
  stable: LowerAddress;
  environment: PretradeEnvironment;
  powers: PowerMemory;
}

/** How often a check starts again because its block was replaced between its reads. */
const maxRestarts = 1;

async function checkToken(
  service: Service,
  { token, sizeUsd, isFree }: { token: LowerAddress; sizeUsd: string; isFree: boolean },
): Promise<PretradeAnswer> {
  const { environment, stable, ports } = service;
  const { now, facts, vendorDeadlineMs = defaultVendorDeadlineMs } = ports;
  const startedAt = now();
  const vendors = { ...noVendors, ...ports.vendors };
  const marketQuery: QuoteQuery = {
    chain: 'base',
    tokenIn: stable,
    tokenOut: token,
    size: { unit: 'token', ...parseSize(sizeUsd) },
  };
  const asking = fetchVendorFacts({ token, vendors, facts, deadlineMs: vendorDeadlineMs, isFree });
  const { reading, ts, planned, holders } = await readChain(
    service,
    { token, sizeUsd, marketQuery },
    asking,
    maxRestarts,
  );
  const inputs: Omit<CheckInputs, 'topHolderMove'> = {
    environment,
    token,
    sizeUsd,
    marketQuery,
    reading: { ...reading, powers: holders?.powers ?? reading.powers },
    planned,
    vendors: await asking,
    holderBalances: holders?.balances,
    creatorBalance: holders?.creatorBalance,
    holderSales: holders?.sales,
    ts,
    validUntil: ts + ports.freshnessMs,
  };
  const findings = weighAxes(inputs);
  const { topHolder, measurement } = findings.concentration;
  const leftMs = vendorDeadlineMs - (now() - startedAt);
  const topHolderMove = await fetchMove(vendors, token, topHolder, { leftMs, isFree });
  if (measurement) await facts?.saveHolders(token, measurement).catch(() => undefined);
  return compose({ ...inputs, topHolderMove }, findings);
}

/** What a check reads from the chain, at one block. */
interface ChainFacts {
  reading: TokenReading;
  /** When `reading` was complete. */
  ts: number;
  planned: CheckInputs['planned'];
  holders: HolderReading | undefined;
}

async function readChain(
  service: Service,
  order: Pick<CheckInputs, 'token' | 'sizeUsd' | 'marketQuery'>,
  asking: Promise<VendorFacts>,
  restarts: number,
): Promise<ChainFacts> {
  const { environment, powers, ports } = service;
  const { nodes, now } = ports;
  const reading = await nodes.read((node) => readToken(environment, { ...order, now: now() }, powers, node), 'check');
  ports.sawBlock(reading.exit.blockNumber);
  const ts = now();
  let planned: CheckInputs['planned'] = 'unread';
  try {
    const planning = readPlannedMarket(environment.data, nodes, reading, order.marketQuery);
    const [vendorFacts, found] = await Promise.all([asking, orIfUnread(planning, 'unread' as const)]);
    planned = found;
    const holders = await readBalances(service, order.token, reading, vendorFacts);
    return { reading, ts, planned, holders };
  } catch (error) {
    if (!(error instanceof BlockReplacedError)) throw error;
    // What was read is of one block, so the verdict counts if no newer one can be read.
    const complete: ChainFacts = { reading, ts, planned, holders: undefined };
    return restarts > 0 ? orIfUnread(readChain(service, order, asking, restarts - 1), complete) : complete;
  }
}

async function readBalances(
  { environment, powers, ports }: Service,
  token: LowerAddress,
  reading: TokenReading,
  { holders, creator, firstTransfer }: VendorFacts,
): Promise<HolderReading | undefined> {
  const { exit, plans, code, accounts, roles, scenarios, powers: finding } = reading;
  const candidates = holders.status === 'known' ? holders.value.holders.map(({ address }) => address) : [];
  const creatorAddress = creator.status === 'known' ? creator.value.address : undefined;
  if (candidates.length === 0 && !creatorAddress) return undefined;
  const singletons = environment.holders.map(({ address }) => address);
  const venues = [...exit.exits.map(({ pool }) => pool), ...singletons];
  // Read known pools too, because a vendor's list can omit the largest holder.
  const known = [...venues.filter((address) => holds(exit, singletons.indexOf(address))), token, ...burnAddresses];
  const trading = {
    base: toBase(exit, environment.head),
    plan: plans[0],
    wrapped: environment.data.deployment.wrappedNative,
    waits: reading.othersWait,
  };
  const query = {
    ...{ token, candidates, known, ...trading },
    creator: creatorAddress,
    owner: ownerOf(exit),
    pools: new Set(venues),
  };
  // Stored creators were tried before.
  const creators = [
    creator.status === 'known' && !creator.stored ? creator.value.address : undefined,
    firstTransfer.status === 'known' && !firstTransfer.stored ? firstTransfer.value.sender : undefined,
  ].filter((address) => !!address);
  const subject = { token, code, exit, accounts, roles, creators, tradable: couldTrade(scenarios), ...trading };
  return orIfUnread(
    readAtBlock(ports.nodes, reading.block, (node) =>
      readHolders(query, node, (batch) => tryCreators(powers, subject, finding, batch)),
    ),
    undefined,
  );
}

async function fetchMove(
  vendors: PretradeVendors,
  token: LowerAddress,
  holder: LowerAddress | null,
  { leftMs, isFree }: { leftMs: number; isFree: boolean },
): Promise<VendorResult<HolderMove>> {
  if (holder === null) return { status: 'not-requested', reason: 'no top holder is known' };
  if (leftMs <= 0) return { status: 'unread', reason: 'the time limit for vendor requests was reached' };
  const signal = AbortSignal.timeout(leftMs);
  return fetchFromFirst(vendors.holderMoves, (source) => source.fetchLastMove(token, holder, { signal, isFree }));
}

/** Whether to read an address's balance: always for a pool; for a singleton unless it was just read as 0. */
const holds = ({ balances }: TokenReading['exit'], singleton: number) => singleton < 0 || balances[singleton] !== 0n;

/** The state that all checks of one process share. */
export function createEnvironment(
  data: ChainData,
  pools: PoolIndex | undefined,
  onNodeFault?: PretradeEnvironment['onNodeFault'],
): PretradeEnvironment {
  const { deployment, candidatePools } = data;
  const managers = [...new Set(candidatePools.filter(({ kind }) => isSingleton(kind)).map(({ factory }) => factory))];
  return {
    data,
    exitConfig: encodeChainConfig(deployment, candidatePools),
    poolsConfig: encodeChainConfig({ ...deployment, pricingAssets: [] }, []),
    holders: [
      ...managers.map((address) => ({ name: 'uniswap-v4', address, covered: true })),
      ...deployment.uncovered
        .filter(({ kind }) => kind === 'singleton')
        .map(({ name, address }) => ({ name, address, covered: false })),
    ],
    pools,
    memories: createTokenMemories(),
    codes: createCodeMemory(),
    onNodeFault,
    head: { number: 0n, timestamp: 0n, baseFee: 0n, coinbase: undefined, prevRandao: undefined, seenAt: 0 },
  };
}
