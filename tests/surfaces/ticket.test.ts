import { expect, test } from 'vitest';
import { appRouter, canonicalJson, freeCalls, RequestError, type RouterContext } from '../../router/index.ts';
import { toQuery } from '../../router/quote/toQuery.ts';
import { fakeEngine, fakePretrade } from './fakePorts.ts';
import { quoteInput } from './serveFakes.ts';

function callWith(ticket: RouterContext['ticket']) {
  const engine = fakeEngine();
  const query = toQuery(quoteInput);
  const context = { engine, pretrade: fakePretrade(), query, requestId: 'r', baseUrl: '', ...(ticket && { ticket }) };
  return { engine, query, call: (input: typeof quoteInput) => appRouter.createCaller(context).quote(input) };
}

async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error.cause : error;
}

test('default: the procedure runs with a ticket for its input', async () => {
  const { engine, query, call } = callWith({ paid: 'quote', canonicalInput: canonicalJson(quoteInput) });
  expect(await call(quoteInput)).toMatchObject({ blockNumber: '38211450' });
  expect(engine.queries).toEqual([query]);
});

test.each([
  ['no ticket', undefined],
  ['a ticket for another procedure', { paid: 'pretradeCheck', canonicalInput: canonicalJson(quoteInput) }],
  ['a ticket for another input', { paid: 'quote', canonicalInput: canonicalJson({ ...quoteInput, sizeIn: '1' }) }],
  [
    'a ticket for an input with an additional field',
    { paid: 'quote', canonicalInput: canonicalJson({ ...quoteInput, chain: 'base' }) },
  ],
  ['an empty ticket', { paid: '', canonicalInput: '' }],
])('error: RequestError with %s, without a call of the engine', async (_case, ticket) => {
  const { engine, call } = callWith(ticket);
  expect(await refusal(call(quoteInput))).toBeInstanceOf(RequestError);
  expect(engine.queries).toEqual([]);
});

test('security: every procedure of the router but the free ones requires a ticket', async () => {
  const free = new Set(freeCalls.map(({ name }) => name));
  expect([...free]).toEqual(['buildTransaction']);
  for (const name of Object.keys(appRouter._def.procedures).filter((each) => !free.has(each))) {
    const ports = { engine: fakeEngine(), pretrade: fakePretrade() };
    const caller = appRouter.createCaller({ ...ports, requestId: 'r', baseUrl: '' });
    const procedure = name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], caller);
    const cause = await refusal((procedure as (input: unknown) => Promise<unknown>)({}));
    expect(cause).toMatchObject({ name: 'RequestError', code: 'PAYMENT_REQUIRED' });
  }
});
