import { decodePaymentRequiredHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentConfig, PaymentDecision, PaymentService } from '../../server/payments/index.ts';
import { answerTo, assertServed, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { isBroadcast } from './useProxiedFixture.ts';

// A network is offered only while it can settle. The chain is the judge: gas, its price, the token and the payee.

const base = 'eip155:8453';
const polygon = 'eip155:137';
const tokenAbi = parseAbi([
  'function pauser() view returns (address)',
  'function blacklister() view returns (address)',
  'function pause()',
  'function blacklist(address account)',
]);

let fixture: PaymentFixture;
let other: PaymentFixture;
let proxy: RpcProxy;
let snapshot: Hex;

beforeAll(async () => {
  [fixture, other] = await Promise.all([openPaymentFixture('base'), openPaymentFixture('polygon')]);
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
  snapshot = await fixture.rpc<Hex>('evm_snapshot');
});
afterEach(async () => {
  proxy.fault = () => undefined;
  await fixture.rpc('evm_revert', [snapshot]);
  snapshot = await fixture.rpc<Hex>('evm_snapshot');
});
afterAll(async () => {
  await proxy?.close();
  await fixture?.close();
  await other?.close();
});

interface Line {
  facts: Record<string, unknown>;
  message: string;
}

/** A service that accepts payments on Base, behind the proxy, and on Polygon. `offerCheckMs` is long by default. */
async function openBoth(timings: PaymentConfig['timings'] = {}, onlyBase = false) {
  const errors: Line[] = [];
  const error = (facts: object, message: string) => errors.push({ facts: { ...facts }, message });
  const opened = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({
      ...config,
      logger: { ...config.logger, error },
      timings: { ...config.timings, offerCheckMs: 600_000, ...timings },
      networks: onlyBase
        ? config.networks
        : [...config.networks, ...other.paymentConfig(config.ledger, other.chain.rpcUrl).networks],
    }),
  });
  return { ...opened, errors };
}

const offered = (paymentService: PaymentService): string[] =>
  decodePaymentRequiredHeader(paymentService.challenge('quote').header).accepts.map(({ network }) => network);

const facilitator = () => fixture.walletOf('facilitator').address;
const setGas = (wei: bigint) => fixture.rpc('anvil_setBalance', [facilitator(), `0x${wei.toString(16)}`]);

