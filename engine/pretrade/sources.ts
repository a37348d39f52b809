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
  /** What tells why a value is null. */
  absences: AbsenceFacts;
}

type Unattributed = Omit<PretradeAnswer, 'sources'>;
type Rule = readonly [path: RegExp, attribution: (facts: SourceFacts) => string];

const measured = () => 'measured';
const derived = (from: string) => () => `derived: ${from}`;
const vendor = (name: Exclude<keyof SourceFacts, 'absences'>) => (facts: SourceFacts) =>
  facts[name] === ownIndexLabel ? ownIndex : `vendor: ${facts[name] ?? 'unknown'}`;
const ownIndex = 'derived: our own index over the token’s Transfer logs';

/** First match wins. Whatever is null is `unavailable` before any rule is asked (`absences.ts`). */
const rules: readonly Rule[] = [
  [/^(chain|token|sizeUSD)$/, derived('the request')],
  [/^(ts|validUntil)$/, derived('the service’s clock and its freshness window')],
  [/^(verdict|triggers\[\])$/, derived('liquidityCoverage, risk_profile.liquidity, sizeUSD and the trading gate')],
  [/^confidence$/, derived('verdict, coverage and liquidityCoverage')],
  [/^reasons\[\]$/, derived('the measurements and gaps of this answer')],
  [/^coverage\./, derived('the signals that are not unknown')],
  [/(^|\.)note$/, derived('the fields of its section')],
  [/^flags\.[^.]+\.(reason|unit|cachedAgeSec)$/, derived('the axis’s own fields')],
  [/^flags\.F-LIQ\./, derived('risk_profile.liquidity.exitLiquidityUsd and sizeUSD')],
  [/^flags\.F-CONC\./, derived('holder balances and totalSupply, read on this call')],
  [/^flags\.F-AGE\./, derived('risk_profile.age.ageDays')],
  [/^flags\.F-FOT\./, derived('risk_profile.transferability')],
  [/^flags\.O-SANITY\./, derived('risk_profile.oracle.deviationBps')],
  [/^risk_profile\.age\./, vendor('ageSource')],
  [
    /^risk_profile\.concentration\.(top1SharePct|top10SharePct)$/,
    derived('balances of the source’s candidates and totalSupply, both read by the service'),
  ],
  [/^risk_profile\.concentration\.(holders|holdersExact)$/, vendor('holderSource')],
  [/^risk_profile\.concentration\./, derived('the holder measurement')],
  [/^risk_profile\.liquidity\.(poolCount|venueCount)$/, measured],
  [/^risk_profile\.liquidity\./, derived('simulated sales into every pool, at the price of their counter-assets')],
  [/^risk_profile\.oracle\.source$/, derived('the service’s registry of price feeds')],
  [/^risk_profile\.oracle\.stalenessSec$/, measured],
  [/^risk_profile\.oracle\.deviationBps$/, derived('the mid of the deepest pool and the feed’s answer')],
  [/^risk_profile\.transferability\.(sellTaxRaw|buyTaxRaw)$/, measured],
  [/^risk_profile\.transferability\.outcome$/, derived('simulated trades')],
  [/^risk_profile\.transferability\./, derived('bytecode, getters and simulated trades')],
  [/^quote\.(tokenIn|tokenOut|direction)$/, derived('the request')],
  [/^quote\./, derived('swaps executed in the node at this block')],
  [/^liquidityCoverage\.(conclusive|unmeasuredVenues)$/, derived('what was found and what could not be read')],
  [/^liquidityCoverage\./, measured],
  [/^identity\.totalSupply$/, derived('identity.totalSupplyRaw and identity.decimals')],
  [/^identity\./, measured],
  [/^valuation\./, derived('identity.totalSupplyRaw and quote.executablePrice')],
  [/^ownership\.ownerAddress$/, measured],
  [/^ownership\.ownerRenounced$/, derived('ownership.ownerAddress')],
  [/^ownership\.isMintable$/, derived('bytecode and simulated calls')],
  [/^ownership\.creatorAddress$/, vendor('creatorSource')],
  [/^ownership\.creatorBalance$/, measured],
  [/^ownership\.creatorSharePct$/, derived('ownership.creatorBalance and totalSupply')],
  [/^dormancy\.headBlock$/, measured],
  [/^dormancy\.lastTopHolderMoveBlock$/, vendor('moveSource')],
  [/^dormancy\./, derived('the last move’s time and the block’s')],
  [/^market\.holderCount$/, vendor('holderCountSource')],
  [/^market\./, vendor('marketSource')],
];

const note =
  'One entry for each field of this answer: measured, derived: …, vendor: … or unavailable: none, unread or not asked, with the reason.';

/**
 * Attributes every leaf. Lists are one leaf, `name[]`. `disclaimer`, which the surface adds, is attributed here as well.
 * @throws {TypeError} for a leaf without a rule: a defect of ours, found by the test beside
 */
export function attribute(answer: Unattributed, facts: SourceFacts): PretradeAnswer['sources'] {
  const sources: Record<string, string> = {};
  for (const { path, value } of leavesOf(answer)) {
    if (value === null) {
      sources[path] = sayAbsence(absenceOf(path, answer, facts.absences));
      continue;
    }
    const rule = rules.find(([pattern]) => pattern.test(path));
    if (!rule) throw new TypeError(`No attribution for ${path}.`);
    sources[path] = rule[1](facts);
  }
  sources.disclaimer = 'derived: fixed text';
  sources['sources.note'] = 'derived: fixed text';
  return Object.assign(sources, { note });
}

const absenceWords: Record<Absence['kind'], string> = { none: 'none', unread: 'unread', 'not-asked': 'not asked' };

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
