import { type Address, getAddress, keccak256, numberToHex, toHex } from 'viem';
import type { Node, Nodes } from '../chain/nodes.ts';
import { ChainUnavailableError, DeadlineExceededError } from '../errors.ts';
import { createAnswerCache } from '../quote/answerCache.ts';
import { parseSize } from '../quote/parseSize.ts';
import type { ChainData } from '../quote/readMarket.ts';
import { encodeWorld } from '../venues/encodeWorld.ts';
import { kinds } from '../venues/kinds.ts';
import { type Asked, askInOrder, askVendors } from './askVendors.ts';
import { compose, type Gathered } from './compose.ts';
import { burnAddresses, isNobody, ownerOf } from './context/ownership.ts';
import { createExitEncoder } from './exit/encodeExit.ts';
import { unmeasuredVenues } from './exit/unmeasuredVenues.ts';
import { findCallers } from './powers/findCallers.ts';
import { scanPowers } from './powers/scanPowers.ts';
import type { FactStore, HolderMove, PowerScan, PretradeVendors } from './pretradePorts.ts';
import type { PretradeAnswer, PretradeQuestion } from './pretradeTypes.ts';
import { type HolderReading, readHolders } from './readHolders.ts';
import { type PretradeWorld, readToken, type TokenReading } from './readToken.ts';
import type { SimulationBase } from './simulation/simulationTypes.ts';
import { createTokenMemories } from './tokenMemory.ts';

/** What the check asks the process for beside the chain. All of it may be absent; then fields are. */
export interface PretradeOptions {
  vendors?: Partial<PretradeVendors>;
  facts?: FactStore;
  /** How long an answer waits for vendors, in milliseconds. */
  vendorDeadlineMs?: number;
  /** How long it tries owner powers of code seen the first time, in milliseconds; 0 turns that off. */
  powerDeadlineMs?: number;
}

export interface PretradePorts extends PretradeOptions {
  data: ChainData;
  nodes: Nodes;
  now: () => number;
  freshnessMs: number;
  /** Told of every head that was read. */
  sawBlock: (block: bigint) => void;
}

