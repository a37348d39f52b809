import type { Message } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { messageExample, messagePath } from '../../router/index.ts';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

// A2A's HTTP+JSON transport: a message requests a skill, and x402's headers pay. The answer is a message, not a task.

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.engine.queries.length = 0;
  served.paymentService.attempts.length = 0;
  served.paymentService.refusal = undefined;
});

const send = (message: unknown, headers: Record<string, string> = {}) => served.post(messagePath, { message }, headers);
const messageWith = (data: unknown, changes: object = {}) => ({
  ...messageExample.message,
  ...changes,
  parts: [{ kind: 'data', data }],
});
const quote = messageWith({ skill: 'quote', input: quoteInput });

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
const bodyOf = (response: Response): Promise<any> => response.json();

test('default: an unpaid message gets the 402 of the REST path, a paid one gets a message', async () => {
  const unpaid = await send(quote);
  expect(unpaid.status).toBe(402);
  const rest = await served.post('/v1/quote', quoteInput);
  expect(unpaid.headers.get('payment-required')).toBe(rest.headers.get('payment-required'));
  expect(await bodyOf(unpaid)).toMatchObject({ code: 'PAYMENT_REQUIRED' });

  const paid = await send(messageWith({ skill: 'quote', input: quoteInput }, { contextId: 'c-1' }), payment());
  expect(paid.status).toBe(200);
  expect(paid.headers.get('payment-response')).toBeTruthy();
  const { message } = await bodyOf(paid);
  expect(message).toMatchObject({
    kind: 'message',
    role: 'agent',
    messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    contextId: 'c-1',
    parts: [{ kind: 'data', data: { amountOut: '90071992547409931234' } }],
  });
  expect(message).not.toHaveProperty('taskId');
});

test('behavior: an answer bought over A2A is replayed over REST without calling the engine again', async () => {
  const signature = payment();
  const first = await bodyOf(await send(quote, signature));
  const replay = await served.post('/v1/quote', quoteInput, signature);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await replay.json()).toEqual(first.message.parts[0].data);
  const replayed = await bodyOf(await send(quote, signature));
  expect(replayed.message.parts).toEqual(first.message.parts);
  expect(served.engine.queries).toHaveLength(1);
});

test('default: the published A2A client buys an answer with a paying fetch', async () => {
  const statuses: number[] = [];
  const payingFetch: typeof fetch = async (url, init) => {
    const first = await fetch(url, init);
    statuses.push(first.status);
    if (first.status !== 402) return first;
    const paid = await fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), ...payment() } });
    statuses.push(paid.status);
    return paid;
  };
  // The card contains the public URL, so requests are redirected to the test server.
  const redirectingFetch: typeof fetch = (url, init) =>
    payingFetch(String(url).replace('http://truefill.test', served.url), init);
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new RestTransportFactory({ fetchImpl: redirectingFetch })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: redirectingFetch }),
    }),
  );
  const client = await factory.createFromUrl(served.url);
  const result = (await client.sendMessage({ message: quote as Message })) as Message;
  expect(result.kind).toBe('message');
  expect(result.parts).toMatchObject([{ kind: 'data', data: { amountOut: '90071992547409931234', chain: 'base' } }]);
  expect(statuses.slice(-2)).toEqual([402, 200]);
});

test.each<[string, unknown, number, RegExp]>([
  [
    'a text part only',
    { ...quote, parts: [{ kind: 'text', text: 'quote please' }] },
    400,
    /has 0 data parts.*exampleRequest/,
  ],
  ['two data parts', { ...quote, parts: [...quote.parts, ...quote.parts] }, 400, /has 2 data parts/],
  [
    'an unknown skill',
    messageWith({ skill: 'swap', input: quoteInput }),
    400,
    /unknown skill swap.*quote or pretradeCheck/,
  ],
  ['no skill', messageWith({ input: quoteInput }), 400, /no skill/],
  [
    'an invalid input',
    messageWith({ skill: 'quote', input: { ...quoteInput, sizeIn: 1 } }),
    400,
    /does not match the schema/,
  ],
  ['a task', messageWith({ skill: 'quote', input: quoteInput }, { taskId: 't-1' }), 404, /has no tasks/],
  ['a missing message', undefined, 400, /no object "message"/],
])(
  'error: refuses a message with %s, uncharged, with and without a payment',
  async (_case, message, status, detailPattern) => {
    for (const headers of [{}, payment()]) {
      const response = await send(message, headers);
      expect(response.status).toBe(status);
      const { detail, type } = await bodyOf(response);
      expect(detail).toMatch(detailPattern);
      expect(detail).toContain('Nothing was charged');
      expect(type).toContain('/guides/errors#');
    }
    expect(served.paymentService.attempts).toEqual([]);
  },
);

test('error: 404 for paths of tasks and streams and other spellings of the path; 405 for other methods', async () => {
  for (const path of [
    '/a2a/v1/message:stream',
    '/a2a/v1/tasks/t-1',
    '/a2a/v1/message%3Asend',
    '/a2a',
    '/v1/message:send',
  ])
    expect((await served.post(path, { message: quote }, payment())).status, path).toBe(404);
  expect((await fetch(served.url + messagePath)).status).toBe(405);
});

test('default: the agent card describes payment by headers and declares no x402 extension', async () => {
  const card = await bodyOf(await fetch(`${served.url}/.well-known/agent-card.json`));
  expect(card.capabilities).not.toHaveProperty('extensions');
  expect(card.description).toMatch(/PAYMENT-SIGNATURE.*requires stored tasks/);
  expect(card.additionalInterfaces).toEqual([{ url: 'http://truefill.test/a2a', transport: 'HTTP+JSON' }]);
});
