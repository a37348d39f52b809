import { getAddress } from 'viem';
import { tooOldSeconds } from '../chain/blockAge.ts';
import { describeBlockCount, describeLoss, describePools } from './axes/tradeWords.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { AxisFindings } from './axes/weighAxes.ts';
import { b20Sentences, b20Words, describeLookAlike, refusesTrades } from './b20/applyB20.ts';
import type { B20Finding } from './b20/weighB20.ts';
import { fingerprintsOf } from './bytecode/fingerprints.ts';
import { type GateFinding, tradingEnabledBy } from './bytecode/gates.ts';
import type { CheckInputs } from './checkInputs.ts';
import { confidenceOf, isSaleBlocked } from './confidence.ts';
import { describeDormancy } from './context/dormancy.ts';
import { describeIdentity, describeValuation } from './context/identity.ts';
import { describeMarket } from './context/market.ts';
import { describeOwnership } from './context/ownership.ts';
import { sentence } from './context/sentence.ts';
import { describeEarlierScan, describePowers, powerGap } from './powers/describePowers.ts';
import { powersOf } from './powers/powerMemory.ts';
import type { Power } from './pretradePorts.ts';
import { type PretradeAnswer, signalNames, type TransferabilitySection } from './pretradeTypes.ts';
import { quoteOfCheck } from './quoteOfCheck.ts';
import { reasonsOf } from './reasons.ts';
import { attribute } from './sources.ts';
import type { TokenReading } from './tokenReading.ts';
import { tradeGapOf } from './tradeGap.ts';
import { decideVerdict } from './verdict.ts';

/** Computes the answer from everything that was read and its findings. Pure. */
export function compose(inputs: CheckInputs, findings: AxisFindings): PretradeAnswer {
  const { environment, token, sizeUsd, reading, vendors } = inputs;
  const { exit } = reading;
  const { liquidity, trade, gate, b20, concentration, age, oracle, flags } = findings;
  const axesReporting = signalNames.filter((name) => flags[name].severity !== 'unknown').length;
  const decided = decideVerdict({
    conclusive: liquidity.coverage.conclusive,
    poolsFound: liquidity.coverage.poolsFound,
    exitLiquidityAtMostUsd: liquidity.atMostUsd,
    sizeUsd: Number(sizeUsd),
    gate: gate.state,
  });
  const powers = powersOf(reading.powers);
  const { quote: quoted, gap: quoteGap } = quoteOfCheck(inputs, trade);
  const ageSeconds = tooOldSeconds(exit.timestamp, inputs.ts, environment.data.oldBlockMs);
  const unattributed = {
    chain: 'base' as const,
    token: getAddress(token),
    ...decided,
    confidence: confidenceOf({
      verdict: decided.verdict,
      axesReporting,
      axesExpected: signalNames.length,
      conclusive: liquidity.coverage.conclusive,
      stale: concentration.section.stale === true,
      oldBlock: ageSeconds !== undefined,
      saleBlocked: isSaleBlocked(trade),
      tradesUnread: tradeGapOf(reading) !== undefined,
    }),
    reasons: reasonsOf({ ...findings, inputs, decided, quoteGap, ageSeconds }),
    risk_profile: {
      age: age.section,
      concentration: concentration.section,
      liquidity: liquidity.section,
      oracle: oracle.section,
      transferability: toSection(inputs, trade, { gate, b20, powers }),
    },
    flags,
    quote: quoted,
    sizeUSD: sizeUsd,
    ts: inputs.ts,
    validUntil: inputs.validUntil,
    coverage: { axesExpected: signalNames.length, axesReporting },
    liquidityCoverage: liquidity.coverage,
    identity: describeIdentity(exit),
    valuation: describeValuation(exit, quoted, quoteGap),
    ownership: describeOwnership({
      reading: exit,
      powers,
      b20,
      gap: powerGap(reading, 'mint'),
      creator: vendors.creator,
      creatorBalance: inputs.creatorBalance,
    }),
    dormancy: describeDormancy(exit, concentration.topHolder, inputs.topHolderMove),
    market: describeMarket(vendors.market, vendors.holders),
  };
  return { ...unattributed, sources: attribute(unattributed, { inputs, trade, b20, powers, quoteGap }) };
}

function toSection(
  { reading, holderSales }: CheckInputs,
  trade: TransferFinding,
  { gate, b20, powers }: { gate: GateFinding; b20: B20Finding | undefined; powers: readonly Power[] },
): TransferabilitySection {
  const canBlock = powers.some(({ effect }) => effect === 'block-holder');
  const gap = b20 ? null : powerGap(reading, 'blacklist');
  const limited = trade.canSell === true && trade.wholeSizeCanSell === false;
  const notes = [
    ...trade.observations,
    describeBlockCount(trade, reading.code),
    ...describePowers(reading),
    ...(b20 ? b20Sentences(b20) : []),
    describeLookAlike(reading),
    describeEarlierScan(reading),
    trade.transferGap && sentence(`A plain transfer was not measured: ${trade.transferGap}`),
    trade.transferTax ? describeTransferTax(trade.transferTax) : undefined,
    ...describePools(trade),
    holderSales
      ? `${holderSales.sold} of ${holderSales.tried} large holders other than owner and creator could sell in simulation.`
      : undefined,
    canBlock || gap === null ? undefined : sentence(gap),
    ...trade.gaps.map((missing) => sentence(`Not simulated: ${missing}`)),
    reading.plans.length > 0 ? undefined : noPlan(reading),
    ...describeLoss('sale', trade.sellTax, trade.sellLoss),
    ...describeLoss('purchase', trade.buyTax, trade.buyLoss),
    'Taxes are fractions, measured by simulated trades of an ordinary wallet.',
  ];
  return {
    sellTaxRaw: trade.sellTax,
    buyTaxRaw: trade.buyTax,
    roundTripPct: trade.roundTripPct,
    // false only if every function was tried with a conclusive result.
    hasBlacklist: b20 ? b20.hasBlacklist.value : canBlock ? true : gap === null ? false : null,
    hasMaxLimit: limited || trade.limitBinds,
    tradingEnabled: b20 && refusesTrades(b20, trade) ? false : tradingEnabledBy(gate, trade),
    outcome: trade.outcome,
    fingerprints: fingerprintsOf(reading.code, trade, powers, gate.pauses.length > 0, b20Words(reading, b20)),
    note: notes.filter(Boolean).join(' '),
  };
}

function noPlan({ exit }: TokenReading): string {
  return exit.exits.length === 0
    ? 'No pool to simulate a trade in.'
    : 'No pool in which a trade of this size can be simulated.';
}

const describeTransferTax = (tax: number) =>
  tax > 0
    ? `A plain transfer loses ${percent(tax)}.`
    : `A plain transfer delivers ${percent(-tax)} more than was sent.`;

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
