import { generateKeyPairSigner } from '@solana/kit';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { declarePaymentIdentifierExtension, validatePaymentIdentifier } from '@x402/extensions/payment-identifier';
import { expect, test, vi } from 'vitest';
import { startMintNode } from '../../tests/support/startMintNode.ts';
import { SandboxError, SpendLimitError } from '../errors.ts';
import type { SignedAmount } from './budget.ts';
import { account, base, encode, offerOf, polygon, sessionWith } from './fakeService.ts';
import { toOffer } from './offer.ts';
import type { PaymentOptions } from './paymentOptions.ts';
import { assertAsOffered, type EarlierPayments, noPayments, sign } from './sign.ts';

const unused = () => undefined;

function signing(offer: object, options: Partial<PaymentOptions> = {}, earlier: EarlierPayments = noPayments) {
  const { session, progress } = sessionWith(unused, options);
  const decoded = toOffer(encode(offer));
  if (!decoded) throw new Error('The offer cannot be decoded.');
  const signed = sign(session, decoded, { firstCallFree: true, earlier });
  return { session, progress, signed };
}

const decode = (header: string) => JSON.parse(Buffer.from(header, 'base64').toString());

test('default: signs exactly the option, and counts it in the budget', async () => {
  const { session, progress, signed } = signing(offerOf([base, polygon]));
  const { header, network, units } = await signed;
  const { accepted, payload } = decode(header);
  expect({ network, units }).toEqual({ network: base, units: 20_000 });
  expect(accepted).toEqual(offerOf([base]).accepts[0]);
  expect(payload.authorization).toMatchObject({ from: account.address, value: '20000' });
  expect(session.budget.spentUsd).toBe(0.02);
  expect(progress).toEqual([{ stage: 'priced', priceUsd: 0.02, network: base, firstCallFree: true }]);
});

