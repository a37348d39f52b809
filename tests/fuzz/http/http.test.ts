import { encodePaymentSignatureHeader } from '@x402/core/http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginFuzz, fuzzSeed } from '../beginFuzz.ts';
import { type BesiegedServer, besiegeServer } from './besiegedServer.ts';
import { generatedRequest } from './generatedRequest.ts';
import { exchangeRaw } from './rawExchange.ts';
import { exchangeFaults } from './responseFaults.ts';

const { numRuns } = beginFuzz(60);
/** So many connections at once, so many times. */
const atOnce = 12;

let server: BesiegedServer;
beforeAll(async () => {
  server = await besiegeServer();
});
afterAll(() => server?.close());

/** The ledger without refused payments, which stay bound to their request for an hour and moved nothing. */
async function moved() {
  return (await server.ledgerCounts()).filter(({ state }) => state !== 'refused');
}

test('behavior: no bytes on a socket make it fail, hang, tell a secret, charge or give an answer away; it goes on selling', async () => {
  const before = await server.taken();
  let statuses: Record<number, number> = {};
  let sent = 0;
  // A signature lasts three minutes.
  for (let round = 0; round * 60 < numRuns; round += 1) {
    const payments = { quote: await server.signPoor('/v1/quote'), check: await server.signPoor('/v1/pretrade/check') };
    await fc.assert(
      fc.asyncProperty(fc.array(generatedRequest(payments), { minLength: 1, maxLength: atOnce }), async (requests) => {
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
      }),
      {
        numRuns: Math.min(60, numRuns - round * 60),
        ...(round > 0 && { seed: fuzzSeed + round }),
      },
    );
  }
  console.info(`${sent} connections, answers by status: ${JSON.stringify(statuses)}`);
  // It was no wall that answered: what is served was served, what is refused was refused.
  for (const status of [200, 204, 400, 402, 404, 405, 413, 415]) expect(statuses[status] ?? 0).toBeGreaterThan(0);
  expect(await server.taken()).toBe(before);
  expect(await moved()).toEqual([]);
}, 900_000);

test('behavior: after all that one pays and is answered, and the books hold exactly that', async () => {
  const before = await server.taken();
  const paid = await fetch(`${server.url}/v1/quote`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'payment-signature': encodePaymentSignatureHeader(await server.signRich('/v1/quote')),
    },
    body: JSON.stringify({ tokenIn: server.chain.wrappedNative, tokenOut: server.chain.usdc, sizeIn: '1' }),
  });
  expect(paid.status).toBe(200);
  expect((await server.taken()) - before).toBe(20_000n);
  expect(await moved()).toMatchObject([{ state: 'answered', payments: 1 }]);
});

test('behavior: its log names every request, no secret, and no failure of its own', () => {
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(100);
  for (const [name, text] of Object.entries(server.secrets))
    expect([name, server.log().includes(text)]).toEqual([name, false]);
  expect(lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  // Nothing that a client sent begins a line of its own, or moves a terminal's cursor.
  expect(server.log().replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
