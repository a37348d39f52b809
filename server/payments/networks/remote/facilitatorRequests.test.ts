import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { CdpKey } from './cdpToken.ts';
import { createFacilitatorClient } from './facilitatorClient.ts';
import { createFacilitatorRequests, type FacilitatorTask } from './facilitatorRequests.ts';

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const timeouts = { facilitatorTimeoutMs: 1_000, facilitatorSettleTimeoutMs: 1_000 };
const task = {
  payment: 'payer',
  envelope: { canonicalPayload: '{"x402Version":2}' },
  terms: { amount: '20000' },
} as unknown as FacilitatorTask<string>;

afterEach(() => vi.unstubAllGlobals());

/** Replaces the transport: each request gets this response, or fails with this error. */
function open(respond: Response | Error, cdp?: CdpKey) {
  const log: [string, object][] = [];
  const fetched: { url: string; init: RequestInit }[] = [];
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    fetched.push({ url: url.href, init });
    if (respond instanceof Error) throw respond;
    return respond;
  });
  const { signal } = new AbortController();
  const requests = createFacilitatorRequests<string>({
    network,
    client: createFacilitatorClient(
      { url: 'https://facilitator.test/base', headers: { authorization: 'Bearer key' }, ...(cdp && { cdp }) },
      timeouts,
    ),
    isPayer: (payer, payment) => payer === payment,
    transactionPattern: /^[a-z0-9]{4}$/,
    logger: {
      info: () => undefined,
      warn: (facts: object) => void log.push(['warn', facts]),
      error: (facts: object) => void log.push(['error', facts]),
    },
    signal,
  });
  return { ...requests, settle: () => requests.requestSettle(task, signal), fetched, log };
}
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const failure = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
const refusal = (invalidReason?: unknown) => json({ isValid: false, invalidReason });

describe('requestVerify', () => {
  test.each([
    ['valid without a payer', () => json({ isValid: true })],
    ['valid with an empty payer', () => json({ isValid: true, payer: '' })],
    ['valid with our payer', () => json({ isValid: true, payer: 'payer' })],
  ])('accepts %s', async (_, response) => {
    expect(await open(response()).requestVerify(task)).toEqual({ kind: 'valid' });
  });

  test.each([
    ['another payer', () => json({ isValid: true, payer: 'other' })],
    ['a signature that it does not accept', () => refusal('invalid_exact_evm_payload_signature')],
    ['an invalid signature', () => refusal('invalid_exact_svm_payload_signature_invalid')],
    ['a wrong address', () => refusal('invalid_exact_evm_payload_recipient_address')],
    ['an unsupported scheme', () => refusal('unsupported_scheme')],
    ['an invalid network', () => refusal('invalid_network')],
    ['another network', () => refusal('invalid_exact_network_mismatch')],
    ['HTTP 500 and a valid body', () => json({ isValid: true }, 500)],
    ['no JSON', () => new Response('<h1>Bad gateway</h1>')],
    ['no body', () => new Response(null)],
    ['another form', () => json({ isValid: 'true' })],
    ['more than 256 KiB', () => json({ isValid: true, more: 'x'.repeat(256 * 1024) })],
    ['no connection', () => failure('ECONNREFUSED')],
    ['a closed connection', () => failure('ECONNRESET')],
  ])('is unavailable for %s', async (_, response) => {
    expect(await open(response()).requestVerify(task)).toEqual({ kind: 'unavailable' });
  });

  test.each([
    ['insufficient_funds', 'insufficient_funds'],
    [`a_${'b'.repeat(78)}`, `a_${'b'.repeat(78)}`],
    [`a_${'b'.repeat(79)}`, 'facilitator_refused'],
    ['Injected header', 'facilitator_refused'],
    ['x insufficient_funds', 'facilitator_refused'],
    ['insufficient_funds\r\nx: y', 'facilitator_refused'],
    ['single', 'facilitator_refused'],
    ['', 'facilitator_refused'],
    [null, 'facilitator_refused'],
    [undefined, 'facilitator_refused'],
    ['invalid_network_of_payer', 'invalid_network_of_payer'],
    ['not_unsupported_scheme', 'not_unsupported_scheme'],
    ['invalid_signature_count', 'invalid_signature_count'],
    ['invalid_address_of_payer', 'invalid_address_of_payer'],
    ['invalid_network_mismatch_of_payer', 'invalid_network_mismatch_of_payer'],
  ])('refuses with the reason %j as %s', async (reason, expected) => {
    expect(await open(refusal(reason)).requestVerify(task)).toMatchObject({ kind: 'refused', reason: expected });
  });

  test('accepts a refusal with HTTP 400', async () => {
    const response = json({ isValid: false, invalidReason: 'insufficient_funds' }, 400);
    expect(await open(response).requestVerify(task)).toMatchObject({ kind: 'refused', reason: 'insufficient_funds' });
  });
});

