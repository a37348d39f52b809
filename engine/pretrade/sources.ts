import {
  type Absence,
  type Axis,
  absenceFrom,
  type Composed,
  derived,
  type LeafRule,
  labelOf,
  measured,
  measuredPower,
  noCode,
  none,
  type Unattributed,
  unread,
  vendor,
  type WhyNull,
  whyNoHolders,
  whyNoPower,
} from './attribution.ts';
import { ageAxis } from './axes/age.ts';
import { concentrationAxis } from './axes/concentration.ts';
import { liquidityAxis } from './axes/liquidity.ts';
import { oracleAxis } from './axes/oracle.ts';
import { transferabilityAxis } from './axes/transferability.ts';
import { holderCountSource } from './context/market.ts';
import { type PretradeAnswer, type RiskProfile, signalNameOf } from './pretradeTypes.ts';
import { decimalsAgree } from './tokenReading.ts';

type Rule = readonly [path: RegExp, source: LeafRule['source'], whyNull?: WhyNull];

const verdictInputs =
  'liquidityCoverage, risk_profile.liquidity, risk_profile.transferability.tradingEnabled and sizeUSD';
const whyNoSupply = whyNoValue('decimals() or totalSupply() cannot be read');
const whyNoMarket: WhyNull = ({ inputs }) =>
  absenceFrom(inputs.vendors.market, none('the source does not report this value'));

/** Leaves that belong to no axis. First match wins. */
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
  [/^(identity|valuation|ownership|dormancy|market)\.note$/, (_composed, path) => `derived: ${sectionOf(path)}`],
  [/^quote\.tokenIn$/, derived('chain', 'USDC of this chain')],
  [/^quote\.tokenOut$/, derived('token')],
  [/^quote\.direction$/, derived('quote.tokenIn and quote.tokenOut')],
  [/^quote\.confidence$/, derived('quote and liquidityCoverage', 'the confidence rule of a quote')],
  // Executed in the node on this call.
  [/^quote\./, measured, () => none('no pool has a reliable mid price')],
  [/^quote$/, measured, whyNoQuote],
  [/^liquidityCoverage\.unmeasuredVenues$/, derived('liquidityCoverage.unmeasuredVenueNames')],
  [/^liquidityCoverage\.conclusive$/, derived('liquidityCoverage and risk_profile.liquidity.exitLiquidityUsd')],
  [/^liquidityCoverage\./, measured, () => unread('no factory could be read')],
  [/^identity\.totalSupply$/, derived('identity.totalSupplyRaw and identity.decimals'), whyNoSupply],
  [/^identity\.(name|symbol)$/, measured, whyNoValue('the contract returns no text')],
  [/^identity\./, measured, whyNoValue('the contract returns no valid value')],
  [
    /^valuation\./,
    derived('identity.totalSupplyRaw and quote.executablePrice'),
    (composed, answer) => (answer.quote === null ? whyNoQuote : whyNoSupply)(composed, answer),
  ],
  [/^ownership\.ownerAddress$/, measured, whyNoOwner],
  // Roles of a B20 token are read on this call; the owner of another token is a field.
  [/^ownership\.ownerRenounced$/, ({ b20 }) => (b20 ? measured() : derived('ownership.ownerAddress')()), whyNoOwner],
  [/^ownership\.isMintable$/, measuredPower('mint'), whyNoPower('mint')],
  [
    /^ownership\.creatorAddress$/,
    vendor(({ inputs }) => labelOf(inputs.vendors.creator)),
    ({ inputs }) => absenceFrom(inputs.vendors.creator, none('the source returned no address')),
  ],
  [/^ownership\.creatorBalance$/, measured, whyNoCreatorBalance],
  [/^ownership\.creatorSharePct$/, derived('ownership.creatorBalance and identity.totalSupply'), whyNoCreatorBalance],
  [/^dormancy\.headBlock$/, measured],
  [/^dormancy\.lastTopHolderMoveBlock$/, vendor(({ inputs }) => labelOf(inputs.topHolderMove)), whyNoMove],
  [/^dormancy\./, derived('dormancy.lastTopHolderMoveBlock and dormancy.headBlock'), whyNoMove],
  [
    /^market\.holderCount$/,
    vendor(({ inputs: { vendors } }) => holderCountSource(vendors.market, vendors.holders)),
    whyNoMarket,
  ],
  [/^market\./, vendor(({ inputs }) => labelOf(inputs.vendors.market)), whyNoMarket],
];

