import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ProxiedCall, RpcFault } from '../../sandbox/index.ts';
import { failing, rewriting } from '../rpcFaults/rewriteReplies.ts';
import { shareOf } from '../support/proofSize.ts';
import {
  type Bought,
  type OutageEnvironment,
  openOutageEnvironment,
  price,
  type TestService,
} from './outageEnvironment.ts';
import { faultsOf, provenPart } from './provenPart.ts';

// The chain's RPC behind a proxy that fails. Without the RPC there is no answer and no charge. If only some calls fail,
// only the values that need them are unavailable, with a reason.

let environment: OutageEnvironment;
beforeAll(async () => {
  environment = await openOutageEnvironment();
});
afterEach(() => environment.clearFaults());
afterAll(() => environment?.close());

/** Short deadlines, so that requests to a silent node time out soon. */
const shortDeadlines = { QUOTE_DEADLINE_MS: '2000', VENDOR_TIMEOUT_MS: '300' };
const failures: [string, RpcFault][] = [
  ['drops connections', { kind: 'drop' }],
  ['never responds', { kind: 'hang' }],
  ['returns 50 MB', { kind: 'flood', bytes: 50 * 1024 * 1024 }],
  ['truncates responses', { kind: 'truncate' }],
  ['returns HTML', { kind: 'html' }],
  ['returns HTTP 503', { kind: 'status', status: 503 }],
  ['returns HTTP 429', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
  ['returns JSON that is not JSON-RPC', { kind: 'rewrite', reply: () => '{"hello":"environment"}' }],
  ['returns null', { kind: 'rewrite', reply: () => 'null' }],
  ['returns an empty list', { kind: 'rewrite', reply: () => '[]' }],
  ['returns zeros for every result', rewriting(() => `0x${'00'.repeat(640)}`)],
  ['returns ones for every result', rewriting(() => `0x${'ff'.repeat(640)}`)],
  ['returns numbers for every result', rewriting(() => 7)],
  ['returns no data for every result', rewriting(() => '0x')],
  ['returns null for every result', rewriting(() => null)],
  ['returns an error for every call', failing(() => true)],
];

function expectNoAnswer({ status, headers, text }: Bought, statuses = [503]): void {
  expect(statuses, text).toContain(status);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(text).not.toMatch(/verdict|secret|127\.0\.0\.1/);
}

test.each(shareOf(failures, 3))(
  'error: 503 without a charge while the RPC %s; the same signature works later',
  async (_how, fault) => {
    const service = await environment.open(shortDeadlines);
    const token = environment.tokenOf('PLAIN');
    const signature = await service.sign();
    const before = await environment.received();
    environment.rpc.fault = () => fault;
    for (let n = 0; n < 2; n += 1) expectNoAnswer(await service.check(token, { signature }));
    expect(await environment.received()).toBe(before);

    environment.clearFaults();
    await untilAnswered(service, token, signature);
    expect((await environment.received()) - before).toBe(price);
    await service.close();
  },
);

/** Repeats the request until its answer: a node that failed is not called for a while, and the service returns 503. */
async function untilAnswered(service: TestService, token: string, signature: string): Promise<Bought> {
  const bought = await vi.waitUntil(
    async () => {
      const tried = await service.check(token, { signature });
      return tried.status === 200 && tried;
    },
    { timeout: 120_000, interval: 200 },
  );
  expect(bought.answer.verdict).toBe('clear');
  expect(faultsOf(bought.answer)).toEqual([]);
  return bought;
}

/** Whether these are reads of the check, not of a payment or of logs. */
const isCheck = (calls: ProxiedCall[]) =>
  calls.some(({ method, params }) => method === 'eth_call' && params.length > 2 && calls.length > 1);

test.each(shareOf(failures, 3, 1))(
  'error: 503 keeps the credit if the RPC %s after the payment; no second charge',
  async (_how, fault) => {
    const service = await environment.open(shortDeadlines);
    const token = environment.tokenOf('PLAIN');
    const signature = await service.sign();
    const before = await environment.received();
    environment.rpc.fault = (calls) => (isCheck(calls) ? fault : undefined);
    const failed = await service.check(token, { signature });
    expectNoAnswer(failed);
    expect(failed.text).toContain('same PAYMENT-SIGNATURE');
    expect((await environment.received()) - before).toBe(price);

    environment.clearFaults();
    await untilAnswered(service, token, signature);
    expect((await environment.received()) - before).toBe(price);
    await service.close();
  },
);

test('behavior: a new payment is refused without an RPC call for it while the node is down', async () => {
  const service = await environment.open(shortDeadlines);
  const token = environment.tokenOf('PLAIN');
  const paid = await service.sign();
  const fresh = await service.sign();
  environment.rpc.fault = (calls) => (isCheck(calls) ? { kind: 'drop' } : undefined);
  for (let n = 0; n < 3; n += 1) expectNoAnswer(await service.check(token, { signature: paid }));
  const before = await environment.received();
  environment.rpc.requests.length = 0;
  const refused = await service.check(token, { signature: fresh });
  expectNoAnswer(refused);
  expect(refused.headers.get('payment-response')).toBeNull();
  // Recovery probes call the node; the payment does not.
  const methods = environment.rpc.requests.flatMap(({ calls }) => calls.map(({ method }) => method));
  expect(methods).not.toContain('eth_estimateGas');
  expect(methods).not.toContain('eth_sendRawTransaction');
  expect(await environment.received()).toBe(before);
  await service.close();
});

test('behavior: without eth_simulateV1 no sale is reported as blocked, and a reason reports the missing method', async () => {
  const service = await environment.open();
  const unknownMethod = { code: -32601, message: 'the method eth_simulateV1 does not exist' };
  environment.rpc.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_simulateV1')
      ? failing(({ method }) => method === 'eth_simulateV1', unknownMethod)
      : undefined;
  const { answer, text, status } = await service.check(environment.tokenOf('PLAIN'));
  expect(status, text).toBe(200);
  expect(faultsOf(answer)).toEqual([]);
  expect(answer.verdict).toBe('clear');
  expect(['unknown', 'tradable']).toContain(answer.risk_profile.transferability.outcome);
  // One call can prove that a trade works, but not that it is blocked.
  expect(answer.risk_profile.transferability).toMatchObject({ sellTaxRaw: 0, buyTaxRaw: 0 });
  expect(answer.reasons.join(' ')).toMatch(/does not support eth_simulateV1/);
  await service.close();
});

test('behavior: NO_EXIT_VENUE is not raised if the node refuses logs, and a reason reports it', async () => {
  const service = await environment.open();
  environment.rpc.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_getLogs')
      ? failing(({ method }) => method === 'eth_getLogs')
      : undefined;
  const noExit = environment.testTokens.find(({ truth }) => truth.triggers.join() === 'NO_EXIT_VENUE')?.symbol ?? '';
  for (const symbol of ['PLAIN', noExit]) {
    const { answer } = await service.check(environment.tokenOf(symbol));
    expect(faultsOf(answer)).toEqual([]);
    // PLAIN's pool exceeds the threshold, so pools from logs cannot change the verdict.
    const conclusive = symbol === 'PLAIN';
    expect(answer).toMatchObject({ verdict: 'clear', triggers: [], liquidityCoverage: { conclusive } });
    expect(answer.reasons.join(' ')).toMatch(/factories' logs/);
  }
  await service.close();
});

/** Valid Initialize logs of 9,000 pools with the token, over 8 MiB. An attacker can create them for a few dollars. */
function manyPools({ params }: ProxiedCall): object[] {
  const [{ topics }] = params as [{ topics: (string | string[] | null)[] }];
  const token = topics.flat().find((word) => typeof word === 'string' && word.startsWith(`0x${'0'.repeat(24)}`));
  return Array.from({ length: 9_000 }, (_, index) => ({
    address: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
    blockHash: `0x${'ab'.repeat(32)}`,
    blockNumber: '0x10',
    data: `0x${[3_000n, 60n, 0n, 1n << 96n, 0n].map((word) => word.toString(16).padStart(64, '0')).join('')}`,
    logIndex: '0x1',
    removed: false,
    topics: [
      '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
      `0x${index.toString(16).padStart(64, '0')}`,
      token,
      `0x${(index + 1).toString(16).padStart(40, 'c').padStart(64, '0')}`,
    ],
    transactionHash: `0x${'cd'.repeat(32)}`,
    transactionIndex: '0x0',
  }));
}

const isTokenLog = ({ params }: ProxiedCall) => typeof (params[0] as { address: unknown }).address === 'string';
const unreadLogs: [string, RpcFault][] = [
  ['with 9,000 logs', rewriting((call, truth) => (call.method === 'eth_getLogs' ? manyPools(call) : truth))],
  ['without a response', { kind: 'drop' }],
  ['that times out', { kind: 'hang' }],
  ['with HTTP 503', { kind: 'status', status: 503 }],
];

test.each(unreadLogs)(
  'behavior: a request for pool logs %s makes only NO_EXIT_VENUE inconclusive',
  async (_how, fault) => {
    const service = await environment.open();
    environment.rpc.fault = (calls) =>
      calls.some((call) => call.method === 'eth_getLogs' && !isTokenLog(call)) ? fault : undefined;
    const noExit = environment.testTokens.find(({ truth }) => truth.triggers.join() === 'NO_EXIT_VENUE')?.symbol ?? '';
    for (const symbol of ['PLAIN', noExit, 'DRAINED', 'PLAIN']) {
      const { status, answer, text } = await service.check(environment.tokenOf(symbol));
      expect(status, text.slice(0, 300)).toBe(200);
      expect(faultsOf(answer)).toEqual([]);
      expect(answer).toMatchObject({
        verdict: 'clear',
        triggers: [],
        liquidityCoverage: { conclusive: symbol === 'PLAIN' },
      });
      expect(answer.reasons.join(' ')).toMatch(/factories' logs/);
    }
    environment.clearFaults();
    const { answer } = await service.check(environment.tokenOf(noExit));
    expect(answer.triggers).toEqual(['NO_EXIT_VENUE']);
    await service.close();
  },
);

test('behavior: the check is conclusive if the logs of the token itself are too large', async () => {
  const service = await environment.open();
  environment.rpc.fault = (calls) =>
    calls.some((call) => call.method === 'eth_getLogs' && isTokenLog(call))
      ? { kind: 'flood', bytes: 9 * 1024 * 1024 }
      : undefined;
  const noExit = environment.testTokens.find(({ truth }) => truth.triggers.join() === 'NO_EXIT_VENUE')?.symbol ?? '';
  for (const symbol of ['PLAIN', noExit]) {
    const { status, answer, text } = await service.check(environment.tokenOf(symbol));
    expect(status, text.slice(0, 300)).toBe(200);
    expect(faultsOf(answer)).toEqual([]);
    expect(answer.triggers).toEqual(symbol === 'PLAIN' ? [] : ['NO_EXIT_VENUE']);
    expect(answer.liquidityCoverage.conclusive).toBe(true);
  }
  await service.close();
});

test('behavior: a too large simulation response makes the outcome unknown and leaves the verdict', async () => {
  const service = await environment.open();
  environment.rpc.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_simulateV1') ? { kind: 'flood', bytes: 9 * 1024 * 1024 } : undefined;
  for (const symbol of ['BOTS', 'DRAINED', 'BOTS']) {
    const { status, answer, text } = await service.check(environment.tokenOf(symbol));
    expect(status, text.slice(0, 300)).toBe(200);
    expect(faultsOf(answer)).toEqual([]);
    expect(answer.verdict).toBe(symbol === 'BOTS' ? 'clear' : 'avoid');
    expect(answer.risk_profile.transferability).toMatchObject({ outcome: 'unknown', sellTaxRaw: null });
    if (symbol === 'BOTS') expect(answer.risk_profile.transferability.hasBlacklist).toBeNull();
    expect(answer.reasons.join(' ')).toMatch(/larger than/);
  }
  await service.close();
});

const nonsense = [
  7,
  '0x',
  `0x${'ff'.repeat(96)}`,
  [{}],
  [null],
  [{ topics: ['x'], data: 5 }],
  [{ topics: [5, null], address: 7 }],
];
const methods = ['eth_getLogs', 'eth_getCode', 'eth_getStorageAt', 'eth_simulateV1'];

test.each(methods)(
  'behavior: a malformed result of %s raises no trigger, and lowers the confidence',
  async (method) => {
    for (const result of shareOf(nonsense, 3, methods.indexOf(method))) {
      const service = await environment.open();
      // Payments also call eth_getCode, with the gas estimate, and are refused if it fails. So leave their requests intact.
      const isPayment = (calls: ProxiedCall[]) => calls.some((call) => call.method === 'eth_estimateGas');
      environment.rpc.fault = (calls) =>
        !isPayment(calls) && (isCheck(calls) || calls.some((call) => call.method === method))
          ? rewriting((call, truth) => (call.method === method ? result : truth))
          : undefined;
      const { status, answer, text } = await service.check(environment.tokenOf('PLAIN'));
      const what = `${JSON.stringify(result).slice(0, 40)}: ${text.slice(0, 300)}`;
      expect(status, what).toBe(200);
      expect(faultsOf(answer), what).toEqual([]);
      expect(answer.triggers, what).toEqual([]);
      // PLAIN's exit liquidity exceeds the threshold without the pools or the code that could not be read.
      const isWhole = Object.values(answer.flags).every(({ severity }) => severity !== 'unknown');
      // Without simulated trades a token that blocks sales looks like any other.
      const lowered = method === 'eth_simulateV1' ? 'low' : 'medium';
      expect(answer.confidence, what).toBe(isWhole && answer.liquidityCoverage.conclusive ? 'high' : lowered);
      environment.clearFaults();
      await service.close();
    }
  },
);

test('behavior: a slow node does not change the answer', async () => {
  const service = await environment.open();
  const token = environment.tokenOf('PLAIN');
  const quick = (await service.check(token)).answer;
  environment.rpc.delayMs = 150;
  const { answer } = await service.check(token);
  environment.rpc.delayMs = 0;
  expect(provenPart(answer)).toEqual(provenPart(quick));
  await service.close();
});
