import type { Message } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { messageExample, messagePath } from '../../router/index.ts';
import { payment, question, type Served, serveFakes } from './serveFakes.ts';

// A2A's HTTP+JSON transport: a message asks for a skill, x402's headers pay, a message answers, and no task is stored.

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.engine.asked.length = 0;
  served.paymentService.attempts.length = 0;
  served.paymentService.refusal = undefined;
});

const send = (message: unknown, headers: Record<string, string> = {}) => served.post(messagePath, { message }, headers);
const ask = (data: unknown, more: object = {}) => ({
  ...messageExample.message,
  ...more,
  parts: [{ kind: 'data', data }],
});
const quote = ask({ skill: 'quote', input: question });

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
const bodyOf = (response: Response): Promise<any> => response.json();

test('default: an unpaid message is 402 with the offer of the REST path, and a paid one is answered by a message', async () => {
  const unpaid = await send(quote);
  expect(unpaid.status).toBe(402);
  const rest = await served.post('/v1/quote', question);
  expect(unpaid.headers.get('payment-required')).toBe(rest.headers.get('payment-required'));
  expect(await bodyOf(unpaid)).toMatchObject({ code: 'PAYMENT_REQUIRED' });

  const paid = await send(ask({ skill: 'quote', input: question }, { contextId: 'c-1' }), payment());
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

test('behavior: a payment begun over A2A is replayed over REST, and runs the engine once', async () => {
  const signature = payment();
  const first = await bodyOf(await send(quote, signature));
  const again = await served.post('/v1/quote', question, signature);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.json()).toEqual(first.message.parts[0].data);
  const replayed = await bodyOf(await send(quote, signature));
  expect(replayed.message.parts).toEqual(first.message.parts);
  expect(served.engine.asked).toHaveLength(1);
});

test("default: the published A2A client finds the card, pays in its fetch and reads the answer's data", async () => {
  const statuses: number[] = [];
  const paying: typeof fetch = async (url, init) => {
    const first = await fetch(url, init);
    statuses.push(first.status);
    if (first.status !== 402) return first;
    const paid = await fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), ...payment() } });
    statuses.push(paid.status);
    return paid;
  };
  // The card has the public address, which is not where this test listens.
  const toHere: typeof fetch = (url, init) => paying(String(url).replace('http://truefill.test', served.url), init);
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new RestTransportFactory({ fetchImpl: toHere })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: toHere }),
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
  ['an unknown skill', ask({ skill: 'swap', input: question }), 400, /unknown skill swap.*quote or pretradeCheck/],
  ['no skill', ask({ input: question }), 400, /no skill/],
  ['an invalid input', ask({ skill: 'quote', input: { ...question, sizeIn: 1 } }), 400, /does not match the schema/],
  ['a task', ask({ skill: 'quote', input: question }, { taskId: 't-1' }), 404, /has no tasks/],
  ['no message', undefined, 400, /no object "message"/],
])('error: %s is refused uncharged, paid or not', async (_case, message, status, words) => {
  for (const headers of [{}, payment()]) {
    const response = await send(message, headers);
    expect(response.status).toBe(status);
    const { detail, type } = await bodyOf(response);
    expect(detail).toMatch(words);
    expect(detail).toContain('Nothing was charged');
    expect(type).toContain('/guides/errors#');
  }
  expect(served.paymentService.attempts).toEqual([]);
});

test('error: tasks, streams and other spellings are 404, and another method is 405', async () => {
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

test('default: the card says that payment is in the headers and declares no x402 extension, which needs tasks', async () => {
  const card = await bodyOf(await fetch(`${served.url}/.well-known/agent-card.json`));
  expect(card.capabilities).not.toHaveProperty('extensions');
  expect(card.description).toMatch(/PAYMENT-SIGNATURE.*No tasks are stored/);
  expect(card.additionalInterfaces).toEqual([{ url: 'http://truefill.test/a2a', transport: 'HTTP+JSON' }]);
});