function whyNoQuote({ inputs: { reading, planned, token, marketQuery }, quoteGap }: Composed): Absence {
  if (!reading.exit.hasCode) return noCode;
  const reason = quoteGap ?? 'there is no quote';
  if (token === marketQuery.tokenIn) return { kind: 'not-requested', reason };
  const isMarketRead = (reading.market ?? planned) !== undefined && planned !== 'unread';
  return isMarketRead && decimalsAgree(reading) ? none(reason) : unread(reason);
}

function whyNoValue(reason: string): WhyNull {
  return ({ inputs }) => (inputs.reading.exit.hasCode ? none(reason) : noCode);
}

function whyNoOwner({ inputs, b20 }: Composed): Absence {
  const { hasCode, owner, getOwner } = inputs.reading.exit;
  if (!hasCode) return noCode;
  if (b20) {
    return b20.admins
      ? none('no account has DEFAULT_ADMIN_ROLE')
      : unread('the holders of DEFAULT_ADMIN_ROLE are not known');
  }
  return none(
    owner.ok || getOwner.ok
      ? 'owner() returns no address'
      : 'the token has no owner() function; this does not show that ownership was renounced',
  );
}

function whyNoCreatorBalance({ inputs: { vendors, creatorBalance } }: Composed): Absence {
  const missing =
    creatorBalance === undefined
      ? unread('the creator’s balance could not be read')
      : none('decimals() or totalSupply() cannot be read');
  return absenceFrom(vendors.creator, missing);
}

function whyNoMove(composed: Composed, { risk_profile }: Unattributed): Absence {
  if (risk_profile.concentration.source === null) return whyNoHolders(composed);
  return absenceFrom(composed.inputs.topHolderMove, none('no holder is a wallet'));
}

const sectionOf = (path: string) => path.replace(/\.note$/, '');

const note =
  'One entry for each field of this answer: measured, derived: …, vendor: … or unavailable: not found, read failed or not requested, with the reason.';

/**
 * Attributes every leaf. Lists are one leaf, `name[]`. `disclaimer`, which the router adds, is attributed here as well.
 * @throws {TypeError} a leaf has no rule
 */
export function attribute(answer: Unattributed, composed: Composed): PretradeAnswer['sources'] {
  const sources: Record<string, string> = {};
  for (const { path, value } of leavesOf(answer)) {
    const { source, whyNull } = findRule(path);
    if (value !== null || isFreshAge(path, answer)) {
      sources[path] = source(composed, path, answer);
      continue;
    }
    if (!whyNull) throw new TypeError(`No absence rule covers ${path}.`);
    sources[path] = describeAbsence(whyNull(composed, answer));
  }
  sources.disclaimer = 'derived: disclaimer; a fixed text';
  sources['sources.note'] = 'derived: sources; a fixed text';
  return Object.assign(sources, { note });
}

/** `ageSec` null is a value: the shares were measured on this call. */
const isFreshAge = (path: string, { risk_profile }: Unattributed) =>
  path === 'risk_profile.concentration.ageSec' && risk_profile.concentration.stale === false;

function findRule(path: string): LeafRule {
  const rule = rules.find(([pattern]) => pattern.test(path));
  const found = axisRules.get(path) ?? (rule && { source: rule[1], whyNull: rule[2] });
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

/** The axis of each section of the risk profile: a missing or a wrong one is a compile error. */
const axes: { readonly [Section in keyof RiskProfile]: Axis<Section> } = {
  age: ageAxis,
  concentration: concentrationAxis,
  liquidity: liquidityAxis,
  oracle: oracleAxis,
  transferability: transferabilityAxis,
};

const noteOf = (section: string): LeafRule => ({ source: () => `derived: risk_profile.${section}` });
const noStoredValue: WhyNull = () => none('no stored measurement was used');

function signalRules(axis: Pick<Axis<keyof RiskProfile>, 'signal' | 'whyNoValue'>): Record<string, LeafRule> {
  const source = axis.signal;
  return {
    severity: { source },
    value: { source, whyNull: axis.whyNoValue },
    unit: { source },
    reason: { source },
    cachedAgeSec: { source, whyNull: noStoredValue },
  };
}

/** Rules of the leaves below `flags` and `risk_profile`, by path. */
const axisRules = new Map<string, LeafRule>(
  (Object.keys(axes) as (keyof RiskProfile)[]).flatMap((section) => [
    ...withPrefix(`flags.${signalNameOf[section]}`, signalRules(axes[section])),
    ...withPrefix(`risk_profile.${section}`, { ...axes[section].fields, note: noteOf(section) }),
  ]),
);

function withPrefix(prefix: string, rules: Record<string, LeafRule>): [string, LeafRule][] {
  return Object.entries(rules).map(([leaf, rule]) => [`${prefix}.${leaf}`, rule]);
}
