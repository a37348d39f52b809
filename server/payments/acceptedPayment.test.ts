import { expect, test } from 'vitest';
import { ChainUnavailableError } from '../../engine/index.ts';
import { RequestError } from '../../router/index.ts';
import { accepting, answerText, openGate, serving, settledResponse } from '../../tests/support/openGate.ts';

test('stores the answer before it is sent, with a receipt', async () => {
  const serve = serving();
  const { run, settle } = accepting({ serve, addReceipt: async () => 'RECEIPT' });
  await run();
  expect(await settle()).toMatchObject({
    success: true,
    headers: { 'PAYMENT-RESPONSE': 'RECEIPT', 'Cache-Control': 'private, no-store' },
  });
  expect(serve.events).toEqual([
    { status: 200, contentType: 'application/json', body: answerText, paymentResponse: 'RECEIPT' },
  ]);
});

test('an answer without a signed receipt is sent; a free call has none', async () => {
  const failing = accepting({ addReceipt: () => Promise.reject(new Error('no key')) });
  await failing.run();
  expect(await failing.settle()).toMatchObject({ success: true, headers: { 'PAYMENT-RESPONSE': settledResponse } });
  expect(failing.lines).toMatchObject([{ requestId: 'r1', err: { message: 'no key' } }]);

  const serve = serving({ free: true });
  const free = accepting({ serve, addReceipt: async () => 'RECEIPT' });
  await free.run();
  expect(await free.settle()).toMatchObject({ success: true, headers: { 'PAYMENT-RESPONSE': settledResponse } });
  expect(serve.events[0]).not.toHaveProperty('paymentResponse');
});

test('sends the answer that another replica has stored first', async () => {
  const first = { status: 200, contentType: 'application/json', body: '{"first":true}', paymentResponse: 'FIRST' };
  const { run, settle } = accepting({ serve: serving({ complete: async () => first }) });
  await run();
  expect(await settle()).toMatchObject({
    success: false,
    response: { status: 200, body: first.body, headers: { 'PAYMENT-RESPONSE': 'FIRST' } },
  });
});

test('an answer that cannot be stored is not sent: the payer keeps the credit', async () => {
  const { run, settle, call } = accepting({
    serve: serving({ complete: () => Promise.reject(new Error('PostgreSQL does not answer.')) }),
  });
  await run();
  const result = await settle();
  expect(result).toMatchObject({ success: false, response: { headers: { 'PAYMENT-RESPONSE': settledResponse } } });
  const { response } = result as { response: { body: string } };
  expect(JSON.parse(response.body)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(JSON.parse(response.body).detail).toContain('You were charged');
  await call.acceptedPayment?.ended;
});

test('an empty answer fails the call', async () => {
  const serve = serving();
  const { run, settle } = accepting({ serve });
  await run();
  expect(await settle('')).toMatchObject({ success: false });
  expect(serve.events).toEqual(['INTERNAL']);
});

test('an answer without an accepted payment is an error of the code', async () => {
  await expect(openGate().settle()).rejects.toThrow('The handler ran without an accepted payment.');
});

test('a handler that threw ends its payment with the failure', async () => {
  const serve = serving();
  const { run, call } = accepting({ serve });
  const result = await run();
  call.failure = new ChainUnavailableError('base', 7);
  if (result.type !== 'payment-verified') throw new TypeError('Expected an accepted payment.');
  await result.cancellationDispatcher.cancel({} as never);
  expect(serve.events).toEqual(['UPSTREAM_UNAVAILABLE']);
  await call.acceptedPayment?.ended;
});

test('an explanation has the retry time of the error, or five seconds', async () => {
  const { run, call } = accepting();
  await run();
  const explain = (error: RequestError) => call.acceptedPayment?.explain(error);
  const late = new RequestError('DEADLINE_EXCEEDED', 'Late.', { retryAfterSeconds: 2 });
  expect(explain(late)).toMatchObject({ code: 'DEADLINE_EXCEEDED', retryAfterSeconds: 2, cause: late });
  expect(explain(new RequestError('INTERNAL', 'A bug.'))).toMatchObject({ retryAfterSeconds: 5 });
  expect(explain(late)?.detail).toMatch(/^Late\. You were charged/);
  const free = accepting({ serve: serving({ free: true }) });
  await free.run();
  expect(free.call.acceptedPayment?.isFree).toBe(true);
  expect(free.call.acceptedPayment?.explain(late).detail).toContain('Nothing was charged');
});

test('a failure that cannot be recorded is logged, and ends the call', async () => {
  const { run, call, lines } = accepting({
    serve: serving({ fail: () => Promise.reject(new Error('PostgreSQL does not answer.')) }),
  });
  await run();
  await call.acceptedPayment?.fail(new Error('of the engine'));
  await call.acceptedPayment?.ended;
  expect(lines).toMatchObject([
    { msg: 'A paid call failed', code: 'INTERNAL', requestId: 'r1', paid: 'quote' },
    { err: { message: 'PostgreSQL does not answer.' }, requestId: 'r1', paid: 'quote' },
  ]);
});

test('the gate counts an accepted payment as work until it ends', async () => {
  const { run, call, work } = accepting();
  await run();
  let isIdle = false;
  const idle = work.settled().then(() => {
    isIdle = true;
  });
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  await call.acceptedPayment?.fail(new Error('of the engine'));
  await idle;
});
