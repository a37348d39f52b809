import { type Absence, type AbsenceFacts, absenceOf } from './absences.ts';
import { ownIndexLabel } from './pretradePorts.ts';
import type { PretradeAnswer } from './pretradeTypes.ts';

/** What an attribution rests on, beside the path. */
export interface SourceFacts {
  holderSource: string | null;
  ageSource: string | null;
  creatorSource: string | null;
  marketSource: string | null;
  holderCountSource: string | null;
  moveSource: string | null;
  /** Facts that explain why a value is null. */
  absences: AbsenceFacts;
}

type Unattributed = Omit<PretradeAnswer, 'sources'>;
type Rule = readonly [path: RegExp, attribution: (facts: SourceFacts, path: string) => string];

const measured = () => 'measured';
/** Names the fields of the answer, or of the request, that the value follows from. */
const derived = (from: string) => () => `derived: ${from}`;
const vendor = (name: Exclude<keyof SourceFacts, 'absences'>) => (facts: SourceFacts) =>
  facts[name] === ownIndexLabel ? ownIndex : `vendor: ${facts[name] ?? 'unknown'}`;
const ownIndex = 'derived: token, by the service’s index of its Transfer logs';
const verdictInputs =
  'liquidityCoverage, risk_profile.liquidity, risk_profile.transferability.tradingEnabled and sizeUSD';

/** First match wins. Null values are `unavailable` and need no rule here (`absences.ts`). */
const rules: readonly Rule[] = [
  [/^chain$/, derived('request.chain')],
  [/^token$/, derived('request.token')],
  [/^sizeUSD$/, derived('request.sizeUSD')],
  [/^ts$/, measured],
  [/^validUntil$/, derived('ts and the service’s freshness window')],
  [/^(verdict|triggers\[\])$/, derived(verdictInputs)],
  [/^confidence$/, derived('verdict, coverage, liquidityCoverage and risk_profile.transferability')],
  [/^reasons\[\]$/, derived('risk_profile, flags, liquidityCoverage and quote')],
  [/^coverage\./, derived('flags')],
  [/^flags\.F-LIQ\./, derived('risk_profile.liquidity.exitLiquidityUsd and sizeUSD')],
  [/^flags\.F-CONC\./, derived('risk_profile.concentration')],
  [/^flags\.F-AGE\./, derived('risk_profile.age.ageDays')],
  [/^flags\.F-FOT\./, derived('risk_profile.transferability')],
  [/^flags\.O-SANITY\./, derived('risk_profile.oracle')],
  [/^risk_profile\.[^.]+\.note$/, (_facts, path) => `derived: ${sectionOf(path)}`],
  [/^(identity|valuation|ownership|dormancy|market)\.note$/, (_facts, path) => `derived: ${sectionOf(path)}`],
  [/^risk_profile\.age\./, vendor('ageSource')],
  [
    /^risk_profile\.concentration\.(top1SharePct|top10SharePct)$/,
    derived('identity.totalSupplyRaw and balances at risk_profile.concentration.asOfBlock'),
  ],
  [/^risk_profile\.concentration\.(holders|holdersExact)$/, vendor('holderSource')],
  [/^risk_profile\.concentration\.source$/, measured],
  [/^risk_profile\.concentration\.asOfBlock$/, measured],
  [/^risk_profile\.concentration\./, derived('risk_profile.concentration.asOfBlock and ts')],
  [/^risk_profile\.liquidity\.(poolCount|venueCount)$/, measured],
  [/^risk_profile\.liquidity\.exitLiquidityUsd$/, derived('sales simulated at liquidityCoverage.asOfBlock')],
  [/^risk_profile\.liquidity\./, derived('risk_profile.liquidity.exitLiquidityUsd')],
  [/^risk_profile\.oracle\.source$/, derived('token, by the service’s list of price feeds')],
  [/^risk_profile\.oracle\.stalenessSec$/, measured],
  [/^risk_profile\.oracle\.deviationBps$/, derived('risk_profile.oracle.source and the mid price of the deepest pool')],
  [/^risk_profile\.transferability\.(sellTaxRaw|buyTaxRaw)$/, measured],
  [
    /^risk_profile\.transferability\./,
    derived('bytecode, getters and trades simulated at liquidityCoverage.asOfBlock'),
  ],
  [/^quote\.(tokenIn|tokenOut|direction)$/, derived('request.token')],
  [/^quote\./, derived('swaps executed in the node at liquidityCoverage.asOfBlock')],
  [/^liquidityCoverage\.unmeasuredVenues$/, derived('liquidityCoverage.unmeasuredVenueNames')],
  [/^liquidityCoverage\.conclusive$/, derived('liquidityCoverage and risk_profile.liquidity.exitLiquidityUsd')],
  [/^liquidityCoverage\./, measured],
  [/^identity\.totalSupply$/, derived('identity.totalSupplyRaw and identity.decimals')],
  [/^identity\./, measured],
  [/^valuation\./, derived('identity.totalSupplyRaw and quote.executablePrice')],
  [/^ownership\.ownerAddress$/, measured],
  [/^ownership\.ownerRenounced$/, derived('ownership.ownerAddress')],
  [/^ownership\.isMintable$/, derived('bytecode and calls of ownership.ownerAddress, simulated')],
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
 * Attributes every leaf. Lists are one leaf, `name[]`. `disclaimer`, which the surface adds, is attributed here as well.
 * @throws {TypeError} for a leaf without a rule, which the test beside finds
 */
export function attribute(answer: Unattributed, facts: SourceFacts): PretradeAnswer['sources'] {
  const sources: Record<string, string> = {};
  for (const { path, value } of leavesOf(answer)) {
    if (value === null) {
      sources[path] = sayAbsence(absenceOf(path, answer, facts.absences));
      continue;
    }
    sources[path] = findRule(path)[1](facts, path);
  }
  sources.disclaimer = 'derived: fixed text of the service';
  sources['sources.note'] = 'derived: fixed text of the service';
  return Object.assign(sources, { note });
}

/** Rules by path: an answer has about a hundred leaves, always the same. */
const ruleOf = new Map<string, Rule>();

function findRule(path: string): Rule {
  const rule = ruleOf.get(path) ?? rules.find(([pattern]) => pattern.test(path));
  if (!rule) throw new TypeError(`No attribution for ${path}.`);
  ruleOf.set(path, rule);
  return rule;
}

const absenceWords: Record<Absence['kind'], string> = {
  none: 'not found',
  unread: 'read failed',
  'not-asked': 'not requested',
};

/** Reasons of vendors are sentences; this one is part of another. */
const sayAbsence = ({ kind, reason }: Absence) => `unavailable: ${absenceWords[kind]}: ${reason.replace(/\.$/, '')}`;

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
