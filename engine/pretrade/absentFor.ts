import type { PretradeAnswer } from './pretradeTypes.ts';

type Unattributed = Omit<PretradeAnswer, 'sources'>;
type Gap = readonly [path: RegExp, why: (answer: Unattributed) => string | undefined];

const because = (why: string) => () => why;
const unlessNobody = (why: string) => (answer: Unattributed) =>
  answer.identity.note.startsWith('There is no contract') ? undefined : why;

/** Nulls that the note beside them says nothing of. */
const gaps: readonly Gap[] = [
  [/^flags\.[^.]+\.cachedAgeSec$/, because('no stored value was used')],
  [/^quote\./, because('no mid can be defended, so there is nothing to compare with')],
  [
    /^risk_profile\.concentration\.ageSec$/,
    ({ risk_profile }) =>
      risk_profile.concentration.stale === false ? 'read on this call, nothing stored was used' : undefined,
  ],
  [
    /^risk_profile\.concentration\.(holders|holdersExact)$/,
    ({ risk_profile }) => (risk_profile.concentration.source ? 'the source tells no such count' : undefined),
  ],
  [/^risk_profile\.liquidity\.largestPoolSharePct$/, because('no pot was measured that could be shared')],
  [/^risk_profile\.liquidity\.(poolCount|venueCount)$|^liquidityCoverage\./, because('no factory could be asked')],
  [/^risk_profile\.transferability\.(hasBlacklist|hasMaxLimit)$/, because('the bytecode could not be analysed')],
  [/^identity\./, unlessNobody('the token does not answer, or not in a form that can be read')],
  [/^ownership\.isMintable$/, because('the bytecode could not be analysed')],
  [/^ownership\.owner/, because('no owner() answered, which is not the same as renounced')],
  [
    /^ownership\.creator(Balance|SharePct)$/,
    ({ ownership }) => (ownership.creatorAddress ? 'the balance or the supply could not be read' : undefined),
  ],
  [/^market\./, ({ market }) => (market.note.startsWith('Republished') ? 'the vendor tells none' : undefined)],
];

/** Why a value is null, where the words beside it do not say so. */
export function absentFor(path: string, answer: Unattributed): string | undefined {
  for (const [pattern, why] of gaps) if (pattern.test(path)) return why(answer);
  return undefined;
}
