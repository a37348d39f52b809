import type { PretradeOutput, QuoteOutput } from '../../router/index.ts';
import { pretradeExampleAnswer } from '../../router/pretrade/pretradeExample.ts';
import { quoteExampleAnswer } from '../../router/quote/quoteExample.ts';
import { splitQuote } from '../support/splitQuote.ts';

// One answer of each kind that the page shows, all valid for their schemas.

type QuoteFlag = QuoteOutput['flags'][number];

const flag = (code: QuoteFlag['code'], message: string, facts: object = {}): QuoteFlag => ({
  code,
  severity: 'warn',
  message,
  ...facts,
});

const taxed: QuoteOutput = {
  ...quoteExampleAnswer,
  tokenIn: '0x5a7a52F0A5e5d7a1cF0b4F6e2C9C0E5C2a1d0F0b',
  amountOut: '4046562297',
  executablePrice: 2697.708198,
  priceImpactBps: 1007.99,
  confidence: 'medium',
  flags: [
    ...quoteExampleAnswer.flags,
    flag('TRANSFER_TAX', '0x5a7a52F0A5e5d7a1cF0b4F6e2C9C0E5C2a1d0F0b deducts 10 % from each transfer to a pool.', {
      taxBps: 1000,
    }),
    flag('HIGH_IMPACT', 'The price is 10.08 % below the mid price.'),
  ],
};

const hooked: QuoteOutput = {
  ...splitQuote,
  confidence: 'low',
  flags: [
    ...splitQuote.flags,
    ...quoteExampleAnswer.flags,
    flag('HOOKED_POOL', `Pool 0x${'3'.repeat(64)} runs code of its hook 0x${'9'.repeat(40)} in each swap.`),
    flag('CONFIDENCE', 'The confidence is low: a hook acts on the swaps of the route.'),
  ],
};

const unrouted: QuoteOutput = {
  ...quoteExampleAnswer,
  amountOut: '0',
  executablePrice: 0,
  spotPrice: null,
  priceImpactBps: null,
  depthAtSize: 0,
  worstCaseSlippageBps: null,
  route: { ...quoteExampleAnswer.route, path: [], pools: [], legs: [] },
  confidence: 'medium',
  flags: [
    flag(
      'NO_ROUTE',
      'No covered venue fills this size. Request a smaller size or another pair. This service cannot quote maverick-v2, which holds the token and may trade it.',
      { notCovered: ['maverick-v2'] },
    ),
  ],
};

/** 78 digits, the longest amount, for one base unit. */
const extreme: QuoteOutput = {
  ...quoteExampleAnswer,
  amountIn: '1',
  amountOut: `${'9'.repeat(78)}`,
  executablePrice: 1e77,
  spotPrice: 1e-18,
  priceImpactBps: -1e30,
  depthAtSize: 1e-18,
  decimals: { in: 18, out: 0 },
  flags: [flag('ROUTE_GAS', 'Gas.', { gas: 30_000_000, gasUsd: 0.000_000_12, valueInUsd: 1e-15, valueOutUsd: 1e30 })],
};

const { risk_profile: risk, flags: signals } = pretradeExampleAnswer;

const trap: PretradeOutput = {
  ...pretradeExampleAnswer,
  verdict: 'avoid',
  triggers: ['EXIT_LIQUIDITY_DRAINED'],
  reasons: ['Exit liquidity fell from 92,113.04 USD to 1.02 USD within 14 blocks; the creator removed it.'],
  risk_profile: { ...risk, liquidity: { ...risk.liquidity, poolCount: 1, venueCount: 1, exitLiquidityUsd: 1.02 } },
  flags: { ...signals, 'F-LIQ': { ...signals['F-LIQ'], severity: 'high', value: 1.02, reason: 'Below the size.' } },
  identity: { ...pretradeExampleAnswer.identity, symbol: 'DRAINED' },
};

const unread = <T extends object>(facts: T, kept: readonly (keyof T)[]): T =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, kept.includes(name as keyof T) ? value : null]),
  ) as T;

const outage: PretradeOutput = {
  ...pretradeExampleAnswer,
  confidence: 'low',
  reasons: ['The pools could not be read: the node refused the call.'],
  risk_profile: {
    age: unread(risk.age, ['note']),
    concentration: unread(risk.concentration, ['note', 'stale']),
    liquidity: unread(risk.liquidity, ['note']),
    oracle: unread(risk.oracle, ['note']),
    transferability: { ...unread(risk.transferability, ['note', 'fingerprints']), outcome: 'unknown' },
  },
  flags: Object.fromEntries(
    Object.entries(signals).map(([code, signal]) => [code, { ...signal, value: null, reason: 'Not read.' }]),
  ) as PretradeOutput['flags'],
  identity: { ...pretradeExampleAnswer.identity, symbol: null },
  liquidityCoverage: { ...pretradeExampleAnswer.liquidityCoverage, conclusive: false },
};

const untradable: PretradeOutput = {
  ...pretradeExampleAnswer,
  reasons: ['None of the listed traps is proven at this block.', 'Simulated sales of an ordinary wallet are refused.'],
  risk_profile: {
    ...risk,
    transferability: { ...risk.transferability, sellTaxRaw: null, roundTripPct: null, outcome: 'sale-blocked' },
  },
};

const quoteRequest = ({ chain, tokenIn, tokenOut }: QuoteOutput) => ({
  path: '/v1/quote',
  body: { chain, tokenIn, tokenOut, sizeIn: '1.5' },
});
const ofQuote = (answer: QuoteOutput) => ({ request: quoteRequest(answer), answer });
const ofCheck = (answer: PretradeOutput) => ({
  request: { path: '/v1/pretrade/check', body: { token: answer.token, sizeUSD: '1000' } },
  answer,
});

/** By name, with its request as a link carries it. */
export const kindsOfAnswers = {
  'single-route': ofQuote(quoteExampleAnswer),
  split: ofQuote(splitQuote),
  taxed: ofQuote(taxed),
  hooked: ofQuote(hooked),
  'no-route': ofQuote(unrouted),
  extreme: ofQuote(extreme),
  clear: ofCheck(pretradeExampleAnswer),
  avoid: ofCheck(trap),
  outage: ofCheck(outage),
  untradable: ofCheck(untradable),
};