export interface Pretrade {
  /**
   * What is proven about one token on Base, and what a trader needs to know, at one block.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  check(question: PretradeQuestion): Promise<PretradeAnswer>;
}

/** The size that a question without one is answered for, in USD. */
export const defaultSizeUsd = '1000';
const defaultVendorDeadlineMs = 1_500;
const defaultPowerDeadlineMs = 2_000;

export function createPretrade(ports: PretradePorts): Pretrade {
  const { data, nodes, now, freshnessMs, sawBlock } = ports;
  const { deployment, slots } = data;
  const stable = deployment.bases.find(({ symbol }) => symbol === 'USDC')?.address ?? deployment.wrappedNative;
  const managers = [...new Set(slots.filter(({ kind }) => kind >= kinds.v4).map(({ factory }) => factory))];
  const world: PretradeWorld = {
    data,
    encodeExit: createExitEncoder(encodeWorld(deployment, slots)),
    holders: [
      ...managers.map((address) => ({ name: 'uniswap-v4', address, covered: true })),
      ...unmeasuredVenues.map((venue) => ({ ...venue, covered: false })),
    ],
    memories: createTokenMemories(),
    head: { number: 0n, timestamp: 0n, baseFee: 0n, seenAt: 0 },
  };
  const cache = createAnswerCache<PretradeAnswer>(now);
  const scans = new Map<string, PowerScan>();

  return {
    check({ token, sizeUsd = defaultSizeUsd }) {
      const { mantissa, scale } = parseSize(sizeUsd);
      return cache.get(`${token.toLowerCase()}|${mantissa}|${scale}`, () =>
        checkToken(ports, world, scans, { token, sizeUsd, stable }),
      );
    },
  };

  async function checkToken(
    {
      vendors = {},
      facts,
      vendorDeadlineMs = defaultVendorDeadlineMs,
      powerDeadlineMs = defaultPowerDeadlineMs,
    }: PretradePorts,
    world: PretradeWorld,
    known: Map<string, PowerScan>,
    { token, sizeUsd, stable }: { token: Address; sizeUsd: string; stable: Address },
  ): Promise<PretradeAnswer> {
    const startedAt = now();
    const all: PretradeVendors = {
      holders: [],
      firstTransfer: [],
      holderMoves: [],
      creator: [],
      market: [],
      ...vendors,
    };
    const asking = askVendors({ token, vendors: all, facts, deadlineMs: vendorDeadlineMs });
    const reading = await nodes.ask((node) => readToken(world, { token, sizeUsd, stable, now: now() }, node));
    sawBlock(reading.exit.blockNumber);
    const ts = now();
    const answers = await asking;

    const holders = await readBalances(world, token, reading, answers);
    const gathered: Gathered = {
      world,
      token,
      sizeUsd,
      stable,
      reading,
      vendors: answers,
      holderBalances: holders?.balances,
      creatorBalance: holders?.creatorBalance,
      topHolderMove: { status: 'not-asked', reason: 'the holder axis yields nothing' },
      powers: await findPowers(token, reading, facts, known, powerDeadlineMs),
      holderSales: holders?.sales,
      ts,
      validUntil: ts + freshnessMs,
    };
    const { concentration } = compose(gathered);
    const leftMs = vendorDeadlineMs - (now() - startedAt);
    gathered.topHolderMove = await fetchMove(all, token, concentration.topHolder, leftMs);
    const { answer } = compose(gathered);
    if (concentration.measurement) await facts?.saveHolders(token, concentration.measurement).catch(() => undefined);
    return answer;
  }

  async function readBalances(
    { data }: PretradeWorld,
    token: Address,
    { exit, plans }: TokenReading,
    { holders, creator }: Awaited<ReturnType<typeof askVendors>>,
  ): Promise<HolderReading | undefined> {
    const candidates = holders.status === 'known' ? holders.value.holders.map(({ address }) => address) : [];
    const creatorAddress = creator.status === 'known' ? creator.value.address : undefined;
    if (candidates.length === 0 && !creatorAddress) return undefined;
    const singletons = world.holders.map(({ address }) => address);
    const places = [...exit.exits.map(({ pool }) => pool), ...singletons];
    const pools = new Set(places.map((address) => address.toLowerCase()));
    // Whoever is known to hold some is read, named or not; a list that leaves the largest out is no list.
    const known = [...places.filter((address) => holds(exit, singletons.indexOf(address))), token, ...burnAddresses];
    const question = {
      token,
      candidates,
      known,
      creator: creatorAddress,
      base: toBase(exit),
      plan: plans[0],
      pools,
      wrapped: data.deployment.wrappedNative,
    };
    return unlessUnread(nodes.ask((node) => readHolders(question, node)));
  }

  async function findPowers(
    token: Address,
    { exit, code, plans }: TokenReading,
    facts: FactStore | undefined,
    known: Map<string, PowerScan>,
    deadlineMs: number,
  ): Promise<Gathered['powers']> {
    const owner = ownerOf(exit);
    const [plan] = plans;
    if (deadlineMs === 0) return { status: 'not-scanned', reason: 'turned off' };
    if (!code?.functions) return { status: 'not-scanned', reason: 'the bytecode could not be analysed' };
    if (!plan) return { status: 'not-scanned', reason: 'there is no pool to trade in' };
    const { functions } = code;
    const ownerState = owner === undefined ? 'none' : isNobody(owner) ? 'renounced' : 'owned';
    const scanKey = keccak256(toHex(`${code.analysedHash}|${ownerState}`));
    const stored = known.get(scanKey) ?? (await facts?.loadPowers(scanKey).catch(() => undefined));
    if (stored) return { status: 'scanned', powers: stored.powers, truncated: stored.truncated };
    const endsAt = now() + deadlineMs;
    const base = toBase(exit);
    const scan = await unlessUnread(
      nodes.ask(async (node: Node) => {
        const callers = await findCallers(token, owner, numberToHex(exit.blockNumber), node);
        const { wrappedNative: wrapped } = deployment;
        return scanPowers(
          {
            token,
            functions,
            callers,
            plan,
            totalSupply: exit.totalSupply ?? 0n,
            base,
            wrapped,
            until: () => now() > endsAt,
            now: now(),
          },
          node,
        );
      }),
    );
    if (!scan) return { status: 'not-scanned', reason: 'the node did not answer in time' };
    known.set(scanKey, scan);
    // A scan that time cut short is no fact about the code.
    if (!scan.truncated) await facts?.savePowers(scanKey, scan).catch(() => undefined);
    return { status: 'scanned', powers: scan.powers, truncated: scan.truncated };
  }
}

async function fetchMove(
  vendors: PretradeVendors,
  token: Address,
  holder: Address | null,
  leftMs: number,
): Promise<Asked<HolderMove>> {
  if (holder === null) return { status: 'not-asked', reason: 'the holder axis yields nothing' };
  if (leftMs <= 0) return { status: 'unread', reason: 'no time was left to ask' };
  const signal = AbortSignal.timeout(leftMs);
  return askInOrder(vendors.holderMoves, (source) => source.fetchLastMove(token, getAddress(holder), { signal }));
}

const toBase = ({ blockNumber, timestamp, baseFee }: TokenReading['exit']): SimulationBase => ({
  block: numberToHex(blockNumber),
  number: blockNumber,
  timestamp,
  baseFee,
});

/** Whether a place has to be asked what it holds: a pool always, a singleton unless it was just read to hold nothing. */
const holds = ({ balances }: TokenReading['exit'], singleton: number) => singleton < 0 || balances[singleton] !== 0n;

/** The verdict stands already: what comes after it may be lost, but does not take it along. */
async function unlessUnread<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof DeadlineExceededError) return undefined;
    throw error;
  }
}
