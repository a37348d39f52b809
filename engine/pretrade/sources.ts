import { absenceOf } from './absences.ts';
import {
  type Absence,
  type Attribution,
  derived,
  derivedUnlessB20,
  measured,
  measuredPower,
  type SourceFacts,
  type Unattributed,
  vendor,
} from './attribution.ts';
import { findAxisRule } from './axes/axes.ts';
import type { PretradeAnswer } from './pretradeTypes.ts';

type Rule = readonly [path: RegExp, attribution: Attribution];

const verdictInputs =
  'liquidityCoverage, risk_profile.liquidity, risk_profile.transferability.tradingEnabled and sizeUSD';

/** Leaves that belong to no axis. First match wins. Null values are `unavailable` and need no rule here (`absences.ts`). */
const rules: readonly Rule[] = [
  [/^chain$/, derived('chain', 'from the request')],
  [/^token$/, derived('token', 'from the request')],
  [/^sizeUSD$/, derived('sizeUSD', 'from the request, or the default')],
  [/^ts$/, measured],
  [/^validUntil$/, derived('ts', 'plus the service’s freshness window')],
  [/^(verdict|triggers\[\])$/, derived(verdictInputs)],
  [/^confidence$/, derived('verdict, coverage, liquidityCoverage and risk_profile.transferability')],
  [/^reasons\[\]$/, derived('risk_profile, flags, liquidityCoverage and quote')],
  [/^coverage\./, derived('flags')],
  [/^(identity|valuation|ownership|dormancy|market)\.note$/, (_facts, path) => `derived: ${sectionOf(path)}`],
  [/^quote\.tokenIn$/, derived('chain', 'USDC of this chain')],
  [/^quote\.tokenOut$/, derived('token')],
  [/^quote\.direction$/, derived('quote.tokenIn and quote.tokenOut')],
  [/^quote\.confidence$/, derived('quote and liquidityCoverage', 'the confidence rule of a quote')],
  // Executed in the node on this call.
  [/^quote\./, measured],
  [/^liquidityCoverage\.unmeasuredVenues$/, derived('liquidityCoverage.unmeasuredVenueNames')],
  [/^liquidityCoverage\.conclusive$/, derived('liquidityCoverage and risk_profile.liquidity.exitLiquidityUsd')],
  [/^liquidityCoverage\./, measured],
  [/^identity\.totalSupply$/, derived('identity.totalSupplyRaw and identity.decimals')],
  [/^identity\./, measured],
  [/^valuation\./, derived('identity.totalSupplyRaw and quote.executablePrice')],
  [/^ownership\.ownerAddress$/, measured],
  [/^ownership\.ownerRenounced$/, derivedUnlessB20('ownership.ownerAddress')],
  [/^ownership\.isMintable$/, measuredPower('mint')],
  [/^ownership\.creatorAddress$/, vendor('creatorSource')],
  [/^ownership\.creatorBalance$/, measured],
  [/^ownership\.creatorSharePct$/, derived('ownership.creatorBalance and identity.totalSupply')],
  [/^dormancy\.headBlock$/, measured],
  [/^dormancy\.lastTopHolderMoveBlock$/, vendor('moveSource')],
  [/^dormancy\./, derived('dormancy.lastTopHolderMoveBlock and dormancy.headBlock')],
  [/^market\.holderCount$/, vendor('holderCountSource')],
  [/^market\./, vendor('marketSource')],
];

const sectionOf = (path: string) => path.replace(/\.note$/, '');

const note =
  'One entry for each field of this answer: measured, derived: …, vendor: … or unavailable: not found, read failed or not requested, with the reason.';

/**
 * Attributes every leaf. Lists are one leaf, `name[]`. `disclaimer`, which the router adds, is attributed here as well.
 * @throws {TypeError} a leaf has no rule
 */
export function attribute(answer: Unattributed, facts: SourceFacts): PretradeAnswer['sources'] {
  const sources: Record<string, string> = {};
  for (const { path, value } of leavesOf(answer)) {
    if (value === null && !isFreshAge(path, answer)) {
      sources[path] = describeAbsence(absenceOf(path, answer, facts.absences));
      continue;
    }
    sources[path] = findAttribution(path)(facts, path, answer);
  }
  sources.disclaimer = 'derived: disclaimer; a fixed text';
  sources['sources.note'] = 'derived: sources; a fixed text';
  return Object.assign(sources, { note });
}

/** `ageSec` null is a value: the shares were measured on this call. */
const isFreshAge = (path: string, { risk_profile }: Unattributed) =>
  path === 'risk_profile.concentration.ageSec' && risk_profile.concentration.stale === false;

function findAttribution(path: string): Attribution {
  const found = findAxisRule(path)?.source ?? rules.find(([pattern]) => pattern.test(path))?.[1];
  if (!found) throw new TypeError(`No attribution for ${path}.`);
  return found;
}

const absenceWords: Record<Absence['kind'], string> = {
  none: 'not found',
  unread: 'read failed',
  'not-requested': 'not requested',
};

/** Removes the period of a vendor's reason, because other reasons have none. */
const describeAbsence = ({ kind, reason }: Absence) =>
  `unavailable: ${absenceWords[kind]}: ${reason.replace(/\.$/, '')}`;

interface Leaf {
  path: string;
  value: unknown;
}

/** Every leaf of an answer by its path; a list is one leaf. */
function leavesOf(value: object, prefix = ''): Leaf[] {
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (Array.isArray(part)) return [{ path: `${path}[]`, value: part }];
    if (part !== null && typeof part === 'object') return leavesOf(part, path);
    return [{ path, value: part }];
  });
}
