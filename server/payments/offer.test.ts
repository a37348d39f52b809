import { decodePaymentRequiredHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import type { PaymentEnvelope } from './decodePayment.ts';
import { buildOffers } from './offer.ts';
import type { OfferedNetwork } from './offerServer.ts';
import type { PaidOffer } from './paymentConfig.ts';

const networkOf = (chainId: number): OfferedNetwork => ({
  network: `eip155:${chainId}`,
  chainId,
  rpcUrls: ['http://127.0.0.1:1/secret'],
  facilitatorKey: `0x${'5e'.repeat(32)}` as const,
  payTo: '0x2222222222222222222222222222222222222222',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  pricing: { feed: { address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70', heartbeatSeconds: 1_500 } },
  domain: { name: 'USD Coin', version: '2' },
  extra: {},
});
// A non-ASCII description: the header is base64 of UTF-8.
const offer = {
  paid: 'quote',
  priceUsd: '0.02',
  resource: { url: 'https://truefill.example/v1/quote', description: 'A quote — exact', mimeType: 'application/json' },
  extensions: { bazaar: { info: {} } },
};

async function buildOffer(paidOffer: PaidOffer, networks: OfferedNetwork[]) {
  const built = (await buildOffers([paidOffer], networks, 180)).get(paidOffer.paid);
  if (!built) throw new Error('not built');
  return built;
}

test('default: the header names the product, the price and the recipient, in the published order', async () => {
  const built = await buildOffer(offer, [42161, 8453, 137].map(networkOf));
  const { accepts, ...rest } = decodePaymentRequiredHeader(built.challengeAt().header);
  expect(rest).toEqual({
    x402Version: 2,
    error: 'Payment required',
    resource: offer.resource,
    extensions: { ...offer.extensions, 'payment-identifier': { info: { required: false } } },
  });
  expect(accepts.map(({ network }) => network)).toEqual(['eip155:8453', 'eip155:137', 'eip155:42161']);
  expect(accepts[0]).toEqual({
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '20000',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x2222222222222222222222222222222222222222',
    maxTimeoutSeconds: 180,
    extra: { name: 'USD Coin', version: '2', paymentFlow: 'upfront' },
  });
});

test('behavior: preferred networks come first, in their order; the others follow in the published order', async () => {
  const preferred = ['eip155:42161', 'eip155:1'];
  const networks = [8453, 137, 42161].map(networkOf);
  const built = (await buildOffers([offer], networks, 180, preferred)).get(offer.paid);
  expect(built?.accepts.map(({ network }) => network)).toEqual(['eip155:42161', 'eip155:8453', 'eip155:137']);
});

test('behavior: the offer contains neither RPC URL nor key', async () => {
  const { header, summary } = (await buildOffer(offer, [networkOf(8453)])).challengeAt();
  expect(Buffer.from(header, 'base64').toString() + JSON.stringify(summary)).not.toMatch(/secret|5e5e/);
});

test.each([
  ['0.05', '50000'],
  ['1', '1000000'],
  ['0.000001', '1'],
])('behavior: a price of %s US dollars is an amount of %s units', async (priceUsd, amount) => {
  expect((await buildOffer({ ...offer, priceUsd }, [networkOf(8453)])).accepts[0]?.amount).toBe(amount);
});

test('error: RangeError for a price of zero', async () => {
  await expect(buildOffer({ ...offer, priceUsd: '0' }, [networkOf(8453)])).rejects.toThrow(RangeError);
});

test('a network without a published place is offered last', async () => {
  const { accepts } = await buildOffer(offer, [10, 42161, 8453].map(networkOf));
  expect(accepts.map(({ network }) => network)).toEqual(['eip155:8453', 'eip155:42161', 'eip155:10']);
});

test('the summary lists the price and the networks, and the free call of a trial', async () => {
  const networks = [8453, 137].map(networkOf);
  const built = await buildOffer(offer, networks);
  expect(built.challengeAt().summary).toEqual({
    x402Version: 2,
    accepts: built.accepts,
    price: { amount: '0.02', currency: 'USD', token: 'USDC' },
    networks: ['eip155:8453', 'eip155:137'],
    resource: offer.resource,
  });
  const trial = await buildOffer({ ...offer, trialGroup: 'checks' }, networks);
  expect(trial.challengeAt().summary).toMatchObject({ firstCall: 'free' });
  expect([built.trialGroup, trial.trialGroup]).toEqual([undefined, 'checks']);
});

test('the challenge of another path names that path', async () => {
  const built = await buildOffer(offer, [networkOf(8453)]);
  const { header, summary } = built.challengeAt('/v1/other');
  const resource = { ...offer.resource, url: 'https://truefill.example/v1/other' };
  expect(decodePaymentRequiredHeader(header).resource).toEqual(resource);
  expect(summary).toMatchObject({ resource });
  // Built once for each path.
  expect(built.challengeAt('/v1/other')).toBe(built.challengeAt('/v1/other'));
});

test('a refused payment receives the same offer with the reason as its error', async () => {
  const built = await buildOffer(offer, [networkOf(8453)]);
  const usual = decodePaymentRequiredHeader(built.challengeAt().header);
  expect(decodePaymentRequiredHeader(built.headerFor('expired'))).toEqual({ ...usual, error: 'expired' });
});

test('finds the entry that a payment accepted, and none for changed terms', async () => {
  const built = await buildOffer(offer, [8453, 137].map(networkOf));
  const [, polygon] = built.accepts;
  const find = (change: object) =>
    built.find({ accepted: { ...polygon, ...change }, payload: {} } as unknown as PaymentEnvelope);
  expect(find({})).toBe(polygon);
  expect(find({ amount: '1' })).toBeUndefined();
  expect(find({ payTo: '0x3333333333333333333333333333333333333333' })).toBeUndefined();
});
