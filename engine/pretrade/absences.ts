import {
  type Absence,
  type AbsenceFacts,
  absenceFrom,
  noCode,
  none,
  notRequested,
  type Unattributed,
  unread,
  type WhyNull,
  whyNoHolders,
  whyNoPower,
} from './attribution.ts';
import { findAxisRule } from './axes/axes.ts';

type Rule = readonly [path: RegExp, why: WhyNull];

/** Leaves that belong to no axis. First match wins. */
const rules: readonly Rule[] = [
  [/^liquidityCoverage\./, () => unread('no factory could be read')],
  [/^quote$/, whyNoQuote],
  [/^quote\./, () => none('no pool has a reliable mid price')],
  [/^identity\.totalSupply$/, whyNoValue('decimals() or totalSupply() cannot be read')],
  [/^identity\.(name|symbol)$/, whyNoValue('the contract returns no text')],
  [/^identity\./, whyNoValue('the contract returns no valid value')],
  [
    /^valuation\./,
    (facts, answer) =>
      answer.quote === null ? whyNoQuote(facts) : whyNoValue('decimals() or totalSupply() cannot be read')(facts),
  ],
  [/^ownership\.(ownerAddress|ownerRenounced)$/, whyNoOwner],
  [/^ownership\.isMintable$/, whyNoPower(({ mintGap }) => mintGap)],
  [/^ownership\.creatorAddress$/, ({ creator }) => absenceFrom(creator, none('the source returned no address'))],
  [/^ownership\.creator/, whyNoCreatorBalance],
  [/^dormancy\./, (facts, answer) => whyNoMove(facts, answer)],
  [/^market\./, ({ market }) => absenceFrom(market, none('the source does not report this value'))],
];

/**
 * Why a value of the answer is null.
 * @throws {TypeError} for a leaf without a rule, which is a defect in this service
 */
export function absenceOf(path: string, answer: Unattributed, facts: AbsenceFacts): Absence {
  const why = findAxisRule(path)?.whyNull ?? rules.find(([pattern]) => pattern.test(path))?.[1];
  if (!why) throw new TypeError(`No absence rule covers ${path}.`);
  return why(facts, answer);
}

function whyNoQuote({ isStable, marketRead, hasCode, decimalsAgree, quoteGap }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  const reason = quoteGap ?? 'there is no quote';
  if (isStable) return notRequested(reason);
  return marketRead && decimalsAgree ? none(reason) : unread(reason);
}

function whyNoValue(reason: string): (facts: AbsenceFacts) => Absence {
  return ({ hasCode }) => (hasCode ? none(reason) : noCode);
}

function whyNoOwner({ hasCode, isOwnerMalformed, b20AdminGap }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  if (b20AdminGap) return b20AdminGap;
  return none(
    isOwnerMalformed
      ? 'owner() returns no address'
      : 'the token has no owner() function; this does not show that ownership was renounced',
  );
}

function whyNoCreatorBalance({ creator, creatorBalanceRead }: AbsenceFacts): Absence {
  if (creator) return { kind: creator.status, reason: creator.reason };
  if (!creatorBalanceRead) return unread('the creator’s balance could not be read');
  return none('decimals() or totalSupply() cannot be read');
}

function whyNoMove(facts: AbsenceFacts, { risk_profile }: Unattributed): Absence {
  if (risk_profile.concentration.source === null) return whyNoHolders(facts);
  return absenceFrom(facts.topHolderMove, none('no holder is a wallet'));
}