async function sendAs(role: 'pauser' | 'blacklister', data: Hex, fees = {}): Promise<void> {
  const { usdc } = fixture.chain;
  const from = await fixture.client.readContract({ address: usdc, abi: tokenAbi, functionName: role });
  await fixture.rpc('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await fixture.rpc('anvil_impersonateAccount', [from]);
  await fixture.rpc('eth_sendTransaction', [{ from, to: usdc, data, gas: '0x30d40', ...fees }]);
}
const pauseToken = (fees = {}) => sendAs('pauser', encodeFunctionData({ abi: tokenAbi, functionName: 'pause' }), fees);
const blockPayee = () =>
  sendAs('blacklister', encodeFunctionData({ abi: tokenAbi, functionName: 'blacklist', args: [fixture.payTo] }));

const obstacles: Record<string, { arrange: () => Promise<unknown>; obstacle: string }> = {
  'no gas': { arrange: () => setGas(1n), obstacle: 'no_gas' },
  'a paused token': { arrange: () => pauseToken(), obstacle: 'token_paused' },
  'a blocked payee': { arrange: blockPayee, obstacle: 'payee_blocked' },
  'a node that does not respond': {
    arrange: async () => {
      proxy.fault = () => ({ kind: 'drop' });
    },
    obstacle: 'node_unreachable',
  },
};

const withoutCharge = { kind: 'refuse', status: 503, code: 'UPSTREAM_UNAVAILABLE', charged: false };

test.each(Object.keys(obstacles))(
  'behavior: Base with %s leaves accepts[] within 5 s, its new payments get 503, and it comes back by itself',
  async (name) => {
    const { arrange, obstacle } = obstacles[name] as (typeof obstacles)[string];
    const { paymentService, errors, close } = await openBoth({ offerCheckMs: 500 });
    expect(offered(paymentService)).toEqual([base, polygon]);
    const payer = await fixture.newPayer(price);
    const payload = await fixture.sign(paymentService, payer);
    await arrange();
    await expect.poll(() => offered(paymentService), { timeout: 5_000 }).toEqual([polygon]);
    expect(paymentService.settlement()).toEqual({ [base]: obstacle, [polygon]: 'ok' });
    expect(errors).toContainEqual({
      facts: expect.objectContaining({ network: base, facilitator: facilitator() }),
      message: expect.any(String),
    });

    // Signed before Base was withdrawn.
    expect(await paymentService.decide(attemptOf(payload))).toMatchObject({
      ...withoutCharge,
      detail: expect.stringContaining(`Payments on ${base} cannot be settled right now.`),
      headers: { 'Retry-After': '5' },
    });

    proxy.fault = () => undefined;
    await fixture.rpc('evm_revert', [snapshot]);
    snapshot = await fixture.rpc<Hex>('evm_snapshot');
    await expect.poll(() => offered(paymentService), { timeout: 10_000 }).toEqual([base, polygon]);
    await close();
  },
);

test.each(['no gas', 'a paused token', 'a blocked payee', 'a node that does not respond'])(
  'behavior: a settlement that fails because of %s withdraws Base before its payer is answered, and pauses no wallet',
  async (name) => {
    const { arrange, obstacle } = obstacles[name] as (typeof obstacles)[string];
    const { paymentService, ledger, close } = await openBoth();
    const payer = await fixture.newPayer(2n * price);
    const payload = await fixture.sign(paymentService, payer);
    await arrange();
    // The networks are not read in between, so that Base is still offered.
    expect(offered(paymentService)).toEqual([base, polygon]);
    expect(await paymentService.decide(attemptOf(payload))).toMatchObject({
      ...withoutCharge,
      headers: { 'Retry-After': '5' },
    });
    expect(paymentService.settlement()[base]).toBe(obstacle);
    expect(offered(paymentService)).toEqual([polygon]);
    const wallet = payer.address.toLowerCase();
    const claim = { key: 'other', wallet, network: base, amount: 1n };
    const facts = {
      ...claim,
      fingerprint: 'f',
      payer: wallet,
      paid: 'quote',
      route: 'r',
      canonicalInput: '{}',
      payload: '{}',
    };
    await ledger.claim(facts);
    expect(await ledger.reserve(claim)).toMatchObject({ kind: 'reserved' });
    await ledger.refused(claim.key, 'a test');

    // The same payment is served once the network can settle again, although the interval has not passed.
    proxy.fault = () => undefined;
    await setGas(10n ** 18n);
    if (name === 'no gas' || name === 'a node that does not respond') {
      assertServed(await paymentService.decide(attemptOf(payload)));
      expect(await fixture.usdcOf(payer.address)).toBe(price);
    }
    await close();
  },
);

test('behavior: a transaction that fails on chain because the token was paused in flight pauses no wallet', async () => {
  const { paymentService, close } = await openBoth({ settleDeadlineMs: 60_000 });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  await fixture.rpc('evm_setAutomine', [false]);
  try {
    const deciding = paymentService.decide(attempt);
    await fixture.untilPending(1);
    // A higher tip, so that the pause is executed first.
    await pauseToken({ maxPriorityFeePerGas: '0x174876e800', maxFeePerGas: '0x2e90edd000' });
    await fixture.untilPending(2);
    await fixture.rpc('evm_mine');
    const decision = await deciding;
    // A block may still include its authorization, which is public now.
    const open = { ...withoutCharge, charged: null };
    expect(decision).toMatchObject({ ...open, detail: expect.stringContaining('The token is paused.') });
    expect(decision).not.toMatchObject({ detail: expect.stringContaining('paused for') });
  } finally {
    await fixture.rpc('evm_setAutomine', [true]);
  }
  expect(paymentService.settlement()[base]).toBe('token_paused');
  await close();
});

test('behavior: recorded payments of a withdrawn network are replayed and answered from the credit; one debit', async () => {
  const { paymentService, close } = await openBoth();
  const payer = await fixture.newPayer(3n * price);
  const [answered, credit] = [
    attemptOf(await fixture.sign(paymentService, payer)),
    attemptOf(await fixture.sign(paymentService, payer), '{"size":"2"}'),
  ];
  await assertServed(await paymentService.decide(answered)).complete(answerTo('first'));
  const unanswered = assertServed(await paymentService.decide(credit));
  // Withdrawn between settlement and answer.
  await setGas(1n);
  await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer), '{"size":"3"}'));
  expect(paymentService.settlement()[base]).toBe('no_gas');

  expect(await paymentService.decide(answered)).toMatchObject({ kind: 'replay', answer: answerTo('first') });
  await unanswered.fail('the engine failed');
  await assertServed(await paymentService.decide(credit)).complete(answerTo('second'));
  expect(await paymentService.decide(credit)).toMatchObject({ kind: 'replay', answer: answerTo('second') });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('error: 503 with Retry-After, for unpaid and refused calls, while no network can settle', async () => {
  const signing = await openBoth({}, true);
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(signing.paymentService, payer);
  const forged = await fixture.signAltered(signing.paymentService, payer, { value: 1n });
  await signing.close();
  await setGas(1n);
  const { paymentService, close } = await openBoth({}, true);
  expect(() => paymentService.challenge('quote')).toThrow(
    expect.objectContaining({ code: 'UPSTREAM_UNAVAILABLE', retryAfterSeconds: 5, charged: false }),
  );
  for (const signed of [payload, forged]) {
    const decision: PaymentDecision = await paymentService.decide(attemptOf(signed));
    expect(decision).toMatchObject({ ...withoutCharge, headers: { 'Retry-After': '5' } });
    expect(decision).not.toHaveProperty('headers.PAYMENT-REQUIRED');
  }
  await close();
});

