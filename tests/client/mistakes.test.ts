import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../client/cli/run.ts';
import { createTruefillClient, type TruefillClientOptions } from '../../client/index.ts';
import { payment, type Served, serveFakes } from '../surfaces/serveFakes.ts';
import { clientMistakes } from './clientMistakes.ts';
import { cliMistakes } from './cliMistakes.ts';
import { type Mistake, usdc, weth } from './mistake.ts';
import { restMistakes } from './restMistakes.ts';
import { startScriptedService } from './scriptedService.ts';

// Common mistakes; those of configuration are in server/config/mistakes.test.ts, those of the form in
// tests/browser/tryForm.test.ts. Each error message contains the value received, what to do, and that nothing was charged.

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.paymentService.events.length = 0;
  served.engine.queries.length = 0;
});

const account = privateKeyToAccount(`0x${'42'.repeat(32)}`);

/** The message of a REST error: its detail and its issues. */
const rest =
  (path: string, body: unknown, init: RequestInit = {}) =>
  async () => {
    const response = await fetch(served.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...payment() },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...init,
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    const { detail, issues = [] } = (await response.json()) as { detail: string; issues?: { message: string }[] };
    return [detail, ...issues.map(({ message }) => message)].join(' ');
  };

const cli =
  (...line: string[]) =>
  async () => {
    let out = '';
    let err = '';
    const exit = await run(line, {
      env: {
        TRUEFILL_URL: served.url,
        XDG_STATE_HOME: join(tmpdir(), 'truefill-no-state'),
        ...(line[0] === 'sign' && { TRUEFILL_KEY: `0x${'42'.repeat(32)}` }),
      },
      stdin: Readable.from(['not a 402']),
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
    });
    expect({ exit: exit > 0, out }).toEqual({ exit: true, out: '' });
    return err.replace(/\nSee truefill .*--help\n$/, '').trim();
  };

/** The error message of a client's call to the service with fakes, or to `options.url`. */
const client =
  (
    call: (truefill: ReturnType<typeof createTruefillClient>) => Promise<unknown>,
    options: Partial<TruefillClientOptions> = {},
  ) =>
  async () => {
    const failure = (async () => {
      const quickRetry = { attempts: 1 };
      return call(createTruefillClient({ url: served.url, wallet: account, retry: quickRetry, ...options }));
    })();
    return failure.then(
      () => 'no error',
      (error: Error) => error.message.replaceAll('\n', ' '),
    );
  };

const scripted =
  (
    steps: Parameters<typeof startScriptedService>[0],
    options: Partial<TruefillClientOptions> = {},
  ): Mistake['message'] =>
  async () => {
    const scripted = await startScriptedService(steps);
    try {
      return await client((truefill) => truefill.quote({ tokenIn: weth, tokenOut: usdc, sizeIn: '1' }), {
        url: scripted.url,
        ...options,
      })();
    } finally {
      await scripted.close();
    }
  };

const rows = [
  ...restMistakes(rest).map((row) => ['REST', row.mistake, row] as const),
  ...cliMistakes(cli).map((row) => ['command line', row.mistake, row] as const),
  ...clientMistakes({ client, scripted }).map((row) => ['client', row.mistake, row] as const),
];

test('default: the table has at least 52 mistakes', () => {
  expect(rows.length).toBeGreaterThanOrEqual(52);
});

test.each(rows)(
  'error: %s: the message for %s contains the value, the advice, and that nothing was charged',
  async (surface, _mistake, row) => {
    const text = await row.message();
    expect(text).toMatch(row.seen);
    expect(text).toMatch(row.toDo);
    // A 402 without a payment cannot have charged anything.
    if (row.mistake !== 'no payment') expect(text).toMatch(/\b[Nn]othing was (?:charged|signed|sent)\b/);
    expect(text).not.toMatch(/\b(?:who|whoever|nobody|tells?|told|says?)\b|undefined|\[object/);
    for (const sentence of text.split(/[.?!:]\s+/)) {
      // A list of tokens or networks is not prose.
      const words = sentence.split(/\s+/).filter((word) => !/^0x|,$/.test(word));
      expect(words.length, sentence).toBeLessThanOrEqual(25);
    }
    if (surface === 'REST') expect(served.paymentService.events).toEqual([]);
    expect(served.engine.queries).toEqual([]);
  },
);
