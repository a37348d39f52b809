import { type Address, getAddress, zeroAddress } from 'viem';
import type { Deployment, VenueRow } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Derivation, derivePool } from './derivePool.ts';
import type { KnownPool } from './knownPools.ts';
import { type LookUp, toLookUps } from './lookUps.ts';
import { verifyTiers } from './verifyTiers.ts';
import type { Finding, Judge } from './verifyTypes.ts';
import { judgeOf } from './verifyTypes.ts';

/** What is known of a factory beside its row. */
export interface FactoryFacts {
  /** Undefined when no hash is known, or another build stands at the address. */
  derivation: Derivation | undefined;
  known: readonly KnownPool[];
}

type FactoryRow = Exclude<VenueRow, { family: 'uniswap-v4' | 'balancer-v2' }>;

interface FoundPool {
  pair: readonly [Address, Address];
  lookUp: LookUp;
  pool: Address;
}

/** Enough to see that pools are the factory's; a busy factory has hundreds. */
const poolsToAsk = 12;

/** Code, tiers, pools and their `factory()`, derived addresses, known pools: whatever the family can be asked. */
export async function verifyVenue(
  reader: ChainReader,
  row: FactoryRow,
  { pricingAssets }: Deployment,
  facts: FactoryFacts,
): Promise<Finding[]> {
  const judge = judgeOf(`${row.venue} ${getAddress(row.factory)}`);
  const code = await reader.hasCode(row.factory);
  if (code.status !== 'answered') return [judge('code', 'unread', code.why)];
  if (!code.value) return [judge('code', 'missing', 'no code at the factory')];
  const [tiers, pools, known] = await Promise.all([
    verifyTiers(reader, row, judge),
    verifyPools(reader, row, pricingAssets, facts, judge),
    Promise.all(facts.known.map((pool) => verifyKnownPool(reader, row, pool, judge))),
  ]);
  return [judge('code', 'ok'), ...tiers, ...pools, ...known];
}

async function verifyPools(
  reader: ChainReader,
  row: FactoryRow,
  assets: Deployment['pricingAssets'],
  { derivation }: FactoryFacts,
  judge: Judge,
): Promise<Finding[]> {
  const pairs = assets.flatMap((a, index) => assets.slice(index + 1).map((b) => [a.address, b.address] as const));
  const asked = await Promise.all(
    pairs.flatMap((pair) =>
      toLookUps(row).map(async (lookUp) => ({ pair, lookUp, answer: await lookUp.find(reader, ...pair) })),
    ),
  );
  const refused = asked.find(({ answer }) => answer.status === 'refused');
  if (refused) return [judge('look-up', 'differs', `the factory does not answer ${refused.lookUp.label} look-ups`)];
  const unread = asked.flatMap(({ answer }) => (answer.status === 'unread' ? answer.why : []));
  const found = asked.flatMap(({ pair, lookUp, answer }): FoundPool[] =>
    answer.status === 'answered' && answer.value !== zeroAddress ? [{ pair, lookUp, pool: answer.value }] : [],
  );
  if (found.length === 0) {
    return unread.length > 0
      ? [judge('pools', 'unread', unread[0])]
      : [judge('pools', 'missing', 'no pool between base assets')];
  }
  const some = found.slice(0, poolsToAsk);
  const findings = [await verifyFactoryOf(reader, row, some, judge)];
  if (derivation) findings.push(verifyDerived(derivation, found, judge));
  if (unread.length > 0) findings.push(judge('pools', 'unread', `${unread.length} look-ups: ${unread[0]}`));
  return findings;
}

async function verifyFactoryOf(reader: ChainReader, row: FactoryRow, pools: FoundPool[], judge: Judge) {
  const answers = await Promise.all(
    pools.map(({ pool }) => reader.call<Address>(pool, 'factory() view returns (address)')),
  );
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 'unread') return judge('factory()', 'unread', answer.why);
    const said = answer.status === 'answered' ? answer.value : answer.why;
    if (said !== getAddress(row.factory))
      return judge('factory()', 'differs', `pool ${pools[index]?.pool} says ${said}`);
  }
  return judge('factory()', 'ok', `of ${pools.length} pools`);
}

function verifyDerived(derivation: Derivation, found: FoundPool[], judge: Judge): Finding {
  for (const { pair, lookUp, pool } of found) {
    const derived = derivePool(derivation, ...pair, lookUp.variant);
    if (derived !== pool)
      return judge('derived', 'differs', `${lookUp.label} of ${pair.join(' ')}: ${pool}, not ${derived}`);
  }
  return judge('derived', 'ok', `${found.length} pools`);
}

async function verifyKnownPool(reader: ChainReader, row: FactoryRow, known: KnownPool, judge: Judge): Promise<Finding> {
  const check = `knows ${known.pool}`;
  const lookUp = toLookUps(row).find(({ variant }) => variant === known.variant);
  if (!lookUp) return judge(check, 'differs', `the row does not ask for ${known.variant}`);
  const answer = await lookUp.find(reader, ...known.pair);
  if (answer.status === 'unread') return judge(check, 'unread', answer.why);
  if (answer.status === 'refused') return judge(check, 'differs', answer.why);
  if (answer.value === zeroAddress) return judge(check, 'missing', `no ${lookUp.label} of ${known.pair.join(' ')}`);
  return answer.value === known.pool ? judge(check, 'ok') : judge(check, 'differs', `answers ${answer.value}`);
}
