import { expect, test } from 'vitest';
import { failureOf } from '../../tests/support/failureOf.ts';
import { UnavailableError } from '../errors.ts';
import { buy } from './buy.ts';
import {
  answered,
  arbitrum,
  avalanche,
  base,
  offered,
  optimism,
  polygon,
  type Reply,
  refused,
  sessionWith,
} from './fakeService.ts';

const request = { sizeIn: '1' };
const path = '/v1/quote';

test('behavior: pays on another network of a new 402 after a 503 that charged nothing', async () => {
  const { session, requests, signed, finished, progress } = sessionWith((network) =>
    network === undefined ? offered([base, polygon]) : network === base ? refused(503, false) : answered(),
  );
  await buy(session, path, request);
  expect(requests).toEqual([undefined, base, undefined, polygon]);
  expect(finished).toEqual(signed);
  expect(progress.filter(({ stage }) => stage === 'switching')).toEqual([
    { stage: 'switching', from: base, network: polygon },
  ]);
  expect(progress.filter(({ stage }) => stage === 'waiting')).toEqual([]);
  expect(progress).toContainEqual({ stage: 'priced', priceUsd: 0.02, network: polygon, firstCallFree: false });
});

test('behavior: the replaced payment is finished only after the next one is stored', async () => {
  const events: string[] = [];
  const { session } = sessionWith(
    (network) =>
      network === undefined ? offered([base, polygon]) : network === base ? refused(503, false) : answered(),
    { onSigned: () => void events.push('signed'), onFinished: () => events.push('finished') },
  );
  await buy(session, path, request);
  expect(events).toEqual(['signed', 'signed', 'finished', 'finished']);
});

test.each<[string, (number: number) => Reply | undefined]>([
  ['the service has no offer', () => refused(503, null)],
  ['the connection breaks', () => undefined],
  ['the service redirects', () => ({ status: 308, headers: { location: 'http://other.test/' } })],
  ['only the same network is offered', () => offered([base])],
])('behavior: sends the same payment again when %s', async (_case, later) => {
  const { session, requests, signed } = sessionWith((network, number) => {
    if (network !== undefined) return refused(503, false);
    return number === 1 ? offered([base, polygon]) : later(number);
  });
  const error = await failureOf(buy(session, path, request));
  if (!(error instanceof UnavailableError)) throw error;
  expect(error.message).toBe('CODE: Detail.');
  expect(requests).toEqual([undefined, base, undefined, base, undefined, base, undefined]);
  expect(signed).toHaveLength(1);
});

test('security: one call signs at most four payments', async () => {
  const networks = [base, polygon, arbitrum, optimism, avalanche];
  const { session, requests, signed } = sessionWith((network) =>
    network === undefined ? offered(networks) : refused(503, false),
  );
  expect(await failureOf(buy(session, path, request))).toBeInstanceOf(UnavailableError);
  expect(signed).toHaveLength(4);
  expect(requests.filter(Boolean)).toEqual([base, polygon, arbitrum, optimism, optimism, optimism]);
});

test.each([
  ['totalUsd', { totalUsd: 0.05 }],
  ['perCallUsd', { perCallUsd: 0.05 }],
])('error: the payments of one call stay within %s', async (which, spendLimit) => {
  const { session, signed, requests } = sessionWith(
    (network) => (network === undefined ? offered([base, polygon, arbitrum]) : refused(503, false)),
    { spendLimit },
  );
  const error = await failureOf(buy(session, path, request));
  expect(String(error)).toContain(
    `Detail. A payment on another network would exceed spendLimit.${which}, because the first one counts until it expires.`,
  );
  expect(signed).toHaveLength(2);
  // Once the limit is reached, no further offer is fetched.
  expect(requests).toEqual([undefined, base, undefined, polygon, undefined, polygon, polygon]);
});

test('error: a failed signature on another network leaves the first payment resumable', async () => {
  let asked = 0;
  for (const fault of [new Error('Rejected.'), 'Rejected.']) {
    const { session, signed } = sessionWith(
      (network) => (network === undefined ? offered([base, polygon]) : refused(503, false)),
      {
        wallet: {
          address: `0x${'11'.repeat(20)}`,
          signTypedData: async () => {
            asked += 1;
            if (asked % 2 === 0) throw fault;
            return `0x${'11'.repeat(65)}`;
          },
        },
      },
    );
    const error = await failureOf(buy(session, path, request));
    expect(error).toMatchObject({ pending: signed[0] });
    expect(String(error)).toContain('Detail. Signing for another network failed: Rejected.');
    expect(signed).toHaveLength(1);
    expect(session.budget.spentUsd).toBe(0.02);
  }
  expect(asked).toBe(4);
});

test.each([1, 2])('behavior: signs no other payment after an abort during request %s of the switch', async (during) => {
  const caller = new AbortController();
  const { session, signed } = sessionWith((network, number) => {
    if (number === during + 1) caller.abort();
    return network === undefined ? offered([base, polygon]) : refused(503, false);
  });
  const error = await failureOf(buy({ ...session, signal: caller.signal }, path, request));
  expect(error).toBeInstanceOf(UnavailableError);
  expect(signed).toHaveLength(1);
});

test('behavior: reads the member of a tRPC error, and reports the error of each response', async () => {
  const wrap = (reason: object, status: number): Reply => ({
    status,
    headers: { 'retry-after': '0' },
    body: { error: { code: 1, data: { reason } } },
  });
  const { session, requests } = sessionWith((network) => {
    if (network === undefined) return offered([base, polygon]);
    if (network === base) return wrap({ code: 'CODE', detail: 'Detail.', charged: false }, 503);
    return { status: 200, body: { result: { data: { amountOut: '7' } } } };
  });
  const errors: unknown[] = [];
  const call = { ...session, onTrpcError: (error: unknown) => void errors.push(error) };
  expect((await buy(call, '/trpc/quote', request)).answer).toEqual({ amountOut: '7' });
  expect(requests).toEqual([undefined, base, undefined, polygon]);
  expect(errors).toContainEqual({ code: 1, data: { reason: { code: 'CODE', detail: 'Detail.', charged: false } } });
  expect(errors.at(-1)).toBeUndefined();
  expect((await buy(session, '/trpc/quote', request)).answer).toEqual({ amountOut: '7' });
});

test('behavior: only a tRPC response has a tRPC error', async () => {
  const errors: unknown[] = [];
  const onTrpcError = (error: unknown) => void errors.push(error);
  const { session: lost } = sessionWith(() => undefined);
  await failureOf(buy({ ...lost, onTrpcError }, '/trpc/quote', request));
  const { session: rest } = sessionWith(() => refused(400));
  await failureOf(buy({ ...rest, onTrpcError }, path, request));
  expect(errors).toEqual([]);
});
