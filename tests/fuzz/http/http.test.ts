import { encodePaymentSignatureHeader } from '@x402/core/http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginFuzz, fuzzSeed } from '../beginFuzz.ts';
import { type FuzzTarget, startFuzzTarget } from './fuzzTarget.ts';
import { generatedRequest } from './generatedRequest.ts';
import { exchangeRaw } from './rawExchange.ts';
import { exchangeFaults } from './responseFaults.ts';

const { numRuns } = beginFuzz(60);
/** Limit of concurrent connections. */
const maxConnections = 12;

let server: FuzzTarget;
beforeAll(async () => {
  server = await startFuzzTarget();
});
afterAll(() => server?.close());

/** Ledger counts without refused payments, which transferred no USDC. */
async function unrefusedCounts() {
  return (await server.ledgerCounts()).filter(({ state }) => state !== 'refused');
}

test('security: the server does not fail, hang, leak a secret, charge, or return a paid answer for free, for any input', async () => {
  const before = await server.payToBalance();
  let statuses: Record<number, number> = {};
  let sent = 0;
  // Sign again each round: a signature is valid for three minutes.
  for (let round = 0; round * 60 < numRuns; round += 1) {
    const payments = {
      quote: await server.signUnfunded('/v1/quote'),
      check: await server.signUnfunded('/v1/pretrade/check'),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(generatedRequest(payments), { minLength: 1, maxLength: maxConnections }),
        async (requests) => {
          sent += requests.length;
          const faults = await Promise.all(
            requests.map(async (request) => {
              const exchange = await exchangeRaw(server.port, request);
              for (const { status } of exchange.responses)
                statuses = { ...statuses, [status]: (statuses[status] ?? 0) + 1 };
              const found = exchangeFaults(request, exchange, server.secrets);
              return found.map((fault) => `${request.method} ${request.target.slice(0, 80)}: ${fault}`);
            }),
          );
          expect(faults.flat()).toEqual([]);
          expect((await fetch(`${server.url}/health`)).status).toBe(200);
        },
      ),
      {
        numRuns: Math.min(60, numRuns - round * 60),
        ...(round > 0 && { seed: fuzzSeed + round }),
      },
    );
  }
  console.info(`${sent} connections, responses by status: ${JSON.stringify(statuses)}`);
  // The requests must reach each of these outcomes.
  for (const status of [200, 204, 400, 402, 404, 405, 413, 415]) expect(statuses[status] ?? 0).toBeGreaterThan(0);
  expect(await server.payToBalance()).toBe(before);
  expect(await unrefusedCounts()).toEqual([]);
}, 900_000);

test('behavior: answers a paid request afterwards; ledger and balance contain exactly that payment', async () => {
  const before = await server.payToBalance();
  const paid = await fetch(`${server.url}/v1/quote`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'payment-signature': encodePaymentSignatureHeader(await server.signFunded('/v1/quote')),
    },
    body: JSON.stringify({ tokenIn: server.chain.wrappedNative, tokenOut: server.chain.usdc, sizeIn: '1' }),
  });
  expect(paid.status).toBe(200);
  expect((await server.payToBalance()) - before).toBe(20_000n);
  expect(await unrefusedCounts()).toMatchObject([{ state: 'answered', payments: 1 }]);
});

test('behavior: logs requests without secrets and without errors', () => {
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(100);
  // The line of the start names the database's file for the operator.
  const { folder: _, ...secrets } = server.secrets;
  for (const [name, text] of Object.entries(secrets))
    expect([name, server.log().includes(text)]).toEqual([name, false]);
  expect(lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  // Client input must not start a new log line or control a terminal.
  expect(server.log().replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
