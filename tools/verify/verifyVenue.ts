import { type Address, getAddress, zeroAddress } from 'viem';
import type { Deployment, VenueRow } from '../../engine/index.ts';
import { type Derivation, derivePool } from '../../engine/tools/index.ts';
import type { ChainReader } from './chainReader.ts';
import type { KnownPool } from './knownPools.ts';
import { type LookUp, toLookUps } from './lookUps.ts';
import { verifyTiers } from './verifyTiers.ts';
import { type CreateFinding, type Finding, findingFor } from './verifyTypes.ts';

/** Published facts about a factory's pools, besides its row. */
export interface FactoryFacts {
  /** Undefined without a known init code hash, and for a factory of the sandbox with other code. */
  derivation: Derivation | undefined;
  known: readonly KnownPool[];
}

type FactoryRow = Exclude<VenueRow, { family: 'uniswap-v4' | 'balancer-v2' }>;

interface FoundPool {
  pair: readonly [Address, Address];
  lookUp: LookUp;
  pool: Address;
}

/** Maximum number of pools whose `factory()` is read. A factory may have hundreds. */
const maxPoolsRead = 12;

/** Checks a factory: its code, tiers, pools with their `factory()`, their derived addresses, and known pools. */
export async function verifyVenue(
  reader: ChainReader,
  row: FactoryRow,
  { pricingAssets }: Deployment,
  facts: FactoryFacts,
): Promise<Finding[]> {
  const finding = findingFor(`${row.venue} ${getAddress(row.factory)}`);
  const code = await reader.hasCode(row.factory);
  if (code.status !== 'answered') return [finding('code', 'unread', code.why)];
  if (!code.value) return [finding('code', 'missing', 'no code at the factory')];
  const [tiers, pools, known] = await Promise.all([
    verifyTiers(reader, row, finding),
    verifyPools(reader, row, pricingAssets, facts, finding),
    Promise.all(facts.known.map((pool) => verifyKnownPool(reader, row, pool, finding))),
  ]);
  return [finding('code', 'ok'), ...tiers, ...pools, ...known];
}

async function verifyPools(
  reader: ChainReader,
  row: FactoryRow,
  assets: Deployment['pricingAssets'],
  { derivation }: FactoryFacts,
  finding: CreateFinding,
): Promise<Finding[]> {
  const pairs = assets.flatMap((a, index) => assets.slice(index + 1).map((b) => [a.address, b.address] as const));
  const lookedUp = await Promise.all(
    pairs.flatMap((pair) =>
      toLookUps(row).map(async (lookUp) => ({ pair, lookUp, answer: await lookUp.find(reader, ...pair) })),
    ),
  );
  const refused = lookedUp.find(({ answer }) => answer.status === 'refused');
  if (refused) return [finding('look-up', 'differs', `the factory rejects the look-up by ${refused.lookUp.label}`)];
  const unread = lookedUp.flatMap(({ answer }) => (answer.status === 'unread' ? answer.why : []));
  const found = lookedUp.flatMap(({ pair, lookUp, answer }): FoundPool[] =>
    answer.status === 'answered' && answer.value !== zeroAddress ? [{ pair, lookUp, pool: answer.value }] : [],
  );
  if (found.length === 0) {
    return unread.length > 0
      ? [finding('pools', 'unread', unread[0])]
      : [finding('pools', 'missing', 'no pool between pricing assets')];
  }
  const findings = [await verifyFactoryOf(reader, row, found.slice(0, maxPoolsRead), finding)];
  if (derivation) findings.push(verifyDerived(derivation, found, finding));
  if (unread.length > 0) findings.push(finding('pools', 'unread', `${unread.length} look-ups: ${unread[0]}`));
  return findings;
}

async function verifyFactoryOf(reader: ChainReader, row: FactoryRow, pools: FoundPool[], finding: CreateFinding) {
  const answers = await Promise.all(
    pools.map(({ pool }) => reader.call<Address>(pool, 'factory() view returns (address)')),
  );
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 'unread') return finding('factory()', 'unread', answer.why);
    const returned = answer.status === 'answered' ? answer.value : answer.why;
    if (returned !== getAddress(row.factory))
      return finding('factory()', 'differs', `pool ${pools[index]?.pool} returned ${returned}`);
  }
  return finding('factory()', 'ok', `of ${pools.length} pools`);
}

function verifyDerived(derivation: Derivation, found: FoundPool[], finding: CreateFinding): Finding {
  for (const { pair, lookUp, pool } of found) {
    const derived = derivePool(derivation, ...pair, lookUp.variant);
    if (derived !== pool.toLowerCase())
      return finding('derived', 'differs', `${lookUp.label} of ${pair.join(' ')}: ${pool}, not ${derived}`);
  }
  return finding('derived', 'ok', `${found.length} pools`);
}

async function verifyKnownPool(
  reader: ChainReader,
  row: FactoryRow,
  known: KnownPool,
  finding: CreateFinding,
): Promise<Finding> {
  const check = `known pool ${known.pool}`;
  const lookUp = toLookUps(row).find(({ variant }) => variant === known.variant);
  if (!lookUp) return finding(check, 'differs', `the row has no tier ${known.variant}`);
  const answer = await lookUp.find(reader, ...known.pair);
  if (answer.status === 'unread') return finding(check, 'unread', answer.why);
  if (answer.status === 'refused') return finding(check, 'differs', answer.why);
  if (answer.value === zeroAddress) return finding(check, 'missing', `no ${lookUp.label} of ${known.pair.join(' ')}`);
  return answer.value === known.pool
    ? finding(check, 'ok')
    : finding(check, 'differs', `the factory returned ${answer.value}`);
}