test('behavior: the 402 and withdrawn networks cost no request; the networks are read in one request every interval', async () => {
  const { paymentService, close } = await openBoth({ offerCheckMs: 300, gasWatchMs: 600_000 });
  const before = proxy.requests.length;
  for (let call = 0; call < 200; call += 1) paymentService.challenge('quote');
  expect(proxy.requests.length).toBe(before);
  const headers = new Set([paymentService.challenge('quote').header, paymentService.challenge('quote').header]);
  expect(headers.size).toBe(1);
  await expect.poll(() => proxy.requests.length - before).toBeGreaterThanOrEqual(2);
  const reads = proxy.requests.slice(before);
  // One batch for each read, and no broadcast.
  for (const { calls } of reads) expect(calls.length).toBeGreaterThanOrEqual(4);
  expect(reads.flatMap(({ calls }) => calls).some(isBroadcast)).toBe(false);
  await close();
});

test('behavior: an idle service does not read at the short interval, and reads at once at its first call', async () => {
  const { close, paymentService } = await openBoth({ offerCheckMs: 50, gasWatchMs: 600_000 });
  const before = proxy.requests.length;
  // Ten short intervals, measured by another service's reads of the same node.
  const busy = await openBoth({ offerCheckMs: 50, gasWatchMs: 600_000 });
  const afterOpen = proxy.requests.length;
  busy.paymentService.challenge('quote');
  await expect.poll(() => proxy.requests.length - afterOpen).toBeGreaterThanOrEqual(10);
  await busy.close();
  const idle = proxy.requests.length;
  await setGas(1n);
  expect(offered(paymentService)).toEqual([base, polygon]);
  await expect.poll(() => offered(paymentService), { timeout: 30_000 }).toEqual([polygon]);
  expect(idle - before).toBeGreaterThan(0);
  await close();
});

test('behavior: with no gas on Base, @x402/fetch unchanged buys on Polygon at the first try, and the log names the address to fund', async () => {
  await setGas(1n);
  const { paymentService, errors, close } = await openBoth();
  expect(errors.map(({ message }) => message)).toContain(
    `No gas is left: the network is not offered until ${facilitator()} is funded`,
  );
  const payer = await other.newPayer(2n * price);
  let signed = 0;
  const service: typeof fetch = async (input, init) => {
    const paymentHeader = new Request(input, init).headers.get('payment-signature');
    if (!paymentHeader) {
      const { header } = paymentService.challenge('quote');
      return new Response('{}', { status: 402, headers: { 'PAYMENT-REQUIRED': header } });
    }
    signed += 1;
    const attempt = { paid: 'quote', route: 'POST /v1/quote', canonicalInput: '{}', queryKey: '{}', paymentHeader };
    const { body } = await assertServed(await paymentService.decide(attempt)).complete(answerTo('polygon'));
    return new Response(body);
  };
  const client = new x402Client()
    .register(base, new ExactEvmScheme(payer))
    .register(polygon, new ExactEvmScheme(payer));
  const response = await wrapFetchWithPayment(service, client)('http://localhost/v1/quote', { method: 'POST' });
  expect(await response.text()).toBe(answerTo('polygon').body);
  expect(signed).toBe(1);
  expect(await other.usdcOf(payer.address)).toBe(price);
  await close();
});
