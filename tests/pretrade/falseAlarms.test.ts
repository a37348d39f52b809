import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../engine/index.ts';
import { addressIn, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

// A refusal that the simulation caused must not be reported as a fault of the token. A trade that no wallet can make must
// not be reported as a restriction of some wallets.

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

const addressOf = (symbol: string) => addressIn(fixture, symbol);

const check = (symbol: string, sizeUsd?: string): Promise<PretradeAnswer> =>
  checkerOn(fixture.base).checker.check({ chain: 'base', token: addressOf(symbol), ...(sizeUsd && { sizeUsd }) });

/** The reasons, and the note about trades. */
const textOf = ({ reasons, risk_profile }: PretradeAnswer) =>
  [...reasons, risk_profile.transferability.note].join('\n');
const fingerprintsOf = ({ risk_profile }: PretradeAnswer) => risk_profile.transferability.fingerprints.split(', ');

test('behavior: a purchase tax of 99 % is reported as a tax, not as a blocked sale', async () => {
  const answer = await check('LAUNCHTAX');
  const { transferability } = answer.risk_profile;
  expect(answer).toMatchObject({ verdict: 'clear', triggers: [] });
  expect(transferability).toMatchObject({ outcome: 'tradable', tradingEnabled: true, sellTaxRaw: 0 });
  expect(transferability.buyTaxRaw).toBeCloseTo(0.99, 4);
  expect(fingerprintsOf(answer)).not.toContain('lies-to-simulations');
  expect(textOf(answer)).not.toMatch(/detects simulations|is refused/);
  expect(textOf(answer)).toContain('The owner can block all sales by setTrading(bool) (');
});

test('behavior: a token with 96-bit allowances can be sold', async () => {
  const { risk_profile, flags } = await check('UINT96');
  expect(risk_profile.transferability).toMatchObject({ outcome: 'tradable', sellTaxRaw: 0 });
  expect(flags['F-FOT']).toMatchObject({ severity: 'none', value: 0 });
});

test.each(['COOLDOWN', 'DAYLOCK', 'FLATFEE', 'FLATFEE50'])(
  'behavior: does not report contract wallets or gas price as the reason if no wallet can sell %s',
  async (symbol) => {
    const answer = await check(symbol);
    expect(textOf(answer)).not.toMatch(/contract wallet|200 gwei/);
    expect(fingerprintsOf(answer)).not.toContain('contract-wallets-blocked');
    expect(fingerprintsOf(answer)).not.toContain('gas-price-dependent');
  },
);

test.each([
  ['NOSMART', /contract wallet/],
  ['DEAF', /contract wallet/],
  ['GASSALE', /200 gwei/],
  ['GASBUYER', /200 gwei/],
])(
  'behavior: reports the restriction of %s if an ordinary wallet can sell in the same block',
  async (symbol, sentence) => {
    expect(textOf(await check(symbol))).toMatch(sentence);
  },
);

test('behavior: a sale that works only a day later is reported with that delay', async () => {
  const answer = await check('DAYLOCK');
  expect(answer.risk_profile.transferability.outcome).toBe('sale-blocked-for-a-time');
  expect(textOf(answer)).toContain(
    'a minute (at least 60 simulated blocks) later; one a day (at least 128 simulated blocks) later works',
  );
});

test('behavior: a flat fee larger than a small sale is not reported as a delay', async () => {
  const answer = await check('FLATFEE50');
  expect(answer.risk_profile.transferability.outcome).toBe('tradable');
  expect(textOf(answer)).toContain('Small sales are refused at every time tried; larger ones work');
});

test.each(['DUST', 'ALLFALSE', 'LAUNCHTAX'])(
  'behavior: reports why a transfer of %s was not measured if the simulated wallet could not cover it',
  async (symbol) => {
    const answer = await check(symbol);
    expect(textOf(answer)).not.toMatch(/(plain|small) transfer is refused/);
    expect(answer.risk_profile.transferability.note).toMatch(/A plain transfer was not measured: the simulated wallet/);
  },
);

test('behavior: measures the transfer with a small amount if the requested size cannot be bought', async () => {
  const answer = await check('MAXMOVE', '10000');
  expect(answer.risk_profile.transferability.outcome).toBe('size-limited');
  expect(textOf(answer)).not.toMatch(/transfer is refused|transfer was not measured/);
  // The small purchase proves nothing about this size.
  expect(textOf(answer)).not.toMatch(/although a simulated purchase/);
});

test('behavior: does not advise a smaller size if purchases are refused', async () => {
  const answer = await check('GATEOFF');
  expect(answer.quote).toBeNull();
  expect(textOf(answer)).toContain('There is no executable quote from USDC. Simulated purchases are refused');
  expect(textOf(answer)).not.toMatch(/smaller size/);
});

test('a tax that the token rounds down is reported as set', async () => {
  const { risk_profile, flags } = await check('TAX5');
  expect(risk_profile.transferability).toMatchObject({ buyTaxRaw: 0.05, sellTaxRaw: 0.05 });
  expect(flags['F-FOT'].value).toBe(0.05);
});

test('a pool that pays over 5 % of the size is not reported as drained', async () => {
  // The pool contains 60 USD of ether, and the simulated sale draws nine tenths of it, 54 USD. 5 % of 1,140 USD are 57.
  const answer = await check('MICRO', '1140');
  expect(answer.risk_profile.liquidity.exitLiquidityUsd).toBeLessThan(57);
  expect(answer).toMatchObject({ verdict: 'clear', triggers: [], liquidityCoverage: { conclusive: true } });
  expect(await check('MICRO', '1300')).toMatchObject({ verdict: 'avoid', triggers: ['EXIT_LIQUIDITY_DRAINED'] });
});

test('a concentrated pool is drained only if a sale over its whole price range draws too little', async () => {
  const answer = await check('ABOVE');
  expect(answer).toMatchObject({ verdict: 'avoid', triggers: ['EXIT_LIQUIDITY_DRAINED'] });
  expect((await check('V3ONLY', '2000000')).triggers).toEqual(['EXIT_LIQUIDITY_DRAINED']);
});

test('behavior: a refused transfer of tokens that the wallet holds is reported', async () => {
  expect(textOf(await check('TRADEONLY'))).toContain('A plain transfer is refused');
});