describe('requestSettle', () => {
  const settled = { success: true, payer: 'payer', network, transaction: 'ab12' };

  test('returns the transaction of a settlement', async () => {
    expect(await open(json(settled)).settle()).toEqual({ kind: 'settled', transaction: 'ab12' });
  });

  test.each([
    ['of another payer', { payer: 'other' }],
    ['without a payer', { payer: undefined }],
    ['on another network', { network: 'eip155:8453' }],
    ['without a network', { network: null }],
    ['with another form of transaction', { transaction: 'ab123' }],
    ['with an empty transaction', { transaction: '' }],
    ['without a transaction', { transaction: undefined }],
  ])('the outcome of a settlement %s is unknown', async (_, change) => {
    expect(await open(json({ ...settled, ...change })).settle()).toEqual({ kind: 'unknown' });
  });

  test('returns a refusal, also one that contradicts our verification', async () => {
    const errorReason = 'invalid_exact_evm_payload_signature';
    const response = json({ success: false, errorReason, transaction: 'ab12', network, payer: 'payer' });
    expect(await open(response).settle()).toMatchObject({ kind: 'refused', reason: errorReason });
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    '%s: the request never arrived',
    async (code) => {
      expect(await open(failure(code)).settle()).toEqual({ kind: 'neverArrived' });
    },
  );

  test.each([
    ['a closed connection', () => failure('ECONNRESET')],
    ['a headers timeout', () => failure('UND_ERR_HEADERS_TIMEOUT')],
    ['an error without a cause', () => new TypeError('fetch failed')],
    ['a cause without a code', () => new TypeError('fetch failed', { cause: new Error('redirect') })],
    ['HTTP 500', () => json(settled, 500)],
    ['HTTP 502 without JSON', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ])('the outcome after %s is unknown', async (_, response) => {
    expect(await open(response()).settle()).toEqual({ kind: 'unknown' });
  });
});

describe('readSupport', () => {
  const kind = { x402Version: 2, scheme: 'exact', network, extra: { feePayer: 'f' } };

  test('returns the extra of scheme exact on the network', async () => {
    const others = [
      { ...kind, x402Version: 1, extra: { feePayer: 'v1' } },
      { ...kind, scheme: 'upto', extra: {} },
    ];
    expect(await open(json({ kinds: [...others, kind] })).readSupport()).toEqual({ feePayer: 'f' });
    expect(await open(json({ kinds: [{ ...kind, extra: null }] })).readSupport()).toEqual({});
  });

  test.each([{ x402Version: 1 }, { scheme: 'upto' }, { network: 'eip155:8453' }])(
    'error: PaymentNetworkMismatchError if it supports only %j',
    async (change) => {
      await expect(open(json({ kinds: [{ ...kind, ...change }] })).readSupport()).rejects.toThrow(
        PaymentNetworkMismatchError,
      );
    },
  );
});

test('error: a payment that is no JSON is not hidden as an outage', async () => {
  const broken = { ...task, envelope: { canonicalPayload: '{' } } as unknown as FacilitatorTask<string>;
  const { requestVerify, requestSettle } = open(json({}));
  await expect(requestVerify(broken)).rejects.toThrow(SyntaxError);
  await expect(requestSettle(broken, new AbortController().signal)).rejects.toThrow(SyntaxError);
});

test('logs what the facilitator contradicts, and each missing result, but not after the request was given up', async () => {
  const logged = async (respond: Response | Error, isGivenUp = false) => {
    const { requestVerify, requestSettle, log } = open(respond);
    const until = isGivenUp ? AbortSignal.abort() : new AbortController().signal;
    await requestVerify(task);
    await requestSettle(task, until);
    return log;
  };
  const other = json({ isValid: true, success: true, payer: 'other', network, transaction: 'ab12' });
  expect(await logged(other)).toEqual([
    ['error', { network, isValid: true, reason: 'facilitator_refused' }],
    ['warn', { network, cause: expect.stringContaining('/settle') }],
  ]);
  const settled = open(json({ success: true, payer: 'other', network, transaction: 'ab12' }));
  await settled.settle();
  expect(settled.log).toEqual([['error', { network }]]);
  const cause = (path: string) => ({ network, cause: `The request to the facilitator's ${path} failed.` });
  expect(await logged(failure('ECONNRESET'))).toEqual([
    ['warn', cause('/verify')],
    ['warn', cause('/settle')],
  ]);
  expect(await logged(failure('ECONNRESET'), true)).toEqual([['warn', cause('/verify')]]);
});

test('a settle request is posted to /settle', async () => {
  const { settle, fetched } = open(json({ success: false }));
  await settle();
  expect(fetched).toMatchObject([{ url: 'https://facilitator.test/base/settle', init: { method: 'POST' } }]);
});

test('the platform gets a token for each request in place of the header', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keySecret = privateKey.export({ format: 'pem', type: 'sec1' }).toString();
  const { requestVerify, fetched } = open(json({ isValid: true }), { keyId: 'k', keySecret });
  await requestVerify(task);
  const { authorization } = (fetched[0]?.init.headers ?? {}) as Record<string, string>;
  const [, claims] = String(authorization).split('.');
  expect(JSON.parse(Buffer.from(String(claims), 'base64url').toString())).toMatchObject({
    uris: ['POST facilitator.test/base/verify'],
  });
});

test('error: the cause of a failed request is kept', async () => {
  const error = failure('ECONNRESET');
  vi.stubGlobal('fetch', () => Promise.reject(error));
  const client = createFacilitatorClient({ url: 'https://facilitator.test' }, timeouts);
  await expect(client.supported(new AbortController().signal)).rejects.toMatchObject({ cause: error });
});

test('sends the payment, the terms and the credentials, and follows no redirect', async () => {
  const { requestVerify, fetched } = open(json({ isValid: true }));
  await requestVerify(task);
  expect(fetched).toEqual([
    {
      url: 'https://facilitator.test/base/verify',
      init: expect.objectContaining({
        method: 'POST',
        redirect: 'error',
        headers: { accept: 'application/json', 'content-type': 'application/json', authorization: 'Bearer key' },
        body: '{"x402Version":2,"paymentPayload":{"x402Version":2},"paymentRequirements":{"amount":"20000"}}',
      }),
    },
  ]);
  const { readSupport, fetched: read } = open(json({ kinds: [] }));
  await readSupport().catch(() => undefined);
  expect(read[0]?.init).toMatchObject({ method: 'GET', redirect: 'error' });
  expect(read[0]?.init).not.toHaveProperty('body');
  expect(read[0]?.init.headers).not.toHaveProperty('content-type');
});
