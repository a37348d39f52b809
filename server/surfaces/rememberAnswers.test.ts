import { expect, test } from 'vitest';
import { canonicalJson, catalogue, type RouterContext } from '../../router/index.ts';
import { rememberAnswers } from './rememberAnswers.ts';
import type { Runner } from './runner.ts';

const [item] = catalogue;
if (!item) throw new Error('Nothing is sold.');
const input = { sizeIn: '1' };
const contextOf = (asked: unknown, paid = item.name) =>
  ({ ticket: { paid, canonicalInput: canonicalJson(asked) } }) as RouterContext;

function openRunner() {
  let time = 1_000;
  let runs = 0;
  let works = true;
  const inner: Runner = async () => {
    runs += 1;
    if (!works) return { ok: false, failure: new Error('no') };
    const body = JSON.stringify({ run: runs, validUntil: time + 100 });
    return { ok: true, answer: { status: 200, contentType: 'application/json', body } };
  };
  const run = rememberAnswers(inner, () => time);
  return {
    run,
    runs: () => runs,
    pass: (ms: number) => {
      time += ms;
    },
    fail: () => {
      works = false;
    },
  };
}

test('default: while an answer stands its bytes are given again, whatever the order of the keys', async () => {
  const { run, runs, pass } = openRunner();
  const first = await run(item, { a: '1', b: '2' }, contextOf({ a: '1', b: '2' }));
  pass(99);
  expect(await run(item, { b: '2', a: '1' }, contextOf({ b: '2', a: '1' }))).toEqual(first);
  expect(runs()).toBe(1);
});

test('behavior: what ran out is worked out anew, and so is another question', async () => {
  const { run, runs, pass } = openRunner();
  await run(item, input, contextOf(input));
  await run(item, { sizeIn: '2' }, contextOf({ sizeIn: '2' }));
  expect(runs()).toBe(2);
  pass(100);
  await run(item, input, contextOf(input));
  expect(runs()).toBe(3);
});

test('behavior: a failure is not remembered', async () => {
  const { run, runs, fail } = openRunner();
  fail();
  expect(await run(item, input, contextOf(input))).toMatchObject({ ok: false });
  await run(item, input, contextOf(input));
  expect(runs()).toBe(2);
});

test.each([
  ['no ticket', {} as RouterContext],
  ['a ticket for another procedure', contextOf(input, 'another')],
  ['a ticket for another input', contextOf({ sizeIn: '2' })],
])('error: RequestError with %s, also for an answer that is known', async (_what, context) => {
  const { run } = openRunner();
  await run(item, input, contextOf(input));
  expect(await run(item, input, context)).toMatchObject({ ok: false, failure: { code: 'PAYMENT_REQUIRED' } });
});