test('behavior: the payment counts until its signed validBefore has passed on this machine', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_700_000_000_000 });
  try {
    const { session, signed } = signing(offerOf([base]));
    const { header } = await signed;
    session.budget.deny(header);
    // 120 s of validity and a margin of 60 s.
    vi.setSystemTime(1_700_000_000_000 + 179_999);
    vi.advanceTimersByTime(0);
    expect(session.budget.spentUsd).toBe(0.02);
    vi.advanceTimersByTime(180_000);
    expect(session.budget.spentUsd).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const solanaOffer = (maxTimeoutSeconds: number) => ({
  ...offerOf([]),
  accepts: [
    {
      ...offerOf([base]).accepts[0],
      network: solana,
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
      maxTimeoutSeconds,
      extra: {
        feePayer: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
        recentBlockhash: 'EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k',
      },
    },
  ],
});

test('security: a payment counts as long as its signature is valid, on Solana as long as its blockhash', async () => {
  const node = await startMintNode();
  vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
  try {
    const holding = async (offer: object, options: Partial<PaymentOptions> = {}) => {
      const { session } = sessionWith(unused, options);
      const held: SignedAmount[] = [];
      session.budget.hold = (_signature, amount) => void held.push(amount);
      const decoded = toOffer(encode(offer));
      if (!decoded) throw new Error('The offer cannot be decoded.');
      await sign(session, decoded, { firstCallFree: false, earlier: noPayments });
      return held;
    };
    expect(await holding(offerOf([base]))).toEqual([
      { units: 20_000, validBeforeMs: 1_700_000_120_000, validityMs: 120_000 },
    ]);
    const wallet = await generateKeyPairSigner();
    for (const [maxTimeoutSeconds, validityMs] of [
      [60, 120_000],
      [240, 240_000],
    ] as const)
      expect(await holding(solanaOffer(maxTimeoutSeconds), { wallet, solanaRpcUrl: node.url })).toEqual([
        { units: 20_000, validBeforeMs: 1_700_000_120_000, validityMs },
      ]);
    expect(node.methods).toContain('getAccountInfo');
  } finally {
    vi.useRealTimers();
    node.close();
  }
});

test('error: SpendLimitError includes the payments that the call has signed before', async () => {
  const earlier = { networks: new Set([base]), units: 30_000 };
  const { signed, session } = signing(offerOf([base, polygon]), { spendLimit: { perCallUsd: 0.04 } }, earlier);
  await expect(signed).rejects.toThrow(SpendLimitError);
  expect(session.budget.spentUsd).toBe(0);
  const { network } = await signing(offerOf([base, polygon]), { spendLimit: { perCallUsd: 0.05 } }, earlier).signed;
  expect(network).toBe(polygon);
});

test('security: the payment on another network has the identifier of the first one, so that only one of them is settled', async () => {
  const offer = offerOf([base, polygon], {
    extensions: { 'payment-identifier': declarePaymentIdentifierExtension(false) },
  });
  const first = await signing(offer).signed;
  const earlier = { networks: new Set([base]), units: 20_000, identifier: first.identifier };
  const second = await signing(offer, {}, earlier).signed;
  const identifierOf = (header: string) => decode(header).extensions['payment-identifier'].info.id;
  expect(identifierOf(second.header)).toBe(identifierOf(first.header));
});

test('error: a failed signature releases its amount', async () => {
  const wallet = { address: account.address, signTypedData: () => Promise.reject(new Error('Rejected.')) };
  const { signed, session } = signing(offerOf([base]), { wallet });
  await expect(signed).rejects.toThrow('Rejected.');
  expect(session.budget.spentUsd).toBe(0);
});

test('error: SandboxError for a sandbox, and for a real network with allowSandbox only, before anything is signed', async () => {
  const [real] = offerOf([base]).accepts;
  const sandbox = { ...real, extra: { name: 'USD Coin (truefill sandbox)', version: '2' } };
  for (const [accepts, allowSandbox] of [
    [[sandbox], false],
    [[real], 'only'],
  ] as const) {
    const { signed, session } = signing({ ...offerOf([]), accepts }, { allowSandbox });
    await expect(signed).rejects.toThrow(SandboxError);
    expect(session.budget.spentUsd).toBe(0);
  }
  await signing({ ...offerOf([]), accepts: [sandbox] }, { allowSandbox: 'only' }).signed;

  const onSolana = {
    ...real,
    network: solana,
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    extra: {},
  };
  const wallet = await generateKeyPairSigner();
  const onMainnet = signing({ ...offerOf([]), accepts: [sandbox, onSolana] }, { allowSandbox: 'only', wallet });
  await expect(onMainnet.signed).rejects.toThrow(/would be valid outside a sandbox/);
});

test('default: adds a new payment-identifier if the offer declares the extension', async () => {
  const extensions = { 'payment-identifier': declarePaymentIdentifierExtension(false), other: { info: {} } };
  const identifiers = new Set<string>();
  for (let times = 0; times < 2; times += 1) {
    const payload = decode((await signing(offerOf([base], { extensions })).signed).header);
    const named = payload.extensions['payment-identifier'];
    expect(validatePaymentIdentifier(named)).toEqual({ valid: true });
    expect(named.info).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/), required: false });
    expect(payload.extensions.other).toEqual({ info: {} });
    identifiers.add(named.info.id);
  }
  expect(identifiers.size).toBe(2);
  for (const malformed of [{ 'payment-identifier': 'x' }, { 'payment-identifier': { info: 'x' } }, undefined]) {
    const payload = decode((await signing(offerOf([base], { extensions: malformed })).signed).header);
    expect(payload.extensions).toEqual(malformed);
  }
});

const option = offerOf([base]).accepts[0] as PaymentRequirements;
const payloadOf = (authorization: unknown) => ({ payload: { authorization } }) as unknown as PaymentPayload;
const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);

test('security: rejects a payload that differs from the option', () => {
  assertAsOffered(payloadOf({ value: '20000', validBefore: inSeconds(119) }), option);
  for (const authorization of [
    { value: '20001', validBefore: inSeconds(100) },
    { value: '20000', validBefore: inSeconds(200) },
    { value: '20000', validBefore: 'never' },
    { value: '20000' },
    undefined,
  ])
    expect(() => assertAsOffered(payloadOf(authorization), option)).toThrow(/It was not sent, and nothing was charged/);
  assertAsOffered(payloadOf(undefined), { ...option, network: solana });
});

test('security: a wallet that signs another payload than the option is not used', async () => {
  const { session } = sessionWith(unused);
  const payer = await session.payer();
  const create = payer.client.createPaymentPayload.bind(payer.client);
  payer.client.createPaymentPayload = async (required) => {
    const payload = await create(required);
    const authorization = { ...(payload.payload.authorization as object), validBefore: '9999999999' };
    return { ...payload, payload: { ...payload.payload, authorization } };
  };
  const offer = toOffer(encode(offerOf([base])));
  if (!offer) throw new Error('The offer cannot be decoded.');
  const call = sign({ ...session, payer: async () => payer }, offer, { firstCallFree: false, earlier: noPayments });
  await expect(call).rejects.toThrow('differs from the offer: 20000 units until 9999999999');
  expect(session.budget.spentUsd).toBe(0);
});
